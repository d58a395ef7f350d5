"""What did an element say at each version of a page, and when did that change?"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from pagedrift.reading.page_selection import one_page
from pagedrift.what_changed.selection import check, select, text_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from datetime import datetime

    from pagedrift.page import PageVersion

Value = tuple[str, ...] | None


@dataclass(frozen=True, slots=True)
class HistoryEntry:
    """What the elements said in one version."""

    captured_at: datetime | None
    url: str
    value: Value  # one for each element; None where nothing matched
    changed: bool  # against the version before; the first one counts as a change


def history(
    versions: Iterable[PageVersion], css: str, *, attribute: str | None = None, url: str | None = None
) -> Iterator[HistoryEntry]:
    """Give the text of the elements that match, or an attribute of theirs, at each version of one page.

    A `url` says which page, where there are several.

    >>> from pagedrift import PageVersion
    >>> versions = [PageVersion("https://city.example/", b"<p>Fee: <b>$%d</b>" % fee) for fee in (120, 120, 145)]
    >>> [(moment.value, moment.changed) for moment in history(versions, "b")]
    [(('$120',), True), (('$120',), False), (('$145',), True)]
    """
    check(css)  # at once, not when the first version is asked for
    return _moments(one_page(versions, url=url), css, attribute)


def _moments(versions: Iterable[PageVersion], css: str, attribute: str | None) -> Iterator[HistoryEntry]:
    body: bytes | None = None
    value: Value = None
    for version in versions:
        before, is_first = value, body is None
        if version.body != body:  # most versions are like the one before: they need no look
            value = _value(version, css, attribute)
            value = before if value == before else value  # kept once, however many versions say so
        body = version.body
        yield HistoryEntry(version.captured_at, version.url, value, changed=is_first or value != before)


def _value(page: PageVersion, css: str, attribute: str | None) -> Value:
    nodes, tree = select(page, css), page.tree
    if attribute is None:
        return tuple(text_of(tree, node) for node in nodes) or None
    found = (dict(tree.attributes(node)) for node in nodes)
    # HTML has attributes in lower case; SVG has some that are not, such as viewBox.
    values = (has.get(attribute, has.get(attribute.lower())) for has in found)
    return tuple(value.strip() for value in values if value is not None) or None
