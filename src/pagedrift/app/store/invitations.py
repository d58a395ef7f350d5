"""Invitations in the database: each is a link that one person can use once, until it expires."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Any, cast

from sqlalchemy import delete, select

from pagedrift.app.model.people import Invitation, Person, Role
from pagedrift.app.model.watch import new_id
from pagedrift.app.store import people
from pagedrift.app.store.tables import InvitationRow
from pagedrift.errors import InputError, NotFoundError

if TYPE_CHECKING:
    from pagedrift.app.store.store import Store

MAX_OPEN = 100  # invitations that wait


def every(store: Store) -> list[Invitation]:
    """Give the invitations that can still be used, oldest first."""
    wanted = select(InvitationRow).where(InvitationRow.expires_at > datetime.now(UTC))
    with store.read() as session:
        return [_invitation(row) for row in session.scalars(wanted.order_by(InvitationRow.created_at))]


def add(store: Store, digest: str, role: Role, lasting: timedelta) -> Invitation:
    """Keep an invitation, and forget those that expired."""
    now = datetime.now(UTC)
    with store.begin() as session:
        session.execute(delete(InvitationRow).where(InvitationRow.expires_at <= now))
        if len(session.scalars(select(InvitationRow.id)).all()) >= MAX_OPEN:
            raise InputError(f"{MAX_OPEN} invitations are open; withdraw some first")
        row = InvitationRow(id=new_id(), digest=digest, role=role, created_at=now, expires_at=now + lasting)
        session.add(row)
        return _invitation(row)


def find(store: Store, digest: str) -> Invitation | None:
    """Give an invitation by the digest of its link, unless it was used or expired."""
    with store.read() as session:
        row = session.scalar(select(InvitationRow).where(InvitationRow.digest == digest))
        return None if row is None or row.expires_at <= datetime.now(UTC) else _invitation(row)


def withdraw(store: Store, id: str) -> None:  # noqa: A002 - as the table calls it
    """Make a link worthless."""
    with store.begin() as session:
        row = session.get(InvitationRow, id)
        if row is None:
            raise NotFoundError("this invitation was used or withdrawn; see the list of people")
        session.delete(row)


def join(store: Store, digest: str, name: str, password: dict[str, Any]) -> Person:
    """Make the account of somebody who was invited; of two who use one link at once, one comes too late."""
    with store.begin() as session:
        valid = InvitationRow.digest == digest, InvitationRow.expires_at > datetime.now(UTC)
        role = session.scalar(delete(InvitationRow).where(*valid).returning(InvitationRow.role))
        if role is None:
            raise NotFoundError("this invitation was used or has expired; ask for another one")
        return people.add(session, name, cast("Role", role), password=password)


def _invitation(row: InvitationRow) -> Invitation:
    return Invitation(id=row.id, role=cast("Role", row.role), created_at=row.created_at, expires_at=row.expires_at)
