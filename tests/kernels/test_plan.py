from array import array

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pagedrift._kernels import plan_py
from pagedrift.how_much.alignment import align
from pagedrift.how_much.gaps import find_gaps, realign

plan_cy = pytest.importorskip("pagedrift._kernels.plan_cy", reason="the native kernels are not built")

texts = st.lists(st.sampled_from("abcdefghij"), max_size=40) | st.lists(st.sampled_from("ab"), max_size=12)
weights = st.sampled_from((0.0, 0.25, 0.4, 0.5, 0.6, 0.75, 0.9, 1.0)) | st.floats(0, 1)


@given(texts, texts, weights, weights)
def test_the_native_plans_equal_those_of_the_readable_twin(
    old: list[str], new: list[str], a: float, b: float
) -> None:
    words = align(old, new)
    gaps = find_gaps(words)
    for found in (gaps, realign(words, gaps)):
        arguments = (words.old_ids, words.new_ids, words.words, found)

        assert plan_cy.plan_operations(*arguments, a=a, b=b) == plan_py.plan_operations(*arguments, a=a, b=b)


def test_pages_without_words_need_no_operations() -> None:
    plans = plan_cy.plan_operations(array("i"), array("i"), 0, [], a=0.75, b=0.75)

    assert plans == [plan_py.OperationPlaces([], [], [], [], [], [])]
