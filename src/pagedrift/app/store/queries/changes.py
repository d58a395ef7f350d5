"""Queries for lists of changes, newest first, and for versions that were skipped."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from sqlalchemy import and_, func, or_, select

from pagedrift.app.model.change import level_of
from pagedrift.app.model.decision import Decision
from pagedrift.app.model.people import FIRST
from pagedrift.app.store.queries.row_limits import PAGE_SIZE
from pagedrift.app.store.tables import SKIPPED, ChangeRow, ReadRow, VisitRow, WatchRow

if TYPE_CHECKING:
    from collections.abc import Iterable
    from datetime import datetime

    from sqlalchemy.orm import Session

HEADLINE: Final = ChangeRow.card["headline"].as_string()
LEVEL: Final = ChangeRow.card["level"].as_string()
DECISION: Final = ChangeRow.card["decision"]


@dataclass(frozen=True, slots=True, kw_only=True)
class ChangeSummary:
    """One change, as lists show it."""

    id: int
    watch: str
    title: str  # of the watch
    host: str
    at: datetime
    headline: str
    amount: float
    probability: float
    matters: bool
    level: str  # important, minor or noise
    redesigned: bool
    decision: Decision
    old: int
    new: int
    alert: int | None
    unread: bool

    @property
    def alerted(self) -> bool:
        """Whether an alert was sent."""
        return self.decision.notify

    @property
    def reason(self) -> str:
        """Why, in a sentence."""
        return self.decision.sentence


@dataclass(frozen=True, slots=True)
class SkippedVersion:
    """A visit whose version was not kept, and why."""

    watch: str
    title: str
    at: datetime
    reason: str


def changes(
    session: Session,
    *,
    person: str = FIRST,
    which: str | None = None,
    alerted: bool | None = None,
    before: int | None = None,
    matters: bool | None = None,
    least: float | None = None,
    size: int = PAGE_SIZE,
) -> tuple[tuple[ChangeSummary, ...], int | None]:
    """Give a page of the changes of one watch or of all, newest first, and where the next page begins."""
    wanted = select_changes(person)
    if which is not None:
        wanted = wanted.where(ChangeRow.watch_id == which)
    if alerted is not None:
        wanted = wanted.where(ChangeRow.told if alerted else ~ChangeRow.told)  # as the indexes have it
    if matters is not None:
        wanted = wanted.where(ChangeRow.matters == matters)
    if least is not None:
        wanted = wanted.where(ChangeRow.amount >= least)
    if before is not None and (start := session.get(ChangeRow, before)) is not None:
        earlier = and_(ChangeRow.at == start.at, ChangeRow.id < start.id)
        wanted = wanted.where(ChangeRow.at <= start.at, or_(ChangeRow.at < start.at, earlier))
    rows = session.execute(wanted.order_by(ChangeRow.at.desc(), ChangeRow.id.desc()).limit(size + 1)).all()
    found = tuple(change_of(row) for row in rows[:size])
    return found, found[-1].id if len(rows) > size else None


def changes_since(session: Session, start: datetime) -> tuple[ChangeSummary, ...]:
    """Give all changes since a time, oldest first."""
    rows = session.execute(select_changes().where(ChangeRow.at >= start).order_by(ChangeRow.id))
    return tuple(map(change_of, rows))


def changes_in_scope(session: Session, scope: str, of: str, *, most: int) -> tuple[ChangeSummary, ...]:
    """Give the newest changes that a rule is about: of a watch, of the watches of a host or a group, or of all."""
    column = {"watch": ChangeRow.watch_id, "host": WatchRow.host, "group": WatchRow.group}.get(scope)
    wanted = select_changes() if column is None else select_changes().where(column == of)
    return tuple(map(change_of, session.execute(wanted.order_by(ChangeRow.at.desc()).limit(most))))


def reasons(session: Session, changes: Iterable[int]) -> dict[int, str]:
    """Give why there was an alert about each of these changes, or why not."""
    columns = ChangeRow.id, ChangeRow.told, ChangeRow.reason_name, DECISION.label("decision")
    rows = session.execute(select(*columns).where(ChangeRow.id.in_(changes)))
    return {row.id: _decision(row).sentence for row in rows}


def replayed(session: Session, which: str, least: float) -> tuple[int, int]:
    """Count the changes of a watch, and those of at least an amount."""
    counted = select(func.count(), func.count().filter(ChangeRow.amount >= least)).where(
        ChangeRow.watch_id == which
    )
    total, above = session.execute(counted).one()
    return int(total), int(above)


def skipped(session: Session, *, size: int = PAGE_SIZE) -> tuple[SkippedVersion, ...]:
    """Give the newest versions that were looked at and not kept."""
    rows = session.execute(
        select(VisitRow.watch_id, WatchRow.name, WatchRow.url, VisitRow.at, VisitRow.reason)
        .join(WatchRow, WatchRow.id == VisitRow.watch_id)
        .where(SKIPPED, ~WatchRow.deleted)  # word by word as in the index
        .order_by(VisitRow.at.desc())
        .limit(size)
    )
    return tuple(SkippedVersion(which, name or url, at, reason) for which, name, url, at, reason in rows)


def select_changes(person: str = FIRST) -> Any:
    """Choose changes with what names their watch, and of their records headline, level and decision only.

    Whether they are unread is a person's.
    """
    marked = and_(ReadRow.change_id == ChangeRow.id, ReadRow.person_id == person, ReadRow.unread)
    return select(
        ChangeRow.id, ChangeRow.watch_id, ChangeRow.at, ChangeRow.amount, ChangeRow.probability, ChangeRow.matters,
        ChangeRow.redesigned, ChangeRow.told, ChangeRow.reason_name, ChangeRow.old_id, ChangeRow.new_id,
        ChangeRow.alert_id, ChangeRow.signature, and_(ChangeRow.told, ReadRow.unread.is_not(None)).label("unread"),
        HEADLINE.label("headline"), LEVEL.label("level"), DECISION.label("decision"),
        WatchRow.name, WatchRow.url, WatchRow.host,
    ).join(
        WatchRow, WatchRow.id == ChangeRow.watch_id
    ).outerjoin(ReadRow, marked).where(~WatchRow.deleted)  # fmt: skip


def change_of(row: Any) -> ChangeSummary:
    """Make a change of what was chosen."""
    return ChangeSummary(
        id=row.id,
        watch=row.watch_id,
        title=row.name or row.url,
        host=row.host,
        at=row.at,
        headline=row.headline or "",
        amount=row.amount,
        probability=row.probability,
        matters=row.matters,
        level=row.level or level_of(matters=row.matters),
        redesigned=row.redesigned,
        decision=_decision(row),
        old=row.old_id,
        new=row.new_id,
        alert=row.alert_id,
        unread=bool(row.unread),
    )


def _decision(row: Any) -> Decision:
    return Decision.from_json(row.decision, notify=row.told, text=row.reason_name)
