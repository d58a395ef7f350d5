"""Per-host throttle: requests to one host follow each other a delay apart."""

from __future__ import annotations

import threading
import time
from typing import TYPE_CHECKING, Final, Protocol

if TYPE_CHECKING:
    from collections.abc import Callable

HOSTS: Final = 10_000  # whose last visit is remembered


class LaterError(Exception):
    """A visit that must come back later instead of waiting here; no PagedriftError, as nothing is wrong."""

    def __init__(self, seconds: float, *, counts: bool = False) -> None:
        super().__init__(f"come back in {seconds:.1f} s")
        self.seconds = seconds
        self.counts = counts  # as a try that failed


class TurnKeeper(Protocol):
    """Whoever knows when a host may be asked again: `HostTurns`, or a database that several processes share."""

    def wait(self, host: str, delay: float) -> None:
        """Wait until it is our turn, and take it: the next one comes `delay` seconds later.

        Raises `LaterError` where that is too long to wait.
        """

    def follow(self, host: str, delay: float, gap: float) -> None:
        """Take another turn for a visit that has asked this host already, `gap` seconds from now at the latest.

        A redirect or a robots.txt is part of its visit; who comes next waits for all of it.
        """


class HostTurns:
    """The order in which requests to one host follow each other, a delay apart, whoever sends them.

    >>> waited = []
    >>> turns = HostTurns(waited.append)
    >>> turns.wait("city.example", 60), turns.wait("city.example", 60), turns.wait("town.example", 60)
    (None, None, None)
    >>> [round(seconds) for seconds in waited]
    [60]
    """

    def __init__(self, sleep: Callable[[float], None] = time.sleep) -> None:
        self._sleep = sleep
        self._lock = threading.Lock()
        self._next: dict[str, float] = {}

    def wait(self, host: str, delay: float) -> None:
        """Wait until it is our turn; each one that waits takes the next one."""
        with self._lock:
            now = time.monotonic()
            turn = max(now, self._next.get(host, now))
            self._next[host] = turn + delay
            if len(self._next) > HOSTS:
                self._next = {name: after for name, after in self._next.items() if after > now}
        if turn > now:
            self._sleep(turn - now)

    def follow(self, host: str, delay: float, gap: float) -> None:  # noqa: ARG002 - nobody else waits for us here
        """Wait like everybody: a command has time."""
        self.wait(host, delay)
