"""Read marks of changes, and what can be done with several changes at once."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from sqlalchemy import select

from pagedrift.app.model.people import FIRST
from pagedrift.app.store import bulk, feedback, undo
from pagedrift.app.store.tables import ChangeRow, ReadRow
from pagedrift.errors import NotFoundError

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from sqlalchemy.orm import Session

    from pagedrift.app.model.bulk import DoneAction
    from pagedrift.app.store.store import Store


MARKS: Final = ("read", "unread")
ABOUT_CHANGES: Final = (*MARKS, "important", "not_important")  # actions that are not on watches


def mark(store: Store, changes: Iterable[int], *, unread: bool = False, person: str = FIRST) -> DoneAction:
    """Mark changes as read, or as unread again; those that are so already stay as they are."""
    with store.begin() as session:
        marks = _marks(session, person, changes)
        found = [id_ for id_, mark in marks.items() if (mark is not None and mark.unread) != unread]
        _mark(session, person, found, unread=unread)
        return _remember(session, "unread" if unread else "read", found, person=person, unread=not unread)


def mark_all(store: Store, *, up_to: int, person: str = FIRST) -> DoneAction:
    """Mark everything as read that was there when the list was looked at."""
    wanted = select(ReadRow.change_id).where(ReadRow.person_id == person, ReadRow.unread)
    with store.begin() as session:
        found = list(session.scalars(wanted.where(ReadRow.change_id <= up_to)))
        _mark(session, person, found, unread=False)
        return _remember(session, "read", found, person=person, unread=True)


def not_important(store: Store, changes: Sequence[int], *, person: str = FIRST) -> DoneAction:
    """Say that the same news on one page or on several is not important, which is read thereby."""
    feedback.label(store, changes[0], matters=False)
    with store.begin() as session:
        unread = [id_ for id_, mark in _marks(session, person, changes).items() if mark and mark.unread]
        before: dict[str, dict[str, Any]] = {str(id_): {"unread": id_ in unread} for id_ in changes}
        before[str(changes[0])]["label"] = True
        _mark(session, person, unread, unread=False)
        return undo.remember(session, "not_important", 1, before=before, person=person)


def important(store: Store, change: int, *, edit: int | None = None, person: str = FIRST) -> DoneAction:
    """Say that an ignored change, or one of its edits, is important."""
    feedback.label(store, change, matters=True, edit=edit)
    with store.begin() as session:
        mark = session.get(ReadRow, (person, change))
        before = {str(change): {"unread": mark is not None and mark.unread, "label": True}}
        return undo.remember(session, "important", 1, before=before, person=person)


def undo_action(store: Store, which: str, *, person: str = FIRST, only_marks: bool = False) -> DoneAction:
    """Undo what was done last with watches or changes; marks only for whoever may not do more."""
    with store.begin() as session:
        done = undo.take(session, which, kinds=MARKS if only_marks else None, person=person)
        if done.kind not in ABOUT_CHANGES:
            bulk.set_back(session, done)
            return done
        for number, known in done.before.items():
            if session.get(ChangeRow, int(number)) is None:
                continue
            mark = session.get(ReadRow, (person, int(number)))
            if (mark is not None and mark.unread) != known["unread"]:
                _mark(session, person, [int(number)], unread=known["unread"])
            if known.get("label"):
                feedback.take_back(session, int(number))
    return done


def set_read(store: Store, change: int, *, read: bool, person: str = FIRST) -> None:
    """Mark one change as read or unread."""
    with store.begin() as session:
        if session.get(ChangeRow, change) is None:
            raise NotFoundError(f"no change with id {change}; see the timeline of its watch")
        mark = session.get(ReadRow, (person, change))
        if (mark is not None and mark.unread) == read:
            _mark(session, person, [change], unread=not read)


def _marks(session: Session, person: str, changes: Iterable[int]) -> dict[int, ReadRow | None]:
    """Give the marks of changes that exist, in a person's inbox; none for what was never there."""
    wanted = (
        select(ChangeRow.id, ReadRow)
        .outerjoin(ReadRow, (ReadRow.change_id == ChangeRow.id) & (ReadRow.person_id == person))
        .where(ChangeRow.id.in_(list(changes)))
    )
    return {row[0]: row[1] for row in session.execute(wanted)}


def _mark(session: Session, person: str, changes: Iterable[int], *, unread: bool) -> None:
    for change in changes:
        known = session.get(ReadRow, (person, change))
        if known is None:
            session.add(ReadRow(person_id=person, change_id=change, unread=unread, revision=1))
        else:
            known.unread, known.revision = unread, known.revision + 1


def _remember(session: Session, kind: str, changes: Sequence[int], *, person: str, unread: bool) -> DoneAction:
    before = {str(each): {"unread": unread} for each in changes}
    return undo.remember(session, kind, len(changes), before=before, person=person)
