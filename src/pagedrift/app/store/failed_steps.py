"""The step at which the last visit of a watch failed, with its picture: one for each watch, until it succeeds."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sqlalchemy import delete

from pagedrift.app.model.results import FailedStep
from pagedrift.app.store.tables import FailedStepRow, WatchRow

if TYPE_CHECKING:
    from collections.abc import Collection
    from datetime import datetime

    from sqlalchemy.orm import Session


def write(session: Session, which: str, failed: FailedStep, at: datetime) -> None:
    """Keep where a visit failed, in place of what was kept before."""
    session.merge(
        FailedStepRow(
            watch_id=which,
            at=at,
            number=failed.number,
            step=failed.step,
            problem=failed.problem,
            picture=failed.picture,
        )
    )


def forget(session: Session, watches: Collection[str]) -> None:
    """Remove what is kept of some watches."""
    session.execute(delete(FailedStepRow).where(FailedStepRow.watch_id.in_(watches)))


def read(session: Session, which: str) -> FailedStep | None:
    """Give the step at which the last visit failed; None where none did."""
    row, watch = session.get(FailedStepRow, which), session.get(WatchRow, which)
    if row is None or watch is None or watch.state != "trouble":
        return None
    return FailedStep(number=row.number, step=row.step, problem=row.problem, picture=row.picture, at=row.at)
