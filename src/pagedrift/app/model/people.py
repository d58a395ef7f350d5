"""People of an installation: accounts, what their roles allow, and invitations."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, Literal, get_args

from pagedrift.errors import InputError

if TYPE_CHECKING:
    from datetime import datetime

Role = Literal["reader", "editor", "owner"]
ROLES: Final[tuple[Role, ...]] = get_args(Role)  # each allows what those before it do
FIRST: Final = "owner"  # the id of the account that every installation begins with
MAX_NAME_CHARS: Final = 60


@dataclass(frozen=True, slots=True, kw_only=True)
class Person:
    """An account."""

    id: str
    name: str
    role: Role
    created_at: datetime
    has_password: bool = False

    def allows(self, needed: Role) -> bool:
        """Return whether this person may do what needs a role."""
        return allows(self.role, needed)


@dataclass(frozen=True, slots=True, kw_only=True)
class Invitation:
    """A link by which one person may join, without the link."""

    id: str
    role: Role
    created_at: datetime
    expires_at: datetime


def allows(role: Role, needed: Role) -> bool:
    """Return whether a role includes another one.

    >>> allows("editor", "reader"), allows("editor", "owner")
    (True, False)
    """
    return ROLES.index(role) >= ROLES.index(needed)


def lower_role(one: Role, other: Role) -> Role:
    """Give the one of two roles that allows less."""
    return one if allows(other, one) else other


def checked_role(role: str) -> Role:
    """Give a role by its name."""
    for known in ROLES:
        if role == known:
            return known
    raise InputError(f"{role[:40]!r} is not a role; choose one of: {', '.join(ROLES)}")


def checked_name(name: str) -> str:
    """Give the name of an account without blanks around it.

    >>> checked_name(" Anna ")
    'Anna'
    """
    bare = name.strip()
    if not bare or len(bare) > MAX_NAME_CHARS or not bare.isprintable():
        raise InputError(f"a name needs 1 to {MAX_NAME_CHARS} characters; choose another one")
    return bare
