"""Outbox: messages waiting for delivery, with retries that survive crashes.

An alert is stored in the transaction that closes it, and crossed off when it arrived. A delivery that is
taken is due again after a while, so that one whose process died is made by another: none is lost, and one that
comes twice carries the same key. Several processes share the work.
"""

from __future__ import annotations

import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Any, Final

from pagedrift.app.notify.channels import ChannelError, send
from pagedrift.app.notify.digest import compose_digest
from pagedrift.app.notify.formats import format_of
from pagedrift.app.notify.records import with_changes
from pagedrift.app.store import deliveries
from pagedrift.app.store.public_address import public_address
from pagedrift.errors import PagedriftError

if TYPE_CHECKING:
    from pagedrift.app.settings import Settings
    from pagedrift.app.store.deliveries import Delivery
    from pagedrift.app.store.store import Store

MAX_ATTEMPTS: Final = 10  # within about fifteen hours
FIRST_RETRY_SECONDS: Final = 60.0  # seconds before the second attempt, twice as many before the next
MAX_RETRY_SECONDS: Final = 6 * 3600.0
LEASE_SECONDS: Final = 120.0  # seconds after which one that was taken is due again; no channel takes as long
LATEST: Final = timedelta(seconds=MAX_RETRY_SECONDS + LEASE_SECONDS)  # by which each is tried again
WORKERS: Final = 4
MAX_ROUND_SECONDS: Final = (
    30.0  # seconds after which no more are taken in one go: whoever asked has other things to do
)


@dataclass(frozen=True, slots=True)
class Counts:
    """How many messages are where."""

    failing: int = 0
    given_up: int = 0
    delivered: int = 0

    def __add__(self, other: Counts) -> Counts:
        """Count the messages of two goes."""
        return Counts(
            self.failing + other.failing,
            self.given_up + other.given_up,
            self.delivered + other.delivered,
        )


class _Clock:
    """What time it is, for one go that may take minutes."""

    def __init__(self, now: datetime | None) -> None:
        self._begun = now or datetime.now(UTC)
        self._since = time.monotonic()

    def elapsed(self) -> float:
        """Give the seconds since it began."""
        return time.monotonic() - self._since

    def now(self) -> datetime:
        """Give the time, which a clock that is set meanwhile does not change."""
        return self._begun + timedelta(seconds=self.elapsed())


class Outbox:
    """Delivers alerts; several threads and processes may."""

    def __init__(self, store: Store, settings: Settings, *, sender: Any = send, workers: int = WORKERS) -> None:
        self._store = store
        self._settings = settings
        self._send = sender
        self._workers = workers

    def deliver_due(self, now: datetime | None = None) -> Counts:
        """Deliver what is due; give how much arrived, how much is to be tried again and what was given up."""
        clock = _Clock(now)
        waiting = deliveries.count_due(self._store, clock.now(), LATEST)
        if not waiting:
            return Counts()
        workers = min(self._workers, waiting)
        with ThreadPoolExecutor(workers, thread_name_prefix="outbox") as pool:
            outcomes = [*pool.map(lambda _: self._work(clock), range(workers))]
        found = [outcome for each in outcomes for outcome in each]
        return Counts(
            failing=found.count("failing"), given_up=found.count("given up"), delivered=found.count("delivered")
        )

    def _work(self, clock: _Clock) -> list[str]:
        """Take one after the other, until none is left or others have to be done meanwhile."""
        outcomes: list[str] = []
        while clock.elapsed() < MAX_ROUND_SECONDS:
            taken = deliveries.take(
                self._store, clock.now(), lease=timedelta(seconds=LEASE_SECONDS), longest=LATEST
            )
            if taken is None:
                break
            outcomes.append(self._deliver(taken, clock))
        return outcomes

    def _deliver(self, delivery: Delivery, clock: _Clock) -> str:
        try:
            self._send(delivery.channel, self._message(delivery, clock.now()), self._settings)
        except ChannelError as error:
            return self._failed(delivery, error, clock.now())
        except (PagedriftError, OSError) as error:  # such as a missing extra, or no memory for a process
            return self._failed(delivery, ChannelError(str(error)), clock.now())
        deliveries.set_delivered(self._store, delivery, clock.now())
        return "delivered"

    def _message(self, delivery: Delivery, now: datetime) -> dict[str, Any]:
        """Give what is sent: the alert, or several as a digest; to programs with the records of the changes."""
        message = delivery.messages[0]
        if len(delivery.messages) > 1:
            address = public_address(self._store, self._settings)
            message = compose_digest(delivery.messages, at=delivery.held_until or now, base_url=address)
        return with_changes(self._store, message) if format_of(delivery.channel) == "webhook" else message

    def _failed(self, delivery: Delivery, error: ChannelError, now: datetime) -> str:
        given_up = error.final or delivery.attempts >= MAX_ATTEMPTS
        waits = max(error.after or 0.0, min(MAX_RETRY_SECONDS, FIRST_RETRY_SECONDS * 2 ** (delivery.attempts - 1)))
        again_at = None if given_up else now + timedelta(seconds=waits)
        deliveries.set_failed(self._store, delivery, str(error), again_at)
        return "given up" if given_up else "failing"
