"""How many words were inserted or deleted, of all words of both pages?"""

from __future__ import annotations

from typing import TYPE_CHECKING

from pagedrift.how_much.alignment import Aligned, align

if TYPE_CHECKING:
    from collections.abc import Sequence


def distance(old: Sequence[str], new: Sequence[str]) -> float:
    """Measure the edit distance of insertions and deletions over the words of both pages (Lim et al. 2001).

    Symmetric. Two pages without words are the same: 0.

    >>> distance("A G B A A".split(), "A B A T A".split())
    0.2
    """
    return distance_aligned(align(old, new))


def distance_aligned(words: Aligned) -> float:
    """Do what `distance` does where the longest common subsequence is at hand."""
    both = len(words.old) + len(words.new)
    return (both - 2 * len(words.kept_old)) / both if both else 0.0
