"""How many insertions, deletions and replacements turn one tree into another, from the roots down?

The restricted top-down mapping of Reis et al. (2004): a node may be mapped only if its parent is, order is kept,
and where two different names are mapped to each other nothing below them is. So whatever is not mapped is inserted
or deleted as a whole subtree. Every insertion, deletion and replacement of a node costs 1.

Subtrees are first sorted into classes of equal ones, as in the paper; then all work is on classes.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from pagedrift.errors import LimitError
from pagedrift.facets.tree import NONE

if TYPE_CHECKING:
    from collections.abc import Sequence

    from pagedrift.facets.tree import Tree

MAX_PAIRS: Final = 20_000_000  # of elements that are held against each other: some ten seconds


class Shapes:
    """Classes of equal subtrees: their names, children and sizes, shared by all trees that are compared."""

    __slots__ = ("_known", "children", "names", "sizes")

    def __init__(self) -> None:
        self._known: dict[tuple[str, tuple[int, ...]], int] = {}
        self.names: list[str] = []
        self.children: list[tuple[int, ...]] = []
        self.sizes: list[int] = []

    def add(self, name: str, children: tuple[int, ...]) -> int:
        """Give the class of a subtree with this name at its root and subtrees of these classes below."""
        found = self._known.setdefault((name, children), len(self.names))
        if found == len(self.names):
            self.names.append(name)
            self.children.append(children)
            self.sizes.append(1 + sum(self.sizes[child] for child in children))
        return found

    def add_tree(self, tree: Tree) -> int:
        """Give the class of a whole page, by its elements; texts and attributes do not count."""
        below: list[list[int]] = [[] for _ in range(len(tree))]
        for node in range(len(tree) - 1, 0, -1):
            name = tree.tag(node)
            if name:
                below[tree.parent[node]].append(self.add(name, tuple(reversed(below[node]))))
                below[node] = []
        return self.add("", tuple(reversed(below[0])))


def tree_distance(one: Tree, other: Tree) -> tuple[int, int]:
    """Count the steps from one page to the other, and the elements of both: the most steps there could be.

    >>> from pagedrift.facets.tree import read_tree
    >>> tree_distance(read_tree("<p>A<ul><li>B<li>C</ul>"), read_tree("<h1>A</h1><ul><li>B</ul>"))
    (2, 13)
    """
    shapes = Shapes()
    first, second = shapes.add_tree(one), shapes.add_tree(other)
    most = shapes.sizes[first] + shapes.sizes[second] - 2  # without the documents
    return distance(shapes, first, second), most


def distance(shapes: Shapes, first: int, second: int) -> int:
    """Compute the distance of two classes: what lies below first, without recursion over the depth of pages."""
    known: dict[tuple[int, int], int] = {}
    pending, pairs = [(first, second)], 0
    while pending:
        pair = pending[-1]
        if pair not in known:
            left, right = _differing(shapes, *pair)
            pairs += len(left) * len(right)
            if pairs > MAX_PAIRS:
                sizes = f"{shapes.sizes[first]:,} and {shapes.sizes[second]:,}"
                raise LimitError(
                    f"trees of {sizes} elements are too large to align, which takes quadratic time; compare such"
                    " pages by CTSS or by their fingerprints"
                )
            missing = [need for need in _needed(shapes, left, right) if need not in known]
            if missing:
                pending += missing
                continue
            known[pair] = _align(shapes, left, right, known)
        pending.pop()
    return known[first, second]


def _differing(shapes: Shapes, one: int, other: int) -> tuple[Sequence[int], Sequence[int]]:
    """Leave out the equal subtrees at both ends.

    That loses no cheaper mapping: instead of mapping the first a to some later b, map it to its equal and insert
    that b; it has at most as many nodes as a has, plus the distance of the two.
    """
    left, right = shapes.children[one], shapes.children[other]
    start, most = 0, min(len(left), len(right))
    while start < most and left[start] == right[start]:
        start += 1
    end = 0
    while end < most - start and left[-1 - end] == right[-1 - end]:
        end += 1
    return left[start : len(left) - end], right[start : len(right) - end]


def _needed(shapes: Shapes, left: Sequence[int], right: Sequence[int]) -> set[tuple[int, int]]:
    """List the pairs of children whose own children have to be aligned."""
    by_name: dict[str, set[int]] = {}
    for other in right:
        if shapes.children[other]:
            by_name.setdefault(shapes.names[other], set()).add(other)
    return {
        (one, other)
        for one in set(left)
        if shapes.children[one]
        for other in by_name.get(shapes.names[one], ())
        if one != other
    }


def _align(shapes: Shapes, left: Sequence[int], right: Sequence[int], known: dict[tuple[int, int], int]) -> int:
    """Align two lists of subtrees at the least cost; deleting or inserting one costs as much as it has nodes."""
    sizes = shapes.sizes
    above = [0]
    for other in right:
        above.append(above[-1] + sizes[other])
    for one in left:
        diagonal, size = above[0], sizes[one]
        here = [diagonal + size]
        for at, other in enumerate(right, 1):
            mapped = diagonal + _cost(shapes, one, other, known)
            diagonal = above[at]
            here.append(min(diagonal + size, here[-1] + sizes[other], mapped))
        above = here
    return above[-1]


def _cost(shapes: Shapes, one: int, other: int, known: dict[tuple[int, int], int]) -> int:
    if one == other:
        return 0
    if (found := known.get((one, other), NONE)) != NONE:
        return found
    if shapes.names[one] != shapes.names[other]:  # one is replaced, and all below is deleted and inserted
        return shapes.sizes[one] + shapes.sizes[other] - 1
    return abs(shapes.sizes[one] - shapes.sizes[other])  # one of them has no children
