"""Accounts in the database: roles, passwords, and whose inbox a change comes into."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any, Final, cast

from sqlalchemy import delete, func, insert, literal, select

from pagedrift.app.model.people import Person, Role, checked_name
from pagedrift.app.model.watch import new_id
from pagedrift.app.store.tables import AlertSettingsRow, PersonRow, ReadRow, TokenRow
from pagedrift.errors import InputError, NotFoundError

if TYPE_CHECKING:
    from sqlalchemy.orm import Session

    from pagedrift.app.store.store import Store

MAX_PEOPLE: Final = 1_000


def every(store: Store) -> list[Person]:
    """Give all accounts, oldest first."""
    with store.read() as session:
        return [person_of(row) for row in session.scalars(_in_order())]


def find(store: Store, name: str) -> Person | None:
    """Give an account by its name."""
    with store.read() as session:
        row = session.scalar(select(PersonRow).where(PersonRow.login == login_of(name)))
        return None if row is None else person_of(row)


def get(store: Store, id: str) -> Person:  # noqa: A002 - as the table calls it
    """Give an account by its id."""
    with store.read() as session:
        return person_of(_row(session, id))


def chosen(store: Store, name: str = "") -> Person:
    """Give an account by its name; without one, that of the first owner."""
    if name:
        if (found := find(store, name)) is None:
            raise NotFoundError(f"nobody is called {name[:60]}; see: pagedrift people list")
        return found
    return next(person for person in every(store) if person.role == "owner")


def add(session: Session, name: str, role: Role, *, password: dict[str, Any] | None = None) -> Person:
    """Make an account."""
    name = checked_name(name)
    if (session.scalar(select(func.count()).select_from(PersonRow)) or 0) >= MAX_PEOPLE:
        raise InputError(f"there are {MAX_PEOPLE:,} people already; remove some first")
    if session.scalar(select(PersonRow.id).where(PersonRow.login == login_of(name))) is not None:
        raise InputError(f"somebody is called {name} already; choose another name")
    row = PersonRow(
        id=new_id(), name=name, login=login_of(name), role=role, password=password, created_at=datetime.now(UTC)
    )
    session.add(row)
    session.flush()
    return person_of(row)


def rename(store: Store, id: str, name: str) -> None:  # noqa: A002
    """Call an account differently."""
    name = checked_name(name)
    with store.begin() as session:
        row = _row(session, id)
        taken = session.scalar(select(PersonRow.id).where(PersonRow.login == login_of(name), PersonRow.id != id))
        if taken is not None:
            raise InputError(f"somebody is called {name} already; choose another name")
        row.name, row.login = name, login_of(name)


def set_role(store: Store, id: str, role: Role) -> None:  # noqa: A002
    """Let somebody do more or less than before."""
    with store.begin() as session:
        row = _row(session, id)
        if role != "owner":
            _check_not_last_owner(session, row)
        row.role = role


def remove(store: Store, id: str) -> None:  # noqa: A002
    """Remove an account with its sessions, tokens and read marks."""
    with store.begin() as session:
        row = _row(session, id)
        _check_not_last_owner(session, row)
        session.execute(delete(TokenRow).where(TokenRow.person_id == id))
        session.execute(delete(AlertSettingsRow).where(AlertSettingsRow.owner == id))
        session.delete(row)


def password_of(store: Store, id: str) -> dict[str, Any] | None:  # noqa: A002
    """Give what is kept of a password; None where there is none, and for nobody."""
    with store.read() as session:
        return session.scalar(select(PersonRow.password).where(PersonRow.id == id))


def set_password(store: Store, id: str, kept: dict[str, Any]) -> None:  # noqa: A002
    """Set a password and end the sessions of its person, in one step."""
    with store.begin() as session:
        _row(session, id).password = kept
        session.execute(delete(TokenRow).where(TokenRow.person_id == id, TokenRow.use == "session"))


def are_protected(store: Store) -> bool:
    """Return whether it matters who asks: a password was set, or there is more than one account."""
    with store.read() as session:
        one = select(func.count()).select_from(PersonRow)
        return session.scalar(one.where(PersonRow.password.is_not(None))) != 0 or session.scalar(one) != 1


def add_unread(session: Session, change: int, at: datetime) -> None:
    """Put a change into the inboxes of all who were here when it happened."""
    columns = ("person_id", "change_id", "unread", "revision", "journalled")
    here = select(PersonRow.id, *map(literal, (change, True, 0, 0))).where(PersonRow.created_at <= at)
    session.execute(insert(ReadRow).from_select(columns, here))


def login_of(name: str) -> str:
    """Give what a name is found by: capitals make no difference.

    >>> login_of(" Änne ")
    'änne'
    """
    return name.strip().casefold()[:200]


def person_of(row: PersonRow) -> Person:
    """Make a value of a row."""
    return Person(
        id=row.id,
        name=row.name,
        role=cast("Role", row.role),
        created_at=row.created_at,
        has_password=row.password is not None,
    )


def _in_order() -> Any:
    return select(PersonRow).order_by(PersonRow.created_at, PersonRow.id)


def _row(session: Session, id: str) -> PersonRow:  # noqa: A002
    row = session.get(PersonRow, id)
    if row is None:
        raise NotFoundError("this person is no longer here; see the list of people")
    return row


def _check_not_last_owner(session: Session, row: PersonRow) -> None:
    """Refuse to leave an installation without an owner; of two who ask at once, one waits for the other."""
    owners = session.scalars(select(PersonRow.id).where(PersonRow.role == "owner").with_for_update()).all()
    if list(owners) == [row.id]:
        raise InputError("this is the only owner; make somebody else an owner first")
