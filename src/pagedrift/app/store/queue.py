"""Whose turn is it? Each due visit is given to one worker, however many processes ask."""

from __future__ import annotations

import time
from collections import Counter
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Final

from sqlalchemy import and_, case, func, or_, select, update
from sqlalchemy.dialects import postgresql, sqlite

from pagedrift.app.settings import LOOPBACK
from pagedrift.app.store.tables import HostRow, WatchRow

if TYPE_CHECKING:
    from collections.abc import Callable, Collection

    from sqlalchemy import ColumnElement, Select
    from sqlalchemy.orm import Session

    from pagedrift.app.store.store import Store

AHEAD: Final = 8  # times as many as are wanted that are looked at first
FARTHEST: Final = timedelta(hours=1)  # that a turn at a host is ahead; beyond, the clock was wrong
LEASE: Final = timedelta(minutes=5)  # a worker that was not heard of for so long has died; others take over


def claim(
    store: Store,
    owner: str,
    *,
    most: int,
    now: datetime | None = None,
    due_at: datetime | None = None,
    per_host: int = 1,
    busy: Collection[str] = (),
) -> list[str]:
    """Take visits that are due, the longest due first and of each host a few only; nobody else gets them.

    Only this machine itself needs no politeness.
    """
    now = now or datetime.now(UTC)
    is_due = _due(now, due_at)
    host_is_free = or_(HostRow.next_at.is_(None), HostRow.next_at <= now, HostRow.next_at > now + 2 * FARTHEST)
    ready = (
        select(WatchRow.id, WatchRow.host, WatchRow.next_at)
        .outerjoin(HostRow, HostRow.host == WatchRow.host)
        .where(is_due, host_is_free, WatchRow.host.not_in({*busy} - LOOPBACK))
    )
    with store.read() as session:
        wanted = _wanted(session, ready, most=most, per_host=per_host)
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


def _wanted(session: Session, ready: Select[str, str, datetime], *, most: int, per_host: int) -> list[str]:
    """Choose among what is ready: among the longest due if they are of many hosts, else among all."""
    near = session.execute(ready.order_by(WatchRow.next_at).limit(AHEAD * most)).all()
    counts: Counter[str] = Counter()
    chosen = []
    for row in near:
        counts[row.host] += 1
        if counts[row.host] <= per_host or row.host in LOOPBACK:
            chosen.append(row.id)
    if len(chosen) >= most or len(near) < AHEAD * most:
        return chosen[:most]
    # Thousands that are due may be of one host, which must not keep the others waiting. This looks at all of them.
    place = func.row_number().over(partition_by=WatchRow.host, order_by=(WatchRow.next_at, WatchRow.id))
    due = ready.add_columns(place.label("place")).subquery()
    of_each = select(due.c.id).where(or_(due.c.place <= per_host, due.c.host.in_(LOOPBACK)))
    return list(session.scalars(of_each.order_by(due.c.next_at).limit(most)))


def renew(store: Store, owner: str, ids: Collection[str], *, now: datetime | None = None) -> None:
    """Say that we are still at it."""
    now = now or datetime.now(UTC)
    held = update(WatchRow).where(WatchRow.id.in_(ids), WatchRow.lease == owner)
    with store.begin() as session:
        session.execute(held.values(leased_until=now + LEASE))


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


class Turns:
    """The order in which requests to one host follow each other, a delay apart, in all processes together."""

    def __init__(self, store: Store, *, sleep: Callable[[float], None] = time.sleep) -> None:
        self._store = store
        self._sleep = sleep

    def wait(self, host: str, delay: float) -> None:
        """Wait until it is our turn; each one that waits takes the next one."""
        if delay > 0 and host not in LOOPBACK and (seconds := self.reserve(host, delay)) > 0:
            self._sleep(seconds)

    def reserve(self, host: str, delay: float) -> float:
        """Take the next turn at a host; give the seconds until then."""
        now = datetime.now(UTC)
        with self._store.begin() as session:
            row = session.get(HostRow, host, with_for_update=True)
            if row is None:
                # Two that meet a host for the first time: one writes it, the other waits and reads what it wrote.
                insert = postgresql.insert if self._store.shared else sqlite.insert
                session.execute(insert(HostRow).values(host=host, next_at=now).on_conflict_do_nothing())
                row = session.get_one(HostRow, host, with_for_update=True)
            # A clock that was far ahead once must not keep us waiting for ever.
            turn = min(max(now, row.next_at), now + FARTHEST)
            row.next_at = turn + timedelta(seconds=delay)
        return (turn - now).total_seconds()


def _due(now: datetime, due_at: datetime | None = None) -> ColumnElement[bool]:
    free = or_(WatchRow.leased_until.is_(None), WatchRow.leased_until < now)
    # A lease that ends too far ahead was given by a clock that was wrong.
    wrong = WatchRow.leased_until > now + 2 * LEASE
    return and_(~WatchRow.deleted, ~WatchRow.paused, WatchRow.next_at <= (due_at or now), or_(free, wrong))
