"""Queries for what the user has set: rules, channels and labels on changes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from sqlalchemy import and_, func, or_, select

from pagedrift.app.model.alert_settings import usable
from pagedrift.app.model.options import renamed
from pagedrift.app.store.alert_routes import settings_of
from pagedrift.app.store.tables import ChangeRow, GroupRow, LabelRow, RuleRow, WatchRow

if TYPE_CHECKING:
    from datetime import datetime

    from sqlalchemy.orm import Session


MAX_RULES: Final = 500  # that are listed


@dataclass(frozen=True, slots=True, kw_only=True)
class RuleSummary:
    """One rule, and what it is about."""

    id: str
    scope: str
    of: str
    title: str
    kind: str
    value: str
    change: int | None
    created_at: datetime


def rules(session: Session) -> tuple[RuleSummary, ...]:
    """Give the rules, newest first, each with what it is about."""
    wanted = select(RuleRow, WatchRow.name, WatchRow.url).where(~RuleRow.deleted)
    wanted = wanted.outerjoin(WatchRow, and_(RuleRow.scope == "watch", WatchRow.id == RuleRow.of))
    rows = session.execute(wanted.order_by(RuleRow.created_at.desc()).limit(MAX_RULES))
    return tuple(
        RuleSummary(
            id=row.id,
            scope=row.scope,
            of=row.of,
            title=name or url or row.of,
            kind=row.kind,
            value=row.value,
            change=row.change_id,
            created_at=row.created_at,
        )
        for row, name, url in rows
    )


def channels(session: Session) -> dict[str, list[str]]:
    """Give the channels that the settings, tags, groups and watches name, each with the titles of these."""
    used: dict[str, list[str]] = {}
    settings = settings_of(session)
    for channel in usable(settings.channels):
        used.setdefault(channel, []).append("all watches")
    for tag, several in settings.tag_channels.items():
        for channel in usable(several):
            used.setdefault(channel, []).append(f"tag {tag}")
    for name, options in session.execute(select(GroupRow.name, GroupRow.options).where(~GroupRow.deleted)):
        for channel in usable(map(str, renamed(options).get("notify", ()))):
            used.setdefault(channel, []).append(f"group {name}")
    names_one = or_(*(WatchRow.options[key].as_string().is_not(None) for key in ("notify", "to")))
    own = select(WatchRow.name, WatchRow.url, WatchRow.options).where(~WatchRow.deleted, names_one)
    for name, url, options in session.execute(own):
        for channel in usable(map(str, renamed(options).get("notify", ()))):
            used.setdefault(channel, []).append(name or url)
    return used


def labels(session: Session) -> tuple[int, int]:
    """Count what the user said about changes: how many matter, and how many do not."""
    rows = session.execute(
        select(LabelRow.matters, func.count()).where(~LabelRow.deleted).group_by(LabelRow.matters)
    )
    counted = {bool(matters): number for matters, number in rows}
    return counted.get(True, 0), counted.get(False, 0)


def labelled(session: Session) -> list[tuple[str, datetime, bool]]:
    """Give all that the user said about changes: the watch, when it changed, and whether that matters."""
    said = (
        select(ChangeRow.watch_id, ChangeRow.at, LabelRow.matters)
        .join(ChangeRow, ChangeRow.id == LabelRow.change_id)
        .where(~LabelRow.deleted)
    )
    return [(row.watch_id, row.at, row.matters) for row in session.execute(said)]
