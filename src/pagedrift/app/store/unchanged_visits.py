"""Visits that found nothing new, recorded many at a time: they are most of all visits, and cost little."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from sqlalchemy import Table, bindparam, insert, select, update

from pagedrift.app.store.tables import VersionRow, VisitRow, WatchRow
from pagedrift.app.store.visits import is_ours, version_values, visit_values

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from sqlalchemy import Row
    from sqlalchemy.orm import Session

    from pagedrift.app.model.results import VisitResult
    from pagedrift.app.model.task import AfterVisit, Task
    from pagedrift.archive.locations import Place

_WATCHES: Final[Table] = WatchRow.__table__  # type: ignore[assignment]
_READ: Final = (
    *(_WATCHES.c[name] for name in ("id", "url", "deleted", "lease", "revision", "next_at")),
    *(_WATCHES.c[name] for name in ("visits", "visited_at", "memory", "rate")),
)
_WRITTEN: Final = "next_at visits visited_at state trouble failures memory rate".split()
_UPDATE: Final = (
    update(_WATCHES)
    .where(_WATCHES.c.id == bindparam("which"))
    .values(lease=None, leased_until=None, **{name: bindparam(f"new_{name}") for name in _WRITTEN})
)


@dataclass(frozen=True, slots=True, kw_only=True)
class UnchangedVisit:
    """A visit that found what is known, and how its watch stands afterwards."""

    task: Task
    result: VisitResult
    after: AfterVisit
    place: Place | None  # of the version, where it was kept


def record(session: Session, found: Sequence[UnchangedVisit]) -> list[UnchangedVisit]:
    """Write down what visits found, and give their leases back; return those that need a closer look.

    They do where somebody edited, removed or took over their watch meanwhile, or recorded the same visit.
    """
    wanted = select(*_READ).where(_WATCHES.c.id.in_([each.task.watch.id for each in found]))
    locked = session.execute(wanted.order_by(_WATCHES.c.id).with_for_update())
    rows: dict[str, Row[Any]] = {row.id: row for row in locked}
    known = _known(session, found)
    taken, left = list[UnchangedVisit](), list[UnchangedVisit]()
    for each in found:
        row = rows.get(each.task.watch.id)
        plain = row is not None and is_ours(each.task, row) and _place(each) not in known
        (taken if plain else left).append(each)
    if taken:
        _write(session, taken, rows)
    return left


def _known(session: Session, found: Sequence[UnchangedVisit]) -> set[tuple[str, tuple[str, int] | None]]:
    """Find which of the places are recorded already, by whoever read them off the archive."""
    places = {each.place[:2] for each in found if each.place is not None}
    columns = (VersionRow.watch_id, VersionRow.filename, VersionRow.offset)
    there = select(*columns).where(
        VersionRow.filename.in_({name for name, _ in places}), VersionRow.offset.in_({at for _, at in places})
    )
    return {(row.watch_id, (row.filename, row.offset)) for row in session.execute(there)} if places else set()


def _place(found: UnchangedVisit) -> tuple[str, tuple[str, int] | None]:
    return found.task.watch.id, found.place[:2] if found.place is not None else None


def _write(session: Session, taken: Sequence[UnchangedVisit], rows: Mapping[str, Row[Any]]) -> None:
    versions = [
        version_values(each.result, each.place) for each in taken if each.place is not None and each.result.version
    ]
    ids: Iterator[int] = iter(())
    if versions:
        added = insert(VersionRow).returning(VersionRow.id, sort_by_parameter_order=True)
        ids = iter(session.scalars(added, versions).all())
    visits = (
        visit_values(each.result, next(ids) if each.place is not None and each.result.version else None)
        for each in taken
    )
    session.execute(insert(VisitRow), list(visits))
    session.connection().execute(_UPDATE, [_values(each, rows[each.task.watch.id]) for each in taken])


def _values(found: UnchangedVisit, row: Row[Any]) -> dict[str, Any]:
    """Give how a watch stands afterwards; one that was edited meanwhile is due at once, as it is wanted now."""
    after, at = found.after, found.result.at
    return {
        "which": row.id,
        "new_next_at": after.next_at if row.revision == found.task.revision else row.next_at,
        "new_visits": row.visits + 1,
        "new_visited_at": max(at, row.visited_at or at),
        "new_state": after.state,
        "new_trouble": after.trouble,
        "new_failures": after.failures,
        "new_memory": {**row.memory, **(after.memory or {})},
        "new_rate": row.rate if after.rate is None else after.rate,
    }
