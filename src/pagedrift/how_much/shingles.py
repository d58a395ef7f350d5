"""How many runs of k words are on only one of two pages?"""

from __future__ import annotations

from typing import TYPE_CHECKING

from pagedrift._kernels import intern_words, number_pairs
from pagedrift.errors import InputError

if TYPE_CHECKING:
    from array import array
    from collections.abc import Sequence


def distance(old: Sequence[str], new: Sequence[str], *, k: int = 10) -> float:
    """Measure the Jaccard distance of the sets of k-word shingles (Broder et al. 1997).

    Every word starts a shingle, which continues at the first word where the page ends; on a page of less than k
    words, more than once. Symmetric. Two pages without words are the same: 0.

    >>> distance("w1 w2 w3 w4 w5".split(), "w1 w2 w3 w6 w5".split(), k=3)
    0.75
    """
    if not isinstance(k, int) or k < 1:
        raise InputError(f"k is {k}, but a shingle has at least one word; the paper's value is 10")
    # Two pages repeated forever are equal forever if they are so for as many words as both have (Fine and Wilf).
    k = min(k, max(1, len(old) + len(new)))
    old_ids, new_ids, _ = intern_words(old, new)
    wrapped, rest = _wrapped(old_ids, k), _wrapped(new_ids, k)
    runs = _number_runs(wrapped + rest, k)
    one, other = {*runs[: len(old)]}, {*runs[len(wrapped) : len(wrapped) + len(new)]}
    every = len(one | other)
    return (every - len(one & other)) / every if every else 0.0


def _wrapped(words: array[int], k: int) -> array[int]:
    """Continue with the first words where the last ones end, so that every word starts a run of k."""
    return (words * (1 + -(-(k - 1) // len(words))))[: len(words) + k - 1] if words else words


def _number_runs(words: array[int], k: int) -> array[int]:
    """Give numbers to the runs of k words, the same ones the same: by runs of 2, 4, 8 … words.

    >>> from array import array
    >>> _number_runs(array("i", [5, 6, 7, 5, 6, 7]), 3)
    array('i', [0, 1, 2, 0])
    """
    runs, length, doubled, size = words, 0, words, 1
    while True:
        if k & size:
            runs = number_pairs(runs, doubled[length:])[0] if length else doubled
            length += size
        if length == k:
            return runs
        doubled = number_pairs(doubled, doubled[size:])[0]
        size *= 2
