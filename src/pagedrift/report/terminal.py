"""Descriptions of page versions, as lines for a terminal."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Final

import click

from pagedrift.dates import moment
from pagedrift.text import MAX_LINE_CHARS, around_difference, counted, cut, printable, shorten, size

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from pagedrift.page import PageVersion
    from pagedrift.reading import PageSummary
    from pagedrift.what_changed.history import HistoryEntry
    from pagedrift.what_changed.introduced import Edited, Introduced, PageItem

MAX_TAG_NAMES: Final = 6  # how many tag names are shown
MAX_OPENING_WORDS: Final = 12  # how many words
MAX_COLUMN_CHARS: Final = 80  # characters to which a column is filled up; what is longer sticks out


def describe(page: PageVersion) -> Iterator[str]:
    """Lay out the facets of one version, a line each."""
    for name, value in facets(page).items():
        yield f"{name:<11}{value}"


def facets(page: PageVersion) -> dict[str, str]:
    """Put each facet that the page has into a line."""
    names = Counter(tag for tag in page.tags if not tag.startswith("/"))
    opening = " ".join(word[:MAX_LINE_CHARS] for word in page.words[:MAX_OPENING_WORDS])
    common = (f"{name} {count}" for name, count in names.most_common(MAX_TAG_NAMES))
    lines = {
        "url": page.url,
        "captured": moment(page.captured_at) + (f", status {page.status}" if page.status else ""),
        "content": f"{size(len(page.body))}, {page.encoding.name} (from {page.encoding.told_by})",
        "digest": f"sha256:{page.digest}",
        "title": page.title,
        "language": page.language or "",
        "canonical": page.canonical or "",
        "generator": page.generator or "",
        "tags": f"{len(page.tags):,}" + listed(common),
        "words": f"{len(page.words):,}" + listed([opening]) + (" …" if len(page.words) > MAX_OPENING_WORDS else ""),
        "tree": f"{len(page.tree):,} nodes, {page.tree.depth()} levels, signature {page.tree.signature[0]:016x}",
        "links": f"{len(page.links):,}" + kinds(link.kind for link in page.links),
        "resources": f"{len(page.resources):,}" + kinds(resource.kind for resource in page.resources),
    }
    return {name: printable(line[:MAX_LINE_CHARS]) for name, line in lines.items() if line}


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
    width = min(MAX_COLUMN_CHARS, max((len(row[0]) for row in rows), default=0))
    for url, count, first, last in [("url", "versions", "first", "last"), *rows]:
        yield f"{url:<{width}}  {count:>8}  {first:<16}  {last}"


def history_lines(moments: Iterable[HistoryEntry], *, every: bool = False, several: bool = False) -> Iterator[str]:
    """Lay out what the selected elements said: at each change, or at every version with the changes marked.

    With `several` pages, the address of each comes before its lines.
    """
    page = ""
    for then in moments:
        value = "-" if then.value is None else " | ".join(text or "(empty)" for text in then.value)
        mark = ("* " if then.changed else "  ") if every else ""
        if several and then.url != page:
            page = then.url
            yield printable(page)
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
    versions = counted(found.versions, "version")
    yield f"{counts} from {moment(found.compared_with)} to {moment(found.until)}, {versions}"


def _is_earlier(item: PageItem, found: Introduced) -> bool:
    return bool(item.first_seen and found.compared_with and item.first_seen <= found.compared_with)


def _name(item: PageItem) -> str:
    """Say what an item says; where it stands, if it says nothing."""
    return (item.value or item.path) + (f"  {item.link}" if item.link else "")


def _edit(edit: Edited) -> str:
    before, after = edit.before, edit.after
    if before.value == after.value:
        return f"{after.value or after.path}  {before.link or '-'} → {after.link or '-'}"
    half = MAX_LINE_CHARS // 2 - len(" → ")
    old, new = (shorten(side, half) for side in around_difference(before.value, after.value, half))
    return f"{old or '(empty)'} → {new or '(empty)'}"
