"""Alignments by the native kernel and by its readable twin, and what both promise."""

from array import array

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pagedrift._kernels import lcs_py, operations_py

lcs_cy = pytest.importorskip("pagedrift._kernels.lcs_cy", reason="the native kernels are not built")
operations_cy = pytest.importorskip("pagedrift._kernels.operations_cy")

texts = st.lists(st.sampled_from(["fee", "a", "b", "日", "the", "x", ""]), max_size=40)


@st.composite
def edited(draw: st.DrawFn) -> tuple[array, array]:
    """Two pages, long enough for several blocks of 64 words, that have much in common."""
    words = st.integers(0, draw(st.sampled_from([1, 3, 20, 500])))
    old = draw(st.lists(words, max_size=60)) * draw(st.integers(1, 6))
    new = list(old)
    for _ in range(draw(st.integers(0, 4))):
        at = draw(st.integers(0, len(new)))
        new[at : at + draw(st.integers(0, 70))] = draw(st.lists(words, max_size=70))
    return array("i", old), array("i", new)


def _length(old: array, new: array) -> int:
    """The length of a longest common subsequence, the way it is taught."""
    above = [0] * (len(new) + 1)
    for word in old:
        row = [0]
        for place, other in enumerate(new):
            row.append(above[place] + 1 if word == other else max(above[place + 1], row[place]))
        above = row
    return above[-1]


@given(edited(), st.sampled_from([0, 5, 100, 10_000]), st.integers(0, 9), st.integers(0, 9))
def test_the_native_alignment_equals_its_readable_twin(
    pages: tuple[array, array], most: int, old_start: int, new_start: int
) -> None:
    native = lcs_cy.lcs_places(*pages, most, old_start, new_start)

    assert native == lcs_py.lcs_places(*pages, most, old_start, new_start)


@given(edited())
def test_what_is_kept_is_common_in_order_and_longest(pages: tuple[array, array]) -> None:
    old, new = pages
    kept_old, kept_new = lcs_py.lcs_places(old, new, len(old) + len(new))

    assert [old[i] for i in kept_old] == [new[j] for j in kept_new]
    assert sorted(set(kept_old)) == list(kept_old)
    assert sorted(set(kept_new)) == list(kept_new)
    if len(old) * len(new) < 10_000:
        assert len(kept_old) == _length(old, new)


@given(texts, texts)
def test_the_native_numbers_equal_those_of_the_twin(old: list[str], new: list[str]) -> None:
    assert lcs_cy.intern_words(old, tuple(new)) == lcs_py.intern_words(old, tuple(new))


@given(edited(), st.booleans(), st.booleans())
def test_the_native_operations_equal_those_of_the_twin(
    pages: tuple[array, array], spare: bool, together: bool
) -> None:
    kept = lcs_py.lcs_places(*pages, sum(map(len, pages)))
    words = 1 + max([-1, *pages[0], *pages[1]])
    native = operations_cy.operations(*pages, *kept, words, spare=spare, together=together)

    assert native == operations_py.operations(*pages, *kept, words, spare=spare, together=together)


@given(edited(), st.sampled_from([1, 2, 4, 16]), st.integers(1, 8))
def test_the_native_unique_runs_equal_those_of_the_twin(
    pages: tuple[array, array], length: int, apart: int
) -> None:
    assert lcs_cy.unique_runs(*pages, length, apart) == lcs_py.unique_runs(*pages, length, apart)


@pytest.mark.slow
def test_an_alignment_that_does_not_store_all_rows_equals_one_that_does() -> None:
    # 12,000 words need more than the 8 MB of rows that are stored at once; the twin stores few rows always.
    old = array("i", [number * 7919 % 2003 % 97 for number in range(12_000)])
    new = array("i", [number * 104_729 % 1999 % 97 for number in range(11_000)])

    assert lcs_cy.lcs_places(old, new, 30_000) == lcs_py.lcs_places(old, new, 30_000)
