"""Actions that can be undone: how things were before the last few of them."""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING, Any, Final

from pagedrift.app.model.bulk import DoneAction
from pagedrift.app.model.watch import new_id
from pagedrift.app.store.tables import ValueRow
from pagedrift.errors import NotFoundError

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping

    from sqlalchemy.orm import Session

    from pagedrift.app.store.store import Store

NAME: Final = "done"
MAX_REMEMBERED: Final = 20  # actions


def remember(
    session: Session,
    kind: str,
    count: int,
    *,
    value: str = "",
    before: Mapping[str, Mapping[str, Any]],
    person: str = "",
) -> DoneAction:
    """Write an action down, in the transaction that does it; one with a person is theirs alone."""
    done = DoneAction(id=new_id(), kind=kind, count=count, value=value, before=before, person=person)
    known = session.get(ValueRow, NAME, with_for_update=True)
    listed = list(known.value) if known else []
    session.merge(ValueRow(name=NAME, value=[*listed, asdict(done)][-MAX_REMEMBERED:]))
    return done


def last(store: Store, which: str) -> DoneAction | None:
    """Give an action that was done not long ago, unless it was undone."""
    return next((DoneAction(**each) for each in store.get(NAME, ()) if each["id"] == which), None)


def take(session: Session, which: str, *, kinds: Collection[str] | None = None, person: str = "") -> DoneAction:
    """Take an action off the list, to undo it in the same transaction: one of these kinds, and nobody else's."""
    known = session.get(ValueRow, NAME, with_for_update=True)
    listed = list(known.value) if known else []
    found = next((each for each in listed if each["id"] == which), None)
    if found is not None and (
        (kinds is not None and found["kind"] not in kinds) or found.get("person", "") not in ("", person)
    ):
        found = None
    if known is None or found is None:
        raise NotFoundError("this can no longer be undone; set it again by hand")
    known.value = [each for each in listed if each is not found]
    return DoneAction(**found)
