"""Which words of two pages stayed where they were?

A longest common subsequence: exact for pages of up to 32,768 words each, and for larger ones that differ in at most
8,192 of the words that both have. Larger pages that differ in more are first split at runs of words that occur once
on both (as in Cohen's patience diff), which may miss a longer subsequence (in tests by less than 1 %); the
parts between are exact by the same rule. So time grows about as the words do, and memory does.
"""

from __future__ import annotations

from array import array
from bisect import bisect_left
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING, Final

from pagedrift._kernels import intern_words, lcs_places, unique_runs

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    Ids = array[int]

EXACT: Final = 1 << 30  # old times new words of a part that is aligned whatever differs: tens of milliseconds
DIFFER: Final = 8_192  # words that may differ in a larger part: a microsecond or less for each of its words
RUNS: Final = (16, 4, 1)  # words of the runs at which parts are split; what is then still larger is cut anywhere


@dataclass(frozen=True, slots=True, kw_only=True)
class Aligned:
    """Two word sequences, their words as numbers, and a common subsequence of them."""

    old: Sequence[str]
    new: Sequence[str]
    old_ids: Ids
    new_ids: Ids
    words: int  # how many different ones
    kept_old: Ids  # places, ascending
    kept_new: Ids


def align(old: Sequence[str], new: Sequence[str]) -> Aligned:
    """Give the words of two pages numbers and find which of them stayed.

    >>> aligned = align("the fee is due".split(), "the new fee is".split())
    >>> list(zip(aligned.kept_old, aligned.kept_new))
    [(0, 0), (1, 2), (2, 3)]
    """
    old_ids, new_ids, words = intern_words(old, new)
    # Anchors of old and of new are not chosen alike: both ways round begin with the same page, to keep as many.
    if len(old) * len(new) > EXACT and (len(new), tuple(new)) < (len(old), tuple(old)):
        kept_new, kept_old = common(new_ids, old_ids, exact=EXACT, differ=DIFFER)
    else:
        kept_old, kept_new = common(old_ids, new_ids, exact=EXACT, differ=DIFFER)
    return Aligned(
        old=old, new=new, old_ids=old_ids, new_ids=new_ids, words=words, kept_old=kept_old, kept_new=kept_new
    )


def common(old: Ids, new: Ids, *, exact: int, differ: int) -> tuple[Ids, Ids]:
    """Find the places of a common subsequence, longest as far as the module says of EXACT and DIFFER."""
    kept_old, kept_new = array("i"), array("i")
    parts = [(0, len(old), 0, len(new), 0)]
    while parts:  # the leftmost is last
        i, i_end, j, j_end, depth = parts.pop()
        one, other = old[i:i_end], new[j:j_end]
        small = len(one) * len(other) <= exact
        found = lcs_places(one, other, len(one) + len(other) if small else differ, i, j)
        if found is not None:
            kept_old.extend(found[0])
            kept_new.extend(found[1])
            continue
        cuts = _anchored(one, other, RUNS[depth]) if depth < len(RUNS) else _chopped(len(one), len(other), exact)
        places = [(0, 0), *cuts, (len(one), len(other))]
        inner = [(i + a, i + c, j + b, j + d, depth + 1) for (a, b), (c, d) in pairwise(places)]
        parts += reversed(inner)
    return kept_old, kept_new


def _anchored(old: Ids, new: Ids, length: int) -> list[tuple[int, int]]:
    """Cut at runs of a number of words that occur once on both pages and in order, where words between differ."""
    places = unique_runs(old, new, length, max(1, length // 2))
    anchors = _ascending(list(zip(*places, strict=True)))
    cuts, last = [], (0, 0)
    for anchor in anchors:
        if old[last[0] : anchor[0]] != new[last[1] : anchor[1]]:
            cuts += [last, anchor]
        last = anchor
    return list(dict.fromkeys(cuts))


def _ascending(pairs: Sequence[tuple[int, int]]) -> list[tuple[int, int]]:
    """Choose the most pairs whose second places ascend as the first ones do."""
    ends: list[int] = []  # the smallest second place that a chain of each length ends with
    lengths = []
    for _, goal in pairs:
        length = bisect_left(ends, goal)
        ends[length : length + 1] = [goal]
        lengths.append(length)
    chosen: list[tuple[int, int]] = []
    wanted = len(ends) - 1
    for pair, length in zip(reversed(pairs), reversed(lengths), strict=True):
        if length == wanted and (not chosen or pair[1] < chosen[-1][1]):
            chosen.append(pair)
            wanted -= 1
    return chosen[::-1]


def _chopped(old: int, new: int, exact: int) -> Iterator[tuple[int, int]]:
    """Cut both pages into as many parts, few enough words each to be aligned whatever differs."""
    parts = 1
    while (old // parts + 1) * (new // parts + 1) > exact and parts < max(old, new):
        parts *= 2
    return ((old * part // parts, new * part // parts) for part in range(1, parts))
