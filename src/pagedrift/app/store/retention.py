"""Retention: removal of versions beyond the user's limits, and of visits that found nothing."""

from __future__ import annotations

from bisect import bisect_left
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Final

from sqlalchemy import delete, select, update

from pagedrift.app.store.effective_options import Inheritance
from pagedrift.app.store.tables import VersionRow, VisitRow, WatchRow
from pagedrift.archive import relocations
from pagedrift.archive.locations import Name, Place, current
from pagedrift.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Iterable

    from sqlalchemy.orm import Session

    from pagedrift.app.model.options import WatchOptions
    from pagedrift.app.store.store import Store
    from pagedrift.archive.reader import Stored
    from pagedrift.archive.writer import ArchiveWriter

UNEVENTFUL: Final = timedelta(days=90)  # for which visits that kept nothing are remembered
BESIDE: Final = timedelta(minutes=10)  # what a page loaded came so long before it at most
VERSIONS_PER_STEP: Final = 500
Location = tuple[str, int]  # a WARC, and the offset in it


@dataclass(frozen=True, slots=True)
class RetentionResult:
    """What is gone."""

    versions: int
    visits: int
    freed: int  # bytes


def drop(store: Store, archive: ArchiveWriter, *, now: datetime | None = None) -> RetentionResult:
    """Drop what is beyond the limits, of our writer; the newest version of a watch is never dropped.

    The bytes first, then the rows: after a crash between the two, `settle` finds rows that have no bytes anymore.
    """
    now = now or datetime.now(UTC)
    settle(store, archive)
    with store.read() as session:
        # The objects of a bucket expire by rules of the service.
        beyond = list(_beyond(session, now)) if isinstance(archive.address, Path) else []
        shared = _shared(session, beyond)
        gone = {place for _, place in beyond} - shared
        freed = _compacted(session, archive, gone) if gone else 0
    with store.begin() as session:
        for number in (number for number, place in beyond if place in shared):
            _forget(session, number)
    settle(store, archive)
    old = delete(VisitRow).where(VisitRow.at < now - UNEVENTFUL, VisitRow.version_id.is_(None))
    with store.begin() as session:
        visits = session.execute(old).rowcount  # type: ignore[attr-defined]
    return RetentionResult(len(beyond), visits, freed)


def _shared(session: Session, beyond: Iterable[tuple[int, Location]]) -> set[Location]:
    """Give the places of versions that go, and of which another watch of the address keeps its own."""
    going: dict[Location, set[int]] = {}
    for number, place in beyond:
        going.setdefault(place, set()).add(number)
    found = set()
    for (filename, offset), numbers in going.items():
        there = select(VersionRow.id).where(VersionRow.filename == filename, VersionRow.offset == offset)
        if set(session.scalars(there)) - numbers:
            found.add((filename, offset))
    return found


def _forget(session: Session, number: int) -> None:
    """Remove a version from the database."""
    session.execute(update(VisitRow).where(VisitRow.version_id == number).values(version_id=None, kept=False))
    session.execute(delete(VersionRow).where(VersionRow.id == number))


def settle(store: Store, archive: ArchiveWriter) -> None:
    """Bring the database to where compaction moved things, and forget what it dropped."""
    moved = [name for name in relocations.superseded(archive.folder) if _writer(name) == archive.writer]
    if not moved:
        return
    with store.read() as session:
        rows = session.scalars(select(VersionRow).where(VersionRow.filename.in_(moved))).all()
    for at in range(0, len(rows), VERSIONS_PER_STEP):
        with store.begin() as session:
            for row in rows[at : at + VERSIONS_PER_STEP]:
                _settle(session, row, archive.folder)
    archive.forget_moves()


def _settle(session: Session, row: VersionRow, folder: Path) -> None:
    try:
        place = current(folder, Place(row.filename, row.offset, row.length))
    except InputError:  # it was dropped
        _forget(session, row.id)
    else:
        session.execute(update(VersionRow).where(VersionRow.id == row.id).values(**place._asdict()))


def _writer(name: str) -> str | None:
    found = Name.read(name)
    return found.writer if found else None


def _beyond(session: Session, now: datetime) -> Iterable[tuple[int, Location]]:
    """Find the versions that are beyond the limits of their watch."""
    inheritance = Inheritance(session)
    columns = (WatchRow.id, WatchRow.url, WatchRow.group, WatchRow.parent_id, WatchRow.options, WatchRow.newest_id)
    for watch in session.execute(select(*columns)).all():
        options = inheritance.options_of(watch)
        if options.keep_days or options.keep_versions:
            versions = (
                select(VersionRow).where(VersionRow.watch_id == watch.id).order_by(VersionRow.captured_at.desc())
            )
            yield from _of_watch(session.scalars(versions).all(), options, watch.newest_id, now)


def _of_watch(
    versions: Iterable[VersionRow], options: WatchOptions, newest: int | None, now: datetime
) -> Iterable[tuple[int, Location]]:
    """Go through the versions of a watch, newest first; the same one after the other counts once."""
    count, last = 0, ""
    oldest = now - timedelta(days=options.keep_days) if options.keep_days else datetime.min.replace(tzinfo=UTC)
    for row in versions:
        count += row.digest != last
        last = row.digest
        too_many = options.keep_versions and count > options.keep_versions
        if row.id != newest and (too_many or row.captured_at < oldest):
            yield row.id, (row.filename, row.offset)


def _compacted(session: Session, archive: ArchiveWriter, gone: set[Location]) -> int:
    rows = session.execute(select(VersionRow.filename, VersionRow.offset, VersionRow.captured_at))
    times = sorted(row.captured_at for row in rows if (row.filename, row.offset) not in gone)

    def keep(found: Stored) -> bool:
        if found.kind == "note" or found.captured_at is None:
            return True
        if found.notes:
            return (found.place.filename, found.place.offset) not in gone
        # What a page loaded stays as long as a page of about that time.
        at = bisect_left(times, found.captured_at)
        return at < len(times) and times[at] - found.captured_at <= BESIDE

    return archive.compact(keep).freed
