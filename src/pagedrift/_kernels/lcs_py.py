"""The longest common subsequence: the words of two pages that stay in place (readable twin).

A longest common subsequence by bits: row i has a bit per word of the new page, 0 where one more of the first i old
words can be kept than one place before (Hyyrö 2004). A row costs four operations on long integers, whatever the
words. Only every a number of rows are stored; those between are computed again on the way back. The native twin
computes only the part of a row that pages with few different words can reach (Ukkonen 1985), few words first.
"""

from __future__ import annotations

from array import array
from math import isqrt
from typing import TYPE_CHECKING

from pagedrift.text import shared_start

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    Ids = array[int]


def intern_words(old: Sequence[str], new: Sequence[str]) -> tuple[Ids, Ids, int]:
    """Give every word a number, in order of appearance; and count them.

    >>> intern_words(["the", "fee"], ["a", "fee"])
    (array('i', [0, 1]), array('i', [2, 1]), 3)
    """
    numbers: dict[str, int] = {}
    old_ids = array("i", [numbers.setdefault(word, len(numbers)) for word in old])
    new_ids = array("i", [numbers.setdefault(word, len(numbers)) for word in new])
    return old_ids, new_ids, len(numbers)


def lcs_places(old: Ids, new: Ids, most: int, old_start: int = 0, new_start: int = 0) -> tuple[Ids, Ids] | None:
    """Find the places of a longest common subsequence, in order; None if more than `most` words differ.

    Words that only one page has are left out first, then what both begin and end with is kept. Of several
    subsequences of the rest, it is the one found from the end by this rule: leave out the last new word if nothing
    is lost by it, else the last old word if nothing is lost by it, else keep the two together. Places are counted
    from those at which old and new start on their pages.

    >>> lcs_places(array("i", [1, 7, 2, 1, 1]), array("i", [1, 2, 1, 8, 1]), 10)
    (array('i', [0, 2, 3, 4]), array('i', [0, 1, 2, 4]))
    """
    on_both = set(old) & set(new)
    old_places = [place for place, word in enumerate(old) if word in on_both]
    new_places = [place for place, word in enumerate(new) if word in on_both]
    one, other = [old[place] for place in old_places], [new[place] for place in new_places]
    head = shared_start(one, other)
    tail = shared_start(one[head:][::-1], other[head:][::-1])
    rest = one[head : len(one) - tail], other[head : len(other) - tail]
    pairs = [(head + i, head + j) for i, j in _pairs(*rest)][::-1]
    if len(rest[0]) + len(rest[1]) - 2 * len(pairs) > most:
        return None
    pairs = [(place, place) for place in range(head)] + pairs
    pairs += [(len(one) - place, len(other) - place) for place in range(tail, 0, -1)]
    kept_old = array("i", [old_start + old_places[i] for i, _ in pairs])
    return kept_old, array("i", [new_start + new_places[j] for _, j in pairs])


def _pairs(old: list[int], new: list[int]) -> Iterator[tuple[int, int]]:
    """Find the pairs of a longest common subsequence, the last first."""
    places: dict[int, int] = {}
    for place, word in enumerate(new):
        places[word] = places.get(word, 0) | 1 << place
    full = (1 << len(new)) - 1

    def rows(row: int, words: list[int]) -> Iterator[int]:
        yield row
        for word in words:
            here = row & places.get(word, 0)
            row = ((row + here) | (row - here)) & full
            yield row

    step = isqrt(len(old)) + 1
    stored = [row for place, row in enumerate(rows(full, old)) if place % step == 0]
    i, j = len(old), len(new)
    for start in range((len(stored) - 1) * step, -1, -step):
        block = list(rows(stored[start // step], old[start:i]))
        while i > start and j:
            if block[i - start] >> (j - 1) & 1:
                j -= 1
            elif not block[i - 1 - start] >> (j - 1) & 1:
                i -= 1
            else:
                i, j = i - 1, j - 1
                yield i, j


def unique_runs(old: Ids, new: Ids, length: int, apart: int) -> tuple[Ids, Ids]:
    """Find runs of a number of words that occur once on both pages: of old, those at every `apart`-th place.

    >>> unique_runs(array("i", [5, 6, 5, 7, 8]), array("i", [7, 8, 5, 6, 5]), 2, 1)
    (array('i', [0, 1, 3]), array('i', [2, 3, 0]))
    """
    counts = dict.fromkeys((run for place, run in _runs(old, length) if place % apart == 0), 0)
    for _, run in _runs(old, length):
        if run in counts:
            counts[run] += 1
    goals: dict[bytes, int] = {}
    for place, run in _runs(new, length):
        if counts.get(run) == 1:
            goals[run] = -1 if run in goals else place
    pairs = [(place, goals[run]) for place, run in _runs(old, length) if goals.get(run, -1) >= 0]
    return array("i", [i for i, _ in pairs]), array("i", [j for _, j in pairs])


def _runs(ids: Ids, length: int) -> Iterator[tuple[int, bytes]]:
    data, size = ids.tobytes(), ids.itemsize
    places = range(len(ids) - length + 1)
    return ((place, data[place * size : (place + length) * size]) for place in places)
