"""Alerts about checks: opened by a change, and put into words when their time is up.

The words are composed once and never change; see `store.alerts` for how alerts gather pages.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from pagedrift.app.notify.message import AlertBlock, compose
from pagedrift.app.store import alerts

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from datetime import datetime

    from pagedrift.app.model.alert import ClosingAlert
    from pagedrift.app.model.change import ChangeRecord
    from pagedrift.app.model.results import VisitResult
    from pagedrift.app.store.store import Session, Store
    from pagedrift.app.store.visits import RecordedVisit


def add_change(session: Session, result: VisitResult, recorded: RecordedVisit) -> None:
    """Open an alert about the change that a check found, if the decision is to send one."""
    if result.change is not None and result.change.decision.notify:
        found = result.change.analysis
        alerts.add(
            session,
            recorded,
            kind="redesign" if found.redesigned else "change",
            signature=found.signature,
            title=found.alert_title,
            now=result.at,
            urgent=result.change.decision.urgent,
        )


def close_due(store: Store, now: datetime, base_url: str, *, waiting: bool = False) -> int:
    """Send the alerts whose time is up, or also those that are waiting for others; give how many."""

    def composed(alert: ClosingAlert) -> dict[str, Any]:
        return words(alert, now, base_url)

    sent = 0
    while (closed := alerts.close_next(store, now, composed, waiting=waiting)) is not None:
        sent += closed
    return sent


def words(alert: ClosingAlert, now: datetime, base_url: str) -> dict[str, Any]:
    """Put an alert into words."""
    return compose(
        uid=alert.uid,
        verdict=_verdict(alert),
        headline=alert.title,
        pages=alert.pages,
        at=now,
        base_url=base_url,
        blocks=_blocks(alert.change),
        redesign=alert.redesign,
        address=_address(alert),
        reason="" if alert.change is None else alert.change.decision.because,
    )


def _address(alert: ClosingAlert) -> str:
    """Give the page that an alert leads to, where it is not the one about its change."""
    if alert.redesign:
        return f"/alerts/{alert.number}"
    # With the picture of the step that failed, where that was it.
    return f"/watch/{alert.pages[0].watch}#trouble" if alert.kind == "trouble" and alert.pages else ""


def _verdict(alert: ClosingAlert) -> str:
    if alert.kind == "change":
        return "matters" if alert.change is not None and alert.change.analysis.matters else "changed"
    return alert.kind


def _blocks(change: ChangeRecord | None) -> Iterable[AlertBlock]:
    """Give what changed, the most important first and without noise; what rules hide is not among it."""
    if change is None:
        return ()
    edits = [edit for edit in change.analysis.edits if edit.level != "noise"]
    if change.analysis.redesign is not None:  # in another layout sentences are cut and dates written otherwise
        edits = [edit for edit in edits if any(_differs(*sides) for sides in edit.facts.values())]
        return (AlertBlock(edit.old, edit.new, edit.rule_kind, edit.css) for edit in edits)
    if edits:
        return (AlertBlock(edit.old, edit.new, edit.rule_kind, edit.css) for edit in edits)
    blocks = change.analysis.blocks
    return (AlertBlock(block.old, block.new, block.kind, block.css) for block in blocks if block.visible)


def _differs(old: Sequence[str], new: Sequence[str]) -> bool:
    """Return whether a fact has other numbers than before."""
    before, after = (sorted(re.findall(r"\d+", " ".join(side))) for side in (old, new))
    return bool(before and after) and before != after
