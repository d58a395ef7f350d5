"""Deliveries in the database: taken by one process at a time, and crossed off when they arrived."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from sqlalchemy import func, or_, select, update

from pagedrift.app.store.tables import AlertRow, DeliveryRow
from pagedrift.errors import NotFoundError

if TYPE_CHECKING:
    from datetime import datetime, timedelta

    from pagedrift.app.store.store import Store


@dataclass(frozen=True, slots=True)
class Delivery:
    """One alert on its way to one channel, taken by somebody who delivers it."""

    id: int
    channel: str
    attempts: int
    message: dict[str, Any]  # the alert as it is sent


def count_due(store: Store, now: datetime, longest: timedelta) -> int:
    """Count the deliveries whose time has come."""
    with store.read() as session:
        return session.scalar(select(func.count()).select_from(DeliveryRow).where(_due(now, longest))) or 0


def take(store: Store, now: datetime, *, lease: timedelta, longest: timedelta) -> Delivery | None:
    """Take one, those first that were tried least; until the lease is over nobody else gets it."""
    with store.begin() as session:
        due = select(DeliveryRow).where(_due(now, longest)).order_by(DeliveryRow.attempts, DeliveryRow.next_at)
        row = session.scalars(due.limit(1).with_for_update(skip_locked=True)).first()
        if row is None:
            return None
        row.attempts += 1
        row.next_at = now + lease
        return Delivery(row.id, row.channel, row.attempts, session.get_one(AlertRow, row.alert_id).told)


def set_delivered(store: Store, delivery: Delivery, at: datetime) -> None:
    """Cross a delivery off."""
    done = {"delivered_at": at, "next_at": None, "error": ""}
    with store.begin() as session:
        session.execute(update(DeliveryRow).where(DeliveryRow.id == delivery.id).values(**done))


def set_failed(store: Store, delivery: Delivery, error: str, again_at: datetime | None) -> None:
    """Write down why a delivery failed and when it is tried again, unless somebody else has it by now."""
    mine = (
        DeliveryRow.id == delivery.id,
        DeliveryRow.attempts == delivery.attempts,
        DeliveryRow.delivered_at.is_(None),
    )
    with store.begin() as session:
        session.execute(update(DeliveryRow).where(*mine).values(next_at=again_at, error=error))


def retry(store: Store, number: int, now: datetime) -> None:
    """Try one again that was given up."""
    with store.begin() as session:
        row = session.get(DeliveryRow, number)
        if row is None:
            raise NotFoundError(f"no delivery with id {number}; see the list of alerts")
        row.attempts, row.delivered_at, row.next_at = 0, None, now


def _due(now: datetime, longest: timedelta) -> Any:
    """Those whose time has come; also those that would wait longer than any does, because a clock was wrong."""
    return or_(DeliveryRow.next_at <= now, DeliveryRow.next_at > now + longest)
