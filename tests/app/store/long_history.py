"""A watch with a history of any length: visits, versions, changes and alerts, written in bulk."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Any, Final

from sqlalchemy import insert

from pagedrift.app.model.watch import Watch
from pagedrift.app.store import watches
from pagedrift.app.store.tables import (
    AlertRow,
    AlertWatchRow,
    ChangeRow,
    VersionRow,
    VisitRow,
    WatchRow,
)

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pagedrift.app.store.store import Store

AT_ONCE: Final = 5_000  # rows in one statement
NOW: Final = datetime(2026, 11, 1, 12, tzinfo=UTC)
CARD: Final = {
    "headline": "a number went up",
    "lines": ["a number went up"],
    "blocks": [
        {
            "kind": "edited text",
            "path": "html > body > p",
            "css": "p",
            "old": "41 places free",
            "new": "42 places free",
        }
        for _ in range(4)
    ],
}


def grow(store: Store, versions: int, url: str = "https://city.example/places") -> tuple[str, int]:
    """Watch a page that changed at every visit; give the watch, and the change in the middle of its past."""
    watch = watches.add(store, Watch(url)).id
    for first in range(0, versions, AT_ONCE):
        some = range(first + 1, min(versions, first + AT_ONCE) + 1)
        _write(store, VersionRow, (_version(watch, url, number) for number in some))
        _write(store, VisitRow, (_visit(watch, number, versions) for number in some))
        told = [number for number in some if number > 1]
        _write(store, AlertRow, map(_story, told))
        _write(
            store, AlertWatchRow, ({"alert_id": n, "watch_id": watch, "group": "", "change_id": n} for n in told)
        )
        _write(store, ChangeRow, (_change(watch, number) for number in told))
    with store.begin() as session:
        row = session.get(WatchRow, watch)
        assert row is not None
        row.newest_id, row.visits, row.state = versions, versions, "fine"
        row.visited_at = row.changed_at = row.created_at = _at(versions)
        row.next_at = NOW + timedelta(days=3650)
    return watch, versions // 2


def _write(store: Store, table: Any, rows: Iterator[dict[str, Any]]) -> None:
    if some := list(rows):
        with store.begin() as session:
            session.execute(insert(table), some)


def _at(number: int) -> datetime:
    return NOW - timedelta(days=3650) + timedelta(minutes=number)


def _version(watch: str, url: str, number: int) -> dict[str, Any]:
    return {
        "id": number, "watch_id": watch, "url": url, "captured_at": _at(number), "digest": f"sha256:{number:064x}",
        "mime": "text/html", "status": 200, "title": "Places", "filename": "a.warc.gz", "offset": number * 700,
        "length": 700, "etag": "", "modified": "", "pictured": False,
    }  # fmt: skip


def _visit(watch: str, number: int, last: int) -> dict[str, Any]:
    return {
        "id": number, "watch_id": watch, "at": _at(number), "outcome": "changed" if number > 1 else "new",
        "reason": "", "status": 200, "seconds": 0.2, "version_id": number, "kept": number <= last,
    }  # fmt: skip


def _change(watch: str, number: int) -> dict[str, Any]:
    return {
        "id": number, "watch_id": watch, "old_id": number - 1, "new_id": number, "at": _at(number), "card": CARD,
        "amount": 0.1, "probability": 0.8, "matters": True, "redesigned": False, "signature": "the same",
        "told": True, "reason_name": "it matters", "alert_id": number,
    }  # fmt: skip


def _story(number: int) -> dict[str, Any]:
    return {
        "id": number, "uid": f"story-{number}", "kind": "change", "host": "city.example", "signature": "the same",
        "opened_at": _at(number), "closes_at": None, "closed_at": _at(number), "title": "a number went up",
        "told": {"title": "a number went up"}, "journalled": True,
    }  # fmt: skip
