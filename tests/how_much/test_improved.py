"""`extended+` against the least expensive sequence, found by trying them all."""

import math
import random

import pytest
from experiments.kwon2006.minimum import minimum, search
from hypothesis import given, settings
from hypothesis import strategies as st

from pagedrift.how_much import extended, improved

tiny = st.lists(st.sampled_from("abc"), max_size=3)
small = st.lists(st.sampled_from("abcdef"), max_size=6)
weights = st.sampled_from(
    [(0.75, 0.75), (0.4, 0.9), (0.25, 1.0), (0.875, 0.5), (0.5, 0.25), (1.0, 1.0), (0.0, 0.0)]
)


@given(tiny, tiny, weights, st.booleans())
@settings(max_examples=60, deadline=None)
def test_the_minimum_over_alignments_is_that_over_all_sequences(
    old: list[str], new: list[str], costs: tuple[float, float], again: bool
) -> None:
    a, b = costs

    assert math.isclose(minimum(old, new, a=a, b=b, again=again), search(old, new, a=a, b=b, again=again))


@given(small, small, weights)
@settings(deadline=None)
def test_the_improved_cost_is_that_of_a_real_sequence(
    old: list[str], new: list[str], costs: tuple[float, float]
) -> None:
    a, b = costs

    assert improved.compare(old, new, a=a, b=b).cost >= minimum(old, new, a=a, b=b) - 1e-9


@given(small, small, weights)
@settings(deadline=None)
def test_the_improved_operations_account_for_every_word(
    old: list[str], new: list[str], costs: tuple[float, float]
) -> None:
    a, b = costs
    change = improved.compare(old, new, a=a, b=b)

    rebuilt = sorted([*old, *change.added, *change.copied, *(word for _, word in change.replaced)])
    assert rebuilt == sorted([*new, *change.dropped, *change.shrunk, *(word for word, _ in change.replaced)])
    assert all(one != other for one, other in change.replaced)
    assert change.cost <= max(len(old), len(new)) + 1e-9


@pytest.mark.parametrize(
    ("why", "old", "new", "paper", "least"),
    [
        ("a word at the top shifts every index", "a b c d", "z a b x d", 3, 2),
        ("a dropped word was replaced by a copied one", "k a k b", "k a k k", 1.75, 1),
        ("a word moves past one that is replaced", "x m m m y", "n m m m x", 2.75, 2),
        ("keeping one word costs more than moving it", "x y k", "k u v", 3, 2.75),
        ("another alignment replaces", "p q p p p p q", "p q z p p p q", 1.75, 1),
    ],
)
def test_where_the_paper_costs_more_than_the_least(
    why: str, old: str, new: str, paper: float, least: float
) -> None:
    assert extended.compare(old.split(), new.split()).cost == paper, why
    assert improved.compare(old.split(), new.split()).cost == least == minimum(old.split(), new.split()), why


def test_a_copy_and_a_shrink_are_cheaper_than_an_expensive_move() -> None:
    old, new = "a b c".split(), "b c a".split()

    assert extended.compare(old, new, a=0.25, b=1).cost == 1
    assert improved.compare(old, new, a=0.25, b=1).cost == 0.5 == minimum(old, new, a=0.25, b=1)


def test_where_the_paper_costs_less_than_any_sequence() -> None:
    old, new = "k x".split(), "p z k".split()  # x and z are both second, but k, which stays, is between them

    assert extended.compare(old, new).cost == 2
    assert improved.compare(old, new).cost == 2.75 == minimum(old, new)


def test_the_papers_cost_can_exceed_the_page_and_the_distance_does_not() -> None:
    old, new = "a b c".split(), "y y y".split()

    assert extended.compare(old, new).cost == 4.5
    assert extended.compare(old, new).distance == 1
    assert improved.compare(old, new).cost == 3


@pytest.mark.slow
def test_the_improved_cost_is_seldom_above_the_least() -> None:
    chance = random.Random(2006)
    pairs = [[chance.choices("abcdef", k=chance.randrange(9)) for _ in range(2)] for _ in range(400)]
    least = [minimum(old, new) for old, new in pairs]

    def above(costs: list[float]) -> tuple[float, float]:
        excess = [cost - low for cost, low in zip(costs, least, strict=True)]
        return sum(more > 1e-9 for more in excess) / len(pairs), sum(excess) / sum(least)

    paper = above([extended.compare(old, new).cost for old, new in pairs])
    ours = above([improved.compare(old, new).cost for old, new in pairs])
    assert paper[0] > 0.25
    assert paper[1] > 0.05
    assert ours[0] < 0.06
    assert ours[1] < 0.01
