"""Attempts at the password, counted in one place for all processes before they are looked at."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Final

from sqlalchemy import delete, func, select, text

from pagedrift.app.store.tables import AttemptRow

if TYPE_CHECKING:
    from sqlalchemy.orm import Session

    from pagedrift.app.store.store import Store

KNOWN: Final = timedelta(days=400)  # for which a browser or an address that logged in is remembered
BROWSER: Final = "browser:"
_WRONG: Final = select(func.count(), func.min(AttemptRow.at)).where(~AttemptRow.right)


def begin(
    store: Store,
    name: str,
    *,
    account: str = "",
    is_trusted: bool,
    window: timedelta,
    max_each: int,
    max_all: int,
    max_account: int,
) -> int | datetime:
    """Count an attempt as wrong until it is known to be right, and give its number.

    Where there were too many wrong ones in the window, give since when, and count none.
    """
    now = datetime.now(UTC)
    with store.begin() as session:
        if store.shared:  # SQLite lets one write at a time anyway
            session.execute(text("SELECT pg_advisory_xact_lock(870032)"))
        _drop_old(session, now, window)
        full = _used_up_by(session, name, max_each)
        if full is None and not is_trusted and not _is_known(session, name):
            full = _used_up_by_strangers(session, account, max_all=max_all, max_account=max_account)
        if full is not None:
            return full
        row = AttemptRow(who=name, at=now, right=False, account=account)
        session.add(row)
        session.flush()
        return row.id


def right(store: Store, attempt: int) -> None:
    """Take an attempt back that was right, and remember who made it."""
    with store.begin() as session:
        row = session.get(AttemptRow, attempt)
        if row is not None:
            session.execute(delete(AttemptRow).where(AttemptRow.who == row.who, AttemptRow.id != row.id))
            row.right = True


def _drop_old(session: Session, now: datetime, window: timedelta) -> None:
    session.execute(delete(AttemptRow).where(AttemptRow.at <= now - window, ~AttemptRow.right))
    session.execute(delete(AttemptRow).where(AttemptRow.at <= now - KNOWN))


def _used_up_by(session: Session, name: str, most: int) -> datetime | None:
    """Return since when somebody tried too many wrong ones; None if there were fewer."""
    number, since = session.execute(_WRONG.where(AttemptRow.who == name)).one()
    return since if number >= most else None


def _is_known(session: Session, name: str) -> bool:
    known = select(AttemptRow.id).where(AttemptRow.who == name, AttemptRow.right).limit(1)
    return session.scalar(known) is not None


def _used_up_by_strangers(session: Session, account: str, *, max_all: int, max_account: int) -> datetime | None:
    """Return since when strangers tried too many wrong ones, altogether or at one account."""
    strangers = _WRONG.where(AttemptRow.who.not_like(f"{BROWSER}%"))
    number, since = session.execute(strangers).one()
    if number >= max_all:
        return since
    number, since = session.execute(strangers.where(AttemptRow.account == account)).one()
    return since if number >= max_account else None
