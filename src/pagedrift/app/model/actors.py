"""Actors: who does what is being done, for the log and for what agents may do."""

from __future__ import annotations

from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, Literal

from pagedrift.app.model.people import FIRST, Role, allows
from pagedrift.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Iterator

ActorKind = Literal["person", "token", "command", "application"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Actor:
    """A person, a program with a token, somebody at the command line, or the application by itself."""

    kind: ActorKind
    name: str = ""
    person: str = FIRST  # the id of the account
    role: Role = "owner"


APPLICATION: Final = Actor(kind="application")
COMMAND: Final = Actor(kind="command")
_CURRENT: Final[ContextVar[Actor]] = ContextVar("actor", default=APPLICATION)


def current_actor() -> Actor:
    """Give who is acting in this thread or request."""
    return _CURRENT.get()


def act_as(actor: Actor) -> None:
    """Say who acts from now on, in the request under way."""
    _CURRENT.set(actor)


@contextmanager
def acting_as(actor: Actor) -> Iterator[None]:
    """Say who acts within a block."""
    before = _CURRENT.set(actor)
    try:
        yield
    finally:
        _CURRENT.reset(before)


def check_actor(needed: Role) -> None:
    """Refuse what whoever is acting may not do.

    >>> with acting_as(Actor(kind="token", role="reader")):
    ...     check_actor("editor")
    Traceback (most recent call last):
    pagedrift.errors.InputError: this needs the role editor, and yours is reader; ask an owner to change it
    """
    role = current_actor().role
    if not allows(role, needed):
        raise InputError(f"this needs the role {needed}, and yours is {role}; ask an owner to change it")
