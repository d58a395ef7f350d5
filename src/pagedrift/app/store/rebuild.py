"""How is the database made again from the WARC files alone?"""

from __future__ import annotations

from datetime import UTC, datetime
from hashlib import sha256
from typing import TYPE_CHECKING, Any, Final

from sqlalchemy import func, select

from pagedrift.app.seen import Seen
from pagedrift.app.store import journal, visits
from pagedrift.app.store.tables import (
    ChangeRow,
    GroupRow,
    LabelRow,
    RuleRow,
    StoryRow,
    StoryWatchRow,
    Table,
    VersionRow,
    WatchRow,
)
from pagedrift.archive.stored import stored

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from sqlalchemy.orm import Session

    from pagedrift.account import Account
    from pagedrift.app.settings import Settings
    from pagedrift.app.store.store import Store
    from pagedrift.archive.stored import Stored

AT_ONCE: Final = 200  # captures of one transaction
_TIMES: Final = ("created_at", "at", "opened_at", "closed_at")


def rebuild(
    store: Store, settings: Settings, *, account: Account | None = None, show: Callable[[int], None] | None = None
) -> int:
    """Forget what the database says, and read everything off the archive; give the number of versions."""
    with store.begin() as session:
        for table in reversed(Table.metadata.sorted_tables):
            if table.name not in ("tokens", "values"):  # keys are not in the archive
                session.execute(table.delete())
    notes = [found for found in stored(settings.data) if found.url.endswith(f":{journal.NAME}")]
    with store.begin() as session:
        for note in notes:
            _definitions(session, note.notes)
    count = _captures(store, stored(settings.data, account=account), show)
    with store.begin() as session:
        for note in notes:
            _feedback(session, note.notes)
    _resume_sites(store, settings)
    return count


def catch_up(store: Store, settings: Settings) -> int:
    """Bring the database to where the archive is; where it knows nothing at all, make it again."""
    with store.read() as session:
        end = func.max(VersionRow.offset + VersionRow.length)
        found = session.execute(select(VersionRow.filename, end).group_by(VersionRow.filename))
        ends: dict[str, int] = {name: last for name, last in found}  # noqa: C416 - rows are no pairs to mypy
        empty = session.scalar(select(func.count()).select_from(WatchRow)) == 0
    if empty:
        return rebuild(store, settings) if (settings.data / "warc").exists() else 0
    return _captures(store, stored(settings.data, after=ends))


def _captures(store: Store, found: Iterator[Stored], show: Callable[[int], None] | None = None) -> int:
    """Write down all captures; a change whose older version comes later waits for it."""
    some: list[tuple[Seen, Stored]] = []
    late: list[tuple[Seen, Stored]] = []
    count = 0
    for each in found:
        seen = Seen.from_notes(each.notes) if each.kind == "capture" else None
        if seen is not None:
            some.append((seen, each))
        if len(some) >= AT_ONCE:
            count += _written(store, some, late)
            some.clear()
            if show:
                show(count)
    count += _written(store, some, late)
    with store.begin() as session:
        for seen, each in late:
            visits.add_change(session, seen, each.place)
    return count


def _written(store: Store, some: list[tuple[Seen, Stored]], late: list[tuple[Seen, Stored]]) -> int:
    count = 0
    with store.begin() as session:
        for seen, each in some:
            recorded = visits.record(session, seen, each.place)
            if recorded is None or recorded.version is None:
                continue
            count += 1
            if seen.change is not None and recorded.change is None:
                late.append((seen, each))
            row = recorded.watch
            if seen.outcome in ("new", "changed", "unchanged") and row.kind == "page":
                row.newest, row.state = recorded.version.id, "fine"
    return count


def _definitions(session: Session, note: dict[str, Any]) -> None:
    """Apply what was set by the user; later notes come later, and win."""
    for told in note.get("groups", ()):
        session.merge(GroupRow(**told, journalled=1))
    for told in note.get("watches", ()):
        known = session.get(WatchRow, told["id"])
        if known is None or known.revision <= told["revision"]:
            row = WatchRow(**_with_times(told), journalled=told["revision"], next_at=datetime.now(UTC))
            session.merge(row)
    for told in note.get("rules", ()):
        session.merge(RuleRow(**_with_times(told), journalled=told["revision"]))


def _feedback(session: Session, note: dict[str, Any]) -> None:
    """Apply what was said about changes and what was told of them, now that they are there."""
    for told in note.get("labels", ()):
        change = _change_at(session, told.pop("change"))
        if change is not None:
            session.merge(LabelRow(**_with_times(told), change=change, journalled=told["revision"]))
    for told in note.get("stories", ()):
        pages = told.pop("watches")
        if session.scalar(select(StoryRow.id).where(StoryRow.uid == told["uid"])) is not None:
            continue
        story = StoryRow(**_with_times(told), journalled=True)
        session.add(story)
        session.flush()
        for page in pages:
            change = _change_at(session, page.pop("change"))
            session.merge(StoryWatchRow(story=story.id, **page, change=change))
            if change is not None:
                session.get_one(ChangeRow, change).story = story.id


def _with_times(told: dict[str, Any]) -> dict[str, Any]:
    return {
        name: datetime.fromisoformat(value) if name in _TIMES and value else value for name, value in told.items()
    }


def _change_at(session: Session, place: list[Any] | None) -> int | None:
    if place is None:
        return None
    new = select(ChangeRow.id).join(VersionRow, ChangeRow.new == VersionRow.id)
    return session.scalar(new.where(VersionRow.filename == place[0], VersionRow.offset == place[1]))


def _resume_sites(store: Store, settings: Settings) -> None:
    """Show the documents of each site to a detector again, and remember which entries were seen."""
    from pagedrift.app.watch.sites import remembered

    with store.read() as session:
        sites = session.scalars(
            select(WatchRow).where(WatchRow.kind.in_(("feed", "sitemap")), ~WatchRow.deleted)
        ).all()
    keys: dict[str, list[str]] = {row.id: [] for row in sites}
    events: dict[str, list[Any]] = {row.id: [] for row in sites}
    for each in stored(settings.data) if sites else ():
        seen = Seen.from_notes(each.notes)
        if seen is not None and seen.watch in keys and seen.entry:
            keys[seen.watch].append(sha256(seen.entry.encode("utf-8", "replace")).hexdigest()[:16])
            events[seen.watch] += seen.events
    for site in sites:
        memory = remembered(store, settings, site, keys[site.id], events[site.id])
        with store.begin() as session:
            session.get_one(WatchRow, site.id).memory = memory
