from array import array

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pagedrift._kernels import shingles_py

shingles_cy = pytest.importorskip("pagedrift._kernels.shingles_cy", reason="the native kernels are not built")

codes = st.lists(st.one_of(st.integers(0, 4), st.integers(0, 2**32 - 1)), max_size=60).map(lambda c: array("I", c))
hashes = st.sets(st.one_of(st.integers(0, 9), st.integers(0, 2**64 - 1))).map(lambda h: array("Q", sorted(h)))


@given(codes, st.integers(1, 8))
def test_the_native_shingles_equal_those_of_the_readable_twin(sequence: array, length: int) -> None:
    assert shingles_cy.shingles(sequence, length) == shingles_py.shingles(sequence, length)


@given(hashes, hashes)
def test_the_native_count_of_what_is_shared_equals_its_twin(one: array, other: array) -> None:
    assert (
        shingles_cy.count_common(one, other)
        == shingles_py.count_common(one, other)
        == shingles_cy.count_common(other, one)
    )


@given(hashes, hashes)
def test_the_native_parts_equal_those_of_the_readable_twin(one: array, other: array) -> None:
    assert shingles_cy.partition(one, other) == shingles_py.partition(one, other)


@given(st.lists(hashes, max_size=6), st.integers(0, 7))
def test_the_native_frequent_hashes_equal_those_of_the_readable_twin(sets: list[array], least: int) -> None:
    assert shingles_cy.in_at_least(sets, least) == shingles_py.in_at_least(sets, least)


@given(hashes, st.lists(hashes, max_size=6), st.integers(0, 7))
def test_the_native_unseen_hashes_equal_those_of_the_readable_twin(
    one: array, sets: list[array], least: int
) -> None:
    assert shingles_cy.in_none_of(one, sets, least) == shingles_py.in_none_of(one, sets, least)


@given(hashes, st.lists(hashes, max_size=6))
def test_the_native_overlaps_equal_those_of_the_readable_twin(one: array, sets: list[array]) -> None:
    assert shingles_cy.overlaps(one, sets) == shingles_py.overlaps(one, sets)


@given(codes, st.integers(1, 8))
def test_there_are_as_many_hashes_as_different_runs(sequence: array, length: int) -> None:
    runs = {tuple(sequence[at : at + length]) for at in range(len(sequence) - length + 1)}
    assert len(shingles_py.shingles(sequence, length)) == len(runs)


@given(codes, codes)
def test_pages_share_as_many_hashes_as_runs(one: array, other: array) -> None:
    runs = [{tuple(page[at : at + 3]) for at in range(len(page) - 2)} for page in (one, other)]
    assert shingles_cy.count_common(*(shingles_cy.shingles(page, 3) for page in (one, other))) == len(
        runs[0] & runs[1]
    )


@pytest.mark.parametrize("kernel", [shingles_py, shingles_cy])
def test_a_shingle_of_no_tag_is_refused(kernel) -> None:
    with pytest.raises(ValueError, match="1 or more"):
        kernel.shingles(array("I", [1]), 0)


def test_shingles_are_the_same_on_every_machine_and_for_ever() -> None:
    assert shingles_py.shingles(array("I", [1, 2, 3]), 2).tolist() == [3888135109384403901, 15285113060329509426]
