"""The elements of a page that have the same attributes (readable twin)."""

from __future__ import annotations

from array import array
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pagedrift._kernels.tree_py import Columns

    Ints = array[int]


def number_attributes(columns: Columns, wanted: bytes) -> tuple[Ints, Ints]:
    """Give numbers to nodes by their attributes of the wanted names: that of each node, and the first node of each.

    `wanted` has a byte per name, 1 for those that count; number 0 is of nodes that have none of them.
    """
    starts, names, values = columns.attribute_start, columns.attribute_name, columns.value_start
    numbers: dict[tuple[tuple[int, bytes], ...], int] = {(): 0}
    firsts, found = array("i", [0]), array("i", bytes(4 * len(columns.kind)))
    for node in range(len(columns.kind)):
        key = tuple(
            (names[at], columns.values[values[at] : values[at + 1]])
            for at in range(starts[node], starts[node + 1])
            if wanted[names[at]]
        )
        found[node] = numbers.setdefault(key, len(numbers))
        if found[node] == len(firsts):
            firsts.append(node)
    return found, firsts
