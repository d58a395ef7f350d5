"""In which order are versions given, in one pass and constant memory?"""

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


def in_time_order(versions: Iterable[PageVersion], *, most: int, heaviest: int) -> Iterator[PageVersion]:
    """Give versions by time of capture, as far as a window of so many versions and bytes can see.

    Equal times keep their order, versions without a time come first. One that comes later than the window
    sees is given at once, out of order.
    """
    window: deque[tuple[datetime, int, PageVersion]] = deque()
    weight = 0
    for number, version in enumerate(versions):
        moment = version.captured_at or EARLIEST
        if not window or window[-1][0] <= moment:
            window.append((moment, number, version))
        else:
            entry = (moment, number, version)
            window.insert(bisect_right(window, entry), entry)
        weight += len(version.body)
        while len(window) > most or (weight > heaviest and len(window) > 1):
            first = window.popleft()[2]
            weight -= len(first.body)
            yield first
    for _, _, version in window:
        yield version


def merge(streams: Iterable[Iterator[PageVersion]], *, side_by_side: int) -> Iterator[PageVersion]:
    """Give the versions of several streams by time, each stream opened only when there is room for it."""
    waiting = enumerate(streams)
    heap: list[tuple[datetime, int, PageVersion, Iterator[PageVersion]]] = []
    while True:
        while len(heap) < side_by_side and (opened := next(waiting, None)):
            if (version := next(opened[1], None)) is not None:
                heappush(heap, (version.captured_at or EARLIEST, opened[0], version, opened[1]))
        if not heap:
            return
        _, number, version, stream = heap[0]
        yield version
        following = next(stream, None)
        if following is None:
            heappop(heap)
        else:
            heapreplace(heap, (following.captured_at or EARLIEST, number, following, stream))
