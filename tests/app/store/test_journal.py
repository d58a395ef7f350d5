from __future__ import annotations

from copy import deepcopy
from datetime import datetime
from typing import TYPE_CHECKING, Any

from sqlalchemy import select, update

from pagedrift.app.store import journal, restore
from pagedrift.app.store.tables import (
    AlertRow,
    AlertWatchRow,
    ChangeRow,
    GroupRow,
    LabelRow,
    RuleRow,
    VersionRow,
    WatchRow,
)
from pagedrift.archive.reader import stored
from pagedrift.archive.writer import ArchiveWriter

if TYPE_CHECKING:
    from pagedrift.app.settings import Settings
    from pagedrift.app.store.store import Store

AT = "2026-01-01T00:00:00+00:00"
WATCH = {
    "host": "city.example", "name": "", "group": "city", "paused": False, "created_at": AT, "revision": 2,
    "deleted": False, "options": {},
}  # fmt: skip
NOTE: dict[str, Any] = {  # as releases before the columns were renamed wrote it
    "format": 1,
    "groups": [{"name": "city", "revision": 1, "deleted": False, "options": {}}],
    "watches": [
        {"id": "w0", "url": "https://city.example/feed.xml", "kind": "feed", "parent": None, **WATCH},
        {"id": "w1", "url": "https://city.example/", "kind": "page", "parent": "w0", **WATCH},
    ],
    "rules": [
        {"id": "r1", "scope": "watch", "of": "w1", "kind": "text", "value": "ad", "created_at": AT, "revision": 1,
         "deleted": False},
    ],
    "labels": [
        {"matters": True, "at": AT, "revision": 1, "taught": [], "deleted": False, "change": ["w1", AT]},
    ],
    "stories": [
        {"uid": "u1", "kind": "change", "host": "city.example", "signature": "same", "opened_at": AT,
         "closed_at": AT, "title": "fee 24 → 29", "told": {"title": "fee 24 → 29"},
         "watches": [{"watch": "w1", "group": "city", "change": ["w1", AT]}],
         "changes": [{"change": ["w1", AT]}]},
    ],
}  # fmt: skip


def test_notes_of_older_releases_are_read(store: Store) -> None:
    change = _restored(store)
    with store.read() as session:
        assert [(row.id, row.parent_id) for row in session.scalars(select(WatchRow).order_by(WatchRow.id))] == [
            ("w0", None),
            ("w1", "w0"),
        ]
        assert session.get_one(RuleRow, "r1").of == "w1"
        assert session.get_one(LabelRow, change).matters
        alert = session.scalars(select(AlertRow)).one()
        about = session.scalars(select(AlertWatchRow)).one()
        assert (about.alert_id, about.watch_id, about.change_id) == (alert.id, "w1", change)
        assert session.get_one(ChangeRow, change).alert_id == alert.id


def test_notes_are_written_under_the_keys_they_always_had(store: Store, settings: Settings) -> None:
    _restored(store)
    with store.begin() as session:
        for table in (GroupRow, WatchRow, RuleRow, LabelRow, AlertRow):
            session.execute(update(table).values(journalled=False if table is AlertRow else 0))
    with ArchiveWriter(settings.archive) as archive:
        assert journal.write(store, archive) == 6
    (note,) = (found.notes for found in stored(settings.archive) if found.kind == "note")
    assert note == NOTE


def _restored(store: Store) -> int:
    """Read the notes, with a change that they are about; give its id."""
    restore.apply_settings(store, [deepcopy(NOTE)])
    at = datetime.fromisoformat(AT)
    with store.begin() as session:
        versions = [
            VersionRow(watch_id="w1", url="u", captured_at=at, digest="d", filename="a", offset=offset, length=1)
            for offset in (0, 1)
        ]
        session.add_all(versions)
        session.flush()
        old, new = versions
        change = ChangeRow(watch_id="w1", old_id=old.id, new_id=new.id, at=at, card={}, told=True)
        session.add(change)
    restore.apply_feedback(store, [deepcopy(NOTE)])
    return change.id
