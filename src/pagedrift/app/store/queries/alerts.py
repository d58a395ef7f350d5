"""Queries for alerts, the pages they are about, and their deliveries."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from sqlalchemy import and_, func, or_, select

from pagedrift.app.store.queries.row_limits import PAGE_SIZE
from pagedrift.app.store.tables import AlertRow, AlertWatchRow, DeliveryRow, WatchRow

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from datetime import datetime

    from sqlalchemy.orm import Session


@dataclass(frozen=True, slots=True, kw_only=True)
class DeliveryStatus:
    """The delivery of one alert to one channel."""

    id: int
    channel: str
    attempts: int
    next_at: datetime | None
    held_until: datetime | None  # by the schedule
    delivered_at: datetime | None
    error: str


@dataclass(frozen=True, slots=True, kw_only=True)
class AlertSummary:
    """One alert, the pages it is about, and its deliveries."""

    id: int
    uid: str
    kind: str
    host: str
    title: str
    opened_at: datetime
    closes_at: datetime | None
    closed_at: datetime | None
    message: dict[str, Any]
    watches: tuple[tuple[str, str, int | None], ...] = ()  # id, title, change
    pages: int = 0
    deliveries: tuple[DeliveryStatus, ...] = ()


def alerts(
    session: Session,
    *,
    before: int | None = None,
    kind: str = "",
    size: int = PAGE_SIZE,
    pages: int = 12,
) -> tuple[tuple[AlertSummary, ...], int | None]:
    """Give a page of the alerts, newest first, and where the next page begins."""
    wanted = select(AlertRow)
    if kind:
        wanted = wanted.where(AlertRow.kind == kind)
    if before is not None and (start := session.get(AlertRow, before)) is not None:
        earlier = and_(AlertRow.opened_at == start.opened_at, AlertRow.id < start.id)
        wanted = wanted.where(
            AlertRow.opened_at <= start.opened_at, or_(AlertRow.opened_at < start.opened_at, earlier)
        )
    rows = session.scalars(wanted.order_by(AlertRow.opened_at.desc(), AlertRow.id.desc()).limit(size + 1)).all()
    found = _alerts(session, rows[:size], pages=pages)
    return found, rows[size - 1].id if len(rows) > size else None


def alert(session: Session, number: int, *, pages: int = 500) -> AlertSummary | None:
    """Give one alert with the pages it is about."""
    row = session.get(AlertRow, number)
    return None if row is None else _alerts(session, [row], pages=pages)[0]


def feed_page(
    session: Session,
    *,
    watch: str | None = None,
    group: str | None = None,
    before: tuple[datetime, int] | None = None,
    size: int,
) -> tuple[tuple[AlertSummary, ...], AlertSummary | None]:
    """Give a page of the alerts about a watch, a group or all that were sent before another, newest first.

    The second is the one before which the next page begins.
    """
    wanted = select(AlertRow).where(AlertRow.closed_at.is_not(None))
    if watch is not None or group is not None:
        about = select(AlertWatchRow.alert_id)
        if watch is not None:
            about = about.where(AlertWatchRow.watch_id == watch)
        if group is not None:
            about = about.where(AlertWatchRow.group == group)
        wanted = wanted.where(AlertRow.id.in_(about))
    if before is not None:
        moment, number = before
        same = and_(AlertRow.closed_at == moment, AlertRow.id < number)
        wanted = wanted.where(or_(AlertRow.closed_at < moment, same))
    rows = session.scalars(wanted.order_by(AlertRow.closed_at.desc(), AlertRow.id.desc()).limit(size + 1)).all()
    found = tuple(map(_alert, rows[:size]))
    return found, found[-1] if len(rows) > size else None


def sent_alerts(session: Session) -> Iterator[dict[str, Any]]:
    """Give all alerts as they were sent, oldest first."""
    for row in session.scalars(
        select(AlertRow).where(AlertRow.closed_at.is_not(None)).order_by(AlertRow.closed_at)
    ):
        yield {"uid": row.uid, "kind": row.kind, "host": row.host, **row.told}


def noticed(session: Session, which: str) -> dict[str, datetime]:
    """Give when each event of a site was noticed, by its signature."""
    wanted = select(AlertRow.signature, AlertRow.opened_at).join(
        AlertWatchRow, AlertRow.id == AlertWatchRow.alert_id
    )
    rows = session.execute(wanted.where(AlertWatchRow.watch_id == which, AlertRow.signature != "").limit(1_000))
    return {signature: at for signature, at in rows}  # noqa: C416 - rows are not pairs to type checkers


def _alerts(session: Session, rows: Sequence[AlertRow], *, pages: int) -> tuple[AlertSummary, ...]:
    ids = [row.id for row in rows]
    nth = func.row_number().over(partition_by=AlertWatchRow.alert_id, order_by=AlertWatchRow.watch_id).label("nth")
    many = func.count().over(partition_by=AlertWatchRow.alert_id).label("many")
    inner = (
        select(
            AlertWatchRow.alert_id,
            AlertWatchRow.watch_id,
            AlertWatchRow.change_id,
            WatchRow.name,
            WatchRow.url,
            nth,
            many,
        )
        .join(WatchRow, WatchRow.id == AlertWatchRow.watch_id)
        .where(AlertWatchRow.alert_id.in_(ids))
        .subquery()
    )
    about, number = defaultdict[int, list[Any]](list), dict[int, int]()
    for row in session.execute(select(inner).where(inner.c.nth <= pages).order_by(inner.c.nth)):
        about[row.alert_id].append((row.watch_id, row.name or row.url, row.change_id))
        number[row.alert_id] = row.many
    went = _deliveries(session, ids)
    return tuple(
        replace(
            _alert(row),
            watches=tuple(about[row.id]),
            pages=number.get(row.id, 0),
            deliveries=tuple(went[row.id]),
        )
        for row in rows
    )


def _alert(row: AlertRow) -> AlertSummary:
    return AlertSummary(
        id=row.id,
        uid=row.uid,
        kind=row.kind,
        host=row.host,
        title=row.title,
        opened_at=row.opened_at,
        closes_at=row.closes_at,
        closed_at=row.closed_at,
        message=row.told or {},
    )


def held(session: Session) -> tuple[int, datetime | None]:
    """Count the alerts that wait for a digest or the end of quiet hours, and say until when the first does."""
    waiting = select(func.count(DeliveryRow.alert_id.distinct()), func.min(DeliveryRow.next_at)).where(
        DeliveryRow.held_until.is_not(None), DeliveryRow.attempts == 0, DeliveryRow.delivered_at.is_(None)
    )
    number, until = session.execute(waiting).one()
    return int(number), until


def _deliveries(session: Session, ids: list[int]) -> defaultdict[int, list[DeliveryStatus]]:
    went = defaultdict[int, list[DeliveryStatus]](list)
    rows = session.scalars(
        select(DeliveryRow).where(DeliveryRow.alert_id.in_(ids)).order_by(DeliveryRow.id).limit(5_000)
    )
    for row in rows:
        went[row.alert_id].append(
            DeliveryStatus(
                id=row.id,
                channel=row.channel,
                attempts=row.attempts,
                next_at=row.next_at,
                held_until=row.held_until,
                delivered_at=row.delivered_at,
                error=row.error,
            )
        )
    return went
