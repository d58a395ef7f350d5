"""Decisions about alerts: whether one is sent, and for which reason."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any, Final

from pagedrift.app.model.conditions import ValueRange, is_met, parse_condition
from pagedrift.app.model.decision import Decision, Reason

if TYPE_CHECKING:
    from datetime import datetime

    from pagedrift.app.model.change import ChangeAnalysis
    from pagedrift.app.model.options import WatchOptions
    from pagedrift.app.model.values import WatchedValue
    from pagedrift.selectors.health import Stopped

UNKNOWN_RANGE: Final = ValueRange()


def decide(
    options: WatchOptions,
    analysis: ChangeAnalysis,
    *,
    seen_on: datetime | None = None,
    elsewhere: int = 0,
    before: ValueRange = UNKNOWN_RANGE,
    expires: bool = False,
) -> Decision:
    """Decide about a change.

    `seen_on` says when the page was last as it is now, where it flipped back; `elsewhere` counts the other pages of
    the site that are in the alert about the same change already; `before` is the range of its earlier values. With
    `expires` there is an alert of its own about a date that the page shows.
    """
    if not analysis.changed:
        return Decision(False, Reason.NOTHING_CHANGED, {"hidden": analysis.hidden})
    if analysis.lost:
        urgent = {"urgent": True} if options.urgent else {}
        return Decision(True, Reason.SELECTION_LOST, {"selector": analysis.lost[0], **urgent})
    if not analysis.visible:
        return Decision(False, Reason.NOT_VISIBLE)
    asked = _redesign(options, analysis) or _by_conditions(options, analysis, before) or _asked(options, analysis)
    if expires and asked.reason is Reason.CONDITION_NOT_MET:
        return Decision(False, Reason.CONDITION_ON_DATE)
    if seen_on is not None and not (asked.notify and _is_news_again(options, analysis, asked)):
        return Decision(False, Reason.FLIPPED_BACK, {"seen_on": seen_on.isoformat()})
    more: dict[str, Any] = {"elsewhere": elsewhere} if elsewhere else {}
    if _is_urgent(options, analysis, before):
        more["urgent"] = True
    return replace(asked, details={**asked.details, **more}) if asked.notify and more else asked


def _is_urgent(options: WatchOptions, analysis: ChangeAnalysis, before: ValueRange) -> bool:
    """Return whether an alert must not wait: all of the watch are urgent, or a condition that is met is."""
    change = analysis.value
    urgent = [each for each in map(parse_condition, options.conditions) if each.urgent] if change else []
    return options.urgent or any(change and is_met(each, change, analysis, before) for each in urgent)


def _redesign(options: WatchOptions, analysis: ChangeAnalysis) -> Decision | None:
    if not (analysis.redesigned and options.redesigns):
        return None
    return Decision(True, Reason.REDESIGNED, {"headline": analysis.headline})


def _is_news_again(options: WatchOptions, analysis: ChangeAnalysis, asked: Decision) -> bool:
    """Return whether a page that is as it was before is worth an alert: whatever is not noise is.

    What was asked for expressly counts each time, and so do values, and every fact in what is not noise: a price, a
    stock state, a date that is back. What could not be looked into is not known to be noise.
    """
    if asked.reason not in (Reason.MATTERS, Reason.CONTENT, Reason.REDESIGNED) or options.value != "none":
        return True
    seen = [edit for edit in analysis.edits if edit.level != "noise"]
    unseen = any(number for level, number in analysis.more_edits.items() if level != "noise")
    return unseen or any(edit.facts for edit in seen) or not (analysis.edits or analysis.blocks)


def _by_conditions(options: WatchOptions, analysis: ChangeAnalysis, before: ValueRange) -> Decision | None:
    """Decide by the conditions of a watch, where it has any; one that is met is enough."""
    if not options.conditions or analysis.value is None or options.notify_on == "nothing":
        return None
    change, is_number = analysis.value, analysis.value.new.number is not None
    details = {"old": _written(change.old), "new": _written(change.new)} if is_number else {}
    for condition in map(parse_condition, options.conditions):
        if is_met(condition, change, analysis, before):
            found = {"condition": condition.text, "headline": analysis.headline}
            shown = details if condition.kind not in ("added", "contains", "lacks") else {}
            return Decision(True, Reason.CONDITION_MET, {**found, **shown})
    return Decision(False, Reason.CONDITION_NOT_MET, details)


def _written(value: WatchedValue) -> str:
    return "–" if value.number is None else f"{value.number:,.10g} {value.unit}".strip()


def _asked(options: WatchOptions, analysis: ChangeAnalysis) -> Decision:
    """Decide by which changes the user wants alerts about."""
    if options.notify_on == "nothing":
        return Decision(False, Reason.CHANGES_MUTED)
    if options.notify_on == "anything":
        return Decision(True, Reason.ANY_CHANGE, {"headline": analysis.headline})
    if options.notify_on == "amount":
        enough = analysis.amount >= options.min_change
        reason = Reason.AMOUNT_REACHED if enough else Reason.AMOUNT_TOO_SMALL
        return Decision(enough, reason, {"amount": analysis.amount, "at_least": options.min_change})
    return _by_level(options, analysis)


def _by_level(options: WatchOptions, analysis: ChangeAnalysis) -> Decision:
    """Decide by the most important edit: by default an alert is about what is important, if asked about content.

    A value is what someone wants to know of a page, so any other wording of it counts.
    """
    details: dict[str, Any] = {
        "probability": analysis.probability,
        "level": analysis.level,
        "headline": analysis.headline,
    }
    if analysis.edits and analysis.edits[0].taught:
        details["taught"] = dict(analysis.edits[0].taught)
    if analysis.level == "important":
        return Decision(True, Reason.MATTERS, details)
    if analysis.level == "minor" and (options.notify_on == "content" or options.value != "none"):
        return Decision(True, Reason.CONTENT, details)
    return Decision(False, Reason.MATTERS_TOO_LITTLE, details)


def decide_trouble(options: WatchOptions, failures: int, last: str) -> Decision:
    """Decide about visits that fail in a row: one alert, when there are as many as the user allows.

    >>> from pagedrift.app.model.options import WatchOptions
    >>> decide_trouble(WatchOptions(alert_after_failures=3), 3, "status 503").sentence
    '3 checks in a row failed; last error: status 503'
    """
    allowed = options.alert_after_failures
    if not allowed:
        return Decision(False, Reason.TROUBLE_MUTED)
    if failures < allowed:
        return Decision(False, Reason.TOO_FEW_FAILURES, {"failures": failures, "allowed": allowed})
    if failures > allowed:
        return Decision(False, Reason.TROUBLE_ALREADY_SENT, {"allowed": allowed})
    return Decision(True, Reason.TROUBLE, {"failures": failures, "last": last})


def decide_recovery(options: WatchOptions, failures: int) -> Decision:
    """Decide about a check that worked after failed ones: an alert if there was one about the failures."""
    if options.alert_after_failures and failures >= options.alert_after_failures:
        return Decision(True, Reason.RECOVERED, {"failures": failures})
    return Decision(False, Reason.RECOVERY_OF_NOTHING)


def decide_selector(stopped: Stopped) -> Decision:
    """Decide about a selector that no longer matches."""
    details = {
        "name": stopped.name,
        "expression": stopped.expression,
        "before": stopped.before,
        "since": stopped.since,
    }
    if stopped.closest:
        details |= {"closest": stopped.closest.css, "closest_text": stopped.closest.text}
    return Decision(True, Reason.SELECTOR_STOPPED, details)
