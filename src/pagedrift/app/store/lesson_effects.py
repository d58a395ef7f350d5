"""Effects of lessons on the changes of the last weeks, before feedback is saved and afterwards."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Final

from sqlalchemy import select

from pagedrift.app.model.lesson_effects import is_judged, would_alert
from pagedrift.app.model.lessons import TaughtEdit, lessons_for, lessons_of, taught_by
from pagedrift.app.store import lessons as stored
from pagedrift.app.store.effective_options import Inheritance
from pagedrift.app.store.tables import ChangeRow, WatchRow
from pagedrift.errors import NotFoundError

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from sqlalchemy.orm import Session

    from pagedrift.app.model.lessons import Lesson
    from pagedrift.app.model.options import WatchOptions

DAYS: Final = 30
MAX_CHANGES: Final = 2_000  # the newest, which are looked at
_NAMES: Final = ("matters", "place", "spot", "kind", "key", "text", "zone")


@dataclass(frozen=True, slots=True, kw_only=True)
class ChangeEffect:
    """One past change, and what feedback makes of it."""

    change: int
    watch: str
    title: str
    at: datetime
    headline: str
    alerts: bool  # with the feedback: an alert, or none


@dataclass(frozen=True, slots=True, kw_only=True)
class LessonEffects:
    """What feedback makes of the changes of the last weeks."""

    days: int
    looked_at: int  # changes
    changes: tuple[ChangeEffect, ...]

    @property
    def alerted(self) -> int:
        """How many changes would cause an alert that would not without."""
        return sum(each.alerts for each in self.changes)

    @property
    def silent(self) -> int:
        """How many changes would cause none that would without."""
        return len(self.changes) - self.alerted


def of_lesson(session: Session, which: str) -> LessonEffects:
    """Say what a lesson makes of past changes, next to what would be if its feedback were forgotten."""
    taught = stored.taught(session)
    lesson = next((each for each in lessons_of(taught) if each.id == which), None)
    if lesson is None:
        raise NotFoundError("this lesson no longer exists; see the list in the settings")
    left = [each for each in taught if not (each.change in lesson.changes and _is_of(each, lesson))]
    return _compare(session, lessons_of(left), lessons_of(taught))


def of_feedback(session: Session, change: int, *, matters: bool, edit: int | None = None) -> LessonEffects:
    """Say what feedback on a change would make of past changes, before it is saved."""
    row = session.get(ChangeRow, change)
    if row is None:
        raise NotFoundError(f"no change with id {change}; see the timeline of its watch")
    watch, analysis = session.get_one(WatchRow, row.watch_id), row.record.analysis
    if edit is not None and not 0 <= edit < len(analysis.edits):
        raise NotFoundError(f"the change has no edit {edit}; see the list on its page")
    said = [
        TaughtEdit(
            watch=watch.id,
            host=watch.host,
            group=watch.group,
            change=change,
            at=datetime.now(UTC),
            **{name: each[name] for name in _NAMES},
        )
        for each in taught_by(analysis, matters=matters, edit=edit)
    ]
    known = stored.taught(session)
    spots = {(each.spot, each.kind) for each in said}
    kept = [each for each in known if each.change != change or (each.spot, each.kind) not in spots]
    return _compare(session, lessons_of(known), lessons_of([*said, *kept]))


def _compare(session: Session, before: Sequence[Lesson], after: Sequence[Lesson]) -> LessonEffects:
    """Look at the changes of the last weeks with both; those that differ are given, the newest first."""
    looked_at, found = 0, []
    for row, watch, options in _lately(session):
        looked_at += 1
        of = {"watch": watch.id, "host": watch.host, "group": watch.group}
        sides = [lessons_for(each, of) for each in (before, after)]
        if sides[0] == sides[1] or not is_judged(options):
            continue
        analysis = row.record.analysis
        was, is_ = (would_alert(analysis, options, lessons) for lessons in sides)
        if was != is_:
            found.append(
                ChangeEffect(
                    change=row.id,
                    watch=watch.id,
                    title=watch.name or watch.url,
                    at=row.at,
                    headline=analysis.headline,
                    alerts=is_,
                )
            )
    return LessonEffects(days=DAYS, looked_at=looked_at, changes=tuple(found))


def _lately(session: Session) -> Iterator[tuple[ChangeRow, WatchRow, WatchOptions]]:
    inheritance = Inheritance(session)
    wanted = (
        select(ChangeRow, WatchRow)
        .join(WatchRow, WatchRow.id == ChangeRow.watch_id)
        .where(~WatchRow.deleted, ChangeRow.at >= datetime.now(UTC) - timedelta(days=DAYS))
        .order_by(ChangeRow.at.desc())
        .limit(MAX_CHANGES)
    )
    for row, watch in session.execute(wanted).yield_per(100):
        yield row, watch, inheritance.options_of(watch)


def _is_of(each: TaughtEdit, lesson: Lesson) -> bool:
    return each.kind == lesson.kind and (each.spot if lesson.scope == "watch" else each.place) == lesson.spot
