"""Sitemaps: the pages they name, and when each was last changed."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Final, NamedTuple
from urllib.parse import urlsplit
from xml.parsers import expat

from pagedrift.capture.feed import Feed, FeedEntry, joined, lists_addresses, oldest_first
from pagedrift.capture.http import FETCH_LIMITS, Client, FetchError
from pagedrift.capture.http_messages import page_of
from pagedrift.capture.request_options import PLAIN, RequestOptions
from pagedrift.dates import EARLIEST, parse_date
from pagedrift.decompression import unpack
from pagedrift.errors import InputError, PagedriftError

if TYPE_CHECKING:
    from collections.abc import Iterable

    from pagedrift.http_exchange import Exchange
    from pagedrift.page import PageVersion

MAX_URLS: Final = 50_000  # of one sitemap: as many as the standard allows
MAX_SITEMAPS: Final = 50  # of one site that are fetched, the newest first
MAX_DEPTH: Final = 3  # levels of indexes; the standard knows one
_IS_ADDRESS: Final = re.compile(r"https?://\S+", re.IGNORECASE)
# What stays as it is, or an & that begins nothing.
_REPAIRED: Final = re.compile(
    rb"(<!\[CDATA\[.*?\]\]>|&(?:amp|lt|gt|quot|apos|#[0-9]+|#x[0-9A-Fa-f]+);)|&", re.DOTALL
)
ACCEPT: Final = "application/xml,text/xml;q=0.9,*/*;q=0.5"

Apart = Callable[..., Any]  # calls a function with what is given, here or in another process


def at_once(work: Callable[..., Any], *given: Any) -> Any:
    """Do some work here."""
    return work(*given)


class Sitemap(NamedTuple):
    """What a sitemap names, and what is wrong with it, where something is."""

    pages: list[FeedEntry]
    sitemaps: list[FeedEntry]
    flaw: str = ""


def parse_sitemap(page: PageVersion) -> Sitemap:
    """Give the pages and the further sitemaps that a sitemap names; raise InputError where it is none.

    What is broken is read as far as it goes. A sitemap may also be plain text, with an address in each line.

    >>> from pagedrift.page import PageVersion
    >>> body = b"<urlset><url><loc>https://city.example/a</loc><lastmod>2024-02-02</lastmod></url></urlset>"
    >>> pages, sitemaps, _ = parse_sitemap(PageVersion("https://city.example/sitemap.xml", body))
    >>> pages[0].url, str(pages[0].published_at.date()), sitemaps
    ('https://city.example/a', '2024-02-02', [])
    """
    body = page.body
    if body.startswith(b"\x1f\x8b"):
        body = unpack(body, "gzip", limits=FETCH_LIMITS)
    body = body.lstrip(b" \t\r\n")  # XML allows nothing before its declaration
    if lists_addresses(body):
        return _of_text(page.url, body)
    reader, trouble = _read(page.url, body)
    repaired = _REPAIRED.sub(lambda found: found[0] if found[1] else b"&amp;", body) if trouble else body
    if repaired != body:
        reader, further = _read(page.url, repaired)
        trouble = further or "it has an & that is not written as &amp;"
    pages, sitemaps = reader.found["url"], reader.found["sitemap"]
    if trouble and not pages and not sitemaps:
        raise InputError(f"{page.url} is not a sitemap ({trouble}); give the address of one")
    flaw = (
        f"{page.url} is broken ({trouble}); entries that were read: {len(pages) + len(sitemaps):,}"
        if trouble
        else ""
    )
    return Sitemap(pages, sitemaps, flaw)


def _of_text(base: str, body: bytes) -> Sitemap:
    """Read a list of addresses."""
    lines = [line.strip() for line in body.decode("utf-8-sig", "replace").splitlines()]
    urls = [line for line in lines if _IS_ADDRESS.fullmatch(line)]
    others = sum(map(bool, lines)) - len(urls)
    flaw = f"{others:,} lines of {base} hold no address; they are left out" if others else ""
    return Sitemap([FeedEntry(url, url) for url in dict.fromkeys(urls)], [], flaw)


def _read(base: str, body: bytes) -> tuple[_Reader, str]:
    """Read XML up to its end, or to what is wrong with it."""
    reader = _Reader(base)
    parser = expat.ParserCreate()
    parser.StartElementHandler = reader.start
    parser.EndElementHandler = reader.end
    parser.CharacterDataHandler = reader.data
    parser.EntityDeclHandler = _refuse_entities  # none is needed, and some are bombs
    try:
        parser.Parse(body, True)
    except (expat.ExpatError, LookupError, ValueError) as error:  # also encodings that expat does not know
        return reader, str(error)
    return reader, ""


def _refuse_entities(*_: object) -> None:
    raise InputError("the sitemap declares entities, which only attacks do; leave it out")


class _Reader:
    """Collects loc and lastmod of each url and sitemap element, whatever its namespace.

    Those of pictures and videos inside have a prefix of their own.
    """

    def __init__(self, base: str) -> None:
        self._base = base
        self._prefix = ""
        self._text: list[str] | None = None
        self._told: dict[str, str] = {}
        self.found: dict[str, list[FeedEntry]] = {"url": [], "sitemap": []}

    def start(self, name: str, _attributes: dict[str, str]) -> None:
        prefix, _, local = name.rpartition(":")
        if local in self.found:
            self._told, self._prefix = {}, prefix
        self._text = [] if local in ("loc", "lastmod") and prefix == self._prefix else None

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
            self.found[local].append(
                FeedEntry(url, f"{url} {changed}".strip(), parse_date(changed) if changed else None)
            )


def read_sitemap(
    client: Client,
    answer: Exchange,
    *,
    newest: int,
    request_options: RequestOptions = PLAIN,
    apart: Apart = at_once,
) -> Feed:
    """Collect the newest pages of a sitemap and of those it leads to; an index that leads to itself ends."""
    site = urlsplit(answer.url).hostname
    found: dict[str, FeedEntry] = {}
    other, level, seen = 0, [answer], {answer.url}
    flaws: list[str] = []
    for _ in range(MAX_DEPTH):
        indexed: list[FeedEntry] = []
        for each in level:
            pages, sitemaps, flaw = _parsed(each, apart, first=each is answer)
            indexed += sitemaps
            flaws += [flaw] if flaw else []
            for entry in pages:
                if urlsplit(entry.url).hostname == site:
                    found[entry.url] = entry
                else:
                    other += 1
        level = _fetched(client, answer.url, indexed, seen, request_options=request_options, flaws=flaws)
        if not level:
            break
    entries = oldest_first(found.values())
    return Feed(tuple(entries[-newest:]), other, tuple(flaws))


def _parsed(answer: Exchange, apart: Apart, *, first: bool) -> Sitemap:
    """Read a sitemap; one of several that cannot be read is a flaw of the whole."""
    try:
        return Sitemap(*apart(_sitemap_in, answer))
    except PagedriftError as error:
        if first:
            raise
        return Sitemap([], [], f"a part of the sitemap is left out: {error}")


def _sitemap_in(answer: Exchange) -> Sitemap:
    return parse_sitemap(page_of(answer, limits=FETCH_LIMITS))


def _fetched(
    client: Client,
    first: str,
    indexed: Iterable[FeedEntry],
    seen: set[str],
    *,
    request_options: RequestOptions,
    flaws: list[str],
) -> list[Exchange]:
    """Fetch further sitemaps, the newest first, each once; one that fails is left out, and said to be."""
    pages = []
    for entry in sorted(indexed, key=lambda each: each.published_at or EARLIEST, reverse=True):
        if entry.url in seen or len(seen) >= MAX_SITEMAPS:
            continue
        seen.add(entry.url)
        try:
            own = request_options.passed_on(first, entry.url)
            fetched = client.fetch(
                entry.url, robots="ignore", accept=ACCEPT, request_options=own, after=first, unpack=False
            )
        except FetchError as error:
            flaws.append(f"a part of the sitemap is left out: {error}")
            continue
        if not fetched.not_modified and not fetched.failed:
            pages.append(fetched.exchanges[-1])
        else:
            flaws.append(f"a part of the sitemap is left out: {entry.url} answers with status {fetched.status}")
    return pages
