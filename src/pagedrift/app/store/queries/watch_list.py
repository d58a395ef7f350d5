"""Queries for the list of watches, each with its state and latest changes."""

from __future__ import annotations

import json
from collections import defaultdict
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Any, Final

from sqlalchemy import ColumnElement, Text, and_, cast, func, or_, select, union_all
from sqlalchemy.orm import defer

from pagedrift.app.store.queries.changes import HEADLINE
from pagedrift.app.store.queries.row_limits import (
    MAX_CHART_BARS,
    MAX_COMBINED_QUERIES,
    MAX_PAGES,
    MAX_SPARK_BARS,
    PAGE_SIZE,
)
from pagedrift.app.store.tables import AlertRow, AlertWatchRow, ChangeRow, VersionRow, WatchRow

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from sqlalchemy.orm import Session

SITES: Final = ("feed", "sitemap", "list")
STATES: Final = ("changed", "fine", "new", "trouble", "not_the_page", "paused")
SORTS: Final = ("newest", "name", "amount", "visited")


@dataclass(frozen=True, slots=True, kw_only=True)
class ChangeBar:
    """One change, as small as it is drawn."""

    id: int
    at: datetime
    amount: float
    matters: bool
    redesigned: bool
    alerted: bool

    @property
    def ignored(self) -> bool:
        """Whether it caused no alert, as nothing in it is important."""
        return not (self.matters or self.redesigned or self.alerted)


def last_of(bars: Sequence[ChangeBar]) -> ChangeBar | None:
    """Give the newest change that was not ignored; where all were, the newest."""
    newest = bars[-1] if bars else None
    return next((bar for bar in reversed(bars) if not bar.ignored), newest)


@dataclass(frozen=True, slots=True, kw_only=True)
class WatchSummary:
    """One watch, as a list shows it."""

    id: str
    url: str
    host: str
    kind: str
    name: str
    group: str
    tags: tuple[str, ...]
    state: str  # new, fine, trouble, not_the_page, paused
    under_way: bool
    trouble: str
    failures: int
    visits: int
    visited_at: datetime | None
    changed_at: datetime | None
    next_at: datetime
    created_at: datetime
    parent: str | None
    newest: int | None
    pages: int = 0  # of a site
    bars: tuple[ChangeBar, ...] = ()  # oldest first
    headline: str = ""  # of the last change
    document: tuple[int, str, datetime] | None = None  # the newest of a site: version, title, time
    redesigned_at: datetime | None = None  # of a site: when that was noticed last

    @property
    def title(self) -> str:
        """The name it goes by."""
        return self.name or self.url

    @property
    def last_change(self) -> ChangeBar | None:
        """The change to show: the last of the newest ones that is not noise, if there is one."""
        return last_of(self.bars)

    @property
    def is_site(self) -> bool:
        """Whether it leads to pages rather than being one."""
        return self.kind in SITES


@dataclass(frozen=True, slots=True, kw_only=True)
class WatchListPage:
    """One page of the list of watches."""

    lines: tuple[WatchSummary, ...]
    found: int
    page: int
    pages: int
    states: dict[str, int]  # how many there are of each, whatever is asked for
    total: int


def overview(
    session: Session,
    *,
    search: str = "",
    group: str | None = None,
    tag: str = "",
    state: str = "",
    parent: str | None = None,
    sort: str = "newest",
    page: int = 1,
    size: int = PAGE_SIZE,
) -> WatchListPage:
    """Give a page of the watches: those of the user, or those that a site led to."""
    base = [~WatchRow.deleted]
    if parent is not None:
        base.append(WatchRow.parent_id == parent)
    elif not search:
        base.append(WatchRow.parent_id.is_(None))
    states = _states(session, base)
    wanted = [*base, *_filters(search, group, tag, state)]
    total = sum(states.values()) - states["changed"]
    found = (
        total if wanted == base else session.scalar(select(func.count()).select_from(WatchRow).where(*wanted)) or 0
    )
    pages = max(1, -(-found // size))
    page = min(max(1, page), pages, MAX_PAGES)
    rows = session.scalars(
        select_watches().where(*wanted).order_by(*_order(sort)).limit(size).offset((page - 1) * size)
    ).all()
    return WatchListPage(
        lines=lines_of(session, rows), found=found, page=page, pages=pages, states=states, total=total
    )


def watch(session: Session, which: str) -> WatchSummary | None:
    """Give one watch."""
    row = session.scalars(select_watches().where(WatchRow.id == which)).first()
    return None if row is None or row.deleted else lines_of(session, [row])[0]


def failing(session: Session, find: str = "", *, size: int = PAGE_SIZE) -> tuple[WatchSummary, ...]:
    """Give the watches whose checks fail, pages of sites too, those first that were checked last."""
    wanted = select_watches().where(*_failing(), *_filters(find, None, "", ""))
    rows = session.scalars(wanted.order_by(WatchRow.visited_at.desc(), WatchRow.id).limit(size)).all()
    return lines_of(session, rows)


def count_failing(session: Session) -> int:
    """Count the watches whose checks fail."""
    return session.scalar(select(func.count()).select_from(WatchRow).where(*_failing())) or 0


def _failing() -> tuple[ColumnElement[bool], ...]:
    return WatchRow.state.in_(("trouble", "not_the_page")), ~WatchRow.paused, ~WatchRow.deleted


def bars(session: Session, which: str) -> tuple[ChangeBar, ...]:
    """Give the last changes of a watch, oldest first."""
    return tuple(_bars(session, [which], MAX_CHART_BARS).get(which, ()))


def select_watches() -> Any:
    """Choose watches without what they remember: that of a site is megabytes."""
    return select(WatchRow).options(defer(WatchRow.memory), defer(WatchRow.rate), defer(WatchRow.options))


def _states(session: Session, base: list[ColumnElement[bool]]) -> dict[str, int]:
    counted = session.execute(
        select(WatchRow.state, WatchRow.paused, func.count()).where(*base).group_by(WatchRow.state, WatchRow.paused)
    )
    states = dict.fromkeys(STATES, 0)
    for state, paused, number in counted:
        states["paused" if paused else state] = states.get("paused" if paused else state, 0) + number
    changed = select(func.count()).select_from(WatchRow).where(*base, _changed_lately())
    states["changed"] = session.scalar(changed) or 0
    return states


def _filters(search: str, group: str | None, tag: str, state: str) -> list[ColumnElement[bool]]:
    wanted: list[ColumnElement[bool]] = [
        or_(*(column.icontains(word, autoescape=True) for column in (WatchRow.url, WatchRow.name)))
        for word in search.split()[:10]
    ]
    if group is not None:
        wanted.append(WatchRow.group == group)
    if tag:
        wanted.append(has_tag(tag))
    if state == "changed":
        wanted.append(_changed_lately())
    elif state == "paused":
        wanted.append(WatchRow.paused.is_(True))
    elif state in STATES:
        wanted += [WatchRow.state == state, ~WatchRow.paused]
    return wanted


def has_tag(tag: str) -> ColumnElement[bool]:
    """Select watches with a tag: with the quotes of JSON around it, no longer tag matches."""
    return cast(WatchRow.tags, Text).contains(json.dumps(tag), autoescape=True)


def _order(sort: str) -> tuple[Any, ...]:
    """Put what happened last first: of a watch that never changed, that it was added."""
    by = {
        "name": (func.lower(func.coalesce(func.nullif(WatchRow.name, ""), WatchRow.url)),),
        "visited": (func.coalesce(WatchRow.visited_at, WatchRow.created_at).desc(),),
    }
    newest = func.coalesce(WatchRow.changed_at, WatchRow.created_at).desc()
    return (*by.get(sort, (newest,)), WatchRow.id)


def _changed_lately() -> ColumnElement[bool]:
    """Select those that changed this week; a first version sets `changed_at` too, and is not a change."""
    week_ago = datetime.now(UTC) - timedelta(days=7)
    there = select(ChangeRow.id).where(ChangeRow.watch_id == WatchRow.id, ChangeRow.at > week_ago).exists()
    return and_(WatchRow.changed_at > week_ago, there)


def lines_of(session: Session, rows: Sequence[WatchRow]) -> tuple[WatchSummary, ...]:
    """Give watches with their last changes, in two queries more for all of them."""
    ids = [row.id for row in rows]
    bars = _bars(session, ids, MAX_SPARK_BARS)
    said = _headlines(session, [last.id for some in bars.values() if (last := last_of(some))])
    sites = [row.id for row in rows if row.kind in SITES]
    found, documents, redesigned = _counts(session, sites), _documents(session, sites), _redesigned(session, sites)
    return tuple(
        WatchSummary(
            id=row.id,
            url=row.url,
            host=row.host,
            kind=row.kind,
            name=row.name,
            group=row.group,
            tags=tuple(row.tags),
            state="paused" if row.paused else row.state,
            under_way=_is_under_way(row),
            trouble=row.trouble,
            failures=row.failures,
            visits=row.visits,
            visited_at=row.visited_at,
            changed_at=row.changed_at,
            next_at=row.next_at,
            created_at=row.created_at,
            parent=row.parent_id,
            newest=row.newest_id,
            pages=found.get(row.id, 0),
            bars=tuple(bars.get(row.id, ())),
            headline=said.get(row.id, ""),
            document=documents.get(row.id),
            redesigned_at=redesigned.get(row.id),
        )
        for row in rows
    )


def _is_under_way(row: WatchRow) -> bool:
    return row.lease is not None and row.leased_until is not None and row.leased_until > datetime.now(UTC)


def _bars(session: Session, ids: Iterable[str], most: int) -> dict[str, list[ChangeBar]]:
    columns = (
        ChangeRow.watch_id,
        ChangeRow.id,
        ChangeRow.at,
        ChangeRow.amount,
        ChangeRow.matters,
        ChangeRow.redesigned,
        ChangeRow.told,
    )
    bars: dict[str, list[ChangeBar]] = defaultdict(list)
    newest = select(*columns).order_by(ChangeRow.at.desc(), ChangeRow.id.desc()).limit(most)
    for row in _of_each(session, ids, lambda which: newest.where(ChangeRow.watch_id == which)):
        bars[row.watch_id].append(
            ChangeBar(
                id=row.id,
                at=row.at,
                amount=row.amount,
                matters=row.matters,
                redesigned=row.redesigned,
                alerted=row.told,
            )
        )
    return {which: sorted(some, key=lambda bar: (bar.at, bar.id)) for which, some in bars.items()}


def _headlines(session: Session, changes: Iterable[int]) -> dict[str, str]:
    """Give the headline of a change of each watch."""
    rows = session.execute(select(ChangeRow.watch_id, HEADLINE).where(ChangeRow.id.in_(list(changes))))
    return {which: headline or "" for which, headline in rows}


def _of_each(session: Session, ids: Iterable[str], wanted: Callable[[str], Any]) -> Iterator[Any]:
    """Give the newest rows of each watch in one query, which reads no more of their past than it gives.

    A window over the rows of a watch would read them all; a lateral join is not known to SQLite.
    """
    each = [select(wanted(which).subquery()) for which in ids]
    for first in range(0, len(each), MAX_COMBINED_QUERIES):
        yield from session.execute(union_all(*each[first : first + MAX_COMBINED_QUERIES]))


def _counts(session: Session, sites: list[str]) -> dict[str, int]:
    if not sites:
        return {}
    children = select(WatchRow.parent_id, func.count()).where(WatchRow.parent_id.in_(sites), ~WatchRow.deleted)
    return {str(parent): number for parent, number in session.execute(children.group_by(WatchRow.parent_id))}


def _documents(session: Session, sites: list[str]) -> dict[str, tuple[int, str, datetime]]:
    """Find the newest document of each site."""
    if not sites:
        return {}
    columns = (VersionRow.watch_id, VersionRow.id, VersionRow.title, VersionRow.url, VersionRow.captured_at)
    newest = select(*columns).order_by(VersionRow.captured_at.desc(), VersionRow.id.desc()).limit(1)
    rows = _of_each(session, sites, lambda which: newest.where(VersionRow.watch_id == which))
    return {row.watch_id: (row.id, row.title or row.url, row.captured_at) for row in rows}


def _redesigned(session: Session, sites: list[str]) -> dict[str, datetime]:
    """Find when the last redesign of each site was noticed."""
    if not sites:
        return {}
    found = select(AlertWatchRow.watch_id, func.max(AlertRow.opened_at)).join(
        AlertRow, AlertRow.id == AlertWatchRow.alert_id
    )
    found = found.where(AlertWatchRow.watch_id.in_(sites), AlertRow.kind == "redesign").group_by(
        AlertWatchRow.watch_id
    )
    return {which: at for which, at in session.execute(found) if at is not None}
