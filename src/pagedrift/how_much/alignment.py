"""Which words of two pages stayed where they were, and which are left over?"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING

from pagedrift._kernels.lcs_py import longest

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence


@dataclass(frozen=True, slots=True)
class Aligned:
    """Two word sequences, their words as numbers, and a longest common subsequence of them."""

    old: Sequence[str]
    new: Sequence[str]
    old_ids: Sequence[int]
    new_ids: Sequence[int]
    old_counts: Mapping[int, int]  # how often each number occurs
    new_counts: Mapping[int, int]
    kept: Sequence[tuple[int, int]]  # places in old and new, ascending


def align(old: Sequence[str], new: Sequence[str]) -> Aligned:
    """Give the words of two pages numbers and find a longest common subsequence.

    >>> align("the fee is due".split(), "the new fee is".split()).kept
    [(0, 0), (1, 2), (2, 3)]
    """
    numbers: dict[str, int] = {}
    old_ids = [numbers.setdefault(word, len(numbers)) for word in old]
    new_ids = [numbers.setdefault(word, len(numbers)) for word in new]
    return Aligned(old, new, old_ids, new_ids, Counter(old_ids), Counter(new_ids), longest(old_ids, new_ids))
