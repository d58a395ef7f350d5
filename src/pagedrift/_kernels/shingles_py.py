"""Shingles: the runs of tags on a page, and how many two pages share (readable twin).

A run of `length` tags, a shingle, is kept as a hash of 64 bits: two pages of a thousand tags would have to be
compared a million million times before two different runs were likely to be taken for one.
"""

from __future__ import annotations

from array import array
from collections import Counter
from itertools import chain
from typing import TYPE_CHECKING

from pagedrift._kernels.hashing_py import MASK, PRIME, SEED, finish, step

if TYPE_CHECKING:
    from collections.abc import Sequence


def shingles(codes: array[int], length: int) -> array[int]:
    """Hash every run of a number of codes, and give the different ones in order; a shorter sequence has none.

    The hash rolls: the sum of the mixed codes, each times a power of a prime, loses its first term and gains one.

    >>> len(shingles(array("I", [1, 2, 1, 2, 1]), 2)), shingles(array("I", [1]), 2)
    (2, array('Q'))
    """
    if length < 1:
        raise ValueError("a shingle has at least one tag; give a length of 1 or more")
    found, state, last = set(), 0, pow(PRIME, length, 1 << 64)
    for index, code in enumerate(codes):
        state = (state * PRIME + step(SEED, code)) & MASK
        if index >= length:
            state = (state - step(SEED, codes[index - length]) * last) & MASK
        if index >= length - 1:
            found.add(finish(state ^ (state >> 32)))
    return array("Q", sorted(found))


def count_common(one: array[int], other: array[int]) -> int:
    """Count what two sorted arrays of different hashes share.

    >>> count_common(array("Q", [1, 3, 5]), array("Q", [3, 4, 5, 6]))
    2
    """
    return len(set(one).intersection(other))


def partition(one: array[int], other: array[int]) -> tuple[array[int], array[int]]:
    """Part the first of two sorted arrays of different hashes into what the second has too, and what it has not.

    >>> partition(array("Q", [1, 3, 5]), array("Q", [3, 4]))
    (array('Q', [3]), array('Q', [1, 5]))
    """
    known = set(other)
    return array("Q", [n for n in one if n in known]), array("Q", [n for n in one if n not in known])


def in_at_least(sets: Sequence[array[int]], least: int) -> array[int]:
    """Give the hashes, in order, that at least a number of of some sorted arrays of different hashes have.

    >>> in_at_least([array("Q", [1, 2]), array("Q", [2, 3]), array("Q", [2, 3])], 2)
    array('Q', [2, 3])
    """
    counted = Counter(chain.from_iterable(sets))
    return array("Q", sorted(hashed for hashed, count in counted.items() if count >= least))


def in_none_of(one: array[int], sets: Sequence[array[int]], least: int) -> array[int]:
    """Give what none of some sorted arrays of different hashes has of one; stop where fewer than `least` are left.

    >>> in_none_of(array("Q", [1, 2, 3, 4]), [array("Q", [2]), array("Q", [3])], 1)
    array('Q', [1, 4])
    """
    for other in sets:
        if len(one) < least:
            break
        one = partition(one, other)[1]
    return one


def overlaps(one: array[int], sets: Sequence[array[int]]) -> list[int]:
    """Count what one shares with each of some sorted arrays of different hashes.

    >>> overlaps(array("Q", [1, 2, 3]), [array("Q", [2]), array("Q", [1, 3])])
    [1, 2]
    """
    return [count_common(one, other) for other in sets]
