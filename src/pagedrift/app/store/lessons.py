"""Lessons in the database: what feedback taught, and what the judge of this installation learned from it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from sqlalchemy import func, select

from pagedrift.app.model.lessons import Lesson, TaughtEdit, lessons_for, lessons_of
from pagedrift.app.store.tables import ChangeRow, LabelRow, ValueRow, WatchRow
from pagedrift.errors import NotFoundError

if TYPE_CHECKING:
    from sqlalchemy.orm import Session

    from pagedrift.app.model.task import Task
    from pagedrift.app.store.store import Store

MAX_LABELS: Final = 2_000  # the newest, which lessons are made of
MAX_EXAMPLES: Final = 1_000  # edits that the judge learns from
JUDGE: Final = "judge of this installation"
JUDGE_IS_OFF: Final = "judge of this installation is off"


@dataclass(frozen=True, slots=True)
class Example:
    """An edit that feedback was given about, with what the judge knew of it."""

    figures: dict[str, float]
    matters: bool


def taught(session: Session) -> list[TaughtEdit]:
    """Give the edits that feedback is about, the newest feedback first."""
    wanted = (
        select(LabelRow.taught, LabelRow.at, ChangeRow.id, ChangeRow.watch_id, WatchRow.host, WatchRow.group)
        .join(ChangeRow, ChangeRow.id == LabelRow.change_id)
        .join(WatchRow, WatchRow.id == ChangeRow.watch_id)
        .where(~LabelRow.deleted, ~WatchRow.deleted)
        .order_by(LabelRow.at.desc())
        .limit(MAX_LABELS)
    )
    names = ("matters", "place", "spot", "kind", "key", "text", "zone")
    return [
        TaughtEdit(
            watch=row.watch_id,
            host=row.host,
            group=row.group,
            change=row.id,
            at=row.at,
            **{name: edit[name] for name in names},
        )
        for row in session.execute(wanted)
        for edit in row.taught
    ]


def lessons(session: Session) -> list[Lesson]:
    """Give what was learned from feedback."""
    return lessons_of(taught(session))


def for_task(store: Store, task: Task) -> tuple[Lesson, ...]:
    """Give the lessons that the comparison of a page needs."""
    with store.read() as session:
        return for_watch(session, task.watch.id)


def for_watch(session: Session, which: str) -> tuple[Lesson, ...]:
    """Give the lessons that hold for a watch."""
    row = session.get_one(WatchRow, which)
    return lessons_for(lessons(session), {"watch": row.id, "host": row.host, "group": row.group})


def forget(store: Store, which: str) -> None:
    """Undo all feedback that a lesson was made of."""
    with store.begin() as session:
        lesson = next((each for each in lessons(session) if each.id == which), None)
        if lesson is None:
            raise NotFoundError("this lesson no longer exists; see the list in the settings")
        for row in session.scalars(select(LabelRow).where(LabelRow.change_id.in_(lesson.changes))):
            left = [edit for edit in row.taught if not _is_of(edit, lesson)]
            row.deleted = not left
            row.taught, row.revision = left, row.revision + 1


def _is_of(edit: dict[str, Any], lesson: Lesson) -> bool:
    spot = edit["spot"] if lesson.scope == "watch" else edit["place"]
    return bool(edit["kind"] == lesson.kind and spot == lesson.spot)


# --- the judge of this installation ----------------------------------------------------------------------------


def examples(session: Session) -> list[Example]:
    """Give the edits that feedback is about with what the judge knew of them, the newest feedback first."""
    wanted = (
        select(LabelRow.taught, ChangeRow.card["edits"].label("edits"))
        .join(ChangeRow, ChangeRow.id == LabelRow.change_id)
        .where(~LabelRow.deleted)
        .order_by(LabelRow.at.desc(), LabelRow.change_id)
        .limit(MAX_LABELS)
    )
    found = [
        Example(row.edits[edit["edit"]].get("figures") or {}, bool(edit["matters"]))
        for row in session.execute(wanted)
        for edit in row.taught
        if edit["edit"] < len(row.edits or ())
    ]
    return [each for each in found if each.figures][:MAX_EXAMPLES]


def state_of_feedback(session: Session) -> list[Any]:
    """Name all the feedback there is: where this is as it was, nothing was said or taken back since."""
    counted = select(func.count(), func.sum(LabelRow.revision), func.max(LabelRow.at)).where(~LabelRow.deleted)
    number, revisions, last = session.execute(counted).one()
    return [number, int(revisions or 0), last.isoformat() if last else ""]


def judge(store: Store) -> dict[str, Any]:
    """Give what the judge of this installation learned, and how it compares with ours; empty where nothing is."""
    return dict(store.get(JUDGE) or {})


def judge_model(store: Store) -> dict[str, Any] | None:
    """Give the weights to judge by, where some were learned here that are as good as ours, and are wanted."""
    with store.read() as session:
        off = session.get(ValueRow, JUDGE_IS_OFF)
        row = session.get(ValueRow, JUDGE)
    return None if row is None or (off is not None and off.value) else row.value.get("model")
