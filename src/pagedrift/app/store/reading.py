"""What do people want to see of the store? One page of it at a time, and in few queries however much there is."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Any, Final

from sqlalchemy import ColumnElement, and_, func, or_, select
from sqlalchemy.orm import defer

from pagedrift.app.store.tables import (
    SKIPPED,
    ChangeRow,
    DeliveryRow,
    LabelRow,
    RuleRow,
    StoryRow,
    StoryWatchRow,
    TokenRow,
    VersionRow,
    VisitRow,
    WatchRow,
)

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from sqlalchemy import Select
    from sqlalchemy.orm import Session

PAGE: Final = 50  # rows of one page of a list
SPARK: Final = 24  # changes of a watch in the overview
BARS: Final = 120  # changes of a watch on its own page
FOLDED: Final = 2_000  # visits that one page of a timeline looks at
LEAPS: Final = 10_000  # pages of a list that can be leafed through
SITES: Final = ("feed", "sitemap", "list")
STATES: Final = ("changed", "fine", "new", "trouble", "not_the_page", "paused")
SORTS: Final = ("newest", "name", "amount", "visited")


# --- values ----------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Bar:
    """One change, as small as it is drawn."""

    id: int
    at: datetime
    amount: float
    matters: bool
    redesigned: bool
    told: bool


@dataclass(frozen=True, slots=True)
class Line:
    """One watch, as a list shows it."""

    id: str
    url: str
    host: str
    kind: str
    name: str
    group: str
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
    bars: tuple[Bar, ...] = ()  # oldest first
    headline: str = ""  # of the newest change
    document: tuple[int, str, datetime] | None = None  # the newest of a site: version, title, time
    redesigned_at: datetime | None = None  # of a site: when that was noticed last

    @property
    def title(self) -> str:
        """The name it goes by."""
        return self.name or self.url

    @property
    def is_site(self) -> bool:
        """Whether it leads to pages rather than being one."""
        return self.kind in SITES


@dataclass(frozen=True, slots=True)
class Overview:
    """One page of the list of watches."""

    lines: tuple[Line, ...]
    found: int
    page: int
    pages: int
    states: dict[str, int]  # how many there are of each, whatever is asked for
    total: int


@dataclass(frozen=True, slots=True)
class Change:
    """One change, as lists show it."""

    id: int
    watch: str
    title: str  # of the watch
    host: str
    at: datetime
    headline: str
    amount: float
    probability: float
    matters: bool
    redesigned: bool
    told: bool
    reason: str
    old: int
    new: int
    story: int | None


@dataclass(frozen=True, slots=True)
class Entry:
    """One row of a timeline: a visit with what came of it, or several alike."""

    outcome: str  # new, changed, unchanged, not_the_page, trouble, skipped
    at: datetime  # of the newest
    since: datetime  # of the oldest
    visits: int
    reason: str
    status: int | None
    seconds: float
    version: int | None
    change: Change | None = None


@dataclass(frozen=True, slots=True)
class Timeline:
    """One page of what happened to a watch, newest first."""

    entries: tuple[Entry, ...]
    older: int | None  # the visit that the next page begins before


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


@dataclass(frozen=True, slots=True)
class Whole:
    """All there is to a change."""

    change: Change
    card: dict[str, Any]
    watch: Line
    old: Version
    new: Version
    before: int | None  # the change of this watch before it
    after: int | None
    label: bool | None  # what the user said: it matters, or not
    story: Story | None
    alike: tuple[Change, ...]  # the same change on other pages of the host


@dataclass(frozen=True, slots=True)
class Story:
    """One message, the pages it is about, and where it went."""

    id: int
    uid: str
    kind: str
    host: str
    title: str
    opened_at: datetime
    closes_at: datetime | None
    closed_at: datetime | None
    told: dict[str, Any]
    watches: tuple[tuple[str, str, int | None], ...] = ()  # id, title, change
    pages: int = 0
    deliveries: tuple[Delivery, ...] = ()


@dataclass(frozen=True, slots=True)
class Delivery:
    """One story on its way to one channel."""

    id: int
    channel: str
    attempts: int
    next_at: datetime | None
    delivered_at: datetime | None
    error: str


@dataclass(frozen=True, slots=True)
class Skipped:
    """A visit whose version was not kept, and why."""

    watch: str
    title: str
    at: datetime
    reason: str


@dataclass(frozen=True, slots=True)
class Visit:
    """One visit, as the state of the queue shows it."""

    id: int
    watch: str
    title: str
    at: datetime
    outcome: str
    reason: str
    seconds: float


@dataclass(frozen=True, slots=True)
class Queue:
    """What is due, under way and just done."""

    due: int
    watching: int
    paused: int
    under_way: tuple[Line, ...]
    coming: tuple[Line, ...]
    recent: tuple[Visit, ...]
    in_trouble: tuple[Line, ...]
    undelivered: int
    per_minute: float = 0.0
    outcomes: dict[str, int] = field(default_factory=dict)


# --- watches ---------------------------------------------------------------------------------------------------


def overview(
    session: Session,
    *,
    search: str = "",
    group: str | None = None,
    state: str = "",
    parent: str | None = None,
    sort: str = "newest",
    page: int = 1,
    size: int = PAGE,
) -> Overview:
    """Give a page of the watches: those of the user, or those that a site led to."""
    base = [~WatchRow.deleted]
    if parent is not None:
        base.append(WatchRow.parent == parent)
    elif not search:
        base.append(WatchRow.parent.is_(None))
    states = _states(session, base)
    wanted = [*base, *_filters(search, group, state)]
    total = sum(states.values()) - states["changed"]
    found = (
        total if wanted == base else session.scalar(select(func.count()).select_from(WatchRow).where(*wanted)) or 0
    )
    pages = max(1, -(-found // size))
    page = min(max(1, page), pages, LEAPS)
    rows = session.scalars(
        _watches().where(*wanted).order_by(*_order(sort)).limit(size).offset((page - 1) * size)
    ).all()
    return Overview(_lines(session, rows), found, page, pages, states, total)


def watch(session: Session, which: str) -> Line | None:
    """Give one watch."""
    row = session.scalars(_watches().where(WatchRow.id == which)).first()
    return None if row is None or row.deleted else _lines(session, [row])[0]


def _watches() -> Any:
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


def _filters(search: str, group: str | None, state: str) -> list[ColumnElement[bool]]:
    wanted: list[ColumnElement[bool]] = [
        or_(*(column.icontains(word, autoescape=True) for column in (WatchRow.url, WatchRow.name)))
        for word in search.split()[:10]
    ]
    if group is not None:
        wanted.append(WatchRow.group == group)
    if state == "changed":
        wanted.append(_changed_lately())
    elif state == "paused":
        wanted.append(WatchRow.paused.is_(True))
    elif state in STATES:
        wanted += [WatchRow.state == state, ~WatchRow.paused]
    return wanted


def _order(sort: str) -> tuple[Any, ...]:
    """Put what happened last first: of a watch that never changed, that it was added."""
    by = {
        "name": (func.lower(func.coalesce(func.nullif(WatchRow.name, ""), WatchRow.url)),),
        "visited": (func.coalesce(WatchRow.visited_at, WatchRow.created_at).desc(),),
    }
    newest = func.coalesce(WatchRow.changed_at, WatchRow.created_at).desc()
    return (*by.get(sort, (newest,)), WatchRow.id)


def _changed_lately() -> ColumnElement[bool]:
    """Tell those that changed this week; a first version sets `changed_at` too, and is no change."""
    week_ago = datetime.now(UTC) - timedelta(days=7)
    there = select(ChangeRow.id).where(ChangeRow.watch == WatchRow.id, ChangeRow.at > week_ago).exists()
    return and_(WatchRow.changed_at > week_ago, there)


def _lines(session: Session, rows: Sequence[WatchRow]) -> tuple[Line, ...]:
    """Give watches with their last changes, in two queries more for all of them."""
    ids = [row.id for row in rows]
    bars, said = _bars(session, ids, SPARK), _headlines(session, ids)
    sites = [row.id for row in rows if row.kind in SITES]
    found, documents, redesigned = _counts(session, sites), _documents(session, sites), _redesigned(session, sites)
    return tuple(
        Line(
            row.id, row.url, row.host, row.kind, row.name, row.group, "paused" if row.paused else row.state,
            row.lease is not None and row.leased_until is not None and row.leased_until > datetime.now(UTC),
            row.trouble, row.failures, row.visits, row.visited_at, row.changed_at, row.next_at, row.created_at,
            row.parent, row.newest, found.get(row.id, 0), tuple(bars.get(row.id, ())), said.get(row.id, ""),
            documents.get(row.id), redesigned.get(row.id),
        )
        for row in rows
    )  # fmt: skip


def _bars(session: Session, ids: Iterable[str], most: int) -> dict[str, list[Bar]]:
    nth = func.row_number().over(partition_by=ChangeRow.watch, order_by=ChangeRow.at.desc()).label("nth")
    columns = (
        ChangeRow.id,
        ChangeRow.at,
        ChangeRow.amount,
        ChangeRow.matters,
        ChangeRow.redesigned,
        ChangeRow.told,
    )
    inner = select(ChangeRow.watch, *columns, nth).where(ChangeRow.watch.in_(list(ids))).subquery()
    rows = session.execute(select(inner).where(inner.c.nth <= most).order_by(inner.c.at))
    bars: dict[str, list[Bar]] = defaultdict(list)
    for row in rows:
        bars[row.watch].append(Bar(row.id, row.at, row.amount, row.matters, row.redesigned, row.told))
    return bars


def _headlines(session: Session, ids: Iterable[str]) -> dict[str, str]:
    newest = select(ChangeRow.watch, func.max(ChangeRow.at).label("at")).where(ChangeRow.watch.in_(list(ids)))
    last = newest.group_by(ChangeRow.watch).subquery()
    rows = session.execute(
        select(ChangeRow.watch, _HEADLINE).join(
            last, and_(ChangeRow.watch == last.c.watch, ChangeRow.at == last.c.at)
        )
    )
    return {which: said or "" for which, said in rows}


def _counts(session: Session, sites: list[str]) -> dict[str, int]:
    if not sites:
        return {}
    children = select(WatchRow.parent, func.count()).where(WatchRow.parent.in_(sites), ~WatchRow.deleted)
    return {str(parent): number for parent, number in session.execute(children.group_by(WatchRow.parent))}


def _documents(session: Session, sites: list[str]) -> dict[str, tuple[int, str, datetime]]:
    """Find the newest document of each site."""
    if not sites:
        return {}
    last = select(func.max(VersionRow.id)).where(VersionRow.watch.in_(sites)).group_by(VersionRow.watch)
    columns = (VersionRow.watch, VersionRow.id, VersionRow.title, VersionRow.url, VersionRow.captured_at)
    rows = session.execute(select(*columns).where(VersionRow.id.in_(last)))
    return {row.watch: (row.id, row.title or row.url, row.captured_at) for row in rows}


def _redesigned(session: Session, sites: list[str]) -> dict[str, datetime]:
    """Find when the last redesign of each site was noticed."""
    if not sites:
        return {}
    told = select(StoryWatchRow.watch, func.max(StoryRow.opened_at)).join(
        StoryRow, StoryRow.id == StoryWatchRow.story
    )
    told = told.where(StoryWatchRow.watch.in_(sites), StoryRow.kind == "redesign").group_by(StoryWatchRow.watch)
    return {which: at for which, at in session.execute(told) if at is not None}


def noticed(session: Session, which: str) -> dict[str, datetime]:
    """Give when each event of a site was noticed, by its signature."""
    told = select(StoryRow.signature, StoryRow.opened_at).join(StoryWatchRow, StoryRow.id == StoryWatchRow.story)
    rows = session.execute(told.where(StoryWatchRow.watch == which, StoryRow.signature != "").limit(1_000))
    return {signature: at for signature, at in rows}  # noqa: C416 - rows are no pairs to type checkers


def bars(session: Session, which: str, *, most: int = BARS) -> tuple[Bar, ...]:
    """Give the last changes of a watch, oldest first."""
    return tuple(_bars(session, [which], most).get(which, ()))


# --- a timeline ------------------------------------------------------------------------------------------------


def timeline(session: Session, which: str, *, before: int | None = None, size: int = PAGE) -> Timeline:
    """Give what came of the visits to a watch; those in a row that tell the same are one entry."""
    wanted = select(VisitRow).where(VisitRow.watch == which)
    if before is not None:
        start = session.get(VisitRow, before)
        if start is not None and start.watch == which:
            earlier = and_(VisitRow.at == start.at, VisitRow.id < start.id)
            wanted = wanted.where(or_(VisitRow.at < start.at, earlier), VisitRow.at <= start.at)
    rows = session.scalars(wanted.order_by(VisitRow.at.desc(), VisitRow.id.desc()).limit(FOLDED + 1)).all()
    runs = _runs(rows[:FOLDED])
    shown = runs[:size]
    more = len(runs) > size or len(rows) > FOLDED
    told = _changes_to(session, which, [run[0].version for run in shown if run[0].version is not None])
    entries = tuple(_entry(run, told) for run in shown)
    return Timeline(entries, shown[-1][-1].id if more and shown else None)


def _runs(rows: Sequence[VisitRow]) -> list[list[VisitRow]]:
    runs: list[list[VisitRow]] = []
    for row in rows:
        if runs and _outcome(row) not in ("new", "changed") and _alike(runs[-1][0], row):
            runs[-1].append(row)
        else:
            runs.append([row])
    return runs


def _alike(one: VisitRow, other: VisitRow) -> bool:
    return _outcome(one) == _outcome(other) and (one.outcome == "unchanged" or one.reason == other.reason)


def _outcome(row: VisitRow) -> str:
    return row.outcome if row.kept or row.outcome not in ("new", "changed") else "skipped"


def _entry(run: list[VisitRow], told: dict[int, Change]) -> Entry:
    first = run[0]
    return Entry(
        _outcome(first), first.at, run[-1].at, len(run), first.reason, first.status, first.seconds,
        first.version, told.get(first.version or 0),
    )  # fmt: skip


def _changes_to(session: Session, which: str, versions: list[int]) -> dict[int, Change]:
    rows = session.execute(_changes().where(ChangeRow.watch == which, ChangeRow.new.in_(versions)))
    return {row.new: _change(row) for row in rows}


def versions(session: Session, which: str, *, most: int = 200) -> tuple[Version, ...]:
    """Give the newest versions of a watch."""
    wanted = select(*_VERSION).where(VersionRow.watch == which)
    rows = session.execute(wanted.order_by(VersionRow.captured_at.desc(), VersionRow.id.desc()).limit(most))
    return tuple(Version(*row) for row in rows)


def version(session: Session, number: int) -> Version | None:
    """Give one version."""
    row = session.execute(select(*_VERSION).where(VersionRow.id == number)).first()
    return None if row is None else Version(*row)


def change_between(session: Session, old: int, new: int) -> int | None:
    """Find the change from one version to another, where it was worked out already."""
    return session.scalar(select(ChangeRow.id).where(ChangeRow.new == new, ChangeRow.old == old).limit(1))


# --- changes ---------------------------------------------------------------------------------------------------

_HEADLINE: Final = ChangeRow.card["headline"].as_string()
_VERSION: Final = (
    VersionRow.id, VersionRow.captured_at, VersionRow.title, VersionRow.url, VersionRow.status, VersionRow.mime,
    VersionRow.digest, VersionRow.pictured, VersionRow.length,
)  # fmt: skip


def change(session: Session, number: int) -> Whole | None:
    """Give all there is to a change."""
    row = session.execute(_changes().where(ChangeRow.id == number)).first()
    if row is None:
        return None
    found, line = _change(row), watch(session, row.watch)
    old, new = version(session, row.old), version(session, row.new)
    if line is None or old is None or new is None:
        return None
    label = session.get(LabelRow, number)
    card = session.scalar(select(ChangeRow.card).where(ChangeRow.id == number)) or {}
    told = story(session, row.story) if row.story is not None else None
    before, after = _neighbours(session, found)
    alike = _alike_elsewhere(session, row.signature, found)
    return Whole(found, card, line, old, new, before, after, label.matters if label else None, told, alike)


def _neighbours(session: Session, one: Change) -> tuple[int | None, int | None]:
    here, at, number = ChangeRow.watch == one.watch, ChangeRow.at, ChangeRow.id
    earlier = or_(at < one.at, and_(at == one.at, number < one.id))
    later = or_(at > one.at, and_(at == one.at, number > one.id))
    before = select(number).where(here, at <= one.at, earlier).order_by(at.desc(), number.desc()).limit(1)
    after = select(number).where(here, at >= one.at, later).order_by(at, number).limit(1)
    return session.scalar(before), session.scalar(after)


def _alike_elsewhere(session: Session, signature: str, one: Change) -> tuple[Change, ...]:
    if not signature:
        return ()
    same = _changes().where(ChangeRow.signature == signature, ChangeRow.id != one.id, WatchRow.host == one.host)
    return tuple(_change(row) for row in session.execute(same.order_by(ChangeRow.at.desc()).limit(PAGE)))


def changes(
    session: Session,
    *,
    which: str | None = None,
    told: bool | None = None,
    before: int | None = None,
    least: float | None = None,
    size: int = PAGE,
) -> tuple[tuple[Change, ...], int | None]:
    """Give a page of the changes of one watch or of all, newest first, and where the next page begins."""
    wanted = _changes()
    if which is not None:
        wanted = wanted.where(ChangeRow.watch == which)
    if told is not None:
        wanted = wanted.where(ChangeRow.told.is_(told))
    if least is not None:
        wanted = wanted.where(ChangeRow.amount >= least)
    if before is not None and (start := session.get(ChangeRow, before)) is not None:
        earlier = and_(ChangeRow.at == start.at, ChangeRow.id < start.id)
        wanted = wanted.where(ChangeRow.at <= start.at, or_(ChangeRow.at < start.at, earlier))
    rows = session.execute(wanted.order_by(ChangeRow.at.desc(), ChangeRow.id.desc()).limit(size + 1)).all()
    found = tuple(_change(row) for row in rows[:size])
    return found, found[-1].id if len(rows) > size else None


def _changes() -> Any:
    return select(
        ChangeRow.id, ChangeRow.watch, ChangeRow.at, ChangeRow.amount, ChangeRow.probability, ChangeRow.matters,
        ChangeRow.redesigned, ChangeRow.told, ChangeRow.reason, ChangeRow.old, ChangeRow.new, ChangeRow.story,
        ChangeRow.signature, _HEADLINE.label("headline"), WatchRow.name, WatchRow.url, WatchRow.host,
    ).join(WatchRow, WatchRow.id == ChangeRow.watch).where(~WatchRow.deleted)  # fmt: skip


def _change(row: Any) -> Change:
    return Change(
        row.id, row.watch, row.name or row.url, row.host, row.at, row.headline or "", row.amount, row.probability,
        row.matters, row.redesigned, row.told, row.reason, row.old, row.new, row.story,
    )  # fmt: skip


def replayed(session: Session, which: str, least: float) -> tuple[int, int]:
    """Count the changes of a watch, and those of at least an amount."""
    counted = select(func.count(), func.count().filter(ChangeRow.amount >= least)).where(ChangeRow.watch == which)
    total, above = session.execute(counted).one()
    return int(total), int(above)


def changes_of(session: Session, watches: Select[Any], *, most: int) -> tuple[Change, ...]:
    """Give the newest changes of some watches."""
    wanted = _changes().where(ChangeRow.watch.in_(watches))
    return tuple(map(_change, session.execute(wanted.order_by(ChangeRow.at.desc()).limit(most))))


def skipped(session: Session, *, size: int = PAGE) -> tuple[Skipped, ...]:
    """Give the newest versions that were looked at and not kept."""
    rows = session.execute(
        select(VisitRow.watch, WatchRow.name, WatchRow.url, VisitRow.at, VisitRow.reason)
        .join(WatchRow, WatchRow.id == VisitRow.watch)
        .where(SKIPPED, ~WatchRow.deleted)  # word by word as in the index
        .order_by(VisitRow.at.desc())
        .limit(size)
    )
    return tuple(Skipped(which, name or url, at, reason) for which, name, url, at, reason in rows)


# --- stories ---------------------------------------------------------------------------------------------------


def stories(
    session: Session, *, before: int | None = None, which: str | None = None, kind: str = "", size: int = PAGE
) -> tuple[tuple[Story, ...], int | None]:
    """Give a page of what was told, newest first, and where the next page begins."""
    wanted = select(StoryRow)
    if which is not None:
        wanted = wanted.where(StoryRow.id.in_(select(StoryWatchRow.story).where(StoryWatchRow.watch == which)))
    if kind:
        wanted = wanted.where(StoryRow.kind == kind)
    if before is not None and (start := session.get(StoryRow, before)) is not None:
        earlier = and_(StoryRow.opened_at == start.opened_at, StoryRow.id < start.id)
        wanted = wanted.where(
            StoryRow.opened_at <= start.opened_at, or_(StoryRow.opened_at < start.opened_at, earlier)
        )
    rows = session.scalars(wanted.order_by(StoryRow.opened_at.desc(), StoryRow.id.desc()).limit(size + 1)).all()
    found = _stories(session, rows[:size], pages=12)
    return found, rows[size - 1].id if len(rows) > size else None


def story(session: Session, number: int, *, pages: int = 500) -> Story | None:
    """Give one story with the pages it is about."""
    row = session.get(StoryRow, number)
    return None if row is None else _stories(session, [row], pages=pages)[0]


def _stories(session: Session, rows: Sequence[StoryRow], *, pages: int) -> tuple[Story, ...]:
    ids = [row.id for row in rows]
    nth = func.row_number().over(partition_by=StoryWatchRow.story, order_by=StoryWatchRow.watch).label("nth")
    many = func.count().over(partition_by=StoryWatchRow.story).label("many")
    inner = (
        select(
            StoryWatchRow.story, StoryWatchRow.watch, StoryWatchRow.change, WatchRow.name, WatchRow.url, nth, many
        )
        .join(WatchRow, WatchRow.id == StoryWatchRow.watch)
        .where(StoryWatchRow.story.in_(ids))
        .subquery()
    )
    about, number = defaultdict[int, list[Any]](list), dict[int, int]()
    for row in session.execute(select(inner).where(inner.c.nth <= pages).order_by(inner.c.nth)):
        about[row.story].append((row.watch, row.name or row.url, row.change))
        number[row.story] = row.many
    went = _deliveries(session, ids)
    return tuple(
        Story(
            row.id, row.uid, row.kind, row.host, row.title, row.opened_at, row.closes_at, row.closed_at,
            row.told or {}, tuple(about[row.id]), number.get(row.id, 0), tuple(went[row.id]),
        )
        for row in rows
    )  # fmt: skip


def _deliveries(session: Session, ids: list[int]) -> defaultdict[int, list[Delivery]]:
    went = defaultdict[int, list[Delivery]](list)
    rows = session.scalars(
        select(DeliveryRow).where(DeliveryRow.story.in_(ids)).order_by(DeliveryRow.id).limit(5_000)
    )
    for row in rows:
        went[row.story].append(
            Delivery(row.id, row.channel, row.attempts, row.next_at, row.delivered_at, row.error)
        )
    return went


# --- the queue -------------------------------------------------------------------------------------------------


def queue(session: Session, *, now: datetime, few: int = 20) -> Queue:
    """Give what is due, under way and just done."""
    there, going = ~WatchRow.deleted, ~WatchRow.paused
    count = select(func.count()).select_from(WatchRow).where(there)
    busy = and_(WatchRow.lease.is_not(None), WatchRow.leased_until > now)
    under_way = session.scalars(_watches().where(there, busy).order_by(WatchRow.leased_until).limit(few)).all()
    coming = session.scalars(
        _watches().where(there, going, ~func.coalesce(busy, False)).order_by(WatchRow.next_at).limit(few)
    ).all()
    trouble = session.scalars(
        _watches()
        .where(there, going, WatchRow.state.in_(("trouble", "not_the_page")))
        .order_by(WatchRow.visited_at.desc())
        .limit(few)
    ).all()
    recent = _recent(session, 200)
    return Queue(
        session.scalar(count.where(going, WatchRow.next_at <= now)) or 0,
        session.scalar(count.where(going)) or 0,
        session.scalar(count.where(WatchRow.paused)) or 0,
        _lines(session, under_way),
        _lines(session, coming),
        recent[:few],
        _lines(session, trouble),
        session.scalar(select(func.count()).select_from(DeliveryRow).where(DeliveryRow.next_at.is_not(None))) or 0,
        _per_minute(recent, now),
    )


def _recent(session: Session, most: int) -> tuple[Visit, ...]:
    columns = (VisitRow.id, VisitRow.watch, VisitRow.at, VisitRow.outcome, VisitRow.reason, VisitRow.seconds)
    newest = select(*columns).order_by(VisitRow.id.desc()).limit(most).subquery()
    rows = session.execute(
        select(newest, WatchRow.name, WatchRow.url)
        .join(WatchRow, WatchRow.id == newest.c.watch)
        .order_by(newest.c.id.desc())
    )
    return tuple(
        Visit(row.id, row.watch, row.name or row.url, row.at, row.outcome, row.reason, row.seconds) for row in rows
    )


def _per_minute(recent: Sequence[Visit], now: datetime) -> float:
    """Count the visits of the last minutes; where there were more than are read, of the time these took."""
    last = [visit.at for visit in recent if (now - visit.at).total_seconds() < 300]  # noqa: PLR2004 - five minutes
    if not last:
        return 0.0
    span = 300.0 if len(last) < len(recent) else (now - min(last)).total_seconds()
    return len(last) / max(1.0, span) * 60


# --- what the user set -----------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class RuleLine:
    """One rule, and what it is about."""

    id: str
    scope: str
    of: str
    title: str
    kind: str
    value: str
    change: int | None
    created_at: datetime


def rules(session: Session, *, which: Line | None = None, most: int = 500) -> tuple[RuleLine, ...]:
    """Give the rules, or those that are about one watch."""
    wanted = select(RuleRow, WatchRow.name, WatchRow.url).where(~RuleRow.deleted)
    wanted = wanted.outerjoin(WatchRow, and_(RuleRow.scope == "watch", WatchRow.id == RuleRow.of))
    if which is not None:
        about = (("watch", which.id), ("host", which.host), ("group", which.group))
        wanted = wanted.where(
            or_(RuleRow.scope == "all", *(and_(RuleRow.scope == scope, RuleRow.of == of) for scope, of in about))
        )
    rows = session.execute(wanted.order_by(RuleRow.created_at.desc()).limit(most))
    return tuple(
        RuleLine(
            row.id, row.scope, row.of, name or url or row.of, row.kind, row.value, row.change, row.created_at
        )
        for row, name, url in rows
    )  # fmt: skip


def tokens(session: Session) -> tuple[TokenRow, ...]:
    """Give the tokens, without what they are."""
    return tuple(session.scalars(select(TokenRow).order_by(TokenRow.created_at.desc()).limit(500)))


def labels(session: Session) -> tuple[int, int]:
    """Count what the user said about changes: how many matter, and how many do not."""
    rows = session.execute(select(LabelRow.matters, func.count()).group_by(LabelRow.matters))
    counted = {bool(matters): number for matters, number in rows}
    return counted.get(True, 0), counted.get(False, 0)
