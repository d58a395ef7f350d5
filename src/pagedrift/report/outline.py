"""The outline of a template: its regions, with the slots marked."""

from __future__ import annotations

from dataclasses import dataclass, replace
from itertools import groupby
from typing import TYPE_CHECKING, Final

import click

from pagedrift.text import cut

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from pagedrift.which_template.frame import Frame, FrameNode

LINES: Final = 40  # of an outline; a template with more parts is drawn with fewer levels
MAX_LABEL_CHARS: Final = 60  # of the name of an element: some have dozens of class names
MAX_FIXED_CHARS: Final = 60  # of the words that are the same on all pages
_UNSEEN: Final = frozenset(
    "head script style noscript template link meta br wbr hr col colgroup input svg:svg".split()
)
_PICTURES: Final = frozenset(("img", "iframe"))
_HEADINGS: Final = frozenset(f"h{level}" for level in range(1, 7))


@dataclass(frozen=True, slots=True, kw_only=True)
class OutlineLine:
    """A part of a template: its name, the words that are fixed, and what varies."""

    depth: int
    label: str
    fixed: str  # words that are the same on all pages
    slots: tuple[str, ...]  # text, link, picture, content
    number: str  # how often it stands there, such as 3 or 1–25; empty for once
    share: float | None  # of the pages, where some do not have it
    is_optional: bool
    is_region: bool


def outline(frame: Frame, *, most: int = LINES) -> list[OutlineLine]:
    """Pick the parts of a template that characterise it, the top ones first if there are too many.

    A part that is the same on all pages is one line with its words. Parts in a row that look alike are one line.

    >>> from pagedrift import PageVersion
    >>> from pagedrift.which_template.frame import frame
    >>> html = "<nav><a>Home</a><a>Fees</a></nav><main><h1>Day {0}</h1>{1}</main>"
    >>> days = (html.format(day, f"<p>Item {day}" * (day % 3 + 1)) for day in range(9))
    >>> for line in draw(outline(frame(PageVersion("", day.encode()) for day in days))):
    ...     print(line)
    nav   Home · Fees
    main
      h1  ‹text›
      p   ‹text› 1–3 times
    """
    lines = _fold(list(_lines(frame)))
    deepest = max((line.depth for line in lines), default=0)
    while len(lines) > most and deepest > 1:
        deepest -= 1
        lines = [line for line in lines if line.depth <= deepest]
    return lines


def draw(lines: Sequence[OutlineLine], *, color: bool = False) -> Iterator[str]:
    """Write an outline for a terminal."""
    names = [f"{'  ' * line.depth}{cut(line.label, MAX_LABEL_CHARS)}" for line in lines]
    width = min(max(map(len, names), default=0), MAX_LABEL_CHARS)
    for name, line in zip(names, lines, strict=True):
        found = " ".join(found for found in (_slots(line), line.fixed, number(line)) if found)
        room = " " * (2 + width - len(name)) if found else ""
        yield (click.style(name, bold=line.is_region) if color else name) + room + found


def number(line: OutlineLine) -> str:
    """Say how often a part stands there, and on how many pages.

    >>> line = {"label": "p", "fixed": "", "slots": (), "is_optional": True, "is_region": False}
    >>> number(OutlineLine(depth=0, number="1–9", share=0.5, **line))
    '1–9 times, on 50 %'
    """
    times = f"{line.number} times" if line.number else ""
    pages = f"on {100 * line.share:.0f} %" if line.share is not None else "sometimes" if line.is_optional else ""
    return ", ".join(filter(None, (times, pages)))


def _slots(line: OutlineLine) -> str:
    return " ".join(f"‹{slot}›" for slot in line.slots)


def _lines(frame: Frame) -> Iterator[OutlineLine]:
    """Go through the body: what varies is opened, what is fixed is one line, and mere wrappers are none."""
    varies = _varying(frame)
    levels: list[tuple[int, int]] = []  # the ends of the parts so far, and their depths
    at = next((number for number, node in enumerate(frame.nodes) if node.tag == "body"), 0) + 1
    while at < len(frame.nodes):
        node, end = frame.nodes[at], frame.end(at)
        while levels and at >= levels[-1][0]:
            levels.pop()
        depth = levels[-1][1] + 1 if levels else 0
        if node.tag in _UNSEEN:
            at = end
        elif not varies[at]:
            if found := _words(frame, at, end):
                yield _line(frame, node, depth, found)
            at = end
        else:
            if _is_told(node):
                yield _line(frame, node, depth, cut(node.text, MAX_FIXED_CHARS))
                levels.append((end, depth))
            at += 1


def _varying(frame: Frame) -> list[bool]:
    """Return for every node whether anything varies in it or below; link targets do not count."""
    varies = [False] * len(frame.nodes)
    for at in range(len(frame.nodes) - 1, -1, -1):
        node = frame.nodes[at]
        if node.tag in _UNSEEN:
            varies[at] = False
            continue
        varies[at] = varies[at] or bool(_shown(node)) or bool({"repeated", "optional"} & set(node.slots))
        if varies[at] and node.parent >= 0:
            varies[node.parent] = True
    return varies


def _shown(node: FrameNode) -> tuple[str, ...]:
    if node.tag in _PICTURES:
        return ("picture",) if "link" in node.slots else ()
    return tuple(slot for slot in ("text", "content") if slot in node.slots)


def _is_told(node: FrameNode) -> bool:
    repeats = "repeated" in node.slots or "optional" in node.slots
    return node.is_region or repeats or bool(_shown(node)) or (node.tag in _HEADINGS and bool(node.text))


def _line(frame: Frame, node: FrameNode, depth: int, fixed: str) -> OutlineLine:
    """Write one part; which pages have it is said where its parent is on more of them."""
    number = f"{node.least}–{node.most}" if "repeated" in node.slots and node.least < node.most else ""
    is_optional = "optional" in node.slots
    above = frame.nodes[node.parent].share if node.parent >= 0 else 1.0
    share = node.share if is_optional and node.share < above else None
    return OutlineLine(
        depth=depth,
        label=node.label,
        fixed=fixed,
        slots=_shown(node),
        number=number,
        share=share,
        is_optional=is_optional,
        is_region=node.is_region,
    )


def _words(frame: Frame, start: int, end: int) -> str:
    """Join the fixed words of a part."""
    return _join(node.text for node in frame.nodes[start:end] if node.tag not in _UNSEEN)


def _join(texts: Iterable[str]) -> str:
    return cut(" · ".join(filter(None, texts)), MAX_FIXED_CHARS)


def _fold(lines: list[OutlineLine]) -> list[OutlineLine]:
    """Make one of parts in a row that look alike, with all that is below them."""
    looks, below = _looks(lines)
    kept: list[OutlineLine] = []
    pending = list(reversed(_runs(below[-1], looks)))
    while pending:
        alike = pending.pop()
        line = lines[alike[0]]
        if len(alike) > 1:
            fixed = _join(dict.fromkeys(lines[at].fixed for at in alike))
            line = replace(line, number=line.number or str(len(alike)), fixed=fixed)
        kept.append(line)
        pending += reversed(_runs(below[alike[0]], looks))
    return kept


def _looks(lines: list[OutlineLine]) -> tuple[list[int], list[list[int]]]:
    """Give parts that look alike one number, and list what is below each part; last, what is on top."""
    known: dict[tuple[object, ...], int] = {}
    looks = [0] * len(lines)
    below: list[list[int]] = [[] for _ in range(len(lines) + 1)]
    open_at: dict[int, int] = {}
    for at, line in enumerate(lines):
        below[open_at[line.depth - 1] if line.depth else len(lines)].append(at)
        open_at[line.depth] = at
    for at in range(len(lines) - 1, -1, -1):
        line = lines[at]
        own = (
            line.label,
            line.slots,
            line.number,
            line.share,
            line.is_optional,
            *(looks[child] for child in below[at]),
        )
        looks[at] = known.setdefault(own, len(known))
    return looks, below


def _runs(parts: list[int], looks: list[int]) -> list[list[int]]:
    """Put parts in a row that look alike together."""
    return [list(run) for _, run in groupby(parts, key=looks.__getitem__)]
