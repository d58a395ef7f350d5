from array import array

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pagedrift._kernels import numbering_py

numbering_cy = pytest.importorskip("pagedrift._kernels.numbering_cy", reason="the native kernels are not built")

columns = st.lists(st.integers(-2, 4), max_size=60).map(lambda numbers: array("i", numbers))


@given(columns, columns)
def test_the_native_numbers_of_pairs_equal_those_of_the_readable_twin(
    one: "array[int]", other: "array[int]"
) -> None:
    other = other[: len(one)]

    assert numbering_cy.number_pairs(one, other) == numbering_py.number_pairs(one, other)


@given(columns)
def test_the_native_columns_equal_those_of_the_readable_twin(column: "array[int]") -> None:
    numbers = array("i", map(abs, column))

    assert numbering_cy.gather(numbers, 5) == numbering_py.gather(numbers, 5)
    assert numbering_cy.count_before(bytes(numbers)) == numbering_py.count_before(bytes(numbers))
    assert numbering_cy.find_wanted(numbers, b"\1\0\1\0\1") == numbering_py.find_wanted(numbers, b"\1\0\1\0\1")
    starts = array("i", sorted(numbers))
    stops = array("i", [start + number for start, number in zip(starts, numbers, strict=True)])
    assert numbering_cy.count_covered(starts, stops, 9) == numbering_py.count_covered(starts, stops, 9)
    marked = numbering_py.count_before(bytes(number % 2 for number in numbers) + bytes(9 + len(numbers)))
    for wanted in (1, 3, 20):
        likeness = numbering_py.compare_spans(marked, starts, stops, wanted)
        assert numbering_cy.compare_spans(marked, starts, stops, wanted) == likeness
    values = array("i", [9, -8, 7, -6, 5])
    assert numbering_cy.take(values, numbers) == numbering_py.take(values, numbers)
    assert numbering_cy.total(values, numbers) == numbering_py.total(values, numbers)


@given(st.lists(st.integers(0, 4), min_size=1, max_size=20), st.binary(min_size=5, max_size=5), st.data())
def test_the_nearest_one_above_is_the_same_in_both_twins(
    numbers: list[int], wanted: bytes, data: st.DataObject
) -> None:
    parents = array("i", [-1, *(data.draw(st.integers(0, place - 1)) for place in range(1, len(numbers)))])
    for place in range(len(numbers)):
        given_place = array("i", numbers), parents, wanted, place
        assert numbering_cy.nearest(*given_place) == numbering_py.nearest(*given_place)


@given(columns)
def test_what_is_gathered_by_number_is_each_place_once_and_in_order(column: "array[int]") -> None:
    numbers = array("i", map(abs, column))
    gathered = numbering_py.gather(numbers, 5)

    assert sorted(gathered.nodes) == list(range(len(numbers)))
    for number in range(5):
        assert list(gathered.at(number)) == [place for place, each in enumerate(numbers) if each == number]
