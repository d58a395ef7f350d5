"""Queries for the pages of a redesign: what it did to each of them, and the versions before and after."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from sqlalchemy import select

from pagedrift.app.model.redesign import RedesignDetails
from pagedrift.app.store.queries.versions import version
from pagedrift.app.store.tables import AlertWatchRow, ChangeRow, VersionRow, WatchRow

if TYPE_CHECKING:
    from sqlalchemy.orm import Session

    from pagedrift.app.model.results import StoredVersion

MAX_PAGES: Final = 500  # of one alert that are looked at


@dataclass(frozen=True, slots=True, kw_only=True)
class RedesignedPage:
    """One of the pages that an alert about a redesign is about, or a feed or sitemap that showed it."""

    watch: str
    title: str
    change: int | None
    details: RedesignDetails
    versions: tuple[int, int] | None  # before and after


def redesigned_pages(session: Session, alert: int) -> tuple[RedesignedPage, ...]:
    """Give what an alert about a redesign is about, pages before feeds and sitemaps."""
    wanted = (
        select(AlertWatchRow, WatchRow, ChangeRow)
        .join(WatchRow, WatchRow.id == AlertWatchRow.watch_id)
        .outerjoin(ChangeRow, ChangeRow.id == AlertWatchRow.change_id)
        .where(AlertWatchRow.alert_id == alert, ~WatchRow.deleted)
        .order_by(AlertWatchRow.change_id.is_(None), AlertWatchRow.change_id, WatchRow.url)
        .limit(MAX_PAGES)
    )
    return tuple(_page(session, watch, change) for _, watch, change in session.execute(wanted))


def example_of(
    session: Session, pages: tuple[RedesignedPage, ...]
) -> tuple[RedesignedPage, StoredVersion, StoredVersion] | None:
    """Choose the page that shows a redesign best: one with pictures of both versions, else the first."""
    shown = [(page, *page.versions) for page in pages if page.versions is not None][:20]
    found = [(page, version(session, old), version(session, new)) for page, old, new in shown]
    pairs = [(page, old, new) for page, old, new in found if old is not None and new is not None]
    return max(pairs, key=lambda pair: pair[1].pictured and pair[2].pictured, default=None)


def _page(session: Session, watch: WatchRow, change: ChangeRow | None) -> RedesignedPage:
    title = watch.name or watch.url
    if change is not None:
        stored = change.card.get("redesign")
        details = RedesignDetails.from_json(stored) if stored else RedesignDetails()
        versions = (change.old_id, change.new_id)
        return RedesignedPage(watch=watch.id, title=title, change=change.id, details=details, versions=versions)
    events = [each for each in (watch.memory or {}).get("events", ()) if each.get("kind") == "redesign"]
    details = RedesignDetails.of_event(events[-1]) if events else RedesignDetails()
    versions_ = _documents(session, watch.id, str(events[-1].get("url", ""))) if events else None
    return RedesignedPage(watch=watch.id, title=title, change=None, details=details, versions=versions_)


def _documents(session: Session, watch: str, url: str) -> tuple[int, int] | None:
    """Find the first document of the new design, and the one before it."""
    own = select(VersionRow).where(VersionRow.watch_id == watch)
    new = session.scalars(own.where(VersionRow.url == url).order_by(VersionRow.id.desc()).limit(1)).first()
    if new is None:
        return None
    old = session.scalars(own.where(VersionRow.id < new.id).order_by(VersionRow.id.desc()).limit(1)).first()
    return None if old is None else (old.id, new.id)
