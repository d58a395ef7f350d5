"""Queries for watches with their options and state, as the API and the command line give them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from sqlalchemy import func, select
from sqlalchemy.orm import defer

from pagedrift.app.store.queries.queue import VisitSummary
from pagedrift.app.store.queries.watch_list import has_tag
from pagedrift.app.store.tables import VisitRow, WatchRow
from pagedrift.app.store.watches import watch_of

if TYPE_CHECKING:
    from collections.abc import Iterable
    from datetime import datetime

    from sqlalchemy.orm import Session

    from pagedrift.app.model.watch import Watch


@dataclass(frozen=True, slots=True, kw_only=True)
class WatchStatus:
    """One watch with the options it sets itself, and its state."""

    watch: Watch
    parent: str | None
    state: str  # new, fine, trouble, not_the_page; whether it is paused says the watch
    trouble: str
    visits: int
    created_at: datetime
    visited_at: datetime | None
    changed_at: datetime | None
    next_at: datetime


@dataclass(frozen=True, slots=True)
class WatchCounts:
    """How many watches there are, and in which state."""

    total: int
    paused: int
    failing: int
    due: int


def status(session: Session, which: str) -> WatchStatus | None:
    """Give one watch with its state."""
    return next(iter(_given(session.scalars(_present().where(WatchRow.id == which)))), None)


def statuses(
    session: Session,
    *,
    group: str | None = None,
    tag: str = "",
    failing: bool = False,
    with_pages: bool = False,
) -> tuple[WatchStatus, ...]:
    """Give all watches by group and name; pages that a site led to only where they are asked for."""
    wanted = _chosen(group, tag).order_by(WatchRow.group, WatchRow.name, WatchRow.url)
    if failing:
        wanted = wanted.where(WatchRow.trouble != "")
    if not with_pages:
        wanted = wanted.where(WatchRow.parent_id.is_(None))
    return _given(session.scalars(wanted))


def statuses_after(
    session: Session, after: str, *, group: str | None = None, tag: str = "", state: str | None = None, size: int
) -> tuple[tuple[WatchStatus, ...], str | None]:
    """Give a page of the watches by their ids, and after which the next page begins."""
    wanted = _chosen(group, tag).where(WatchRow.id > after).order_by(WatchRow.id).limit(size + 1)
    if state is not None:
        wanted = wanted.where(WatchRow.state == state)
    found = _given(session.scalars(wanted))
    return found[:size], found[size - 1].watch.id if len(found) > size else None


def count_watches(session: Session, now: datetime) -> WatchCounts:
    """Count the watches by state."""
    counted, due = func.count().filter, (WatchRow.next_at <= now) & ~WatchRow.paused
    columns = func.count(), counted(WatchRow.paused), counted(WatchRow.state == "trouble"), counted(due)
    return WatchCounts(*session.execute(select(*columns).where(~WatchRow.deleted)).one())


def group_sizes(session: Session) -> dict[str, int]:
    """Count the watches of each group."""
    counted = select(WatchRow.group, func.count()).where(~WatchRow.deleted).group_by(WatchRow.group)
    return {group: number for group, number in session.execute(counted)}  # noqa: C416 - rows are not pairs


def rate(session: Session, which: str) -> dict[str, Any]:
    """Give what is known of how often a watch changes."""
    return session.scalar(select(WatchRow.rate).where(WatchRow.id == which)) or {}


def selector_hits(session: Session, which: str) -> dict[str, Any]:
    """Give at which of its last checks each selector of a watch matched, by expression."""
    memory = session.scalar(select(WatchRow.memory).where(WatchRow.id == which)) or {}
    return dict(memory.get("selectors") or {})


def site_events(session: Session, which: str) -> list[dict[str, Any]]:
    """Give what happened to the design of a site, oldest first."""
    memory = session.scalar(select(WatchRow.memory).where(WatchRow.id == which)) or {}
    return list(memory.get("events", ()))


def last_visits(session: Session, which: str, *, most: int) -> tuple[VisitSummary, ...]:
    """Give the last visits to a watch, newest first."""
    wanted = select(VisitRow, WatchRow.name, WatchRow.url).join(WatchRow, WatchRow.id == VisitRow.watch_id)
    wanted = wanted.where(VisitRow.watch_id == which).order_by(VisitRow.id.desc()).limit(most)
    return tuple(
        VisitSummary(
            id=row.id,
            watch=row.watch_id,
            title=name or url,
            at=row.at,
            outcome=row.outcome,
            reason=row.reason,
            seconds=row.seconds,
        )
        for row, name, url in session.execute(wanted)
    )


def _present() -> Any:
    return select(WatchRow).options(defer(WatchRow.memory), defer(WatchRow.rate)).where(~WatchRow.deleted)


def _chosen(group: str | None, tag: str) -> Any:
    wanted = _present() if group is None else _present().where(WatchRow.group == group)
    return wanted.where(has_tag(tag)) if tag else wanted


def _given(rows: Iterable[WatchRow]) -> tuple[WatchStatus, ...]:
    return tuple(
        WatchStatus(
            watch=watch_of(row),
            parent=row.parent_id,
            state=row.state,
            trouble=row.trouble,
            visits=row.visits,
            created_at=row.created_at,
            visited_at=row.visited_at,
            changed_at=row.changed_at,
            next_at=row.next_at,
        )
        for row in rows
    )
