"""What did an element say at each version of a page, and when did that change?"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from pagedrift.reading.page_selection import loose, one_page
from pagedrift.what_changed.selection import check_expression, select, text_of

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
    check_expression(css)  # at once, not when the first version is asked for
    return _moments(one_page(versions, url=url), css, attribute)


def page_histories(
    versions: Iterable[PageVersion], css: str, *, attribute: str | None = None, urls: Iterable[str] = ()
) -> Iterator[HistoryEntry]:
    """Give the same for every page there is, or for some of them, each compared with its own version before.

    >>> from pagedrift import PageVersion
    >>> versions = [PageVersion(f"https://city.example/{name}", b"<b>$1</b>") for name in "aab"]
    >>> [(moment.url[-1], moment.changed) for moment in page_histories(versions, "b")]
    [('a', True), ('a', False), ('b', True)]
    """
    check_expression(css)
    wanted = set(map(loose, urls))
    return _moments((each for each in versions if not wanted or loose(each.url) in wanted), css, attribute)


def _moments(versions: Iterable[PageVersion], css: str, attribute: str | None) -> Iterator[HistoryEntry]:
    last: dict[str, tuple[str, Value]] = {}  # by page: the digest of its last version, and what that said
    for version in versions:
        key = loose(version.url)
        digest, before = last.get(key, ("", None))
        value = before
        if version.digest != digest:  # most versions are like the one before: they need no look
            value = _value(version, css, attribute)
            value = before if value == before else value  # kept once, however many versions say so
        last[key] = (version.digest, value)
        yield HistoryEntry(version.captured_at, version.url, value, changed=not digest or value != before)


def _value(page: PageVersion, css: str, attribute: str | None) -> Value:
    nodes, tree = select(page, css), page.tree
    if attribute is None:
        return tuple(text_of(tree, node) for node in nodes) or None
    found = (dict(tree.attributes(node)) for node in nodes)
    # HTML has attributes in lower case; SVG has some that are not, such as viewBox.
    values = (has.get(attribute, has.get(attribute.lower())) for has in found)
    return tuple(value.strip() for value in values if value is not None) or None
