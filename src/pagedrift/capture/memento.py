"""Memento (RFC 7089): the versions of a page that a web archive holds, listed and fetched."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Final
from urllib.parse import urljoin

from pagedrift.capture.http_messages import FetchError
from pagedrift.capture.request_options import PLAIN, RequestOptions
from pagedrift.dates import parse_date
from pagedrift.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Iterator
    from datetime import datetime

    from pagedrift.capture.http import Client
    from pagedrift.page import PageVersion

MAX_TIMEMAPS: Final = 50  # of one page: long ones come in parts
MAX_MEMENTOS: Final = 200_000
ACCEPT: Final = "application/link-format,application/json;q=0.9,text/plain;q=0.8,*/*;q=0.5"
# RFC 6690, section 2, as archives write it.
_LINK: Final = re.compile(r"<([^>]*)>((?:\s*;\s*[\w-]+\s*=\s*(?:\"[^\"]*\"|[^\",;\s]+))*)")
_PART: Final = re.compile(r";\s*([\w-]+)\s*=\s*(?:\"([^\"]*)\"|([^\",;\s]+))")
_STAMP: Final = re.compile(r"\d{14}")
_REWRITTEN: Final = re.compile(r"/(\d{14})(?:[a-z]{2}_)?/(?=https?:)")


@dataclass(frozen=True, slots=True, order=True)
class Memento:
    """One version that an archive holds."""

    captured_at: datetime
    url: str  # where the archive has it
    original: str  # whose version it is


def parse_timemap(page: PageVersion, *, replay: str = "") -> tuple[list[Memento], list[str]]:
    """Read a TimeMap, oldest first, and the addresses of its further parts; raise InputError where it is none.

    Link-format (RFC 7089) names versions with their addresses. CDX, as lines or JSON, does not: `replay` is what
    the archive puts before time and address, such as https://archive.example/web/.

    >>> from pagedrift.page import PageVersion
    >>> links = b'<https://city.example/>; rel="original", <https://archive.example/20240202100000/https://city.example/>'
    >>> links += b'; rel="first memento"; datetime="Fri, 02 Feb 2024 10:00:00 GMT"'
    >>> mementos, more = parse_timemap(PageVersion("https://archive.example/timemap/https://city.example/", links))
    >>> mementos[0].original, str(mementos[0].captured_at.date()), more
    ('https://city.example/', '2024-02-02', [])
    """
    text = page.body.decode("utf-8", "replace").lstrip("\ufeff \r\n")
    if text.startswith("<"):
        found, more = _of_links(page.url, text)
    else:
        found, more = list(_of_cdx(page.url, text, replay)), []
    return sorted(found)[-MAX_MEMENTOS:], more


def _of_links(base: str, text: str) -> tuple[list[Memento], list[str]]:
    mementos, more, original = [], [], ""
    for target, parts in _LINK.findall(text):
        found = {name.lower(): quoted or plain for name, quoted, plain in _PART.findall(parts)}
        relations, url = found.get("rel", "").lower().split(), urljoin(base, target)
        if "original" in relations:
            original = url
        elif "memento" in relations and (when := parse_date(found.get("datetime", ""))):
            mementos.append(Memento(when, url, ""))
        elif "timemap" in relations and url != base:
            more.append(url)
    if not original or not (mementos or more):
        raise InputError(f"{base} is not a TimeMap; give the address that an archive has for this")
    return [replace(each, original=original) for each in mementos], more


def _of_cdx(base: str, text: str, replay: str) -> Iterator[Memento]:
    for stamp, original in _captures(base, text):
        when = parse_date(stamp)
        if when is not None:
            if not replay:
                raise InputError(f"{base} lists only times; set the replay address of the archive with --replay")
            yield Memento(when, f"{replay}{stamp}/{original}", original)


def _captures(base: str, text: str) -> Iterator[tuple[str, str]]:
    """Give time and address of each capture, of CDX as JSON, CDXJ, or CDX."""
    try:
        if text.startswith("["):
            header, *rows = json.loads(text)
            at = header.index("timestamp"), header.index("original")
            yield from ((str(row[at[0]]), str(row[at[1]])) for row in rows)
            return
        for line in text.splitlines():
            _, stamp, rest = line.split(" ", 2)
            if not _STAMP.fullmatch(stamp):
                raise ValueError(stamp)
            yield stamp, str(json.loads(rest)["url"]) if rest.startswith("{") else rest.split(" ", 1)[0]
    except (ValueError, LookupError, TypeError, AttributeError, RecursionError):
        raise InputError(f"{base} is not a TimeMap; give the address that an archive has for this") from None


def mementos(
    client: Client, timemap: str, url: str, *, replay: str = "", request_options: RequestOptions = PLAIN
) -> list[Memento]:
    """Ask an archive which versions of a page it holds, oldest first; `timemap` comes before the address."""
    waiting, seen, found = [f"{timemap}{url}"], set[str](), set[Memento]()
    while waiting and len(seen) < MAX_TIMEMAPS and len(found) < MAX_MEMENTOS:
        address = waiting.pop(0)
        if address in seen:
            continue
        seen.add(address)
        fetched = client.fetch(address, robots="ignore", accept=ACCEPT, request_options=request_options)
        if fetched.page is None or fetched.failed:
            raise InputError(f"{address} answers with status {fetched.status}; check that the archive has the page")
        here, more = parse_timemap(fetched.page, replay=replay)
        found.update(here)
        waiting += more
    return sorted(found)


def fetch_memento(client: Client, memento: Memento, *, request_options: RequestOptions = PLAIN) -> PageVersion:
    """Fetch a version as it was captured, not as the archive shows it, where it is known how to ask for that."""
    # pywb and the Wayback Machine give the bytes themselves for `id_`; others ignore or refuse it.
    raw = _REWRITTEN.sub(r"/\1id_/", memento.url, count=1)
    fetched = client.fetch(raw, robots="ignore", request_options=request_options)
    if fetched.page is None or "memento-datetime" not in dict(fetched.page.headers):
        raise FetchError(
            f"not a version of a page (status {fetched.status}); leave it out", kind="network", url=raw
        )
    page = fetched.page
    found = parse_date(page.header("memento-datetime") or "")
    prefix = "x-archive-orig-"
    own = tuple((name.removeprefix(prefix), value) for name, value in page.headers if name.startswith(prefix))
    return replace(
        page, url=memento.original, captured_at=found or memento.captured_at, headers=own or page.headers
    )
