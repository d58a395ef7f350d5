"""Queries for the kept versions of a watch or an address."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from sqlalchemy import func, or_, select

from pagedrift.app.model.results import StoredVersion
from pagedrift.app.store.tables import VersionRow, WatchRow
from pagedrift.app.store.watches import host_of
from pagedrift.archive.locations import Place
from pagedrift.http_exchange import FIRST_FAILURE

if TYPE_CHECKING:
    from collections.abc import Iterable

    from sqlalchemy.orm import Session

MAX_PAST: Final = 300  # versions of a page among which those are sought that differ
MAX_OF_ADDRESS: Final = 100_000  # versions of one address that are listed


def versions(
    session: Session, which: str, *, most: int = 200, max_bytes: int | None = None
) -> tuple[StoredVersion, ...]:
    """Give the newest versions of a watch; those that take at least `max_bytes` are left out."""
    wanted = select(VersionRow).where(VersionRow.watch_id == which)
    if max_bytes is not None:
        wanted = wanted.where(VersionRow.length < max_bytes)
    return _given(session.scalars(wanted.order_by(VersionRow.captured_at.desc(), VersionRow.id.desc()).limit(most)))


def all_versions(session: Session, which: str) -> tuple[StoredVersion, ...]:
    """Give all versions of a watch in the order they were recorded."""
    return _given(session.scalars(select(VersionRow).where(VersionRow.watch_id == which).order_by(VersionRow.id)))


def newest_versions(session: Session, site: str, *, most: int, max_bytes: int) -> tuple[StoredVersion, ...]:
    """Give the newest version of each page of a site."""
    wanted = select(VersionRow).join(WatchRow, WatchRow.newest_id == VersionRow.id)
    wanted = wanted.where(WatchRow.parent_id == site, ~WatchRow.deleted, VersionRow.length < max_bytes)
    return _given(session.scalars(wanted.order_by(VersionRow.captured_at.desc()).limit(most)))


def versions_before(
    session: Session, which: str, *, before: int | None = None, size: int
) -> tuple[tuple[StoredVersion, ...], int | None]:
    """Give a page of the versions of a watch by their numbers, newest first, and where the next page begins."""
    wanted = select(VersionRow).where(VersionRow.watch_id == which)
    if before is not None:
        wanted = wanted.where(VersionRow.id < before)
    found = _given(session.scalars(wanted.order_by(VersionRow.id.desc()).limit(size + 1)))
    return found[:size], found[size - 1].id if len(found) > size else None


def versions_of_address(session: Session, url: str) -> tuple[StoredVersion, ...]:
    """Give all versions of an address, oldest first: of watches of it, or captured there by others of its host."""
    here = select(WatchRow.id).where(WatchRow.host == host_of(url), WatchRow.kind == "page")
    wanted = select(VersionRow).order_by(VersionRow.captured_at, VersionRow.id).limit(MAX_OF_ADDRESS)
    watched = wanted.where(VersionRow.watch_id.in_(here.where(WatchRow.url == url)))
    captured = wanted.where(VersionRow.watch_id.in_(here), VersionRow.url == url)
    found = _given(session.scalars(watched)) or _given(session.scalars(captured))
    return tuple({each.place[:2]: each for each in reversed(found)}.values())[::-1]  # watches share captures


def past_of_address(session: Session, url: str, *, most: int, max_bytes: int) -> tuple[StoredVersion, ...]:
    """Give the newest versions of a page that differ from the one before, by whichever watch, the oldest first."""
    watched = select(WatchRow.id).where(WatchRow.url == url, WatchRow.kind == "page")
    wanted = select(VersionRow).where(VersionRow.watch_id.in_(watched), VersionRow.length < max_bytes)
    wanted = wanted.where(or_(VersionRow.status.is_(None), VersionRow.status < FIRST_FAILURE))
    rows = session.scalars(wanted.order_by(VersionRow.captured_at.desc(), VersionRow.id.desc()).limit(MAX_PAST))
    past: list[StoredVersion] = []
    for each in reversed(_given(rows)):
        if not past or each.digest != past[-1].digest:
            past.append(each)
    return tuple(past[-most:])


def version(session: Session, number: int) -> StoredVersion | None:
    """Give one version."""
    return next(iter(_given(session.scalars(select(VersionRow).where(VersionRow.id == number)))), None)


def count_versions(session: Session, which: str | None = None) -> int:
    """Count the versions of a watch, or of all."""
    counted = select(func.count()).select_from(VersionRow)
    return session.scalar(counted if which is None else counted.where(VersionRow.watch_id == which)) or 0


def stored_version(row: VersionRow) -> StoredVersion:
    """Give the version that a row holds."""
    return StoredVersion(
        id=row.id,
        watch=row.watch_id,
        url=row.url,
        captured_at=row.captured_at,
        digest=row.digest,
        mime=row.mime,
        status=row.status,
        title=row.title,
        etag=row.etag,
        modified=row.modified,
        pictured=row.pictured,
        place=Place(row.filename, row.offset, row.length),
    )


def _given(rows: Iterable[VersionRow]) -> tuple[StoredVersion, ...]:
    return tuple(map(stored_version, rows))
