"""Sessions and tokens in the database; only digests of them are kept."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Any, Final, Literal, cast

from sqlalchemy import delete, select

from pagedrift.app.model.people import FIRST, Person, Role, lower_role
from pagedrift.app.model.watch import new_id
from pagedrift.app.store.people import person_of
from pagedrift.app.store.tables import PersonRow, TokenRow

if TYPE_CHECKING:
    from pagedrift.app.store.store import Store

Use = Literal["api", "feed", "session"]
TOKENS: Final = ("api", "feed")


@dataclass(frozen=True, slots=True, kw_only=True)
class Token:
    """A session, or a key to the API or the feeds, without the key."""

    id: str
    name: str  # of a session: the browser
    use: str
    created_at: datetime
    person: Person
    role: Role  # what it allows: never more than the person may do now


def find(store: Store, use: Use, digest: str) -> Token | None:
    """Give the session or token with this digest; none of somebody who was removed."""
    with store.read() as session:
        row = session.execute(_with_people().where(TokenRow.digest == digest, TokenRow.use == use)).first()
        return None if row is None else _token(*row)


def add(store: Store, name: str, digest: str, use: Use, *, person: str = FIRST, role: Role = "owner") -> None:
    """Keep a token of a person."""
    now = datetime.now(UTC)
    with store.begin() as session:
        row = TokenRow(id=new_id(), name=name, digest=digest, use=use, created_at=now, person_id=person, role=role)
        session.add(row)


def every(store: Store, *, person: str | None = None) -> list[Token]:
    """Give the tokens of a person or of all, oldest first."""
    return _listed(store, TOKENS, person)


def sessions(store: Store, *, person: str | None = None) -> list[Token]:
    """Give the sessions of a person or of all, oldest first."""
    return _listed(store, ("session",), person)


def _listed(store: Store, uses: tuple[str, ...], person: str | None) -> list[Token]:
    wanted = _with_people().where(TokenRow.use.in_(uses)).order_by(TokenRow.created_at, TokenRow.id)
    if person is not None:
        wanted = wanted.where(TokenRow.person_id == person)
    with store.read() as session:
        return [_token(*row) for row in session.execute(wanted)]


def _with_people() -> Any:
    return select(TokenRow, PersonRow).join(PersonRow, PersonRow.id == TokenRow.person_id)


def _token(row: TokenRow, person: PersonRow) -> Token:
    whose = person_of(person)
    return Token(
        id=row.id,
        name=row.name,
        use=row.use,
        created_at=row.created_at,
        person=whose,
        role=lower_role(cast("Role", row.role), whose.role),
    )


def revoke(store: Store, id: str, *, person: str | None = None) -> bool:  # noqa: A002 - as the table calls it
    """Make a token worthless, or one of a person only; say whether there was one."""
    return _end(store, TokenRow.id == id, TokenRow.use.in_(TOKENS), person=person)


def end_session(store: Store, id: str, *, person: str | None = None) -> bool:  # noqa: A002
    """End one session, or one of a person only; say whether there was one."""
    return _end(store, TokenRow.id == id, TokenRow.use == "session", person=person)


def end_sessions(store: Store, *, person: str) -> bool:
    """Log a person out everywhere."""
    return _end(store, TokenRow.use == "session", person=person)


def _end(store: Store, *which: Any, person: str | None) -> bool:
    mine = () if person is None else (TokenRow.person_id == person,)
    with store.begin() as session:
        rows = session.scalars(select(TokenRow).where(*which, *mine)).all()
        for row in rows:  # one by one, so that the log has them
            session.delete(row)
        return bool(rows)


def begin_session(store: Store, digest: str, lasting: timedelta, *, person: str = FIRST, name: str = "") -> None:
    """Keep a session, and end those that began longer ago than one lasts."""
    now = datetime.now(UTC)
    with store.begin() as session:
        over = TokenRow.created_at < now - lasting
        session.execute(delete(TokenRow).where(TokenRow.use == "session", over))
        row = TokenRow(
            id=new_id(), name=name, digest=digest, use="session", created_at=now, person_id=person, role="owner"
        )
        session.add(row)
