"""Descriptions of page versions, as lines for a terminal."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Final

import click

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from datetime import datetime

    from pagedrift.page import PageVersion
    from pagedrift.reading import PageSummary
    from pagedrift.what_changed.history import Moment
    from pagedrift.what_changed.introduced import Edited, Introduced, Item

COMMON: Final = 6  # how many tag names are shown
OPENING: Final = 12  # how many words
LONGEST: Final = 300  # signs of one line: some pages are one word
FRAME: Final = 3  # words that are shown around a difference
WIDEST: Final = 80  # signs to which a column is filled up; what is longer sticks out


def moment(when: datetime | None) -> str:
    """Write a time to the minute, in UTC.

    >>> from datetime import UTC, datetime
    >>> moment(datetime(2026, 11, 15, 9, 12, tzinfo=UTC))
    '2026-11-15 09:12'
    """
    return f"{when:%Y-%m-%d %H:%M}" if when else "–"


def size(count: int) -> str:
    """Write a number of bytes.

    >>> size(512), size(48_100), size(3_200_000)
    ('512 B', '48.1 kB', '3.2 MB')
    """
    for unit, factor in (("GB", 10**9), ("MB", 10**6), ("kB", 10**3)):
        if count >= factor:
            return f"{count / factor:.1f} {unit}"
    return f"{count} B"


def counted(number: int, what: str) -> str:
    """Write a number of things.

    >>> counted(1, "page"), counted(2_000, "page")
    ('1 page', '2,000 pages')
    """
    return f"{number:,} {what}{'' if number == 1 else 's'}"


def printable(text: str) -> str:
    r"""Make text of a page safe for a terminal: no signs that move the cursor or change colours.

    >>> printable("a\x1b[31mb")
    'a�[31mb'
    """
    return text if text.isprintable() else "".join(sign if sign.isprintable() else "\ufffd" for sign in text)


def describe(page: PageVersion) -> Iterator[str]:
    """Lay out the facets of one version, a line each."""
    for name, value in facets(page).items():
        yield f"{name:<11}{value}"


def facets(page: PageVersion) -> dict[str, str]:
    """Put each facet that the page has into a line."""
    names = Counter(tag for tag in page.tags if not tag.startswith("/"))
    opening = " ".join(word[:LONGEST] for word in page.words[:OPENING])
    common = (f"{name} {count}" for name, count in names.most_common(COMMON))
    lines = {
        "url": page.url,
        "captured": moment(page.captured_at) + (f", status {page.status}" if page.status else ""),
        "content": f"{size(len(page.body))}, {page.encoding.name} (told by {page.encoding.told_by})",
        "digest": f"sha256:{page.digest}",
        "title": page.title,
        "language": page.language or "",
        "canonical": page.canonical or "",
        "generator": page.generator or "",
        "tags": f"{len(page.tags):,}" + listed(common),
        "words": f"{len(page.words):,}" + listed([opening]) + (" …" if len(page.words) > OPENING else ""),
        "tree": f"{len(page.tree):,} nodes, {page.tree.depth()} levels, signature {page.tree.signature[0]:016x}",
        "links": f"{len(page.links):,}" + kinds(link.kind for link in page.links),
        "resources": f"{len(page.resources):,}" + kinds(resource.kind for resource in page.resources),
    }
    return {name: printable(line[:LONGEST]) for name, line in lines.items() if line}


def listed(items: Iterable[str]) -> str:
    """Put things after a colon, or nothing where there are none.

    >>> "2" + listed(["p 1", "b 1"])
    '2: p 1, b 1'
    """
    joined = ", ".join(items)
    return f": {joined}" if joined else ""


def kinds(values: Iterable[str]) -> str:
    """Count things by kind."""
    return listed(f"{count:,} {kind}" for kind, count in Counter(values).most_common())


def summaries(pages: Iterable[PageSummary]) -> Iterator[str]:
    """Lay out which pages there are and in how many versions."""
    rows = [(printable(page.url), f"{page.versions:,}", moment(page.first), moment(page.last)) for page in pages]
    width = min(WIDEST, max((len(row[0]) for row in rows), default=0))
    for url, count, first, last in [("url", "versions", "first", "last"), *rows]:
        yield f"{url:<{width}}  {count:>8}  {first:<16}  {last}"


def tell(moments: Iterable[Moment], *, every: bool = False) -> Iterator[str]:
    """Lay out what the selected elements said: at each change, or at every version with the changes marked."""
    for then in moments:
        value = "-" if then.value is None else " | ".join(text or "(empty)" for text in then.value)
        mark = ("* " if then.changed else "  ") if every else ""
        if every or then.changed:
            yield f"{mark}{moment(then.captured_at)}  {cut(value)}"


def introduce(found: Introduced) -> Iterator[str]:
    """Lay out what came, went and was edited, a line each, dated: first seen, last seen, last changed."""
    for item in found.appeared:
        back = "  (was there before)" if _is_earlier(item, found) else ""
        yield click.style(f"+ {moment(item.first_seen)}  {cut(_name(item))}{back}", fg="green")
    for item in found.gone:
        yield click.style(f"- {moment(item.last_seen)}  {cut(_name(item))}", fg="red")
    for edit in found.edited:
        yield click.style(f"~ {moment(edit.changed_at)}  {cut(_edit(edit))}", fg="yellow")
    counts = f"{len(found.appeared):,} new, {len(found.gone):,} gone, {len(found.edited):,} edited"
    versions = f"{found.versions:,} version{'s' if found.versions != 1 else ''}"
    yield f"{counts} from {moment(found.compared_with)} to {moment(found.until)}, {versions}"


def _is_earlier(item: Item, found: Introduced) -> bool:
    return bool(item.first_seen and found.compared_with and item.first_seen <= found.compared_with)


def _name(item: Item) -> str:
    """Say what an item says; where it stands, if it says nothing."""
    return (item.value or item.path) + (f"  {item.link}" if item.link else "")


def _edit(edit: Edited) -> str:
    before, after = edit.before, edit.after
    if before.value == after.value:
        return f"{after.value or after.path}  {before.link or '-'} → {after.link or '-'}"
    old, new = differing(before.value, after.value)
    return f"{old or '(empty)'} → {new or '(empty)'}"


def differing(old: str, new: str) -> tuple[str, str]:
    """Leave out what two long texts begin and end with alike, but for a few words.

    >>> differing("word " * 30 + "costs $40 from today on", "word " * 30 + "costs $45 from today on")
    ('… word word costs $40 from today on', '… word word costs $45 from today on')
    """
    if len(old) + len(new) <= LONGEST // 2:
        return old, new
    one, other = old.split(), new.split()
    begin = max(0, _alike(one, other) - FRAME)
    end = max(0, _alike(one[begin:][::-1], other[begin:][::-1]) - FRAME)
    return _part(one, begin, end), _part(other, begin, end)


def _alike(one: list[str], other: list[str]) -> int:
    """Count the words with which both begin."""
    pairs = enumerate(zip(one, other, strict=False))
    return next((place for place, (word, another) in pairs if word != another), min(len(one), len(other)))


def _part(words: list[str], begin: int, end: int) -> str:
    middle = words[begin : len(words) - end]
    return " ".join(["…"] * (begin > 0) + middle + ["…"] * (end > 0))


def cut(text: str, longest: int = LONGEST) -> str:
    """Make text of a page safe for a terminal, and no longer than a paragraph or so many signs.

    >>> cut("a" * 1000)[-3:]
    'aa…'
    """
    return printable(text if len(text) <= longest else text[: longest - 1] + "…")
