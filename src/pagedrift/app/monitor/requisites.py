"""Page requisites: style sheets and pictures, fetched at most once a day so that a version can be replayed."""

from __future__ import annotations

import re
import threading
import time
from typing import TYPE_CHECKING, Final
from urllib.parse import urljoin, urlsplit

from pagedrift.capture.http_messages import Request
from pagedrift.capture.subresources import MAX_RESOURCE_BYTES
from pagedrift.errors import PagedriftError
from pagedrift.limits import Limits

if TYPE_CHECKING:
    from collections.abc import Iterable

    from pagedrift.capture.http import Client
    from pagedrift.http_exchange import Exchange

MAX_SECONDS_PER_PAGE: Final = 15.0  # for all that one page loads
EACH: Final = 5.0  # for one of them
MAX_REQUISITES: Final = 100  # of one page
ALL: Final = 20_000_000  # bytes of one page
SILENT: Final = 600.0  # seconds for which a host that gave no answer is left alone
AGAIN: Final = 86_400.0  # seconds after which something is fetched again
MAX_REMEMBERED_HOSTS: Final = 50_000
ROOM: Final = Limits(body=MAX_RESOURCE_BYTES)  # of one of them
_OK: Final = 200
_IN_STYLES: Final = re.compile(rb"""(?:url\(\s*|@import\s+)["']?([^"')\s;]{1,2000})""", re.IGNORECASE)


class RequisiteFetcher:
    """Fetches what pages load; pages of one site mostly load the same, which is fetched once for all of them."""

    def __init__(self, client: Client) -> None:
        self._client = client
        self._lock = threading.Lock()
        self._fetched: dict[str, float] = {}
        self._silent: dict[str, float] = {}  # hosts that gave no answer, and when

    def fetch(self, named: Iterable[tuple[str, str]]) -> tuple[Exchange, ...]:
        """Fetch of what a page loads what was not fetched lately, as far as time and room allow."""
        until, room = time.monotonic() + MAX_SECONDS_PER_PAGE, ALL
        found: list[Exchange] = []
        waiting = [url for url, kind in named if kind in ("stylesheet", "image")]
        while waiting and len(found) < MAX_REQUISITES and room > 0 and (left := until - time.monotonic()) > 0:
            url = waiting.pop(0)
            host = urlsplit(url).netloc
            if not self._answers(host) or not self._is_news(url):
                continue
            try:
                answered = self._client.ask(
                    Request(url), own=False, seconds=min(EACH, left), turn=False, limits=ROOM
                )
            except PagedriftError:
                self._silent[host] = time.monotonic()
                continue
            if answered.exchange.status == _OK and len(answered.body) <= MAX_RESOURCE_BYTES:
                found.append(answered.exchange)
                room -= len(answered.body)
                if media_type(answered.exchange) == "text/css":
                    waiting += _in_styles(answered.body, url)
        return tuple(found)

    def forget(self, fetched: Iterable[Exchange]) -> None:
        """Fetch again, for the next page that names it, what was fetched and not kept."""
        with self._lock:
            for each in fetched:
                self._fetched.pop(each.url, None)

    def _answers(self, host: str) -> bool:
        """Return whether a host is worth asking: one that was silent just now holds up every page that names it."""
        if len(self._silent) > MAX_REMEMBERED_HOSTS:
            self._silent.clear()
        return time.monotonic() - self._silent.get(host, -SILENT) >= SILENT

    def _is_news(self, url: str) -> bool:
        now = time.monotonic()
        with self._lock:
            if now - self._fetched.get(url, -AGAIN) < AGAIN:
                return False
            self._fetched.pop(url, None)
            self._fetched[url] = now
            if len(self._fetched) > MAX_REMEMBERED_HOSTS:
                del self._fetched[next(iter(self._fetched))]
        return True


def media_type(exchange: Exchange) -> str:
    """Say what came, without parameters."""
    found = next((value for name, value in exchange.headers if name.lower() == "content-type"), "")
    return found.partition(";")[0].strip().lower()


def is_part(exchange: Exchange) -> bool:
    """Return whether an answer is a part of a page: no error, and no page of its own."""
    return exchange.status == _OK and "html" not in media_type(exchange)


def _in_styles(body: bytes, base: str) -> list[str]:
    """Give what a style sheet loads."""
    named = (match.decode("utf-8", "replace") for match in _IN_STYLES.findall(body[:2_000_000]))
    whole = (urljoin(base, each) for each in named if not each.startswith(("data:", "#")))
    return [url for url in dict.fromkeys(whole) if url.startswith(("http://", "https://"))]
