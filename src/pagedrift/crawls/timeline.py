"""The timeline of a collection: when pages appeared, changed, vanished and came back, and sites were redesigned."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from itertools import groupby
from typing import TYPE_CHECKING, Final

from pagedrift.crawls import inventory
from pagedrift.crawls.inventory import COLUMNS, CaptureRow
from pagedrift.crawls.keeping import KeepLevel, PageGate
from pagedrift.crawls.workers import inventory_of
from pagedrift.errors import PagedriftError
from pagedrift.redesigned import RedesignDetector
from pagedrift.redesigned.pairwise import REDESIGNED
from pagedrift.redesigned.stream import documents
from pagedrift.redesigned.stream_monitor import StreamMonitor

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Iterable, Iterator, Sequence
    from datetime import datetime

    from pagedrift.crawls.workers import OnProgress
    from pagedrift.read_report import Account

_GONE: Final = frozenset((inventory.FAILURE, inventory.REDIRECT))


class TimelineKind(StrEnum):
    """What happened."""

    APPEARED = "appeared"
    CHANGED = "changed"
    LAYOUT = "layout changed"
    BLOCKED = "blocked or error page"
    VANISHED = "vanished"
    RETURNED = "came back"
    REDESIGNED = "site redesigned"


@dataclass(frozen=True, slots=True, kw_only=True)
class TimelineEvent:
    """Something that happened to a page or a site."""

    at: datetime | None
    kind: TimelineKind
    url: str
    level: str = ""  # of a change: important or minor
    headline: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class CollectionTimeline:
    """All that happened, in the order of time."""

    events: tuple[TimelineEvent, ...]
    pages: int
    captures: int
    first: datetime | None
    last: datetime | None
    account: Account


def timeline(paths: Sequence[str], *, on_progress: OnProgress | None = None) -> CollectionTimeline:
    """Find out what happened to each page and site of a collection; noise is left out.

    >>> found = timeline(["examples/crawls"])
    >>> found.pages, [event.headline for event in found.events if event.url.endswith("council")][-1]
    (4, 'Tom Baker, schools and sport → Ingrid Aalto, housing and roads')
    """
    tell = on_progress or (lambda *_: None)
    with inventory_of(paths, tell) as (database, account):
        events = list(_events(database, tell))
        count = "SELECT COUNT(*), COUNT(DISTINCT address), MIN(captured_at), MAX(captured_at) FROM captures"
        captures, pages, first, last = database.execute(f"{count} WHERE kind = 'page'").fetchone()
    events += _redesigns(paths, tell)
    events.sort(key=lambda event: (event.at is not None, event.at, event.url))
    moments = inventory.moment_of(first), inventory.moment_of(last)
    return CollectionTimeline(
        events=tuple(events), pages=pages, captures=captures, first=moments[0], last=moments[1], account=account
    )


def _events(database: sqlite3.Connection, tell: OnProgress) -> Iterator[TimelineEvent]:
    (total,) = database.execute("SELECT COUNT(*) FROM captures").fetchone()
    ranked = (
        "SELECT captured_at, ROW_NUMBER() OVER (PARTITION BY address ORDER BY captured_at, id) AS n FROM captures"
    )
    (again,) = database.execute(f"SELECT MIN(captured_at) FROM ({ranked}) WHERE n = 2").fetchone()
    query = f"SELECT {COLUMNS} FROM captures WHERE kind != ? ORDER BY address, captured_at, id"
    rows = (CaptureRow(*row) for row in database.execute(query, (inventory.OTHER,)))
    done = 0
    for _, captures in groupby(rows, key=lambda row: row.address):
        listed = list(captures)
        yield from _PageTimeline(again).of(listed)
        done += len(listed)
        tell("comparing pages", done, total)


class _PageTimeline:
    """What happens to one page."""

    def __init__(self, again: int | None) -> None:
        self._again = again  # when a page was captured for the second time: those first seen before did not appear
        self._gate = PageGate(KeepLevel.ALL)
        self._last: CaptureRow | None = None  # that was a page
        self._gone = False

    def of(self, captures: Iterable[CaptureRow]) -> Iterator[TimelineEvent]:
        for row in captures:
            if row.kind in _GONE:
                if self._last is not None and not self._gone:
                    yield _event(row, TimelineKind.VANISHED, headline=_instead(row))
                self._gone = True
            elif row.kind == inventory.PAGE:
                yield from self._page(row)
            elif row.kind == inventory.REVISIT and self._gone and self._last is not None:
                yield _event(row, TimelineKind.RETURNED)
                self._gone = False

    def _page(self, row: CaptureRow) -> Iterator[TimelineEvent]:
        later = self._again is not None and (row.captured_at or 0) >= self._again
        if self._last is None and (self._gone or later):
            yield _event(row, TimelineKind.APPEARED)
        elif self._gone:
            yield _event(row, TimelineKind.RETURNED)
        self._gone = False
        if self._last is None or self._last.digest != row.digest:
            yield from self._compared(row)
        self._last = row

    def _compared(self, row: CaptureRow) -> Iterator[TimelineEvent]:
        try:
            found = self._gate.decide(inventory.load(row))
        except PagedriftError:
            return
        important, minor, _ = found.levels
        if found.layout >= REDESIGNED:
            yield _event(row, TimelineKind.LAYOUT, headline=found.said)
        elif important or minor:
            yield _event(
                row, TimelineKind.CHANGED, level="important" if important else "minor", headline=found.said
            )
        elif found.reason not in ("first", "changed", "unreadable"):
            yield _event(row, TimelineKind.BLOCKED, headline=f"{found.reason}: {found.said}")


def _event(row: CaptureRow, kind: TimelineKind, *, level: str = "", headline: str = "") -> TimelineEvent:
    return TimelineEvent(at=row.time, kind=kind, url=row.where, level=level, headline=headline)


def _instead(row: CaptureRow) -> str:
    if row.kind == inventory.REDIRECT:
        return f"redirect to {(row.target or b'').decode('utf-8', 'replace')}"
    return f"status {row.status}"


def _redesigns(paths: Sequence[str], tell: OnProgress) -> Iterator[TimelineEvent]:
    """Follow each site through the collection."""
    courses: dict[str, StreamMonitor] = {}
    stream = documents(paths, on_progress=lambda now: tell("looking for redesigns", now.position, now.total))
    for document in stream:
        course = courses.setdefault(document.site, StreamMonitor(RedesignDetector(), site=document.site))
        for event in course.take(document):
            if event.kind == "redesign":
                said = f"first seen at {event.url}"
                yield TimelineEvent(
                    at=event.published_at, kind=TimelineKind.REDESIGNED, url=event.site, headline=said
                )
