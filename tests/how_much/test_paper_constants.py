"""The constant of Kwon, Lee and Kim that decides between replacing words, and copying and shrinking them."""

import pytest

from pagedrift.how_much import extended


@pytest.mark.parametrize(("a", "replaced", "copied"), [(0.5, 1, 1), (0.501, 2, 0), (0.55, 2, 0)])
def test_words_are_replaced_together_only_if_copying_costs_more_than_half(
    a: float, replaced: int, copied: int
) -> None:
    counts = extended.compare(["x", "x"], ["y", "y"], a=a).counts

    assert (counts["replace"], counts["copy"], counts["shrink"]) == (replaced, copied, copied)
