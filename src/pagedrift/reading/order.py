"""The order of page versions by time, in one pass and constant memory."""

from __future__ import annotations

from bisect import bisect_right
from collections import deque
from heapq import heappop, heappush, heapreplace
from typing import TYPE_CHECKING

from pagedrift.dates import EARLIEST

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from datetime import datetime

    from pagedrift.page import PageVersion
    from pagedrift.read_report import ReadingCounts


_NARROW = 500_000  # bytes that wait while all come in order: the cache of one core holds them


def in_time_order(
    versions: Iterable[PageVersion], counts: ReadingCounts, *, most: int, heaviest: int
) -> Iterator[PageVersion]:
    """Give versions by time of capture, as far as a window of a number of versions and bytes can see.

    Equal times keep their order, versions without a time come first. One that comes later than the window
    sees is given at once, and counted. The window takes all its bytes from the first sign of disorder on.
    """
    window: deque[PageVersion] = deque()
    weight, bound, given = 0, min(_NARROW, heaviest), None
    latest = reached = EARLIEST  # of those that came, and of those that were given
    for version in versions:
        moment = version.captured_at or EARLIEST
        if moment >= latest:
            latest = moment
            window.append(version)
        else:
            bound = heaviest
            window.insert(bisect_right(window, moment, key=when), version)
            reached = max(reached, when(given)) if given else reached
            counts.late += moment < reached
        weight += len(version.body)
        while weight > bound or len(window) > most:
            given = window.popleft()
            weight -= len(given.body)
            counts.versions += 1
            yield given
    for version in window:
        counts.versions += 1
        yield version


def merge(
    streams: Iterable[Iterator[PageVersion]], counts: ReadingCounts, *, side_by_side: int
) -> Iterator[PageVersion]:
    """Give the versions of several streams by time, each stream opened only when there is room for it."""
    waiting = enumerate(streams)
    heap: list[tuple[datetime, int, PageVersion, Iterator[PageVersion]]] = []
    latest = EARLIEST
    while True:
        while len(heap) < side_by_side and (opened := next(waiting, None)):
            if (version := next(opened[1], None)) is not None:
                heappush(heap, (when(version), opened[0], version, opened[1]))
        if not heap:
            return
        moment, number, version, stream = heap[0]
        counts.late += moment < latest
        latest = max(moment, latest)
        counts.versions += 1
        yield version
        following = next(stream, None)
        if following is None:
            heappop(heap)
        else:
            heapreplace(heap, (when(following), number, following, stream))


def when(version: PageVersion) -> datetime:
    """Give the time by which a version is sorted."""
    return version.captured_at or EARLIEST
