"""Queries for the values of a watch: what a part of its page said, time by time."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from sqlalchemy import func, select

from pagedrift.app.model.conditions import ValueRange
from pagedrift.app.model.values import ValueChange
from pagedrift.app.store.tables import ChangeRow, VersionRow

if TYPE_CHECKING:
    from datetime import datetime

    from sqlalchemy.orm import Session

    from pagedrift.app.model.values import WatchedValue

MAX_VALUES: Final = 5_000  # the newest
VALUE: Final = ChangeRow.card["value"]


@dataclass(frozen=True, slots=True)
class ValuePoint:
    """What a part of a page said from a time on."""

    at: datetime
    value: WatchedValue
    change: int | None  # that led to it


def values(session: Session, which: str) -> tuple[ValuePoint, ...]:
    """Give what a part of a page said, oldest first; the same value twice is one."""
    rows = session.execute(
        select(ChangeRow.id, ChangeRow.at, VersionRow.captured_at, VALUE.label("value"))
        .join(VersionRow, VersionRow.id == ChangeRow.old_id)
        .where(ChangeRow.watch_id == which)
        .order_by(ChangeRow.at.desc(), ChangeRow.id.desc())
        .limit(MAX_VALUES)
    ).all()
    found: list[ValuePoint] = []
    for row in reversed(rows):
        if not row.value:
            continue
        change = ValueChange.from_json(row.value)
        if not found:
            found.append(ValuePoint(row.captured_at, change.old, None))
        if change.new != found[-1].value:
            found.append(ValuePoint(row.at, change.new, row.id))
    return tuple(found)


def value_range(session: Session, which: str) -> ValueRange:
    """Give the lowest and highest number that a part of a page said so far."""
    numbers = [ChangeRow.card[("value", side, "number")].as_float() for side in ("old", "new")]
    columns = [function(number) for number in numbers for function in (func.min, func.max)]
    low, high, other_low, other_high = session.execute(select(*columns).where(ChangeRow.watch_id == which)).one()
    known = [number for number in (low, other_low) if number is not None]
    tops = [number for number in (high, other_high) if number is not None]
    return ValueRange(min(known, default=None), max(tops, default=None))
