"""Which pages does a sitemap name, and when were they last changed?"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Final
from urllib.parse import urlsplit
from xml.parsers import expat

from pagedrift.capture.asking import PLAIN, Asking
from pagedrift.capture.feed import Entry, Feed, joined, oldest_first
from pagedrift.capture.http import FETCH_LIMITS, Client, FetchError
from pagedrift.capture.messages import page_of
from pagedrift.dates import EARLIEST, moment
from pagedrift.errors import InputError
from pagedrift.unpacking import unpack

if TYPE_CHECKING:
    from collections.abc import Iterable

    from pagedrift.exchange import Exchange
    from pagedrift.page import PageVersion

MAX_URLS: Final = 50_000  # of one sitemap: as many as the standard allows
MOST_SITEMAPS: Final = 50  # of one site that are fetched, the newest first
DEEPEST: Final = 3  # levels of indexes; the standard knows one
ACCEPT: Final = "application/xml,text/xml;q=0.9,*/*;q=0.5"

Apart = Callable[..., Any]  # calls a function with what is given, here or in another process


def at_once(work: Callable[..., Any], *given: Any) -> Any:
    """Do some work here."""
    return work(*given)


def parse_sitemap(page: PageVersion) -> tuple[list[Entry], list[Entry]]:
    """Give the pages and the further sitemaps that a sitemap names; raise InputError where it is none.

    >>> from pagedrift.page import PageVersion
    >>> body = b"<urlset><url><loc>https://city.example/a</loc><lastmod>2024-02-02</lastmod></url></urlset>"
    >>> pages, sitemaps = parse_sitemap(PageVersion("https://city.example/sitemap.xml", body))
    >>> pages[0].url, str(pages[0].published_at.date()), sitemaps
    ('https://city.example/a', '2024-02-02', [])
    """
    body = page.body
    if body.startswith(b"\x1f\x8b"):
        body = unpack(body, "gzip", limits=FETCH_LIMITS)
    reader = _Reader(page.url)
    parser = expat.ParserCreate()
    parser.StartElementHandler = reader.start
    parser.EndElementHandler = reader.end
    parser.CharacterDataHandler = reader.data
    parser.EntityDeclHandler = _refuse_entities  # none is needed, and some are bombs
    try:
        parser.Parse(body, True)
    except (expat.ExpatError, LookupError, ValueError) as error:  # also encodings that expat does not know
        raise InputError(f"{page.url} is not a sitemap ({error}); give the address of one") from None
    return reader.found["url"], reader.found["sitemap"]


def _refuse_entities(*_: object) -> None:
    raise InputError("the sitemap declares entities, which only attacks do; leave it out")


class _Reader:
    """Collects loc and lastmod of each url and sitemap element, whatever its namespace."""

    def __init__(self, base: str) -> None:
        self._base = base
        self._text: list[str] | None = None
        self._told: dict[str, str] = {}
        self.found: dict[str, list[Entry]] = {"url": [], "sitemap": []}

    def start(self, name: str, _: dict[str, str]) -> None:
        local = name.rpartition(":")[2]
        if local in self.found:
            self._told = {}
        self._text = [] if local in ("loc", "lastmod") and ":" not in name else None

    def data(self, text: str) -> None:
        if self._text is not None:
            self._text.append(text)

    def end(self, name: str) -> None:
        local = name.rpartition(":")[2]
        if self._text is not None:
            self._told[local] = "".join(self._text).strip()
            self._text = None
        elif local in self.found and self._told.get("loc") and len(self.found[local]) < MAX_URLS:
            url, changed = joined(self._base, self._told["loc"]), self._told.get("lastmod", "")
            self.found[local].append(Entry(url, f"{url} {changed}".strip(), moment(changed) if changed else None))


def read_sitemap(
    client: Client, answer: Exchange, *, newest: int, asking: Asking = PLAIN, apart: Apart = at_once
) -> Feed:
    """Collect the newest pages of a sitemap and of those it leads to; an index that leads to itself ends."""
    site = urlsplit(answer.url).hostname
    found: dict[str, Entry] = {}
    other, level, seen = 0, [answer], {answer.url}
    for _ in range(DEEPEST):
        indexed: list[Entry] = []
        for each in level:
            pages, sitemaps = apart(_sitemap_in, each)
            indexed += sitemaps
            for entry in pages:
                if urlsplit(entry.url).hostname == site:
                    found[entry.url] = entry
                else:
                    other += 1
        level = _fetched(client, answer.url, indexed, seen, asking)
        if not level:
            break
    entries = oldest_first(found.values())
    return Feed(tuple(entries[-newest:]), other)


def _sitemap_in(answer: Exchange) -> tuple[list[Entry], list[Entry]]:
    return parse_sitemap(page_of(answer, limits=FETCH_LIMITS))


def _fetched(
    client: Client, first: str, indexed: Iterable[Entry], seen: set[str], asking: Asking
) -> list[Exchange]:
    """Fetch further sitemaps, the newest first, each once; one that fails is left out."""
    pages = []
    for entry in sorted(indexed, key=lambda each: each.published_at or EARLIEST, reverse=True):
        if entry.url in seen or len(seen) >= MOST_SITEMAPS:
            continue
        seen.add(entry.url)
        try:
            own = asking.passed_on(first, entry.url)
            fetched = client.fetch(entry.url, robots="ignore", accept=ACCEPT, asking=own, unpack=False)
        except FetchError:
            continue
        if not fetched.not_modified and fetched.status < 400:  # noqa: PLR2004 - HTTP
            pages.append(fetched.exchanges[-1])
    return pages
