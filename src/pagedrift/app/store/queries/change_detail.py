"""Queries for one change: its versions, neighbours, alert and feedback."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from sqlalchemy import and_, or_, select

from pagedrift.app.model.people import FIRST
from pagedrift.app.store.queries.alerts import AlertSummary, alert
from pagedrift.app.store.queries.changes import ChangeSummary, change_of, select_changes
from pagedrift.app.store.queries.row_limits import PAGE_SIZE
from pagedrift.app.store.queries.versions import version
from pagedrift.app.store.queries.watch_list import WatchSummary, watch
from pagedrift.app.store.tables import ChangeRow, LabelRow, WatchRow

if TYPE_CHECKING:
    from sqlalchemy.orm import Session

    from pagedrift.app.model.change import ChangeRecord
    from pagedrift.app.model.results import StoredVersion


@dataclass(frozen=True, slots=True, kw_only=True)
class ChangeDetail:
    """All there is to a change."""

    change: ChangeSummary
    record: ChangeRecord
    watch: WatchSummary
    old: StoredVersion
    new: StoredVersion
    before: int | None  # the change of this watch before it
    after: int | None
    label: bool | None  # what the user said: it matters, or not
    edit_labels: dict[int, bool]  # the same of its edits, by their numbers
    alert: AlertSummary | None
    alike: tuple[ChangeSummary, ...]  # the same change on other pages of the host


def change(session: Session, number: int, *, person: str = FIRST) -> ChangeDetail | None:
    """Give all there is to a change; whether it is unread is a person's."""
    row = session.execute(select_changes(person).where(ChangeRow.id == number)).first()
    if row is None:
        return None
    found, line = change_of(row), watch(session, row.watch_id)
    old, new = version(session, row.old_id), version(session, row.new_id)
    if line is None or old is None or new is None:
        return None
    label = session.get(LabelRow, number)
    label = None if label is None or label.deleted else label
    record = session.get_one(ChangeRow, number).record
    sent = alert(session, row.alert_id) if row.alert_id is not None else None
    before, after = _neighbours(session, found)
    alike = _elsewhere(session, row.signature, found)
    return ChangeDetail(
        change=found,
        record=record,
        watch=line,
        old=old,
        new=new,
        before=before,
        after=after,
        label=label.matters if label else None,
        edit_labels={int(each["edit"]): bool(each["matters"]) for each in (label.taught if label else ())},
        alert=sent,
        alike=alike,
    )


def version_pair(session: Session, number: int) -> tuple[int, int] | None:
    """Give the versions of a change, old and new."""
    row = session.execute(select(ChangeRow.old_id, ChangeRow.new_id).where(ChangeRow.id == number)).first()
    return None if row is None else (row.old_id, row.new_id)


def change_between(session: Session, old: int, new: int) -> int | None:
    """Find the change from one version to another, where it was worked out already."""
    return session.scalar(select(ChangeRow.id).where(ChangeRow.new_id == new, ChangeRow.old_id == old).limit(1))


def _neighbours(session: Session, one: ChangeSummary) -> tuple[int | None, int | None]:
    here, at, number = ChangeRow.watch_id == one.watch, ChangeRow.at, ChangeRow.id
    earlier = or_(at < one.at, and_(at == one.at, number < one.id))
    later = or_(at > one.at, and_(at == one.at, number > one.id))
    before = select(number).where(here, at <= one.at, earlier).order_by(at.desc(), number.desc()).limit(1)
    after = select(number).where(here, at >= one.at, later).order_by(at, number).limit(1)
    return session.scalar(before), session.scalar(after)


def _elsewhere(session: Session, signature: str, one: ChangeSummary) -> tuple[ChangeSummary, ...]:
    if not signature:
        return ()
    same = select_changes().where(
        ChangeRow.signature == signature, ChangeRow.id != one.id, WatchRow.host == one.host
    )
    return tuple(change_of(row) for row in session.execute(same.order_by(ChangeRow.at.desc()).limit(PAGE_SIZE)))
