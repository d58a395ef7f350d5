"""Outbox: messages waiting for delivery, with retries that survive crashes.

What is told is written down in the transaction that tells it, and crossed off when it arrived. A delivery that is
taken is due again after a while, so that one whose process died is made by another: none is lost, and one that
comes twice carries the same key. Several processes share the work.
"""

from __future__ import annotations

import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Any, Final

from sqlalchemy import func, or_, select, update

from pagedrift.app.model.options import masked
from pagedrift.app.notify.channels import ChannelError, send
from pagedrift.app.store.tables import DeliveryRow, StoryRow
from pagedrift.errors import NotFoundError, PagedriftError

if TYPE_CHECKING:
    from sqlalchemy.orm import Session

    from pagedrift.app.settings import Settings
    from pagedrift.app.store.store import Store

ATTEMPTS: Final = 10  # within about fifteen hours
FIRST: Final = 60.0  # seconds before the second attempt, twice as many before the next
LONGEST: Final = 6 * 3600.0
LEASE: Final = 120.0  # seconds after which one that was taken is due again; no channel takes as long
WORKERS: Final = 4
PATIENCE: Final = 30.0  # seconds after which no more are taken in one go: whoever asked has other things to do


@dataclass(frozen=True, slots=True)
class Delivery:
    """One message on its way, as it may be shown: without the secrets of its channel."""

    id: int
    story: int
    channel: str
    attempts: int
    next_at: datetime | None
    delivered_at: datetime | None
    error: str

    @property
    def state(self) -> str:
        """How it fares."""
        if self.delivered_at is not None:
            return "delivered"
        if self.next_at is None:
            return "given up"
        return "to be tried again" if self.error else "waiting"


@dataclass(frozen=True, slots=True)
class Counts:
    """How many messages are where."""

    waiting: int = 0
    failing: int = 0
    given_up: int = 0
    delivered: int = 0

    def __add__(self, other: Counts) -> Counts:
        """Count the messages of two goes."""
        return Counts(
            self.waiting + other.waiting,
            self.failing + other.failing,
            self.given_up + other.given_up,
            self.delivered + other.delivered,
        )


@dataclass(frozen=True, slots=True)
class _Taken:
    id: int
    channel: str
    attempts: int
    told: dict[str, Any]


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
    """Delivers what stories tell; several threads and processes may."""

    def __init__(self, store: Store, settings: Settings, *, sender: Any = send, workers: int = WORKERS) -> None:
        self._store = store
        self._settings = settings
        self._send = sender
        self._workers = workers

    def deliver_due(self, now: datetime | None = None) -> Counts:
        """Deliver what is due; give how much arrived, how much is to be tried again and what was given up."""
        clock = _Clock(now)
        with self._store.read() as session:
            waiting = _count(session, _due(clock.now()))
        if not waiting:
            return Counts()
        workers = min(self._workers, waiting)
        with ThreadPoolExecutor(workers, thread_name_prefix="outbox") as pool:
            outcomes = [*pool.map(lambda _: self._work(clock), range(workers))]
        told = [outcome for each in outcomes for outcome in each]
        return Counts(
            failing=told.count("failing"), given_up=told.count("given up"), delivered=told.count("delivered")
        )

    def counts(self) -> Counts:
        """Count all messages."""
        never = DeliveryRow.delivered_at.is_(None)
        conditions = {
            "waiting": (never, DeliveryRow.next_at.is_not(None), DeliveryRow.error == ""),
            "failing": (never, DeliveryRow.next_at.is_not(None), DeliveryRow.error != ""),
            "given_up": (never, DeliveryRow.next_at.is_(None)),
            "delivered": (DeliveryRow.delivered_at.is_not(None),),
        }
        with self._store.read() as session:
            return Counts(**{name: _count(session, *where) for name, where in conditions.items()})

    def shown(self, *, story: int | None = None, trouble: bool = False, limit: int = 100) -> list[Delivery]:
        """Give messages to be shown, the newest first: of a story, or those in trouble."""
        wanted = select(DeliveryRow).order_by(DeliveryRow.id.desc()).limit(limit)
        if story is not None:
            wanted = wanted.where(DeliveryRow.story == story)
        if trouble:
            wanted = wanted.where(DeliveryRow.delivered_at.is_(None), DeliveryRow.error != "")
        with self._store.read() as session:
            return [_shown(row) for row in session.scalars(wanted)]

    def again(self, delivery: int, now: datetime | None = None) -> None:
        """Try a message again that was given up."""
        with self._store.begin() as session:
            row = session.get(DeliveryRow, delivery)
            if row is None:
                raise NotFoundError(f"there is no message {delivery}; look at those in the queue")
            row.attempts, row.delivered_at, row.next_at = 0, None, now or datetime.now(UTC)

    def next_at(self) -> datetime | None:
        """Give the time at which the next one is due."""
        with self._store.read() as session:
            return session.scalars(
                select(DeliveryRow.next_at)
                .where(DeliveryRow.next_at.is_not(None))
                .order_by(DeliveryRow.next_at)
                .limit(1)
            ).first()

    def _work(self, clock: _Clock) -> list[str]:
        """Take one after the other, until none is left or others have to be done meanwhile."""
        outcomes: list[str] = []
        while clock.elapsed() < PATIENCE and (taken := self._take(clock.now())) is not None:
            outcomes.append(self._deliver(taken, clock))
        return outcomes

    def _take(self, now: datetime) -> _Taken | None:
        """Take one, those first that were tried least; for a while nobody else gets it."""
        with self._store.begin() as session:
            wanted = select(DeliveryRow).where(_due(now)).order_by(DeliveryRow.attempts, DeliveryRow.next_at)
            row = session.scalars(wanted.limit(1).with_for_update(skip_locked=True)).first()
            if row is None:
                return None
            row.attempts += 1
            row.next_at = now + timedelta(seconds=LEASE)
            story = session.get_one(StoryRow, row.story)
            return _Taken(row.id, row.channel, row.attempts, story.told)

    def _deliver(self, taken: _Taken, clock: _Clock) -> str:
        try:
            self._send(taken.channel, taken.told, self._settings)
        except ChannelError as error:
            return self._failed(taken, error, clock.now())
        except (PagedriftError, OSError) as error:  # such as a missing extra, or no memory for a process
            return self._failed(taken, ChannelError(str(error)), clock.now())
        done = {"delivered_at": clock.now(), "next_at": None, "error": ""}
        with self._store.begin() as session:
            session.execute(update(DeliveryRow).where(DeliveryRow.id == taken.id).values(**done))
        return "delivered"

    def _failed(self, taken: _Taken, error: ChannelError, now: datetime) -> str:
        given_up = error.final or taken.attempts >= ATTEMPTS
        waits = max(error.after or 0.0, min(LONGEST, FIRST * 2 ** (taken.attempts - 1)))
        then = None if given_up else now + timedelta(seconds=waits)
        mine = (  # unless it took so long that somebody else has it now
            DeliveryRow.id == taken.id,
            DeliveryRow.attempts == taken.attempts,
            DeliveryRow.delivered_at.is_(None),
        )
        with self._store.begin() as session:
            session.execute(update(DeliveryRow).where(*mine).values(next_at=then, error=str(error)))
        return "given up" if given_up else "failing"


def _due(now: datetime) -> Any:
    """Those whose time has come; also those that would wait longer than any does, because a clock was wrong."""
    late = now + timedelta(seconds=LONGEST + LEASE)
    return or_(DeliveryRow.next_at <= now, DeliveryRow.next_at > late)


def _count(session: Session, *where: Any) -> int:
    return session.scalar(select(func.count()).select_from(DeliveryRow).where(*where)) or 0


def _shown(row: DeliveryRow) -> Delivery:
    return Delivery(row.id, row.story, masked(row.channel), row.attempts, row.next_at, row.delivered_at, row.error)
