"""How much did a page change from each version to the next?"""

from __future__ import annotations

from collections import OrderedDict
from contextlib import closing
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING, Final

from pagedrift.errors import InputError
from pagedrift.how_much.extended import check_weights
from pagedrift.how_much.metrics import extended_distance
from pagedrift.how_much.metrics import metric as look_up
from pagedrift.how_much.pairs import Options
from pagedrift.page import PageVersion
from pagedrift.reading.pages import loose, one_page

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Iterable, Iterator, Mapping

    from pagedrift.how_much.metrics import Metric

AT_HAND: Final = 8_000_000  # bytes of pages that wait for their next version in memory; the others do so on disk
FAILED: Final = 400  # statuses from here on: not the page, but a message about it


@dataclass(frozen=True, slots=True)
class Step:
    """How much a page changed from one version to the next."""

    url: str
    since: datetime | None  # when the older version was captured
    captured_at: datetime | None
    value: float  # of the metric asked for
    counts: Mapping[str, int]  # words by what was done to them; those that are not zero


def series(
    versions: Iterable[PageVersion],
    *,
    metric: str = "extended+",
    url: str | None = None,
    options: Options | None = None,
) -> Iterator[Step]:
    """Measure each version of a page against the one before: of every page there is, or of the one under `url`.

    Failed responses (status 400 and above) are left out. One version of each page is kept at a time, on disk
    where there are many pages.

    >>> bodies = [b"<p>A permit costs $120", b"<p>A permit costs $145", b"<p>A permit costs $145"]
    >>> [step.value for step in series(PageVersion("https://city.example/", body) for body in bodies)]
    [0.25, 0.0]
    """
    distance, options = look_up(metric), options or Options()
    check_weights(options.a, options.b)  # at once, not when the first version is asked for
    return _steps(one_page(versions, url=url) if url else versions, distance, options)


def _steps(versions: Iterable[PageVersion], distance: Metric, options: Options) -> Iterator[Step]:
    with closing(_Latest(AT_HAND)) as latest:
        for version in versions:
            before = latest.exchange(version) if (version.status or 0) < FAILED else None
            if before is not None:
                value, counts = _compare(before, version, distance, options)
                yield Step(version.url, before.captured_at, version.captured_at, value, counts)


def _compare(
    old: PageVersion, new: PageVersion, distance: Metric, options: Options
) -> tuple[float, Mapping[str, int]]:
    """Measure one step, and count what was done to the words: as the paper does, where its metric is asked for."""
    if old.body == new.body and old.encoding == new.encoding:
        return 0.0, {}  # most versions are like the one before: they need no look
    value = distance(old, new, options=options)
    pair = options.pair(old, new)
    found = pair.extended if distance is extended_distance else pair.improved
    return value, {kind: count for kind, count in found.counts.items() if count}


class _Latest:
    """The last version of each page: the last used ones in memory, up to a weight, and the rest on disk."""

    def __init__(self, at_hand: int) -> None:
        self._at_hand = at_hand
        self._pages: OrderedDict[str, PageVersion] = OrderedDict()
        self._weight = 0
        self._disk: sqlite3.Connection | None = None

    def exchange(self, version: PageVersion) -> PageVersion | None:
        """Give the version that was the last one of its page, and keep this one instead."""
        key = loose(version.url)
        before = self._pages.pop(key, None)
        if before is not None:
            self._weight -= len(before.body)
        elif self._disk is not None:
            before = self._fetch(key)
        self._pages[key] = version
        self._weight += len(version.body)
        while self._weight > self._at_hand and len(self._pages) > 1:
            self._put_away(*self._pages.popitem(last=False))
        return before

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
                f"many pages wait for their next version, and there is no room for them ({error}); make room in the"
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
