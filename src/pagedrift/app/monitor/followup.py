"""Follow-up of a visit: it is recorded, the next one is set, and alerts are sent, in one transaction."""

from __future__ import annotations

import random
from dataclasses import dataclass
from datetime import timedelta
from typing import TYPE_CHECKING, Any, Final

from pagedrift.app.model.options import MAX_INTERVAL_SECONDS, lacking
from pagedrift.app.model.task import AfterVisit
from pagedrift.app.monitor import decisions, visit_rates
from pagedrift.app.monitor.requests import asked_how, is_same, lost, wanted_what
from pagedrift.app.notify import alerts
from pagedrift.app.store import alerts as store_alerts
from pagedrift.app.store import failed_steps, unchanged_visits, visits
from pagedrift.app.store.unchanged_visits import UnchangedVisit
from pagedrift.app.store.visits import RecordedVisit
from pagedrift.durations import DAY

if TYPE_CHECKING:
    from collections.abc import Sequence
    from datetime import datetime

    from pagedrift.app.model.decision import Decision
    from pagedrift.app.model.results import FailedStep, VisitResult
    from pagedrift.app.model.task import Task
    from pagedrift.app.store.store import Session, Store
    from pagedrift.archive.locations import Place
    from pagedrift.selectors.health import Stopped

DOUBLINGS: Final = 5  # of the interval, while visits fail
SPREAD: Final = 0.1  # of an interval, so that visits that once fell together drift apart


def after_visit(task: Task, result: VisitResult, retry_after: float) -> AfterVisit:
    """Say when to come again and how the watch stands."""
    failed, missed = result.outcome == "trouble", result.outcome == "not_the_page"
    failures = task.failures + 1 if failed or missed else 0
    rate = visit_rates.Rate.from_dict(task.rate)
    if not failures and task.visited_at is not None:
        interval = (result.at - task.visited_at).total_seconds()
        mattered = result.change is not None and result.change.analysis.matters
        rate = rate.seen(interval, changed=result.outcome == "changed", mattered=mattered)
    wait = visit_rates.next_interval(rate, task.options, price=task.price)
    if failures:
        wait = min(max(DAY, task.options.every), task.options.every * 2 ** min(failures, DOUBLINGS))
    wait = max(wait * random.uniform(1 - SPREAD, 1 + SPREAD), min(retry_after, MAX_INTERVAL_SECONDS))
    missing = lacking(task.options)  # its channels are not known: it is checked, and says so
    return AfterVisit(
        next_at=result.at + timedelta(seconds=wait),
        state="not_the_page" if missed else "trouble" if failed or missing else "fine",
        trouble=result.reason if failures else lost(missing) if missing else "",
        failures=failures,
        rate=rate.as_dict(),
        memory={"misses": task.misses + 1 if missed else 0, "tries": 0, **_remembered(task, result)},
        moves=not failures and (task.newest is None or not is_same(task, result)),
    )


def _remembered(task: Task, result: VisitResult) -> dict[str, Any]:
    """Give how the version that the next one is compared with was asked for, and what was found and not kept."""
    if result.outcome in ("trouble", "not_the_page"):
        return {}
    found = result.version.digest if result.version else ""
    skipped = [found, wanted_what(task)] if result.outcome == "changed" and not result.kept else None
    known = {"skipped": skipped} if result.status != 304 and (skipped or result.kept) else {}  # noqa: PLR2004 - HTTP
    return {"asked": asked_how(task.options), **known}


@dataclass(frozen=True, slots=True, kw_only=True)
class FollowUp:
    """What comes of a visit for one watch."""

    task: Task
    result: VisitResult
    after: AfterVisit
    place: Place | None = None  # of the version, where one was kept
    stopped: tuple[Stopped, ...] = ()  # selectors that no longer match
    expiry: Decision | None = None  # about a date that the page shows ...
    expires_on: str = ""  # ... which is this one
    failed_step: FailedStep | None = None  # of the browser, because of which there is nothing else

    @property
    def is_plain(self) -> bool:
        """Whether the visit found what is known, and there is nothing to say about it but that."""
        task, after = self.task, self.after
        was_fine = not (task.failures or after.failures or self.failed_step)
        is_named = bool(task.watch.name or task.newest is None or not task.newest.title)
        nothing_said = not self.stopped and self.expiry is None and after.past is None and not after.moves
        return self.result.outcome == "unchanged" and was_fine and is_named and nothing_said


def settle(store: Store, *follow_ups: FollowUp) -> None:
    """Record what a visit found, set the next visit, and send alerts: one transaction for all watches of the page.

    Nothing is sent where the visit was recorded before, or counts no longer.
    """
    with store.begin() as session:
        for each in follow_ups:
            _settle(session, each)


def settle_unchanged(store: Store, follow_ups: Sequence[FollowUp]) -> None:
    """Record visits that are plain, of as many pages as there are, in one transaction."""
    if not follow_ups:
        return
    found = [
        UnchangedVisit(task=each.task, result=each.result, after=each.after, place=each.place)
        for each in follow_ups
    ]
    with store.begin() as session:
        left = {each.task.watch.id for each in unchanged_visits.record(session, found)}
        for each in follow_ups:
            if each.task.watch.id in left:
                _settle(session, each)


def _settle(session: Session, found: FollowUp) -> None:
    task, result, after = found.task, found.result, found.after
    recorded = visits.record(session, result, found.place)
    if recorded is None or not visits.settle(session, task, recorded, after):
        return
    if found.failed_step is not None:
        failed_steps.write(session, recorded.watch, found.failed_step, result.at)
    elif task.failures or after.failures:  # another one may be kept of the visits before
        failed_steps.forget(session, [recorded.watch])
    _tell_trouble(session, task, result, recorded, after)
    named = _named_in_redesign(result)
    for selector in found.stopped:
        if selector.name not in named:
            _tell_selector(session, task, selector, recorded, result.at)
    if found.expiry is not None:
        _tell_expiry(session, found.expiry, found.expires_on, recorded, result.at)
    alerts.add_change(session, result, recorded)


def _named_in_redesign(result: VisitResult) -> frozenset[str]:
    """Give the selectors that the alert about a redesign names: they need none of their own."""
    change = result.change
    if change is None or not change.decision.notify or change.analysis.redesign is None:
        return frozenset()
    return frozenset(each.name for each in change.analysis.redesign.selectors if each.use == "selector")


def _tell_trouble(
    session: Session, task: Task, result: VisitResult, recorded: RecordedVisit, after: AfterVisit
) -> None:
    """Say that visits fail, when there are as many in a row as the user allows, and that they succeed again."""
    if after.failures:
        what, decision = "trouble", decisions.decide_trouble(task.options, after.failures, result.reason)
    else:
        what, decision = "recovery", decisions.decide_recovery(task.options, task.failures)
    if decision.notify:
        signature = f"{what} {recorded.watch}"
        urgent = task.options.urgent
        _tell(session, recorded, what, signature, decision.sentence, now=result.at, urgent=urgent)


def _tell_selector(session: Session, task: Task, stopped: Stopped, recorded: RecordedVisit, now: datetime) -> None:
    title, signature = decisions.decide_selector(stopped).sentence, f"selector {stopped.name}"[:64]
    _tell(session, recorded, "selector", signature, title, now=now, urgent=task.options.urgent)


def _tell_expiry(session: Session, expiry: Decision, day: str, recorded: RecordedVisit, now: datetime) -> None:
    signature = f"expiry {recorded.watch} {day}"[:64]
    _tell(session, recorded, "expiry", signature, expiry.sentence, now=now, urgent=expiry.urgent)


def _tell(
    session: Session,
    recorded: RecordedVisit,
    kind: str,
    signature: str,
    title: str,
    *,
    now: datetime,
    urgent: bool,
) -> None:
    """Open an alert about something else than a change of the page."""
    about = RecordedVisit(recorded.watch)
    store_alerts.add(session, about, kind=kind, signature=signature, title=title, now=now, urgent=urgent)
