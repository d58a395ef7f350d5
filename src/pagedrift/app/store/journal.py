"""Journal: copies, in the archive, of what otherwise only the database would hold."""

from __future__ import annotations

from datetime import datetime
from typing import TYPE_CHECKING, Any, Final

from sqlalchemy import select

from pagedrift.app.model.alert_settings import AlertSettings, hidden_settings
from pagedrift.app.model.options import hidden
from pagedrift.app.model.people import FIRST
from pagedrift.app.store.tables import (
    AlertRow,
    AlertSettingsRow,
    AlertWatchRow,
    ChangeRow,
    GroupRow,
    LabelRow,
    ReadRow,
    RuleRow,
    WatchRow,
)

if TYPE_CHECKING:
    from collections.abc import Iterable

    from sqlalchemy.orm import Session

    from pagedrift.app.store.store import Store
    from pagedrift.archive.writer import ArchiveWriter

NAME: Final = "journal"
FORMAT: Final = 1
ROWS_PER_NOTE: Final = 500  # rows of one note
# Archives keep their notes forever: what tables and columns were called when the format was made stays in them.
KEYS: Final[dict[type, str]] = {
    GroupRow: "groups",
    WatchRow: "watches",
    RuleRow: "rules",
    LabelRow: "labels",
    ReadRow: "reads",
    AlertSettingsRow: "alert_settings",
    AlertRow: "stories",
}
COLUMNS: Final[dict[type, dict[str, str]]] = {WatchRow: {"parent": "parent_id"}}  # by key, where they differ


def write(store: Store, archive: ArchiveWriter) -> int:
    """Write what is new since the last time; give how many rows that were."""
    written = 0
    while True:
        with store.begin() as session:
            rows = _pending(session)
            if not rows:
                return written
            archive.note(NAME, {"format": FORMAT, **_as_data(session, rows)})  # the bytes first
            for row in rows:
                row.journalled = True if isinstance(row, AlertRow) else row.revision
        written += len(rows)


def _pending(session: Session) -> list[Any]:
    """Find rows that the archive does not have as they are, a few at a time."""
    found: list[Any] = []
    for table in (GroupRow, WatchRow, RuleRow, LabelRow, ReadRow, AlertSettingsRow):
        changed = select(table).where(table.journalled < table.revision)
        found += session.scalars(changed.limit(ROWS_PER_NOTE - len(found)).with_for_update(skip_locked=True))
    data = select(AlertRow).where(AlertRow.closed_at.is_not(None), ~AlertRow.journalled)
    found += session.scalars(data.limit(ROWS_PER_NOTE - len(found)).with_for_update(skip_locked=True))
    return found


def _as_data(session: Session, rows: Iterable[Any]) -> dict[str, list[dict[str, Any]]]:
    data: dict[str, list[dict[str, Any]]] = {}
    for row in rows:
        data.setdefault(KEYS[type(row)], []).append(_CARDS[type(row)](session, row))
    return data


def _group(_: Session, row: GroupRow) -> dict[str, Any]:
    return _plain(row, "name revision deleted") | {"options": hidden(row.options)}


def _watch(_: Session, row: WatchRow) -> dict[str, Any]:
    found = _plain(row, "id url host kind name group paused parent created_at revision deleted")
    return found | {"options": hidden(row.options)} | ({"tags": list(row.tags)} if row.tags else {})


def _rule(_: Session, row: RuleRow) -> dict[str, Any]:
    return _plain(row, "id scope of kind value created_at revision deleted")


def _label(session: Session, row: LabelRow) -> dict[str, Any]:
    return _plain(row, "matters at revision taught deleted") | {"change": _name_of(session, row.change_id)}


def _read(session: Session, row: ReadRow) -> dict[str, Any]:
    whose = {} if row.person_id == FIRST else {"person": row.person_id}
    return _plain(row, "unread revision") | whose | {"change": _name_of(session, row.change_id)}


def _alert_settings(_: Session, row: AlertSettingsRow) -> dict[str, Any]:
    shown = hidden_settings(AlertSettings.model_validate(row.settings))
    return _plain(row, "owner revision") | {"settings": shown}


def _story(session: Session, row: AlertRow) -> dict[str, Any]:
    about = session.scalars(select(AlertWatchRow).where(AlertWatchRow.alert_id == row.id))
    pages = [
        {"watch": each.watch_id, "group": each.group, "change": _name_of(session, each.change_id)} for each in about
    ]
    changes = session.scalars(select(ChangeRow).where(ChangeRow.alert_id == row.id).order_by(ChangeRow.id))
    found = _plain(row, "uid kind host signature opened_at closed_at title told")
    return found | {"watches": pages, "changes": [*map(_joined, changes)]}


def _joined(row: ChangeRow) -> dict[str, Any]:
    """Name a change of an alert; for one that came after the alert was sent, say why it was ignored."""
    return {"change": [row.watch_id, _json(row.at)]} | ({} if row.told else {"decision": row.decision.to_json()})


_CARDS: Final[dict[type, Any]] = {
    GroupRow: _group,
    WatchRow: _watch,
    RuleRow: _rule,
    LabelRow: _label,
    ReadRow: _read,
    AlertSettingsRow: _alert_settings,
    AlertRow: _story,
}


def _plain(row: Any, keys: str) -> dict[str, Any]:
    columns = COLUMNS.get(type(row), {})
    return {key: _json(getattr(row, columns.get(key, key))) for key in keys.split()}


def _json(value: Any) -> Any:
    return value.isoformat() if isinstance(value, datetime) else value


def _name_of(session: Session, change: int | None) -> list[Any] | None:
    """Name a change so that it is found again in another database, and wherever compaction moves its versions."""
    found = None if change is None else session.get(ChangeRow, change)
    return None if found is None else [found.watch_id, _json(found.at)]
