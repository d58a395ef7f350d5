"""Queries for what the user has set: rules, tokens and labels on changes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from sqlalchemy import and_, func, or_, select

from pagedrift.app.store.tables import LabelRow, RuleRow, TokenRow, WatchRow

if TYPE_CHECKING:
    from datetime import datetime

    from sqlalchemy.orm import Session

    from pagedrift.app.store.queries.watch_list import Line


@dataclass(frozen=True, slots=True)
class RuleLine:
    """One rule, and what it is about."""

    id: str
    scope: str
    of: str
    title: str
    kind: str
    value: str
    change: int | None
    created_at: datetime


def rules(session: Session, *, which: Line | None = None, most: int = 500) -> tuple[RuleLine, ...]:
    """Give the rules, or those that are about one watch."""
    wanted = select(RuleRow, WatchRow.name, WatchRow.url).where(~RuleRow.deleted)
    wanted = wanted.outerjoin(WatchRow, and_(RuleRow.scope == "watch", WatchRow.id == RuleRow.of))
    if which is not None:
        about = (("watch", which.id), ("host", which.host), ("group", which.group))
        wanted = wanted.where(
            or_(RuleRow.scope == "all", *(and_(RuleRow.scope == scope, RuleRow.of == of) for scope, of in about))
        )
    rows = session.execute(wanted.order_by(RuleRow.created_at.desc()).limit(most))
    return tuple(
        RuleLine(
            row.id, row.scope, row.of, name or url or row.of, row.kind, row.value, row.change, row.created_at
        )
        for row, name, url in rows
    )  # fmt: skip


def tokens(session: Session) -> tuple[TokenRow, ...]:
    """Give the tokens, without what they are."""
    return tuple(session.scalars(select(TokenRow).order_by(TokenRow.created_at.desc()).limit(500)))


def labels(session: Session) -> tuple[int, int]:
    """Count what the user said about changes: how many matter, and how many do not."""
    rows = session.execute(select(LabelRow.matters, func.count()).group_by(LabelRow.matters))
    counted = {bool(matters): number for matters, number in rows}
    return counted.get(True, 0), counted.get(False, 0)
