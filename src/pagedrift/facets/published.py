"""The publication date of a page, as the page itself states it."""

from __future__ import annotations

import json
import re
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any, Final

from pagedrift.dates import parse_date

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pagedrift.facets.tree import Tree

# The names under which pages state their date: of the publication first, then of whatever happened to them.
_META: Final = (
    "article:published_time og:article:published_time og:published_time datepublished citation_publication_date"
    " citation_online_date parsely-pub-date sailthru.date dcterms.issued dc.date.issued dcterms.created"
    " dc.date.created publication_date publish-date pubdate date dc.date dcterms.date"
).split()
_MAX_JSON_BYTES: Final = 1_000_000  # of one block of JSON-LD
EARLIEST_YEAR: Final = 1990  # of the web; before it a page states the date of something else
LATEST_YEAR: Final = 2100
_NUMBER: Final = re.compile(r"\d{10}(\d{3})?", re.ASCII)
_MAX_JSON_VALUES: Final = 10_000  # values looked at in it


def read_published(tree: Tree) -> datetime | None:
    """Read when a page says that it was published: in its meta elements, in JSON-LD, in a time element.

    >>> from pagedrift.facets.tree import read_tree
    >>> str(read_published(read_tree('<meta property="article:published_time" content="2024-02-02">')))
    '2024-02-02 00:00:00+00:00'
    """
    for found in (*_meta(tree), *_linked_data(tree), *_times(tree)):
        when = _unix_time(found) if _NUMBER.fullmatch(found.strip()) else parse_date(found)
        if when is not None and EARLIEST_YEAR <= when.year <= LATEST_YEAR:
            return when
    return None


def _unix_time(text: str) -> datetime:
    """Read a number of seconds or milliseconds; as a date written without signs it would be of the year 1535."""
    return datetime.fromtimestamp(int(text.strip()[:10]), UTC)


def _meta(tree: Tree) -> list[str]:
    """List the dates in meta elements, the surest first."""
    found: list[tuple[int, str]] = []
    for node in tree.live_elements("meta"):
        content = tree.attribute(node, "content")
        for key in ("property", "name", "itemprop"):
            name = (tree.attribute(node, key) or "").strip().lower()
            if content and name in _META:
                found.append((_META.index(name), content))
    return [content for _, content in sorted(found, key=lambda each: each[0])]


def _linked_data(tree: Tree) -> Iterator[str]:
    """Give every datePublished in JSON-LD."""
    for node in tree.live_elements("script"):
        if (tree.attribute(node, "type") or "").strip().lower() != "application/ld+json":
            continue
        text = tree.text_below(node)
        if "datePublished" in text and len(text) <= _MAX_JSON_BYTES:
            try:
                yield from _named(json.loads(text, strict=False), "datePublished")
            except (ValueError, RecursionError):  # many pages have a comma too many
                continue


def _named(value: Any, name: str) -> Iterator[str]:
    """Give the texts under a name, from the outside in."""
    waiting = [value]
    for looked_at, each in enumerate(waiting):
        if looked_at > _MAX_JSON_VALUES:
            return
        if isinstance(each, dict):
            if isinstance(each.get(name), str):
                yield each[name]
            waiting += each.values()
        elif isinstance(each, list):
            waiting += each


def _times(tree: Tree) -> Iterator[str]:
    """Give the time elements that are marked as the date of publication, then the first one of an article."""
    loose = []
    for node in tree.live_elements("time"):
        found = tree.attribute(node, "datetime") or tree.text_below(node)
        marks = f"{tree.attribute(node, 'itemprop') or ''} {tree.attribute(node, 'class') or ''}".lower().split()
        if tree.attribute(node, "pubdate") is not None or {"datepublished", "dt-published", "published"} & {*marks}:
            yield found
        elif _in_article_head(tree, node):
            loose.append(found)
    yield from loose[:1]


def _in_article_head(tree: Tree, node: int) -> bool:
    """Return whether a node stands in the header of an article, where its date is."""
    around: list[str] = []
    while node > 0 and len(around) < 100:  # noqa: PLR2004 - deeper than any header stands
        node = tree.parent[node]
        around.append(tree.tag(node))
    return "header" in around and "article" in around
