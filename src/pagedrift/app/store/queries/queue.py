"""Queries for the visit queue: due, under way and recently done."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

from sqlalchemy import and_, func, select

from pagedrift.app.store.queries.watch_list import WatchSummary, lines_of, select_watches
from pagedrift.app.store.tables import DeliveryRow, VisitRow, WatchRow

if TYPE_CHECKING:
    from datetime import datetime

    from sqlalchemy.orm import Session

MAX_LISTED: Final = 20  # watches and visits of each list
MAX_VISITS_COUNTED: Final = 200  # the newest visits, from which the rate per minute is computed
RECENT_SECONDS: Final = 300.0  # seconds in which they were made


@dataclass(frozen=True, slots=True, kw_only=True)
class VisitSummary:
    """One visit, as the state of the queue shows it."""

    id: int
    watch: str
    title: str
    at: datetime
    outcome: str
    reason: str
    seconds: float


@dataclass(frozen=True, slots=True, kw_only=True)
class QueueState:
    """What is due, under way and just done."""

    due: int
    watching: int
    paused: int
    under_way: tuple[WatchSummary, ...]
    coming: tuple[WatchSummary, ...]
    recent: tuple[VisitSummary, ...]
    in_trouble: tuple[WatchSummary, ...]
    undelivered: int
    per_minute: float = 0.0
    outcomes: dict[str, int] = field(default_factory=dict)


def queue(session: Session, *, now: datetime) -> QueueState:
    """Give what is due, under way and just done."""
    there, going = ~WatchRow.deleted, ~WatchRow.paused
    count = select(func.count()).select_from(WatchRow).where(there)
    busy = and_(WatchRow.lease.is_not(None), WatchRow.leased_until > now)
    under_way = session.scalars(
        select_watches().where(there, busy).order_by(WatchRow.leased_until).limit(MAX_LISTED)
    ).all()
    coming = session.scalars(
        select_watches()
        .where(there, going, ~func.coalesce(busy, False))
        .order_by(WatchRow.next_at)
        .limit(MAX_LISTED)
    ).all()
    trouble = session.scalars(
        select_watches()
        .where(there, going, WatchRow.state.in_(("trouble", "not_the_page")))
        .order_by(WatchRow.visited_at.desc())
        .limit(MAX_LISTED)
    ).all()
    undelivered = select(func.count()).select_from(DeliveryRow).where(DeliveryRow.next_at.is_not(None))
    return QueueState(
        due=session.scalar(count.where(going, WatchRow.next_at <= now)) or 0,
        watching=session.scalar(count.where(going)) or 0,
        paused=session.scalar(count.where(WatchRow.paused)) or 0,
        under_way=lines_of(session, under_way),
        coming=lines_of(session, coming),
        recent=_recent(session, MAX_LISTED),
        in_trouble=lines_of(session, trouble),
        undelivered=session.scalar(undelivered) or 0,
        per_minute=_per_minute(session, now),
    )


def _recent(session: Session, most: int) -> tuple[VisitSummary, ...]:
    columns = (VisitRow.id, VisitRow.watch_id, VisitRow.at, VisitRow.outcome, VisitRow.reason, VisitRow.seconds)
    newest = select(*columns).order_by(VisitRow.id.desc()).limit(most).subquery()
    rows = session.execute(
        select(newest, WatchRow.name, WatchRow.url)
        .join(WatchRow, WatchRow.id == newest.c.watch_id)
        .order_by(newest.c.id.desc())
    )
    return tuple(
        VisitSummary(
            id=row.id,
            watch=row.watch_id,
            title=row.name or row.url,
            at=row.at,
            outcome=row.outcome,
            reason=row.reason,
            seconds=row.seconds,
        )
        for row in rows
    )


def _per_minute(session: Session, now: datetime) -> float:
    """Count the visits of the last minutes; where there were more than are read, of the time these took."""
    recent = session.scalars(select(VisitRow.at).order_by(VisitRow.id.desc()).limit(MAX_VISITS_COUNTED)).all()
    last = [at for at in recent if (now - at).total_seconds() < RECENT_SECONDS]
    if not last:
        return 0.0
    span = RECENT_SECONDS if len(last) < len(recent) else (now - min(last)).total_seconds()
    return len(last) / max(1.0, span) * 60
