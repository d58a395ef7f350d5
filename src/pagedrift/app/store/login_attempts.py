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


def begin(
    store: Store, name: str, *, is_trusted: bool, window: timedelta, max_each: int, max_all: int
) -> int | datetime:
    """Count an attempt as wrong until it is known to be right, and give its number.

    Where there were too many wrong ones in the window, give since when, and count none.
    """
    now = datetime.now(UTC)
    with store.begin() as session:
        if store.shared:  # SQLite lets one write at a time anyway
            session.execute(text("SELECT pg_advisory_xact_lock(870032)"))
        _drop_old(session, now, window)
        full = _used_up(session, name, is_trusted=is_trusted, max_each=max_each, max_all=max_all)
        if full is not None:
            return full
        row = AttemptRow(who=name, at=now, right=False)
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


def _used_up(session: Session, name: str, *, is_trusted: bool, max_each: int, max_all: int) -> datetime | None:
    """Return since when there are too many wrong ones; None if there are not."""
    wrong = select(func.count(), func.min(AttemptRow.at)).where(~AttemptRow.right)
    own, since = session.execute(wrong.where(AttemptRow.who == name)).one()
    if own >= max_each:
        return since
    known = select(AttemptRow.id).where(AttemptRow.who == name, AttemptRow.right).limit(1)
    if is_trusted or session.scalar(known) is not None:
        return None
    number, since = session.execute(wrong.where(AttemptRow.who.not_like(f"{BROWSER}%"))).one()
    return since if number >= max_all else None
