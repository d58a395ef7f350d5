"""Visit queue: leases that give each due visit to one worker, across all processes."""

from __future__ import annotations

import time
from collections import Counter
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Final

from sqlalchemy import and_, case, func, or_, select, update
from sqlalchemy.dialects import postgresql, sqlite

from pagedrift.app.settings import LOOPBACK
from pagedrift.app.store.tables import HostRow, WatchRow
from pagedrift.capture.throttle import LaterError

if TYPE_CHECKING:
    from collections.abc import Callable, Collection

    from sqlalchemy import ColumnElement, Select
    from sqlalchemy.orm import Session

    from pagedrift.app.store.store import Store

AHEAD: Final = 8  # times as many as are wanted that are looked at first
MAX_TURN_WAIT: Final = 2.0  # seconds that a worker waits for its turn at a host; beyond, it does something else
FARTHEST: Final = timedelta(hours=1)  # that a turn at a host is ahead; beyond, the clock was wrong
MAX_TOGETHER: Final = 100  # watches of one page that share a fetch
NEARLY: Final = 0.75  # of the wait for the next visit, after which a watch goes along with another of its page
LEASE: Final = timedelta(minutes=5)  # a worker that was not heard of for so long has died; others take over


def claim(
    store: Store,
    owner: str,
    *,
    most: int,
    now: datetime | None = None,
    due_at: datetime | None = None,
    per_host: int = 1,
    per_local_host: int = 1,
    busy: Collection[str] = (),
    hosts: Collection[str] | None = None,
    under_way: Collection[str] = (),
    again: Collection[str] = (),
) -> list[str]:
    """Take visits that are due, the longest due first and of each host a few only; nobody else gets them.

    Hosts that are `busy` are left alone, watches that are `under_way`, and all but some `hosts` where these are
    given. Watches to visit `again`
    are due by now, whatever `due_at` says. This machine itself needs no politeness, so more of it may be visited.
    """
    now = now or datetime.now(UTC)
    is_due = _due(now, due_at, again)
    host_is_free = or_(HostRow.next_at.is_(None), HostRow.next_at <= now, HostRow.next_at > now + 2 * FARTHEST)
    ready = (
        select(WatchRow.id, WatchRow.host, WatchRow.next_at)
        .outerjoin(HostRow, HostRow.host == WatchRow.host)
        .where(is_due, host_is_free, WatchRow.host.not_in(busy), WatchRow.id.not_in(under_way))
    )
    with store.read() as session:
        wanted = _wanted(session, ready, hosts, most=most, per_host=per_host, per_local_host=per_local_host)
    if not wanted:
        return []
    # What another process took meanwhile is no longer due, and what it locks at this very moment is passed over.
    # Written as a case, no index of all that is due is searched for the few that were chosen.
    still_due = case((is_due, 1), else_=0) == 1
    free = select(WatchRow.id).where(WatchRow.id.in_(wanted), still_due).with_for_update(skip_locked=True)
    take = update(WatchRow).where(WatchRow.id.in_(free)).values(lease=owner, leased_until=now + LEASE)
    with store.begin() as session:
        taken = session.execute(take.returning(WatchRow.id, WatchRow.next_at)).all()
    return [row.id for row in sorted(taken, key=lambda row: row.next_at)]


def take_turns(
    store: Store, hosts: Collection[str], delay_of: Callable[[str], float], *, now: datetime | None = None
) -> set[str]:
    """Take the next turn at hosts that may be asked at once, all in one transaction; give those where that worked.

    At the others, that nobody knows yet or that another process asks, whoever visits them waits for a turn.
    """
    now = now or datetime.now(UTC)
    taken = set[str]()
    by_delay: dict[float, list[str]] = {}
    for host in hosts:
        by_delay.setdefault(delay_of(host), []).append(host)
    with store.begin() as session:
        for delay, alike in by_delay.items():
            free = select(HostRow.host).where(HostRow.host.in_(alike), HostRow.next_at <= now)
            turn = update(HostRow).where(HostRow.host.in_(free.with_for_update(skip_locked=True)))
            turn = turn.values(next_at=now + timedelta(seconds=delay)).returning(HostRow.host)
            taken.update(session.scalars(turn, execution_options={"synchronize_session": False}))
    return taken


def pages_of_several(store: Store, ids: Collection[str]) -> set[str]:
    """Give the addresses of watches that other watches are about, too."""
    urls = select(WatchRow.url).where(WatchRow.id.in_(ids), WatchRow.kind == "page")
    several = select(WatchRow.url).where(WatchRow.url.in_(urls), WatchRow.kind == "page", ~WatchRow.deleted)
    with store.read() as session:
        return set(session.scalars(several.group_by(WatchRow.url).having(func.count() > 1)))


def near_due(
    store: Store,
    which: str,
    *,
    now: datetime | None = None,
    under_way: Collection[str] = (),
    taken: Collection[str] = (),
) -> list[str]:
    """Find the other watches of a page that may be visited with it: due, or with most of their wait behind them.

    Those that are `taken` are ours already, and not under way yet.
    """
    now = now or datetime.now(UTC)
    url = select(WatchRow.url).where(WatchRow.id == which, WatchRow.kind == "page").scalar_subquery()
    free = or_(WatchRow.leased_until.is_(None), WatchRow.leased_until < now, WatchRow.id.in_(taken))
    others = select(WatchRow.id, WatchRow.next_at, WatchRow.visited_at).where(
        WatchRow.url == url, WatchRow.kind == "page", WatchRow.id != which, WatchRow.id.not_in(under_way)
    )
    wanted = others.where(~WatchRow.deleted, ~WatchRow.paused, free).order_by(WatchRow.next_at, WatchRow.id)
    with store.read() as session:
        rows = session.execute(wanted.limit(MAX_TOGETHER)).all()
    return [row.id for row in rows if row.id in taken or _is_near(row.next_at, row.visited_at, now)]


def _is_near(next_at: datetime, visited_at: datetime | None, now: datetime) -> bool:
    """Return whether a watch is due, or nearly: so watches of a page come together, and stay so."""
    return next_at <= now or (visited_at is not None and now - visited_at >= NEARLY * (next_at - visited_at))


def join(store: Store, owner: str, ids: Collection[str], *, now: datetime | None = None) -> set[str]:
    """Take watches that are visited together with another one; give those that nobody else took meanwhile."""
    now = now or datetime.now(UTC)
    free = or_(WatchRow.leased_until.is_(None), WatchRow.leased_until < now, WatchRow.lease == owner)
    still = select(WatchRow.id).where(WatchRow.id.in_(ids), free, ~WatchRow.deleted, ~WatchRow.paused)
    take = update(WatchRow).where(WatchRow.id.in_(still.with_for_update(skip_locked=True)))
    with store.begin() as session:
        taken = session.execute(take.values(lease=owner, leased_until=now + LEASE).returning(WatchRow.id))
        return set(taken.scalars())


def _wanted(
    session: Session,
    ready: Select[str, str, datetime],
    hosts: Collection[str] | None,
    *,
    most: int,
    per_host: int,
    per_local_host: int,
) -> list[str]:
    """Choose among what is ready: among the longest due if they are of many hosts, else among all."""
    near = session.execute(ready.order_by(WatchRow.next_at).limit(AHEAD * most)).all()
    counts: Counter[str] = Counter()
    chosen = []
    for row in near:
        counts[row.host] += 1
        few = counts[row.host] <= (per_local_host if row.host in LOOPBACK else per_host)
        if few and (hosts is None or row.host in hosts):
            chosen.append(row.id)
    if len(chosen) >= most or len(near) < AHEAD * most:
        return chosen[:most]
    # Thousands that are due may be of one host, which must not keep the others waiting. This looks at all of them.
    if hosts is not None:
        ready = ready.where(WatchRow.host.in_(hosts))
    place = func.row_number().over(partition_by=WatchRow.host, order_by=(WatchRow.next_at, WatchRow.id))
    due = ready.add_columns(place.label("place")).subquery()
    most_of_host = case((due.c.host.in_(LOOPBACK), per_local_host), else_=per_host)
    of_each = select(due.c.id).where(due.c.place <= most_of_host)
    return list(session.scalars(of_each.order_by(due.c.next_at).limit(most)))


def renew(store: Store, owner: str, ids: Collection[str], *, now: datetime | None = None) -> None:
    """Say that we are still at it."""
    now = now or datetime.now(UTC)
    held = update(WatchRow).where(WatchRow.id.in_(ids), WatchRow.lease == owner)
    with store.begin() as session:
        session.execute(held.values(leased_until=now + LEASE))


def put_back(store: Store, which: str, owner: str | None, *, at: datetime, tries: int = 0) -> None:
    """Give back a visit that was not made, to be made later; `tries` is how often that was tried."""
    with store.begin() as session:
        row = session.get(WatchRow, which, with_for_update=True)
        if row is None or row.lease != owner:
            return
        row.lease = row.leased_until = None
        row.next_at = at
        row.memory = {**row.memory, "tries": tries}


def release(store: Store, owner: str) -> None:
    """Give back everything that an owner took and did not do; a part of its name up to a space means all such."""
    held = update(WatchRow).where(
        or_(WatchRow.lease == owner, WatchRow.lease.startswith(f"{owner} ", autoescape=True))
    )
    with store.begin() as session:
        session.execute(held.values(lease=None, leased_until=None))


def mend_times(store: Store) -> int:
    """Make due what was visited in the future, by a clock that was wrong: it would wait until then."""
    now = datetime.now(UTC)
    ahead = update(WatchRow).where(WatchRow.visited_at > now + FARTHEST)
    with store.begin() as session:
        return session.execute(ahead.values(visited_at=now, next_at=now)).rowcount  # type: ignore[attr-defined,no-any-return]


def waiting(store: Store, *, due_at: datetime | None = None) -> tuple[int, int, datetime | None]:
    """Count the visits that are due and those under way, and say when the next is due."""
    now = datetime.now(UTC)
    with store.read() as session:
        due = session.scalar(select(func.count()).select_from(WatchRow).where(_due(now, due_at))) or 0
        under_way = select(func.count()).select_from(WatchRow).where(WatchRow.leased_until >= now)
        following = select(func.min(WatchRow.next_at)).where(~WatchRow.deleted, ~WatchRow.paused)
        return due, session.scalar(under_way) or 0, session.scalar(following)


def hold(store: Store, host: str, seconds: float) -> None:
    """Leave a host alone for some time."""
    DatabaseThrottle(store).reserve(host, seconds)


class DatabaseThrottle:
    """The order in which requests to one host follow each other, a delay apart, in all processes together."""

    def __init__(self, store: Store, *, sleep: Callable[[float], None] = time.sleep) -> None:
        self._store = store
        self._sleep = sleep

    def wait(self, host: str, delay: float) -> None:
        """Wait until it is our turn; each one that waits takes the next one. A long wait is not made here."""
        if delay <= 0 or host in LOOPBACK:
            return
        seconds = self.reserve(host, delay, at_most=MAX_TURN_WAIT)
        if seconds > MAX_TURN_WAIT:
            raise LaterError(seconds)
        if seconds > 0:
            self._sleep(seconds)

    def follow(self, host: str, delay: float, gap: float) -> None:
        """Extend the time of a visit at its host; the next visit waits for that, too."""
        if delay > 0 and host not in LOOPBACK:
            self._sleep(min(self.reserve(host, delay), gap))

    def reserve(self, host: str, delay: float, *, at_most: float = float("inf")) -> float:
        """Take the next turn at a host, if it is not too far; give the seconds until then."""
        now = datetime.now(UTC)
        free = update(HostRow).where(HostRow.host == host, HostRow.next_at <= now)
        with self._store.begin() as session:
            turn_after = free.values(next_at=now + timedelta(seconds=delay))
            taken = session.execute(turn_after, execution_options={"synchronize_session": False})
            if taken.rowcount:  # type: ignore[attr-defined]
                return 0.0
            row = session.get(HostRow, host, with_for_update=True)
            if row is None:
                # Two that meet a host for the first time: one writes it, the other waits and reads what it wrote.
                insert = postgresql.insert if self._store.shared else sqlite.insert
                session.execute(insert(HostRow).values(host=host, next_at=now).on_conflict_do_nothing())
                row = session.get_one(HostRow, host, with_for_update=True)
            # A clock that was far ahead once must not keep us waiting forever.
            turn = min(max(now, row.next_at), now + FARTHEST)
            seconds = (turn - now).total_seconds()
            if seconds <= at_most:
                row.next_at = turn + timedelta(seconds=delay)
        return seconds


def _due(now: datetime, due_at: datetime | None = None, again: Collection[str] = ()) -> ColumnElement[bool]:
    free = or_(WatchRow.leased_until.is_(None), WatchRow.leased_until < now)
    # A lease that ends too far ahead was given by a clock that was wrong.
    wrong = WatchRow.leased_until > now + 2 * LEASE
    due = WatchRow.next_at <= (due_at or now)
    if again:
        due = or_(due, and_(WatchRow.id.in_(again), WatchRow.next_at <= now))
    return and_(~WatchRow.deleted, ~WatchRow.paused, due, or_(free, wrong))
