"""Feeds: the pages that an RSS, Atom or JSON feed names."""

from __future__ import annotations

import calendar
import io
import json
import re
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any, Final
from urllib.parse import urljoin
from xml.parsers import expat

from pagedrift.dates import EARLIEST, parse_date
from pagedrift.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Iterable

    from pagedrift.page import PageVersion

MAX_FEED_BYTES: Final = 5_000_000  # of a feed; the parser takes seconds for them
MAX_BROKEN_BYTES: Final = 1_000_000  # and
MAX_BROKEN_TAGS: Final = (
    30_000  # tags of one that is not a XML: feedparser's second parser takes the square of them
)
MAX_DEPTH: Final = 100  # elements in elements
_OPENING: Final = re.compile(rb"<(?:[\w.-]+:)?(rss|feed|RDF|urlset|sitemapindex)[\s>]")
_ADDRESS_LINE: Final = re.compile(rb"(?:\xef\xbb\xbf)?\s*https?://[^\s<>]+[ \t]*(?:[\r\n]|\Z)", re.IGNORECASE)
_FEED_TYPES: Final = ("application/rss+xml", "application/atom+xml", "application/feed+json", "application/json")


@dataclass(frozen=True, slots=True)
class FeedEntry:
    """A page that a feed or a sitemap names."""

    url: str
    key: str  # by which it is known again
    published_at: datetime | None = None
    title: str = ""


@dataclass(frozen=True, slots=True)
class Feed:
    """What a feed or a sitemap names, oldest first, and how many entries of it name no page."""

    entries: tuple[FeedEntry, ...]
    without_link: int = 0
    flaws: tuple[str, ...] = ()  # what could not be read, and is left out


def kind_of(page: PageVersion) -> str:
    """Say what a document is: "feed", "json", "sitemap", or "" for none of them.

    >>> from pagedrift.page import PageVersion
    >>> kind_of(PageVersion("", b'<?xml version="1.0"?><rss version="2.0">')), kind_of(PageVersion("", b"<html>"))
    ('feed', '')
    """
    head = page.body[:4096].replace(b"\0", b"")
    if head.lstrip(b"\xef\xbb\xbf \t\r\n").startswith(b"{"):
        return "json"
    opening = _OPENING.search(head)
    if opening is None and lists_addresses(head):
        return "sitemap"
    if opening is None:
        return ""
    return "sitemap" if opening[1] in (b"urlset", b"sitemapindex") else "feed"


def lists_addresses(body: bytes) -> bool:
    """Return whether a text begins with a line that is an address, as a sitemap without markup does.

    >>> lists_addresses(b"https://city.example/a"), lists_addresses(b"https://city.example/a is new")
    (True, False)
    """
    return _ADDRESS_LINE.match(body) is not None


def parse_feed(page: PageVersion) -> Feed:
    """Read an RSS, Atom or JSON feed; raise InputError where it is none.

    >>> from pagedrift.page import PageVersion
    >>> feed = parse_feed(PageVersion("https://city.example/feed", b'''{"version": "https://jsonfeed.org/version/1.1",
    ...     "items": [{"id": "7", "url": "/news/7", "date_published": "2024-02-02T10:00:00Z"}, {"id": "8"}]}'''))
    >>> feed.entries[0].url, feed.without_link
    ('https://city.example/news/7', 1)
    """
    if len(page.body) > MAX_FEED_BYTES:
        raise InputError(f"{page.url}: the feed has more than {MAX_FEED_BYTES:,} bytes; follow a smaller one")
    kind = kind_of(page)
    if kind not in ("feed", "json"):
        raise InputError(f"{page.url} is not a feed; {_instead(page)}")
    found = _of_json(page) if kind == "json" else _of_xml(page)
    named: dict[str, FeedEntry] = {}
    for entry in found:
        if entry.url.lower().startswith(("http://", "https://")):
            named.setdefault(entry.key, entry)
    without = sum(not entry.url.lower().startswith(("http://", "https://")) for entry in found)
    return Feed(tuple(oldest_first(reversed(named.values()))), without)


def oldest_first(entries: Iterable[FeedEntry]) -> list[FeedEntry]:
    """Sort entries by date; those that have the same or none keep their order, those without come first."""
    return sorted(entries, key=lambda entry: entry.published_at or EARLIEST)


def _of_xml(page: PageVersion) -> list[FeedEntry]:
    import feedparser

    _check_cost(page)
    # As a stream: bytes might name a file, which feedparser would open.
    headers = {"content-type": page.content_type or "application/xml", "content-location": page.url}
    found = feedparser.parse(
        io.BytesIO(page.body), response_headers=headers, sanitize_html=False, resolve_relative_uris=False
    )
    return [_entry(page.url, item) for item in found.entries]


def _check_cost(page: PageVersion) -> None:
    """Refuse what the parser would take minutes for."""
    parser, depth = expat.ParserCreate(), 0

    def start(*_: object) -> None:
        nonlocal depth
        depth += 1
        if depth > MAX_DEPTH:
            raise InputError(
                f"{page.url}: the feed has elements {MAX_DEPTH} deep, which only attacks have; leave it out"
            )

    def end(*_: object) -> None:
        nonlocal depth
        depth -= 1

    parser.StartElementHandler, parser.EndElementHandler = start, end
    try:
        parser.Parse(page.body, True)
    except (expat.ExpatError, LookupError, ValueError):  # also encodings that expat does not know
        if len(page.body) > MAX_BROKEN_BYTES or page.body.count(b"<") > MAX_BROKEN_TAGS:
            raise InputError(f"{page.url}: the feed is broken XML, and large; report it to the site") from None


def _entry(base: str, item: Any) -> FeedEntry:
    link = str(item.get("link") or "").strip()
    url = joined(base, link) if link else ""
    date = item.get("published_parsed") or item.get("updated_parsed") or item.get("created_parsed")
    try:
        when = datetime.fromtimestamp(calendar.timegm(date), UTC) if date else None
    except (ValueError, OverflowError, OSError):
        when = None
    return FeedEntry(url, str(item.get("id") or url), when, str(item.get("title") or "")[:300])


def _of_json(page: PageVersion) -> list[FeedEntry]:
    try:
        data = json.loads(page.source)
        items = data["items"]
        if "jsonfeed.org" not in str(data.get("version", "jsonfeed.org")) or not isinstance(items, list):
            raise KeyError("items")
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError):
        raise InputError(f"{page.url} is JSON, but not a feed; give the address of a JSON feed") from None
    found = []
    for item in items:
        fields = item if isinstance(item, dict) else {}
        link = fields.get("url") or fields.get("external_url") or ""
        url = joined(page.url, link) if isinstance(link, str) and link else ""
        date = fields.get("date_published") or fields.get("date_modified")
        when = parse_date(date) if isinstance(date, str) else None
        found.append(FeedEntry(url, str(fields.get("id") or url), when, str(fields.get("title") or "")[:300]))
    return found


def joined(base: str, link: str) -> str:
    """Make a link absolute; empty where it is not an address.

    >>> joined("https://city.example/feed", "/news/7"), joined("https://city.example/feed", "http://[")
    ('https://city.example/news/7', '')
    """
    try:
        return urljoin(base, link)
    except ValueError:  # such as http://[
        return ""


def _instead(page: PageVersion) -> str:
    """Say what to follow instead: the feed that a page names as its own, if it does."""
    if page.body.lstrip()[:1] == b"<":
        for node in page.tree.live_elements("link"):
            kind = (page.tree.attribute(node, "type") or "").strip().lower()
            relation = (page.tree.attribute(node, "rel") or "").lower().split()
            target = page.tree.attribute(node, "href")
            if kind in _FEED_TYPES and "alternate" in relation and target:
                return f"the page names one: {joined(page.url, target.strip())}"
    return "give the address of an RSS, Atom or JSON feed, or of a sitemap"
