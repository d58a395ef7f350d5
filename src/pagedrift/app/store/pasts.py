"""Pasts of pages: what earlier versions teach about the next change, kept for each watch."""

from __future__ import annotations

from datetime import timedelta
from typing import TYPE_CHECKING, Any, Final

from sqlalchemy import func, select
from sqlalchemy.orm import aliased

from pagedrift.app.store.tables import PastRow, VersionRow, VisitRow
from pagedrift.archive.locations import Place

if TYPE_CHECKING:
    from collections.abc import Mapping
    from datetime import datetime

    from sqlalchemy.orm import Session

    from pagedrift.app.store.store import Store

MAX_VERSIONS: Final = 12  # that a past is worked out from where none is kept
MAX_STILL_DAYS: Final = 30  # for which a page stood still that count
PastVersion = tuple[
    Place, int
]  # where a version is, and for how many days the one before it was seen to stand still


def read(store: Store, watch: str, wanted: str) -> dict[str, Any] | None:
    """Give the past of a page; None where it is not known, or of other parts of the page than are wanted."""
    with store.read() as session:
        row = session.get(PastRow, watch)
        return None if row is None or row.wanted != wanted else row.value


def write(session: Session, watch: str, wanted: str, value: Mapping[str, Any]) -> None:
    """Keep the past of a page, of the parts that were wanted."""
    session.merge(PastRow(watch_id=watch, wanted=wanted, value=dict(value)))


def versions(store: Store, watch: str) -> tuple[PastVersion, ...]:
    """Give the last versions of a page that its past can be worked out from, the oldest first."""
    earlier = aliased(VisitRow)
    seen = select(func.max(earlier.at)).where(earlier.watch_id == watch, earlier.at < VisitRow.at).scalar_subquery()
    wanted = (
        select(VersionRow, VisitRow.at, seen.label("seen"))
        .join(VisitRow, VisitRow.version_id == VersionRow.id)
        .where(VisitRow.watch_id == watch, VisitRow.outcome.in_(("new", "changed")))
        .order_by(VisitRow.at.desc())
        .limit(MAX_VERSIONS)
    )
    with store.read() as session:
        rows = list(reversed(session.execute(wanted).all()))
    return tuple(
        (Place(row.filename, row.offset, row.length), days_still(rows[number - 1][1], seen_at) if number else 0)
        for number, (row, _, seen_at) in enumerate(rows)
    )


def days_still(since: datetime | None, until: datetime | None) -> int:
    """Count the days between the visit that found a version and the last one that found it again.

    >>> from datetime import datetime
    >>> days_still(datetime(2026, 11, 1), datetime(2026, 11, 8, 12)), days_still(None, None)
    (7, 0)
    """
    if since is None or until is None:
        return 0
    return max(0, min(MAX_STILL_DAYS, (until - since) // timedelta(days=1)))
