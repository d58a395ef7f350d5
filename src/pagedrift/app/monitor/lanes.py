"""Lanes for visits: limits on how many run at once, per host, so that slow hosts do not delay the others."""

from __future__ import annotations

import threading
import time
from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from pagedrift.app.settings import LOOPBACK

if TYPE_CHECKING:
    from collections.abc import Callable

SLOW_AFTER: Final = 5.0  # seconds after which a visit counts as slow, and no longer as one of the quick ones
MAX_QUICK_HOSTS: Final = 10_000  # that are remembered
SHARE_OF_OTHERS: Final = (
    0.75  # of the workers, for hosts that are slow or not known yet; the rest waits for quick ones
)
SHARE_OF_HOST: Final = 0.5  # of the workers, for one host that needs no politeness


@dataclass(frozen=True, slots=True)
class VisitUnderWay:
    """One visit that is being made."""

    watch: str
    url: str
    seconds: float


@dataclass(frozen=True, slots=True)
class LaneRoom:
    """How many visits may begin now."""

    any_host: int
    quick_hosts: int  # beyond those, of hosts that are known to be quick
    per_host: int
    per_local_host: int


@dataclass(frozen=True, slots=True, kw_only=True)
class _Visit:
    url: str
    host: str
    since: float
    quick: bool  # whether its host was known to be quick when it began
    others: tuple[str, ...]  # watches of the same page that are visited with it


class Lanes:
    """The visits under way, and what is known of their hosts.

    There are as many quick visits in parallel as `workers`, and as many slow ones. A quarter of the workers
    waits for hosts whose last visit was quick, so that hosts that never answer cannot hold all of them.

    >>> lanes = Lanes(16, polite=True)
    >>> lanes.room()
    LaneRoom(any_host=12, quick_hosts=4, per_host=1, per_local_host=8)
    """

    def __init__(self, workers: int, *, polite: bool, clock: Callable[[], float] = time.monotonic) -> None:
        self.workers = workers
        self.most = 2 * workers
        self._polite = polite
        self._clock = clock
        self._lock = threading.Lock()
        self._visits: dict[str, _Visit] = {}  # by watch
        self._quick: dict[str, None] = {}  # hosts, the last visited one last

    def __contains__(self, watch: object) -> bool:
        return watch in self._visits

    def __len__(self) -> int:
        return len(self._visits)

    def begin(self, watch: str, url: str, host: str, *others: str) -> None:
        """Note that a visit begins, and which other watches of the page it is for."""
        with self._lock:
            self._visits[watch] = _Visit(
                url=url, host=host, since=self._clock(), quick=host in self._quick, others=others
            )

    def end(self, watch: str, *, quick: bool) -> None:
        """Note that a visit is over, and whether its host deserves to be called quick."""
        with self._lock:
            visit = self._visits.pop(watch)
            self._quick.pop(visit.host, None)
            if quick and self._clock() - visit.since < SLOW_AFTER:
                self._quick[visit.host] = None
            if len(self._quick) > MAX_QUICK_HOSTS:
                del self._quick[next(iter(self._quick))]

    def under_way(self) -> tuple[VisitUnderWay, ...]:
        """Give the visits that are being made."""
        now = self._clock()
        with self._lock:
            return tuple(
                VisitUnderWay(watch, visit.url, round(now - visit.since, 1))
                for watch, visit in self._visits.items()
            )

    def watches(self) -> list[str]:
        """Give the watches that are being visited."""
        with self._lock:
            return [each for watch, visit in self._visits.items() for each in (watch, *visit.others)]

    def quick_hosts(self) -> set[str]:
        """Give the hosts whose last visit was quick."""
        with self._lock:
            return set(self._quick)

    def busy_hosts(self) -> set[str]:
        """Give the hosts that have their share of the workers."""
        with self._lock:
            counts = Counter(visit.host for visit in self._visits.values())
        return {host for host, count in counts.items() if count >= self._share(host)}

    def room(self) -> LaneRoom:
        """Say how many visits may begin now."""
        now = self._clock()
        with self._lock:
            visits = list(self._visits.values())
        slow = sum(now - visit.since >= SLOW_AFTER for visit in visits)
        quick = len(visits) - slow
        free = max(0, min(self.workers - quick, self.most - len(visits)))
        others = sum(not visit.quick and now - visit.since < SLOW_AFTER for visit in visits)
        most_others = max(1, int(self.workers * SHARE_OF_OTHERS))
        for_any = max(0, min(free, most_others - others if slow < self.workers else 0))
        counts = Counter(visit.host for visit in visits if self._share(visit.host) > 1)
        left = max(1, int(self.workers * SHARE_OF_HOST) - max(counts.values(), default=0))
        return LaneRoom(for_any, free - for_any, 1 if self._polite else left, left)

    def _share(self, host: str) -> int:
        """Give how many visits of one host may be under way."""
        if self._polite and host not in LOOPBACK:
            return 1
        return max(1, int(self.workers * SHARE_OF_HOST))
