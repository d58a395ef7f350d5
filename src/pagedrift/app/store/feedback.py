"""User feedback: labels on changes that matter or not, and rules for what to hide."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any, cast

from sqlalchemy import select

from pagedrift.app.model.lessons import taught_by
from pagedrift.app.model.rules import Rule, checked
from pagedrift.app.model.watch import new_id
from pagedrift.app.store.tables import ChangeRow, LabelRow, RuleRow
from pagedrift.errors import NotFoundError

if TYPE_CHECKING:
    from collections.abc import Iterable

    from sqlalchemy.orm import Session

    from pagedrift.app.store.store import Store


def label(store: Store, change: int, *, matters: bool, edit: int | None = None) -> None:
    """Remember that a change, or one of its edits, matters or not, for the learner; the last word counts."""
    with store.begin() as session:
        found = _there(session, change).record.analysis
        if edit is not None and not 0 <= edit < len(found.edits):
            raise NotFoundError(f"the change has no edit {edit}; see the list on its page")
        row, now = session.get(LabelRow, change), datetime.now(UTC)
        known = row.taught if row is not None and not row.deleted and edit is not None else []
        said = [each for each in known if each["edit"] != edit] + taught_by(found, matters=matters, edit=edit)
        any_matters = any(each["matters"] for each in said) if edit is not None else matters
        if row is None:
            session.add(LabelRow(change_id=change, matters=any_matters, at=now, taught=said))
        else:
            row.matters, row.at, row.taught, row.deleted = any_matters, now, said, False
            row.revision += 1


def unlabel(store: Store, change: int) -> None:
    """Remove the feedback about a change."""
    with store.begin() as session:
        _there(session, change)
        take_back(session, change)


def take_back(session: Session, change: int) -> None:
    """Remove the feedback about a change, where there is any, as part of something else."""
    row = session.get(LabelRow, change)
    if row is not None:
        row.deleted, row.taught, row.revision = True, [], row.revision + 1


def add_rule(store: Store, rule: Rule, *, change: int | None = None) -> Rule:
    """Add a rule; the same rule twice is one, and a removed one is restored."""
    new = checked(rule)
    with store.begin() as session:
        if change is not None:
            _there(session, change)
        return _add(session, new, change)


def add_rules(store: Store, rules: Iterable[Rule]) -> None:
    """Add several rules in one step."""
    with store.begin() as session:
        for rule in rules:
            _add(session, rule)


def _add(session: Session, rule: Rule, change: int | None = None) -> Rule:
    same = {"scope": rule.scope, "of": rule.of, "kind": rule.kind, "value": rule.value}
    row = session.scalars(select(RuleRow).filter_by(**same)).first()
    if row is None:
        row = RuleRow(id=new_id(), change_id=change, created_at=datetime.now(UTC), **same)
        session.add(row)
    elif row.deleted:
        row.deleted, row.revision = False, row.revision + 1
    return rule_of(row)


def remove_rule(store: Store, which: str) -> None:
    """Remove a rule."""
    with store.begin() as session:
        row = session.get(RuleRow, which)
        if row is None or row.deleted:
            raise NotFoundError("rule not found; see the list in the settings")
        row.deleted = True
        row.revision += 1


def rules(store: Store) -> list[Rule]:
    """Give all rules, oldest first."""
    wanted = select(RuleRow).where(~RuleRow.deleted).order_by(RuleRow.created_at, RuleRow.id)
    with store.read() as session:
        return [rule_of(row) for row in session.scalars(wanted)]


def rule_of(row: RuleRow) -> Rule:
    """Give a rule as a value."""
    return Rule(scope=cast("Any", row.scope), of=row.of, kind=cast("Any", row.kind), value=row.value, id=row.id)


def _there(session: Session, change: int) -> ChangeRow:
    row = session.get(ChangeRow, change)
    if row is None:
        raise NotFoundError(f"no change with id {change}; see the timeline of its watch")
    return row
