"""Where do two pages differ, between the words that stay?"""

from __future__ import annotations

from itertools import chain, groupby
from typing import TYPE_CHECKING, Final

from pagedrift._kernels.plan_py import Gap

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from rapidfuzz.distance import Opcode

    from pagedrift.how_much.alignment import Aligned

APART: Final = 64  # words that stay between two gaps which are looked at apart
MAX_GAP_PAIRS: Final = 1 << 28  # old times new words of gaps that are aligned again: some milliseconds


def find_gaps(words: Aligned) -> list[Gap]:
    """Find where the pages differ.

    >>> from pagedrift.how_much.alignment import align
    >>> find_gaps(align("the fee is due".split(), "the new fee is".split()))
    [Gap(old_start=1, old_end=1, new_start=1, new_end=2), Gap(old_start=3, old_end=4, new_start=4, new_end=4)]
    """
    gaps, i, j = [], 0, 0
    ends = [(len(words.old), len(words.new))]
    for next_i, next_j in chain(zip(words.kept_old, words.kept_new, strict=True), ends):
        if next_i > i or next_j > j:
            gaps.append(Gap(i, next_i, j, next_j))
        i, j = next_i + 1, next_j + 1
    return gaps


def realign(words: Aligned, gaps: list[Gap]) -> list[Gap]:
    """Align again what is between long runs of words that stay, so that replacements cost 1 as well."""
    from rapidfuzz.distance import Levenshtein

    realigned: list[Gap] = []
    for window in _windows(gaps):
        first, last = window[0], window[-1]
        old = words.old_ids[first.old_start : last.old_end]
        new = words.new_ids[first.new_start : last.new_end]
        if len(window) == 1 or len(old) * len(new) > MAX_GAP_PAIRS:
            realigned += window
            continue
        i, j = first.old_start, first.new_start
        for step in _unequal(Levenshtein.opcodes(old, new)):
            realigned.append(Gap(i + step[0], i + step[1], j + step[2], j + step[3]))
    return realigned


def _unequal(steps: Iterable[Opcode]) -> Iterator[tuple[int, int, int, int]]:
    """Put steps together that nothing stays between."""
    for equal, group in groupby(steps, key=lambda step: step.tag == "equal"):
        if not equal:
            first, *_ = last = list(group)
            yield first.src_start, last[-1].src_end, first.dest_start, last[-1].dest_end


def _windows(gaps: Sequence[Gap]) -> Iterator[list[Gap]]:
    """Group the gaps between which few words stay."""
    window: list[Gap] = []
    for gap in gaps:
        if window and gap.old_start - window[-1].old_end > APART:
            yield window
            window = []
        window.append(gap)
    if window:
        yield window
