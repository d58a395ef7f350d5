"""Queries for the timeline of a watch: its visits and their outcomes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from sqlalchemy import and_, or_, select

from pagedrift.app.store.queries.changes import ChangeSummary, change_of, select_changes
from pagedrift.app.store.queries.row_limits import MAX_VISITS_READ, PAGE_SIZE, VISITS_PER_READ
from pagedrift.app.store.tables import ChangeRow, VisitRow

if TYPE_CHECKING:
    from collections.abc import Sequence
    from datetime import datetime

    from sqlalchemy.orm import Session


@dataclass(frozen=True, slots=True, kw_only=True)
class TimelineEntry:
    """One row of a timeline: a visit with what came of it, or several alike."""

    outcome: str  # new, changed, unchanged, not_the_page, trouble, skipped
    at: datetime  # of the newest
    since: datetime  # of the oldest
    visits: int
    reason: str
    status: int | None
    seconds: float
    version: int | None
    change: ChangeSummary | None = None


@dataclass(frozen=True, slots=True)
class Timeline:
    """One page of what happened to a watch, newest first."""

    entries: tuple[TimelineEntry, ...]
    older: int | None  # the visit that the next page begins before


def timeline(session: Session, which: str, *, before: int | None = None, size: int = PAGE_SIZE) -> Timeline:
    """Give what came of the visits to a watch; consecutive checks with the same result are one entry."""
    start = session.get(VisitRow, before) if before is not None else None
    runs, more = _folded(session, which, start if start is not None and start.watch_id == which else None, size)
    shown = runs[:size]
    changes = _changes_to(session, [run[0].version_id for run in shown if run[0].version_id is not None])
    entries = tuple(_entry(run, changes) for run in shown)
    return Timeline(entries, shown[-1][-1].id if more and shown else None)


def _folded(session: Session, which: str, start: VisitRow | None, size: int) -> tuple[list[list[VisitRow]], bool]:
    """Read visits until a page is full, or there are very many; say whether there are more."""
    runs: list[list[VisitRow]] = []
    for _ in range(0, MAX_VISITS_READ, VISITS_PER_READ):
        rows = _visits(session, which, start)
        _fold(runs, rows[:VISITS_PER_READ])
        if len(runs) > size or len(rows) <= VISITS_PER_READ:
            return runs, len(runs) > size
        start = rows[VISITS_PER_READ - 1]
    return runs, True


def _visits(session: Session, which: str, start: VisitRow | None) -> Sequence[VisitRow]:
    wanted = select(VisitRow).where(VisitRow.watch_id == which)
    if start is not None:
        earlier = and_(VisitRow.at == start.at, VisitRow.id < start.id)
        wanted = wanted.where(or_(VisitRow.at < start.at, earlier), VisitRow.at <= start.at)
    return session.scalars(wanted.order_by(VisitRow.at.desc(), VisitRow.id.desc()).limit(VISITS_PER_READ + 1)).all()


def _fold(runs: list[list[VisitRow]], rows: Sequence[VisitRow]) -> None:
    for row in rows:
        if runs and _outcome(row) not in ("new", "changed") and _alike(runs[-1][0], row):
            runs[-1].append(row)
        else:
            runs.append([row])


def _alike(one: VisitRow, other: VisitRow) -> bool:
    return _outcome(one) == _outcome(other) and (one.outcome == "unchanged" or one.reason == other.reason)


def _outcome(row: VisitRow) -> str:
    return row.outcome if row.kept or row.outcome not in ("new", "changed") else "skipped"


def _entry(run: list[VisitRow], changes: dict[int, ChangeSummary]) -> TimelineEntry:
    first = run[0]
    return TimelineEntry(
        outcome=_outcome(first),
        at=first.at,
        since=run[-1].at,
        visits=len(run),
        reason=first.reason,
        status=first.status,
        seconds=first.seconds,
        version=first.version_id,
        change=changes.get(first.version_id or 0),
    )


def _changes_to(session: Session, versions: list[int]) -> dict[int, ChangeSummary]:
    # Found by the versions alone: by the watch too, SQLite would read all changes of it.
    rows = session.execute(select_changes().where(ChangeRow.new_id.in_(versions)))
    return {row.new_id: change_of(row) for row in rows}
