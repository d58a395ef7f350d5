"""The steps between two pages: nodes added, removed, moved or changed, and their places (readable twin)."""

from __future__ import annotations

from array import array
from itertools import pairwise
from typing import TYPE_CHECKING, Final, NamedTuple

from pagedrift._kernels.hashing_py import step
from pagedrift._kernels.match_py import _children, _label, longest_increasing
from pagedrift._kernels.tree_py import ELEMENT, NONE

if TYPE_CHECKING:
    from pagedrift._kernels.match_py import Partners
    from pagedrift._kernels.tree_py import Columns

DELETED, INSERTED, MOVED, CHANGED = range(4)
BEGIN: Final = 0x452821E638D01377  # the place of the document: digits of pi


class Placed(NamedTuple):
    """Where the nodes of a tree stand."""

    position: array[int]  # among all siblings, from 0
    rank: array[int]  # among the siblings of its label, from 1
    number: array[int]  # of the siblings of its label
    place: array[int]  # a number for the way from the document: labels and ranks


def place_nodes(tree: Columns) -> Placed:
    """Count the children of each node, and each of them as it comes."""
    count = len(tree.kind)
    nothing = bytes(4 * count)
    placed = Placed(array("i", nothing), array("i", nothing), array("i", nothing), array("Q", bytes(8 * count)))
    placed.place[0] = BEGIN
    for parent in range(count):
        numbers: dict[int, int] = {}
        children = _children(tree, parent)
        for position, child in enumerate(children):
            label = _label(tree, child)
            numbers[label] = numbers.get(label, 0) + 1
            placed.position[child], placed.rank[child] = position, numbers[label]
            placed.place[child] = step(step(placed.place[parent], label), numbers[label])
        for child in children:
            placed.number[child] = numbers[_label(tree, child)]
    return placed


def find_steps(old: Columns, new: Columns, partners: Partners) -> list[tuple[int, int, int]]:
    """List what happened to which old and new node, in the order of the new page."""
    new_of, old_of, _, same = partners
    found: list[tuple[int, int, int]] = []
    moved: set[int] = set()
    j = 0
    while j < len(new.kind):
        i = old_of[j]
        if i == NONE:
            if old_of[new.parent[j]] != NONE:
                found.append((INSERTED, NONE, j))
            moved.update(child for child in _children(new, j) if old_of[child] != NONE)
        else:
            if not same[j]:
                # Right behind the parent they are taken from.
                found += [(DELETED, child, NONE) for child in _children(old, i) if new_of[child] == NONE]
                moved |= _moved_children(old, new, partners, j)
            if j in moved:
                found.append((MOVED, i, j))
            if not same[j] and _differ(old, new, i, j):
                found.append((CHANGED, i, j))
        j = new.end[j] if i != NONE and same[j] else j + 1
    return found


def _moved_children(old: Columns, new: Columns, partners: Partners, j: int) -> set[int]:
    """Find the matched children that stood under another parent, or in another order under the same."""
    matched = [child for child in _children(new, j) if partners.old_of[child] != NONE]
    stays = [child for child in matched if old.parent[partners.old_of[child]] == partners.old_of[j]]
    before = [partners.old_of[child] for child in stays]
    if any(one > other for one, other in pairwise(before)):
        kept = longest_increasing(before)
        stays = [child for child in stays if partners.old_of[child] in kept]
    return set(matched) - set(stays)


def _differ(old: Columns, new: Columns, i: int, j: int) -> bool:
    """Return whether two nodes differ in themselves; attributes in another order count here."""
    if old.kind[i] != ELEMENT:
        return _text(old, i) != _text(new, j)
    return _label(old, i) != _label(new, j) or _attributes(old, i) != _attributes(new, j)


def _text(tree: Columns, node: int) -> bytes:
    return tree.texts[tree.text_start[node] : tree.text_start[node + 1]]


def _attributes(tree: Columns, node: int) -> list[tuple[int, bytes]]:
    return [
        (
            tree.name_hash[tree.attribute_name[index]],
            tree.values[tree.value_start[index] : tree.value_start[index + 1]],
        )
        for index in range(tree.attribute_start[node], tree.attribute_start[node + 1])
    ]
