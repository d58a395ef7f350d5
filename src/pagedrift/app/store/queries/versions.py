"""Queries for the kept versions of a watch."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from sqlalchemy import select

from pagedrift.app.store.tables import VersionRow

if TYPE_CHECKING:
    from datetime import datetime

    from sqlalchemy.orm import Session

_VERSION: Final = (
    VersionRow.id, VersionRow.captured_at, VersionRow.title, VersionRow.url, VersionRow.status, VersionRow.mime,
    VersionRow.digest, VersionRow.pictured, VersionRow.length,
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Version:
    """One version, as a list shows it."""

    id: int
    captured_at: datetime
    title: str
    url: str
    status: int | None
    mime: str
    digest: str
    pictured: bool
    length: int


def versions(session: Session, which: str, *, most: int = 200) -> tuple[Version, ...]:
    """Give the newest versions of a watch."""
    wanted = select(*_VERSION).where(VersionRow.watch == which)
    rows = session.execute(wanted.order_by(VersionRow.captured_at.desc(), VersionRow.id.desc()).limit(most))
    return tuple(Version(*row) for row in rows)


def version(session: Session, number: int) -> Version | None:
    """Give one version."""
    row = session.execute(select(*_VERSION).where(VersionRow.id == number)).first()
    return None if row is None else Version(*row)
