"""Sessions and tokens in the database; only digests of them are kept."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Any, Final, Literal

from sqlalchemy import delete, select

from pagedrift.app.model.watch import new_id
from pagedrift.app.store.tables import TokenRow, ValueRow

if TYPE_CHECKING:
    from pagedrift.app.store.store import Store

Use = Literal["api", "feed", "session"]
TOKENS: Final = ("api", "feed")


@dataclass(frozen=True, slots=True)
class Token:
    """A key to the API or the feeds, without the key."""

    id: str
    name: str
    use: str
    created_at: datetime


def find(store: Store, use: Use, digest: str) -> str | None:
    """Give the id of the session or token with this digest."""
    with store.read() as session:
        return session.scalars(select(TokenRow.id).where(TokenRow.digest == digest, TokenRow.use == use)).first()


def add(store: Store, name: str, digest: str, use: Use) -> None:
    """Keep a token."""
    with store.begin() as session:
        session.add(TokenRow(id=new_id(), name=name, digest=digest, use=use, created_at=datetime.now(UTC)))


def every(store: Store) -> list[Token]:
    """Give the tokens, oldest first."""
    wanted = select(TokenRow).where(TokenRow.use.in_(TOKENS)).order_by(TokenRow.created_at, TokenRow.id)
    with store.read() as session:
        return [Token(row.id, row.name, row.use, row.created_at) for row in session.scalars(wanted)]


def revoke(store: Store, id: str) -> bool:  # noqa: A002 - as the table calls it
    """Make a token worthless; say whether there was one."""
    with store.begin() as session:
        gone: Any = session.execute(delete(TokenRow).where(TokenRow.id == id, TokenRow.use.in_(TOKENS)))
        return bool(gone.rowcount)


def end_session(store: Store, id: str) -> None:  # noqa: A002 - as the table calls it
    """End one session."""
    with store.begin() as session:
        session.execute(delete(TokenRow).where(TokenRow.id == id, TokenRow.use == "session"))


def begin_session(store: Store, digest: str, lasting: timedelta) -> None:
    """Keep a session, and end those that began longer ago than one lasts."""
    now = datetime.now(UTC)
    with store.begin() as session:
        over = TokenRow.created_at < now - lasting
        session.execute(delete(TokenRow).where(TokenRow.use == "session", over))
        session.add(TokenRow(id=new_id(), name="", digest=digest, use="session", created_at=now))


def set_and_end_sessions(store: Store, name: str, value: Any) -> None:
    """Remember a setting and end all sessions in one step, such as those that began with an old password."""
    with store.begin() as session:
        session.merge(ValueRow(name=name, value=value))
        session.execute(delete(TokenRow).where(TokenRow.use == "session"))
