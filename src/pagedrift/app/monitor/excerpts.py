"""Excerpts of two large pages: the parts that differ, with their surroundings."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections import Counter
from dataclasses import replace
from itertools import groupby, pairwise
from typing import TYPE_CHECKING, Final

from pagedrift.facets.source import is_ascii_compatible
from pagedrift.facets.tags import read_tags

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from pagedrift.page import PageVersion

MAX_WHOLE_BYTES: Final = 3_000_000  # of a page that is compared whole: one in ten thousand has more
MAX_EXCERPT_BYTES: Final = (
    2_000_000  # that pages may differ in, with what is around them; else they are compared whole
)
AROUND_BYTES: Final = 30_000  # that are kept before and after what differs
ENDS_BYTES: Final = 100_000  # that are kept at the start of a page and at its end: title, menus, foot
MAX_OPEN: Final = 500  # elements that begin or end in what is left out
_MAX_LINE_BYTES: Final = 5_000  # on average; pages with longer lines are cut between tags
_BETWEEN_TAGS: Final = re.compile(rb"[^<]*(?:<[^>]*>)?")
_VOID: Final = frozenset("area base br col embed hr img input link meta param source track wbr".split())
_ENDS_ITSELF: Final = frozenset("p li dt dd tr td th option".split())  # where the next one begins

Pair = tuple[int, int]


def excerpt(old: PageVersion, new: PageVersion) -> tuple[PageVersion, PageVersion] | None:
    r"""Leave out of two large pages what both have, far from what differs; None where they are compared whole.

    >>> from pagedrift import PageVersion
    >>> items = [b"<p>Item %d</p>\n" % number for number in range(300_000)]
    >>> old, new = PageVersion("", b"".join(items)), PageVersion("", b"".join(items).replace(b"150000", b"sold"))
    >>> [len(page.body) < 300_000 for page in excerpt(old, new)]
    [True, True]
    """
    if max(len(old.body), len(new.body)) <= MAX_WHOLE_BYTES or old.view or new.view:
        return None
    if not all(is_ascii_compatible(page.body, page.content_type) for page in (old, new)):
        return None
    before, after = _pieces(old.body), _pieces(new.body)
    cuts = list(_cuts(before, _pairs(before, after)))
    left = [_without(before, [(one, instead) for (one, _), instead in cuts])]
    left += [_without(after, [(other, instead) for (_, other), instead in cuts])]
    if not cuts or max(map(len, left)) > MAX_EXCERPT_BYTES:
        return None
    return replace(old, body=left[0]), replace(new, body=left[1])


def _pieces(body: bytes) -> list[bytes]:
    """Cut a page into lines, or, where those are long, between its tags."""
    lines = body.splitlines(keepends=True)
    return lines if len(body) < _MAX_LINE_BYTES * len(lines) else _BETWEEN_TAGS.findall(body)[:-1]


def _pairs(old: Sequence[bytes], new: Sequence[bytes]) -> Iterator[Pair]:
    """Pair what both have in the same order: from the start, from the end, and in between what is there once."""
    shorter = min(len(old), len(new))
    start = next((at for at in range(shorter) if old[at] != new[at]), shorter)
    end = next((at for at in range(shorter - start) if old[-1 - at] != new[-1 - at]), shorter - start)
    yield from ((at, at) for at in range(start))
    stops = len(old) - end, len(new) - end
    yield from _stretched(old, new, [*_once(old, new, start, stops), stops])
    yield from zip(range(stops[0], len(old)), range(stops[1], len(new)), strict=True)


def _stretched(old: Sequence[bytes], new: Sequence[bytes], found: Sequence[Pair]) -> Iterator[Pair]:
    """Pair also what follows a pair and is the same, up to the next pair; the last of them is where to stop."""
    for (one, other), (one_end, other_end) in pairwise(found):
        for step in range(min(one_end - one, other_end - other)):
            if old[one + step] != new[other + step]:
                break
            yield one + step, other + step


def _once(old: Sequence[bytes], new: Sequence[bytes], start: int, stops: Pair) -> Iterator[Pair]:
    """Pair what is there once in both, by the longest series that is in the same order (patience sorting)."""
    sides = old[start : stops[0]], new[start : stops[1]]
    counts = [Counter(side) for side in sides]
    places = {piece: at for at, piece in enumerate(sides[1], start) if counts[0][piece] == counts[1][piece] == 1}
    found = [(at, places[piece]) for at, piece in enumerate(sides[0], start) if piece in places]
    ends: list[int] = []  # the least last place of a series of each length, and which pair it is
    last, back = list[int](), [-1] * len(found)
    for number, (_, place) in enumerate(found):
        length = bisect_left(ends, place)
        back[number] = last[length - 1] if length else -1
        ends[length : length + 1], last[length : length + 1] = [place], [number]
    at, series = last[-1] if last else -1, list[Pair]()
    while at >= 0:
        series.append(found[at])
        at = back[at]
    yield from reversed(series)


def _cuts(old: Sequence[bytes], pairs: Iterator[Pair]) -> Iterator[tuple[tuple[Pair, Pair], bytes]]:
    """Give what can be left out: where it begins and ends on either side, and what is in its place."""
    for _, grouped in groupby(enumerate(pairs), key=lambda each: (each[1][0] - each[0], each[1][1] - each[0])):
        run = [pair for _, pair in grouped]
        (first, there), (last, _) = run[0], run[-1]
        begin = _stepped(old, first, 1, AROUND_BYTES if first else ENDS_BYTES)
        end = _stepped(old, last, -1, AROUND_BYTES if last < len(old) - 1 else ENDS_BYTES)
        instead = _instead(b"".join(old[begin:end])) if begin < end else None
        if instead is not None:
            yield ((begin, end), (begin + there - first, end + there - first)), instead


def _stepped(pieces: Sequence[bytes], at: int, step: int, room: int) -> int:
    """Step over as many bytes as are kept."""
    while 0 <= at < len(pieces) and room > 0:
        room -= len(pieces[at])
        at += step
    return at


def _instead(left_out: bytes) -> bytes | None:
    """Write the tags of the elements that end or begin in what is left out, so that all else stays where it was."""
    ended, begun = list[str](), list[str]()
    for tag in read_tags(left_out):
        if tag[0] != "/":
            if tag in _ENDS_ITSELF and begun and begun[-1] == tag:
                continue
            begun += [] if tag in _VOID else [tag]
        elif tag[1:] in begun[-MAX_OPEN:]:
            while begun.pop() != tag[1:]:
                pass
        elif tag[1:] not in _VOID:
            ended.append(tag)
        if len(ended) + len(begun) > MAX_OPEN:
            return None
    return "".join(f"<{tag}>" for tag in (*ended, *begun)).encode()


def _without(pieces: Sequence[bytes], cuts: Sequence[tuple[Pair, bytes]]) -> bytes:
    kept, at = list[bytes](), 0
    for (begin, end), instead in cuts:
        kept += [*pieces[at:begin], instead]
        at = end
    return b"".join((*kept, *pieces[at:]))
