"""Deliveries in the database: taken by one process at a time, and crossed off when they arrived.

Those of one channel that wait until the same moment are taken together, and are one message.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from sqlalchemy import and_, func, or_, select, update
from sqlalchemy.orm import aliased

from pagedrift.app.model.alert_schedule import LONGEST as LONGEST_HELD
from pagedrift.app.store.tables import AlertRow, DeliveryRow
from pagedrift.errors import NotFoundError

if TYPE_CHECKING:
    from datetime import datetime, timedelta

    from sqlalchemy.orm import Session

    from pagedrift.app.store.store import Store

MAX_TOGETHER: Final = 500  # alerts of one digest; what is more comes in another


@dataclass(frozen=True, slots=True, kw_only=True)
class Delivery:
    """One alert on its way to one channel, or several that are one message, taken by somebody who delivers them."""

    ids: tuple[int, ...]
    channel: str
    attempts: int
    messages: tuple[dict[str, Any], ...]  # the alerts as they are sent
    held_until: datetime | None = None


def count_due(store: Store, now: datetime, longest: timedelta) -> int:
    """Count the deliveries whose time has come."""
    with store.read() as session:
        return session.scalar(select(func.count()).select_from(DeliveryRow).where(_due(now, longest))) or 0


def take(store: Store, now: datetime, *, lease: timedelta, longest: timedelta) -> Delivery | None:
    """Take one, those first that were tried least; until the lease is over nobody else gets it."""
    with store.begin() as session:
        due = select(DeliveryRow).where(_due(now, longest), ~_is_after_another(now, longest))
        due = due.order_by(DeliveryRow.attempts, DeliveryRow.next_at, DeliveryRow.id)
        row = session.scalars(due.limit(1).with_for_update(skip_locked=True)).first()
        if row is None:
            return None
        rows = [row] if row.held_until is None else _together(session, row, _due(now, longest))
        for each in rows:
            each.attempts += 1
            each.next_at = now + lease
        alerts = session.scalars(select(AlertRow).where(AlertRow.id.in_([each.alert_id for each in rows])))
        told = {alert.id: alert.told for alert in alerts}
        messages = tuple(told[each.alert_id] for each in rows)
        attempts = max(each.attempts for each in rows)
        return Delivery(
            ids=tuple(each.id for each in rows),
            channel=row.channel,
            attempts=attempts,
            messages=messages,
            held_until=row.held_until,
        )


def set_delivered(store: Store, delivery: Delivery, at: datetime) -> None:
    """Cross a delivery off."""
    done = {"delivered_at": at, "next_at": None, "error": ""}
    with store.begin() as session:
        session.execute(update(DeliveryRow).where(DeliveryRow.id.in_(delivery.ids)).values(**done))


def set_failed(store: Store, delivery: Delivery, error: str, again_at: datetime | None) -> None:
    """Write down why a delivery failed and when it is tried again, unless somebody else has it by now."""
    mine = (
        DeliveryRow.id.in_(delivery.ids),
        DeliveryRow.attempts <= delivery.attempts,
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
        row.attempts, row.delivered_at, row.next_at, row.held_until = 0, None, now, None


def _together(session: Session, first: DeliveryRow, due: Any) -> list[DeliveryRow]:
    """Give all deliveries that are one message with the first of them."""
    wanted = select(DeliveryRow).where(
        due, DeliveryRow.channel == first.channel, DeliveryRow.held_until == first.held_until
    )
    return list(session.scalars(wanted.order_by(DeliveryRow.id).limit(MAX_TOGETHER).with_for_update()))


def _is_after_another(now: datetime, longest: timedelta) -> Any:
    """Those that belong to a message whose first is due: whoever takes that takes all of them."""
    other = aliased(DeliveryRow)
    return (
        select(other.id)
        .where(
            _due(now, longest, other),
            other.channel == DeliveryRow.channel,
            other.held_until == DeliveryRow.held_until,
            other.id < DeliveryRow.id,
        )
        .exists()
    )


def _due(now: datetime, longest: timedelta, row: Any = DeliveryRow) -> Any:
    """Those whose time has come; also those that would wait longer than any does, because a clock was wrong."""
    late = and_(row.held_until.is_(None), row.next_at > now + longest)
    return or_(row.next_at <= now, late, row.next_at > now + LONGEST_HELD)
