"""Saved views of the home page: searches and filters that a person gave a name."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from pagedrift.app.store.tables import ValueRow
from pagedrift.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Mapping

    from sqlalchemy.orm import Session

    from pagedrift.app.store.store import Store

MAX_VIEWS: Final = 30  # of one person
MAX_NAME_CHARS: Final = 60


@dataclass(frozen=True, slots=True)
class SavedView:
    """A search and its filters, by a name."""

    name: str
    asked: Mapping[str, str]


def every(store: Store, person: str) -> list[SavedView]:
    """Give the views of a person, in alphabetical order."""
    found = store.get(_key(person), {})
    return [SavedView(name, asked) for name, asked in sorted(found.items(), key=lambda each: each[0].casefold())]


def save(store: Store, person: str, view: SavedView) -> None:
    """Save a view, in place of one of the same name."""
    name = view.name.strip()
    if not name or len(name) > MAX_NAME_CHARS or not name.isprintable():
        raise InputError(f"a view needs a name of 1 to {MAX_NAME_CHARS} characters; enter one")
    with store.begin() as session:
        known = _known(session, person)
        if len({*known, name}) > MAX_VIEWS:
            raise InputError(f"{MAX_VIEWS} views are saved already; remove one first")
        session.merge(ValueRow(name=_key(person), value={**known, name: dict(view.asked)}))


def remove(store: Store, person: str, name: str) -> None:
    """Forget a view."""
    with store.begin() as session:
        known = _known(session, person)
        known.pop(name, None)
        session.merge(ValueRow(name=_key(person), value=known))


def _known(session: Session, person: str) -> dict[str, Any]:
    row = session.get(ValueRow, _key(person), with_for_update=True)
    return dict(row.value) if row is not None else {}


def _key(person: str) -> str:
    return f"views of {person}"
