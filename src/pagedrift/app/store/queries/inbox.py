"""Queries for the inbox: changes that a person has not read, a search in changes, and why others were ignored."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Any, Final

from sqlalchemy import func, select

from pagedrift.app.model.people import FIRST
from pagedrift.app.store.change_index import REASON
from pagedrift.app.store.queries.changes import ChangeSummary, change_of, select_changes
from pagedrift.app.store.queries.row_limits import PAGE_SIZE
from pagedrift.app.store.tables import ChangeCauseRow, ChangeRow, ChangeTextRow, ReadRow, WatchRow
from pagedrift.report import reasons

if TYPE_CHECKING:
    from collections.abc import Iterable

    from sqlalchemy.orm import Session

    from pagedrift.app.model.change import JudgedEdit

SHOWN: Final = ("unread", "important", "ignored", "all")  # what an inbox can show of the changes
CAUSES_SINCE: Final = timedelta(days=30)
MAX_CAUSES: Final = 50  # that are listed
MAX_SEARCH_WORDS: Final = 10
CSS: Final = ChangeRow.card[("edits", 0, "css")].as_string()


@dataclass(frozen=True, slots=True, kw_only=True)
class InboxEntry:
    """One piece of news: a change, with the same change on other pages of the site."""

    change: ChangeSummary  # the newest
    css: str  # the part of the page that its first edit is in
    others: tuple[ChangeSummary, ...] = ()

    @property
    def ids(self) -> tuple[int, ...]:
        """The changes that it stands for."""
        return (self.change.id, *(each.id for each in self.others))

    @property
    def unread(self) -> bool:
        """Whether any of them is unread."""
        return any(each.unread for each in (self.change, *self.others))

    @property
    def pages(self) -> int:
        """On how many pages it is."""
        return len({each.watch for each in (self.change, *self.others)})


@dataclass(frozen=True, slots=True)
class InboxSite:
    """The news of one site, the newest first."""

    host: str
    entries: tuple[InboxEntry, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Inbox:
    """A page of the inbox, by site."""

    sites: tuple[InboxSite, ...]
    older: int | None  # where the next page begins

    @property
    def entries(self) -> tuple[InboxEntry, ...]:
        """All entries, whatever their site."""
        return tuple(entry for site in self.sites for entry in site.entries)


@dataclass(frozen=True, slots=True, kw_only=True)
class IgnoredCause:
    """What caused changes without an alert: one place on the pages of a site, or one reason."""

    host: str
    cause: str
    changes: int
    pages: int
    at: datetime  # of the newest
    newest: ChangeSummary
    edit: int | None  # which of its edits it is
    judged: JudgedEdit | None

    @property
    def title(self) -> str:
        """What it is, in words."""
        if self.judged is None:
            return reasons.sentence_case(self.newest.decision.because) or "Changed"
        return reasons.cause(self.judged.summary or self.newest.headline, self.judged.zone)

    @property
    def why(self) -> str:
        """Why it is not important."""
        return (self.judged.because or self.judged.why) if self.judged is not None else ""


def unread_count(session: Session, *, person: str = FIRST) -> int:
    """Count what a person has not read: pages with the same change, of which there was one alert, are one."""
    different = func.count(func.distinct(func.coalesce(-ChangeRow.alert_id, ChangeRow.id)))
    present = select(different).join(WatchRow, WatchRow.id == ChangeRow.watch_id).where(~WatchRow.deleted)
    mine = present.join(ReadRow, ReadRow.change_id == ChangeRow.id).where(ReadRow.person_id == person)
    return session.scalar(mine.where(ReadRow.unread, ChangeRow.told)) or 0


def newest_change(session: Session) -> int:
    """Give the number of the newest change, 0 where there is none: what comes later was not seen."""
    return session.scalar(select(func.max(ChangeRow.id))) or 0


def inbox(
    session: Session,
    *,
    person: str = FIRST,
    show: str = "unread",
    find: str = "",
    before: int | None = None,
    size: int = PAGE_SIZE,
) -> Inbox:
    """Give a page of a person's inbox: by site, that with the newest news first."""
    found, older = search_changes(session, person=person, show=show, find=find, before=before, size=size)
    css = _css(session, [each.id for each in found])
    sites: dict[str, list[InboxEntry]] = defaultdict(list)
    for group in _same_news(found):
        first = group[0]
        sites[first.host].append(InboxEntry(change=first, css=css.get(first.id, ""), others=tuple(group[1:])))
    return Inbox(sites=tuple(InboxSite(host, tuple(some)) for host, some in sites.items()), older=older)


def search_changes(
    session: Session,
    *,
    person: str = FIRST,
    show: str = "all",
    find: str = "",
    before: int | None = None,
    size: int = PAGE_SIZE,
) -> tuple[tuple[ChangeSummary, ...], int | None]:
    """Give a page of the changes in whose texts all words are found, newest first, and where the next begins."""
    wanted = select_changes(person)
    if show == "unread":
        wanted = wanted.where(ReadRow.unread, ChangeRow.told)
    elif show in ("important", "ignored"):
        wanted = wanted.where(ChangeRow.told if show == "important" else ~ChangeRow.told)
    words = find.lower().split()[:MAX_SEARCH_WORDS]
    if words:
        wanted = wanted.join(ChangeTextRow, ChangeTextRow.change_id == ChangeRow.id)
    for word in words:
        wanted = wanted.where(ChangeTextRow.text.contains(word, autoescape=True))
    if before is not None and (start := session.get(ChangeRow, before)) is not None:
        earlier = (ChangeRow.at == start.at) & (ChangeRow.id < start.id)
        wanted = wanted.where(ChangeRow.at <= start.at, (ChangeRow.at < start.at) | earlier)
    rows = session.execute(wanted.order_by(ChangeRow.at.desc(), ChangeRow.id.desc()).limit(size + 1)).all()
    found = tuple(map(change_of, rows[:size]))
    return found, found[-1].id if len(rows) > size else None


def _same_news(changes: Iterable[ChangeSummary]) -> list[list[ChangeSummary]]:
    """Put the changes together about which there was one alert."""
    found: dict[Any, list[ChangeSummary]] = defaultdict(list)
    for change in changes:
        found[change.id if change.alert is None else f"alert {change.alert}"].append(change)
    return list(found.values())


def _css(session: Session, ids: list[int]) -> dict[int, str]:
    rows = session.execute(select(ChangeRow.id, CSS.label("css")).where(ChangeRow.id.in_(ids)))
    return {row.id: row.css or "" for row in rows}


def ignored_causes(session: Session, *, now: datetime | None = None) -> tuple[IgnoredCause, ...]:
    """Fold the ignored changes of the last 30 days by what caused them, the most frequent first."""
    many = func.count(func.distinct(ChangeCauseRow.change_id))
    grouped = (
        select(
            WatchRow.host,
            ChangeCauseRow.cause,
            many.label("changes"),
            func.count(func.distinct(ChangeCauseRow.watch_id)).label("pages"),
            func.max(ChangeCauseRow.change_id).label("newest"),
        )
        .join(WatchRow, WatchRow.id == ChangeCauseRow.watch_id)
        .where(~WatchRow.deleted, ChangeCauseRow.at >= (now or datetime.now(UTC)) - CAUSES_SINCE)
        .group_by(WatchRow.host, ChangeCauseRow.cause)
        .order_by(many.desc(), func.max(ChangeCauseRow.change_id).desc())
        .limit(MAX_CAUSES)
    )
    return tuple(_cause(session, row) for row in session.execute(grouped).all())


def _cause(session: Session, row: Any) -> IgnoredCause:
    newest = change_of(session.execute(select_changes().where(ChangeRow.id == row.newest)).one())
    edit, judged = None, None
    if not row.cause.startswith(REASON):
        edit = session.get_one(ChangeCauseRow, (row.newest, row.cause)).edit
        edits = session.get_one(ChangeRow, row.newest).record.analysis.edits
        judged = edits[edit] if edit is not None and edit < len(edits) else None
    return IgnoredCause(
        host=row.host,
        cause=row.cause,
        changes=row.changes,
        pages=row.pages,
        at=newest.at,
        newest=newest,
        edit=edit,
        judged=judged,
    )
