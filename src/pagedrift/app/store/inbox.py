"""Read marks of changes, and what can be done with several changes at once."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from sqlalchemy import select

from pagedrift.app.store import bulk, feedback, undo
from pagedrift.app.store.tables import ChangeRow, ReadRow
from pagedrift.errors import NotFoundError

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from sqlalchemy.orm import Session

    from pagedrift.app.model.bulk import DoneAction
    from pagedrift.app.store.store import Store


ABOUT_CHANGES: Final = ("read", "unread", "important", "not_important")  # actions that are not on watches


def mark(store: Store, changes: Iterable[int], *, unread: bool = False) -> DoneAction:
    """Mark changes as read, or as unread again; those that are so already stay as they are."""
    with store.begin() as session:
        wanted = select(ChangeRow).where(ChangeRow.id.in_(list(changes)), ChangeRow.unread != unread)
        found = list(session.scalars(wanted))
        _mark(session, found, unread=unread)
        before = {str(row.id): {"unread": not unread} for row in found}
        return undo.remember(session, "unread" if unread else "read", len(found), before=before)


def mark_all(store: Store, *, up_to: int) -> DoneAction:
    """Mark everything as read that was there when the list was looked at."""
    with store.begin() as session:
        found = list(session.scalars(select(ChangeRow).where(ChangeRow.unread, ChangeRow.id <= up_to)))
        _mark(session, found, unread=False)
        before = {str(row.id): {"unread": True} for row in found}
        return undo.remember(session, "read", len(found), before=before)


def not_important(store: Store, changes: Sequence[int]) -> DoneAction:
    """Say that the same news on one page or on several is not important, which is read thereby."""
    feedback.label(store, changes[0], matters=False)
    with store.begin() as session:
        found = list(session.scalars(select(ChangeRow).where(ChangeRow.id.in_(changes))))
        before = {str(row.id): {"unread": row.unread} for row in found}
        before[str(changes[0])]["label"] = True
        _mark(session, [row for row in found if row.unread], unread=False)
        return undo.remember(session, "not_important", 1, before=before)


def important(store: Store, change: int, *, edit: int | None = None) -> DoneAction:
    """Say that an ignored change, or one of its edits, is important."""
    feedback.label(store, change, matters=True, edit=edit)
    with store.begin() as session:
        row = session.get_one(ChangeRow, change)
        return undo.remember(session, "important", 1, before={str(change): {"unread": row.unread, "label": True}})


def undo_action(store: Store, which: str) -> DoneAction:
    """Undo what was done last with watches or changes."""
    with store.begin() as session:
        done = undo.take(session, which)
        if done.kind not in ABOUT_CHANGES:
            bulk.set_back(session, done)
            return done
        for number, known in done.before.items():
            row = session.get(ChangeRow, int(number))
            if row is not None and row.unread != known["unread"]:
                _mark(session, [row], unread=known["unread"])
            if row is not None and known.get("label"):
                feedback.take_back(session, row.id)
    return done


def set_read(store: Store, change: int, *, read: bool) -> None:
    """Mark one change as read or unread."""
    with store.begin() as session:
        row = session.get(ChangeRow, change)
        if row is None:
            raise NotFoundError(f"no change with id {change}; see the timeline of its watch")
        if row.unread == read:
            _mark(session, [row], unread=not read)


def _mark(session: Session, rows: Iterable[ChangeRow], *, unread: bool) -> None:
    for row in rows:
        row.unread = unread
        known = session.get(ReadRow, row.id)
        session.merge(
            ReadRow(
                change_id=row.id,
                unread=unread,
                revision=known.revision + 1 if known else 1,
                journalled=known.journalled if known else 0,
            )
        )
