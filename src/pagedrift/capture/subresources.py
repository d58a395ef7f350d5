"""Subresources: the pictures, styles and scripts that a page loads, from a folder or from the web."""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Final
from urllib.parse import unquote, urljoin, urlsplit

from pagedrift.errors import PagedriftError

if TYPE_CHECKING:
    import os
    from concurrent.futures import Future

    from pagedrift.capture.http import Client
    from pagedrift.page import PageVersion

NOWHERE: Final = "http://page.invalid/"  # where pages without an address of the web are shown
UNKNOWN: Final = "application/octet-stream"
MAX_RESOURCE_BYTES: Final = 16_000_000  # of one resource
_AT_ONCE: Final = 6  # requests, as browsers do
_AHEAD: Final = 200  # resources that the page names, fetched before it asks


def shown_at(url: str) -> str:
    """Give the address at which a browser shows a page.

    >>> shown_at("file:///pages/fees.html")
    'http://page.invalid/'
    """
    return url.partition("#")[0] if url.startswith(("http://", "https://")) else NOWHERE


def _guessed(name: str) -> str:
    """Guess the type of a file from its name.

    >>> _guessed("city.css"), _guessed("city")
    ('text/css', 'application/octet-stream')
    """
    import mimetypes

    return mimetypes.guess_type(name)[0] or UNKNOWN


class FilesBeside(Mapping[str, tuple[str, bytes]]):
    """The files saved next to a page, below its folder and nowhere else."""

    def __init__(self, path: str | os.PathLike[str], url: str) -> None:
        self._folder = Path(path).resolve().parent
        self._base = urljoin(shown_at(url), ".")

    def __getitem__(self, url: str) -> tuple[str, bytes]:
        rest = urlsplit(url)._replace(query="", fragment="").geturl()
        if not rest.startswith(self._base):
            raise KeyError(url)
        try:
            path = (
                self._folder / unquote(rest[len(self._base) :])
            ).resolve()  # follows links, out of the folder too
            if (
                not path.is_relative_to(self._folder)
                or not path.is_file()
                or path.stat().st_size > MAX_RESOURCE_BYTES
            ):
                raise KeyError(url)
            return _guessed(path.name), path.read_bytes()
        except (OSError, ValueError):
            raise KeyError(url) from None

    def __iter__(self) -> Iterator[str]:
        return iter(())  # nobody looks through a whole folder

    def __len__(self) -> int:
        return 1


class Live(Mapping[str, tuple[str, bytes]]):
    """What servers give now, all of it fetched by our own client, with its policy of addresses and its limits."""

    def __init__(self, client: Client, page: PageVersion, *, seconds: float = 20.0, most: int = 500) -> None:
        from concurrent.futures import ThreadPoolExecutor  # loads logging

        self._client = client
        self._until = time.monotonic() + seconds
        self._left = most
        self._pool = ThreadPoolExecutor(_AT_ONCE, thread_name_prefix="pagedrift-live")
        named = dict.fromkeys(each.url for each in page.resources if each.kind != "frame")
        self._coming: dict[str, Future[tuple[str, bytes] | None]] = {}
        for url in islice(named, _AHEAD):
            self._ask(url)

    def __getitem__(self, url: str) -> tuple[str, bytes]:
        try:
            found = self._ask(url).result(max(0.0, self._until - time.monotonic()))
        except TimeoutError:
            found = None
        if found is None:
            raise KeyError(url)
        return found

    def _ask(self, url: str) -> Future[tuple[str, bytes] | None]:
        known = self._coming.get(url)
        if known is None:
            known = self._coming[url] = self._pool.submit(self._fetch, url)
        return known

    def _fetch(self, url: str) -> tuple[str, bytes] | None:
        self._left -= 1
        if self._left < 0 or time.monotonic() > self._until:
            return None
        try:
            fetched = self._client.fetch(url, robots="ignore", accept="*/*")
        except PagedriftError:
            return None
        if fetched.page is None or fetched.failed:
            return None
        return fetched.page.content_type or _guessed(urlsplit(url).path), fetched.page.body

    def __iter__(self) -> Iterator[str]:
        return iter(self._coming)

    def __len__(self) -> int:
        return 1

    def close(self) -> None:
        """Ask for nothing more."""
        self._until = 0.0
        self._pool.shutdown(cancel_futures=True)
