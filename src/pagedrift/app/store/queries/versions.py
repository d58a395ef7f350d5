"""Queries for the kept versions of a watch or an address."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from sqlalchemy import func, select

from pagedrift.app.store.tables import VersionRow, WatchRow
from pagedrift.app.store.watches import host_of
from pagedrift.archive.locations import Place

if TYPE_CHECKING:
    from collections.abc import Iterable
    from datetime import datetime

    from sqlalchemy.orm import Session

MAX_OF_ADDRESS: Final = 100_000  # versions of one address that are listed
_COLUMNS: Final = (
    VersionRow.id, VersionRow.watch, VersionRow.captured_at, VersionRow.title, VersionRow.url, VersionRow.status,
    VersionRow.mime, VersionRow.digest, VersionRow.pictured, VersionRow.filename, VersionRow.offset,
    VersionRow.length,
)  # fmt: skip


@dataclass(frozen=True, slots=True, kw_only=True)
class Version:
    """One version, and where its bytes are."""

    id: int
    watch: str
    captured_at: datetime
    title: str
    url: str
    status: int | None
    mime: str
    digest: str
    pictured: bool
    place: Place

    @property
    def length(self) -> int:
        """How many bytes it takes in the archive."""
        return self.place.length


def versions(session: Session, which: str, *, most: int = 200, max_bytes: int | None = None) -> tuple[Version, ...]:
    """Give the newest versions of a watch; those that take at least `max_bytes` are left out."""
    wanted = select(*_COLUMNS).where(VersionRow.watch == which)
    if max_bytes is not None:
        wanted = wanted.where(VersionRow.length < max_bytes)
    return _given(session.execute(wanted.order_by(VersionRow.captured_at.desc(), VersionRow.id.desc()).limit(most)))


def newest_versions(session: Session, site: str, *, most: int, max_bytes: int) -> tuple[Version, ...]:
    """Give the newest version of each page of a site."""
    wanted = select(*_COLUMNS).join(WatchRow, WatchRow.newest == VersionRow.id)
    wanted = wanted.where(WatchRow.parent == site, ~WatchRow.deleted, VersionRow.length < max_bytes)
    return _given(session.execute(wanted.order_by(VersionRow.captured_at.desc()).limit(most)))


def versions_before(
    session: Session, which: str, *, before: int | None = None, size: int
) -> tuple[tuple[Version, ...], int | None]:
    """Give a page of the versions of a watch by their numbers, newest first, and where the next page begins."""
    wanted = select(*_COLUMNS).where(VersionRow.watch == which)
    if before is not None:
        wanted = wanted.where(VersionRow.id < before)
    found = _given(session.execute(wanted.order_by(VersionRow.id.desc()).limit(size + 1)))
    return found[:size], found[size - 1].id if len(found) > size else None


def versions_of_address(session: Session, url: str) -> tuple[Version, ...]:
    """Give all versions of an address, oldest first: of watches of it, or captured there by others of its host."""
    here = select(WatchRow.id).where(WatchRow.host == host_of(url), WatchRow.kind == "page")
    wanted = select(*_COLUMNS).order_by(VersionRow.captured_at, VersionRow.id).limit(MAX_OF_ADDRESS)
    watched = wanted.where(VersionRow.watch.in_(here.where(WatchRow.url == url)))
    captured = wanted.where(VersionRow.watch.in_(here), VersionRow.url == url)
    return _given(session.execute(watched)) or _given(session.execute(captured))


def version(session: Session, number: int) -> Version | None:
    """Give one version."""
    return next(iter(_given(session.execute(select(*_COLUMNS).where(VersionRow.id == number)))), None)


def count_versions(session: Session, which: str | None = None) -> int:
    """Count the versions of a watch, or of all."""
    counted = select(func.count()).select_from(VersionRow)
    return session.scalar(counted if which is None else counted.where(VersionRow.watch == which)) or 0


def _given(rows: Iterable[Any]) -> tuple[Version, ...]:
    return tuple(
        Version(
            id=row.id,
            watch=row.watch,
            captured_at=row.captured_at,
            title=row.title,
            url=row.url,
            status=row.status,
            mime=row.mime,
            digest=row.digest,
            pictured=row.pictured,
            place=Place(row.filename, row.offset, row.length),
        )
        for row in rows
    )
