"""Builders for watches and changes with alerts, in a real database."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from itertools import count
from typing import TYPE_CHECKING

from pagedrift.app.model.watch import Watch
from pagedrift.app.store import alerts, watches
from pagedrift.app.store.tables import AlertRow, ChangeRow, VersionRow, WatchRow
from pagedrift.app.store.visits import RecordedVisit

if TYPE_CHECKING:
    from pagedrift.app.store.store import Store

NOW = datetime(2025, 11, 16, 9, 0, tzinfo=UTC)  # long ago, so that whatever is due then is due now
LATER = NOW + timedelta(minutes=20)
BASE = "http://127.0.0.1:8710"
_offsets = count()


def add(store: Store, path: str = "fees", *, host: str = "city.example", **more: object) -> str:
    """Add a watch and give its id."""
    name = str(more.pop("name", path))
    group = str(more.pop("group", ""))
    return watches.add(store, Watch(f"https://{host}/{path}", name=name, group=group, options=more)).id


def change(
    store: Store,
    watch: str,
    *,
    signature: str = "s1",
    title: str = "24 € → 29 €",
    now: datetime = NOW,
    kind: str = "change",
    old: str = "A permit is 24 €",
    new: str = "A permit is 29 €",
) -> AlertRow:
    """Let a page change, and tell it."""
    with store.begin() as session:
        row = session.get_one(WatchRow, watch)
        versions = [
            VersionRow(
                watch_id=watch,
                url=row.url,
                captured_at=now,
                digest=text,
                filename="a",
                offset=next(_offsets),
                length=1,
            )
            for text in (old, new)
        ]
        session.add_all(versions)
        session.flush()
        found = ChangeRow(
            watch_id=watch,
            old_id=versions[0].id,
            new_id=versions[1].id,
            at=now,
            card={"blocks": [{"old": old, "new": new, "kind": "edited", "css": "p"}]},
            matters=True,
            told=True,
            reason_name="important, 93 % sure",  # as releases wrote it that knew sentences only
        )
        session.add(found)
        session.flush()
        alerts.add(
            session,
            RecordedVisit(watch, versions[1].id, found.id),
            kind=kind,
            signature=signature,
            title=title,
            now=now,
        )
        return session.get_one(AlertRow, found.alert_id)
