"""What is known about page versions, for people at a terminal."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Final

from rich.markup import escape
from rich.table import Table

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from datetime import datetime

    from pagedrift.page import PageVersion
    from pagedrift.reading import PageSummary

COMMON: Final = 6  # how many tag names are shown
OPENING: Final = 12  # how many words
LONGEST: Final = 300  # signs of one line: some pages are one word


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


def printable(text: str) -> str:
    """Make text of a page safe for a terminal: no escapes that move the cursor, no markup."""
    return escape("".join(sign if sign.isprintable() else "\ufffd" for sign in text))


def describe(page: PageVersion) -> Table:
    """Lay out the facets of one version, a line each."""
    table = Table(show_header=False, box=None, pad_edge=False)
    table.add_column(style="bold")
    table.add_column(overflow="fold")
    for name, value in facets(page).items():
        table.add_row(name, printable(value))
    return table


def compare(old: PageVersion, new: PageVersion) -> Table:
    """Lay out the facets of two versions side by side, and what only one of them has."""
    table = Table(box=None, pad_edge=False)
    table.add_column("", style="bold")
    table.add_column("old", overflow="fold")
    table.add_column("new", overflow="fold")
    before, after = facets(old), facets(new)
    for name in {**before, **after}:
        mark = "" if before.get(name) == after.get(name) else "*"
        table.add_row(name + mark, printable(before.get(name, "")), printable(after.get(name, "")))
    for name, lost, gained in only_in(old, new):
        table.add_row(
            name,
            f"[red]− {printable(lost)}[/]" if lost else "",
            f"[green]+ {printable(gained)}[/]" if gained else "",
        )
    return table


def only_in(old: PageVersion, new: PageVersion) -> Iterator[tuple[str, str, str]]:
    """Name the words and links that one of two versions has more often than the other."""
    for name, before, after in (
        ("words", Counter(old.words), Counter(new.words)),
        ("links", Counter(link.url for link in old.links), Counter(link.url for link in new.links)),
    ):
        lost, gained = before - after, after - before
        if lost or gained:
            yield f"{name} only in", " ".join(lost.elements()), " ".join(gained.elements())


def facets(page: PageVersion) -> dict[str, str]:
    """Put each facet that the page has into a line."""
    names = Counter(tag for tag in page.tags if not tag.startswith("/"))
    opening = " ".join(word[:LONGEST] for word in page.words[:OPENING])
    lines = {
        "url": page.url,
        "captured": moment(page.captured_at) + (f", status {page.status}" if page.status else ""),
        "content": f"{size(len(page.body))}, {page.encoding.name} (told by {page.encoding.told_by})",
        "digest": f"sha256:{page.digest}",
        "title": page.title,
        "language": page.language or "",
        "canonical": page.canonical or "",
        "generator": page.generator or "",
        "tags": f"{len(page.tags):,}" + listed(f"{name} {count}" for name, count in names.most_common(COMMON)),
        "words": f"{len(page.words):,}" + listed([opening]) + (" …" if len(page.words) > OPENING else ""),
        "tree": f"{len(page.tree):,} nodes, {page.tree.depth()} levels, signature {page.tree.signature[0]:016x}",
        "links": f"{len(page.links):,}" + kinds(link.kind for link in page.links),
        "resources": f"{len(page.resources):,}" + kinds(resource.kind for resource in page.resources),
    }
    return {name: line[:LONGEST] for name, line in lines.items() if line}


def listed(items: Iterable[str]) -> str:
    """Put things after a colon, or nothing where there are none.

    >>> "2" + listed(["p 1", "b 1"])
    '2: p 1, b 1'
    """
    joined = ", ".join(items)
    return f": {joined}" if joined else ""


def kinds(values: Iterable[str]) -> str:
    """Count things by kind."""
    return listed(f"{count} {kind}" for kind, count in Counter(values).most_common())


def summaries(pages: Iterable[PageSummary]) -> Table:
    """Lay out which pages there are and in how many versions."""
    table = Table(box=None, pad_edge=False)
    table.add_column("url", overflow="fold")
    table.add_column("versions", justify="right")
    table.add_column("first", no_wrap=True)
    table.add_column("last", no_wrap=True)
    for page in pages:
        table.add_row(printable(page.url), f"{page.versions:,}", moment(page.first), moment(page.last))
    return table
