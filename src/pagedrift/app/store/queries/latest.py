"""Query for live pages: the newest of everything, cheap enough to be asked every second."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from sqlalchemy import func, select

from pagedrift.app.store.tables import ChangeRow, LogRow, ReadRow, VisitRow

if TYPE_CHECKING:
    from sqlalchemy.orm import Session


def latest(session: Session) -> dict[str, Any]:
    """Give the number of the newest change, visit and entry of the log, and how much each person has unread."""
    unread = select(ReadRow.person_id, func.count()).where(ReadRow.unread).group_by(ReadRow.person_id)
    return {
        "change": session.scalar(select(func.max(ChangeRow.id))) or 0,
        "visit": session.scalar(select(func.max(VisitRow.id))) or 0,
        "log": session.scalar(select(func.max(LogRow.id))) or 0,
        "unread": {row[0]: row[1] for row in session.execute(unread)},
    }
