"""How many runs of k words are on only one of two pages?"""

from __future__ import annotations

from typing import TYPE_CHECKING

from pagedrift._kernels import intern_words
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
    one, other = _shingles(old_ids, k), _shingles(new_ids, k)
    every = len(one | other)
    return (every - len(one & other)) / every if every else 0.0


def _shingles(words: array[int], k: int) -> set[bytes]:
    """Collect the runs of k numbers, as the bytes they are stored in: a tenth of the objects."""
    if not words:
        return set()
    wrapped = (words * (1 + -(-(k - 1) // len(words)))).tobytes()
    size, length = words.itemsize, words.itemsize * k
    return {wrapped[start : start + length] for start in range(0, size * len(words), size)}
