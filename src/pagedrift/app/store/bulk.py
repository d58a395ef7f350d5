"""Actions on several watches at once, in one transaction, and their undoing."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from sqlalchemy import or_, select

from pagedrift.app.model.bulk import MAX_BULK, BulkAction, DoneAction, checked_action
from pagedrift.app.model.watch import checked_tags
from pagedrift.app.store import failed_steps, undo
from pagedrift.app.store.tables import WatchRow
from pagedrift.app.validation import validate_options
from pagedrift.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from sqlalchemy.orm import Session

    from pagedrift.app.store.store import Store


def apply(store: Store, watches: Iterable[str], action: BulkAction) -> DoneAction:
    """Do something with several watches; those that are gone meanwhile are left out."""
    ids, action = list(dict.fromkeys(watches)), checked_action(action)
    if not ids:
        raise InputError("no watch is selected; tick some in the list")
    if len(ids) > MAX_BULK:
        raise InputError(f"at most {MAX_BULK} watches can be changed at once; select fewer")
    validate_options(action.options)
    with store.begin() as session:
        rows, chosen = _rows(session, ids, with_pages=action.kind == "remove"), set(ids)
        before = {row.id: known for row in rows if (known := _ACTIONS[action.kind](row, action))}
        for row in rows:
            row.revision += row.id in before
        if action.kind == "remove":
            failed_steps.forget(session, [row.id for row in rows])
        count = sum(row.id in chosen for row in rows)
        return undo.remember(session, action.kind, count, value=action.value, before=before)


def set_back(session: Session, done: DoneAction) -> None:
    """Set watches back to how they were before an action."""
    wanted = select(WatchRow).where(WatchRow.id.in_(done.before)).with_for_update()
    for row in session.scalars(wanted):
        known = dict(done.before[row.id])
        options = known.pop("options", {})
        for name, value in known.items():
            setattr(row, name, value)
        kept = {name: value for name, value in row.options.items() if name not in options}
        row.options = kept | {name: value for name, value in options.items() if value is not None}
        row.revision += 1
        row.next_at = min(row.next_at, datetime.now(UTC))


def _rows(session: Session, ids: list[str], *, with_pages: bool) -> list[WatchRow]:
    mine = WatchRow.id.in_(ids)
    wanted = or_(mine, WatchRow.parent_id.in_(ids)) if with_pages else mine
    return list(session.scalars(select(WatchRow).where(wanted, ~WatchRow.deleted).with_for_update()))


def _check(row: WatchRow, _: BulkAction) -> dict[str, Any]:
    row.next_at = datetime.now(UTC)
    return {}


def _pause(row: WatchRow, action: BulkAction) -> dict[str, Any]:
    before, row.paused = {"paused": row.paused}, action.kind == "pause"
    return before if row.paused != before["paused"] else {}


def _tag(row: WatchRow, action: BulkAction) -> dict[str, Any]:
    before, given = list(row.tags), {tag.casefold() for tag in action.tags}
    left = [tag for tag in before if tag.casefold() not in given]
    row.tags = list(checked_tags((*before, *action.tags))) if action.kind == "tag" else left
    return {"tags": before} if row.tags != before else {}


def _set(row: WatchRow, action: BulkAction) -> dict[str, Any]:
    before = {name: row.options.get(name) for name in action.options}
    row.options = {**row.options, **action.options}
    row.next_at = min(row.next_at, datetime.now(UTC))
    return {"options": before} if before != action.options else {}


def _remove(row: WatchRow, _: BulkAction) -> dict[str, Any]:
    before = {"paused": row.paused, "deleted": False}
    row.deleted, row.paused, row.lease = True, True, None
    return before


_ACTIONS: dict[str, Callable[[WatchRow, BulkAction], dict[str, Any]]] = {
    "check": _check,
    "pause": _pause,
    "resume": _pause,
    "tag": _tag,
    "untag": _tag,
    "every": _set,
    "notify_on": _set,
    "remove": _remove,
}
