"""The latest version of each page, for up to millions of pages."""

from __future__ import annotations

from collections import OrderedDict
from datetime import datetime
from typing import TYPE_CHECKING, Final

from pagedrift.errors import InputError
from pagedrift.page import PageVersion
from pagedrift.reading.page_selection import loose

if TYPE_CHECKING:
    import sqlite3

MAX_BYTES_IN_MEMORY: Final = 8_000_000  # of pages that wait for their next version; the others do so on disk


class Latest:
    """One version of each page: the last used ones in memory, up to a weight, and the rest on disk.

    >>> latest = Latest()
    >>> latest.exchange(PageVersion("https://city.example/", b"<p>1"))
    >>> latest.exchange(PageVersion("https://city.example/", b"<p>2")).body
    b'<p>1'
    """

    def __init__(self, at_hand: int = MAX_BYTES_IN_MEMORY) -> None:
        self._at_hand = at_hand
        self._pages: OrderedDict[str, PageVersion] = OrderedDict()
        self._weight = 0
        self._disk: sqlite3.Connection | None = None

    def exchange(self, version: PageVersion) -> PageVersion | None:
        """Give the version that was the last one of its page, and keep this one instead."""
        before = self.get(version.url)
        self.put(version)
        return before

    def get(self, url: str) -> PageVersion | None:
        """Give the version of a page, if there is one."""
        key = loose(url)
        if key in self._pages:
            self._pages.move_to_end(key)
            return self._pages[key]
        return self._fetch(key) if self._disk is not None else None

    def put(self, version: PageVersion) -> None:
        """Keep this version of its page, and no other."""
        key = loose(version.url)
        before = self._pages.pop(key, None)
        self._pages[key] = version
        self._weight += len(version.body) - (len(before.body) if before else 0)
        while self._weight > self._at_hand and len(self._pages) > 1:
            self._put_away(*self._pages.popitem(last=False))

    def close(self) -> None:
        """Give up what waits on disk."""
        if self._disk is not None:
            self._disk.close()

    def _put_away(self, key: str, version: PageVersion) -> None:
        import sqlite3

        if self._disk is None:
            self._disk = _temporary_table()
        self._weight -= len(version.body)
        when = version.captured_at.isoformat() if version.captured_at else None
        kind = version.content_type or version.header("content-type")
        row = (_bytes(key), _bytes(version.url), when, _bytes(kind) if kind else None, version.body)
        try:
            self._disk.execute("INSERT OR REPLACE INTO latest VALUES (?, ?, ?, ?, ?)", row)
        except sqlite3.Error as error:
            raise InputError(
                f"too many pages wait for their next version and the disk is full ({error}); free some space in the"
                " folder for temporary files, or choose one page with --url URL (in Python: url=…)"
            ) from None

    def _fetch(self, key: str) -> PageVersion | None:
        assert self._disk is not None
        query = "SELECT url, captured_at, content_type, body FROM latest WHERE page = ?"
        found = self._disk.execute(query, (_bytes(key),)).fetchone()
        if found is None:
            return None
        url, when, kind, body = found
        moment = datetime.fromisoformat(when) if when else None
        return PageVersion(_text(url), body, captured_at=moment, content_type=_text(kind) if kind else None)


def _bytes(text: str) -> bytes:
    """Encode what a database would refuse as text: addresses of archives hold anything."""
    return text.encode("utf-8", "surrogatepass")


def _text(data: bytes) -> str:
    return data.decode("utf-8", "surrogatepass")


def _temporary_table() -> sqlite3.Connection:
    """Open a database that is SQLite's own temporary file, which goes away with it."""
    import sqlite3

    disk = sqlite3.connect("", isolation_level=None)
    disk.execute("PRAGMA journal_mode = OFF")  # nobody reads it after us
    disk.execute(
        "CREATE TABLE latest (page BLOB PRIMARY KEY, url BLOB, captured_at TEXT, content_type BLOB, body BLOB)"
    )
    return disk
