"""Which words of two pages stay where they are, in order? (readable twin)

A longest common subsequence by bits: row i has a bit per word of the new page, 0 where one more old word can be
kept there than one place before (Hyyrö 2004). A row costs four operations on long integers, whatever the words.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence


def longest(old: Sequence[int], new: Sequence[int]) -> list[tuple[int, int]]:
    """Find the places in old and new of a longest common subsequence, in order.

    Of several, the one found from the end by this rule: leave out the last new word if nothing is lost by it, else
    the last old word if nothing is lost by it, else keep the two together. So the kept words stand as early in
    new as they can, and for that as early in old.

    >>> longest([1, 7, 2, 1, 1], [1, 2, 1, 8, 1])
    [(0, 0), (2, 1), (3, 2), (4, 4)]
    """
    rows = _rows(old, new)
    pairs = []
    i, j = len(old), len(new)
    while i and j:
        if rows[i] >> (j - 1) & 1:
            j -= 1
        elif not rows[i - 1] >> (j - 1) & 1:
            i -= 1
        else:
            i, j = i - 1, j - 1
            pairs.append((i, j))
    return pairs[::-1]


def _rows(old: Sequence[int], new: Sequence[int]) -> list[int]:
    places: dict[int, int] = {}
    for place, word in enumerate(new):
        places[word] = places.get(word, 0) | 1 << place
    full = (1 << len(new)) - 1
    rows = [full]
    for word in old:
        row = rows[-1]
        here = row & places.get(word, 0)
        rows.append(((row + here) | (row - here)) & full)
    return rows
