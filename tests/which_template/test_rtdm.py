"""The restricted top-down mapping, against all mappings there are."""

from functools import cache
from itertools import combinations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pagedrift import PageVersion
from pagedrift.errors import LimitError
from pagedrift.facets.tree import read_tree
from pagedrift.which_template.rtdm import Shapes, distance, tree_distance

Node = tuple[str, tuple["Node", ...]]

names = st.sampled_from("abc")
trees = st.recursive(
    st.tuples(names, st.just(())),
    lambda below: st.tuples(names, st.lists(below, max_size=3).map(tuple)),
    max_leaves=6,
)


def size(tree: Node) -> int:
    return 1 + sum(map(size, tree[1]))


@cache
def mappings(one: Node, other: Node) -> frozenset[tuple[int, int]]:
    """All restricted top-down mappings that map the two roots, as (nodes mapped, names replaced)."""
    if one[0] != other[0]:
        return frozenset({(1, 1)})
    found = {(1, 0)}
    for count in range(1, min(len(one[1]), len(other[1])) + 1):
        for lefts in combinations(one[1], count):
            for rights in combinations(other[1], count):
                sums = {(1, 0)}
                for left, right in zip(lefts, rights, strict=True):
                    sums = {(m + a, r + b) for m, r in sums for a, b in mappings(left, right)}
                found |= sums
    return frozenset(found)


def brute_force(one: Node, other: Node) -> int:
    both = size(one) + size(other)
    return min(both - 2 * mapped + replaced for mapped, replaced in mappings(one, other))


def add(shapes: Shapes, tree: Node) -> int:
    return shapes.add(tree[0], tuple(add(shapes, child) for child in tree[1]))


def rooted(tree: Node) -> Node:
    return ("", (tree,))


@settings(deadline=None, max_examples=250)
@given(trees, trees)
def test_the_distance_is_the_cheapest_of_all_restricted_mappings(one: Node, other: Node) -> None:
    shapes = Shapes()

    assert distance(shapes, add(shapes, rooted(one)), add(shapes, rooted(other))) == min(
        brute_force(one, other), size(one) + size(other)
    )


@settings(deadline=None)
@given(trees, trees)
def test_only_equal_trees_have_no_distance_and_it_is_the_same_both_ways(one: Node, other: Node) -> None:
    shapes = Shapes()
    first, second = add(shapes, rooted(one)), add(shapes, rooted(other))

    assert (distance(shapes, first, second) == 0) == (one == other)
    assert distance(shapes, first, second) == distance(shapes, second, first)


@pytest.mark.parametrize(
    ("one", "other", "steps"),
    [
        ("<p>A", "<p>Other words", 0),
        ("<p class=x>A", "<p id=y>A", 0),
        ("<ul><li>A</ul>", "<ul><li>A<li>B<li>C</ul>", 2),
        ("<div><p>A<p>B</div>", "<section><p>A<p>B</section>", 5),  # below a replaced name nothing is mapped
        (
            "<div><p>A</div>",
            "<p>A",
            2,
        ),  # a parent cannot go alone: div and p go, p comes, one of them as a replacement
        ("<ul><li>A</ul><p>B", "<p>B<ul><li>A</ul>", 2),  # order is kept
    ],
)
def test_steps_between_pages(one: str, other: str, steps: int) -> None:
    assert tree_distance(read_tree(one), read_tree(other))[0] == steps


def test_depth_costs_no_recursion() -> None:
    deep, deeper = (read_tree("<div>" * count + "<p>") for count in (400, 500))

    assert tree_distance(deep, deeper)[0] > 0
    shapes = Shapes()
    one = other = shapes.add("p", ())
    for level in range(20_000):
        one, other = shapes.add("div", (one,)), shapes.add("div", (other,) if level else (other, other))
    assert distance(shapes, one, other) == 1


def test_a_long_list_costs_little_where_most_of_it_is_equal() -> None:
    rows = "<tr><td>A<td>B" * 5_000
    one, other = (read_tree(f"<table>{rows}{more}</table>") for more in ("", "<tr><td>C"))

    assert tree_distance(one, other)[0] == 2


def test_trees_too_large_to_align_are_refused_with_another_way() -> None:
    one, other = (PageVersion("", b"<div><%b></div>" % tag * 8_000) for tag in (b"p", b"b"))

    with pytest.raises(LimitError, match="CTSS"):
        tree_distance(one.tree, other.tree)
