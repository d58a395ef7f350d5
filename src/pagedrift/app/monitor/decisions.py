"""Decisions about alerts: whether one is sent, and the reason in plain words."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from pagedrift.dates import moment
from pagedrift.text import counted, cut

if TYPE_CHECKING:
    from datetime import datetime

    from pagedrift.app.model.watch import Options
    from pagedrift.app.monitor.analysis import Answers
    from pagedrift.redesigned.selectors import Stopped


@dataclass(frozen=True, slots=True)
class Decision:
    """Whether something is told, and the reason in a sentence."""

    told: bool
    reason: str


def decide(
    options: Options,
    answers: Answers,
    *,
    flip_flop: bool = False,
    seen_on: datetime | None = None,
    elsewhere: int = 0,
) -> Decision:
    """Decide about a change.

    `seen_on` says when the page was last as it is now, where it flipped back; `elsewhere` on how many other pages
    of the site the whole change was told already, where it joins them.
    """
    if not answers.changed:
        hidden = f": your selectors and rules hide {counted(answers.hidden, 'step')}" if answers.hidden else ""
        return Decision(False, f"not told: nothing changed{hidden}")
    if flip_flop:
        when = f" on {moment(seen_on)}" if seen_on else " before"
        return Decision(False, f"not told: the page flipped back to what it was{when}")
    if answers.lost:
        return Decision(
            True, f"your selector {cut(answers.lost[0], 100)} finds nothing any more; check the page and mend it"
        )
    if not answers.visible:
        return Decision(False, "not told: only what a reader does not see changed, such as scripts and metadata")
    asked = _redesign(options, answers) or _asked(options, answers)
    if asked.told and elsewhere:
        return Decision(True, f"told once for {counted(elsewhere + 1, 'page')}; {asked.reason}")
    return asked


def _redesign(options: Options, answers: Answers) -> Decision | None:
    if not (answers.redesigned and options.redesigns):
        return None
    return Decision(True, f"{answers.headline}; you asked to be told of redesigns")


def _asked(options: Options, answers: Answers) -> Decision:
    """Decide by what the user wants to be told about."""
    if options.tell == "nothing":
        return Decision(False, "not told: you asked not to be told of changes")
    if options.tell == "any":
        return Decision(True, f"changed: {answers.headline}; you asked for any change")
    if options.tell == "amount":
        if answers.amount < options.at_least:
            return Decision(False, f"not told: {answers.amount:.2g} is below your {options.at_least:g}")
        return Decision(
            True, f"{answers.amount:.2g} of the page changed; you asked for {options.at_least:g} and more"
        )
    said = f"with {answers.probability:.2f}: {answers.headline}"
    if answers.matters:
        return Decision(True, f"matters {said}; you asked for changes that matter")
    return Decision(False, f"not told: matters only {said}; you asked for changes that matter")


def decide_trouble(options: Options, failures: int, reason: str) -> Decision:
    """Decide about visits that fail in a row: told once, when there are as many as the user allows.

    >>> from pagedrift.app.model.watch import Options
    >>> decide_trouble(Options(trouble_after=3), 3, "status 503").reason
    '3 visits in a row failed, the last one: status 503'
    """
    if not options.trouble_after:
        return Decision(False, "not told: you asked not to be told of trouble")
    visits = counted(failures, "visit")
    if failures < options.trouble_after:
        return Decision(
            False, f"not told: {visits} in a row failed, and you are told after {options.trouble_after}"
        )
    if failures > options.trouble_after:
        return Decision(False, f"not told: told already, after {options.trouble_after} visits that failed")
    return Decision(True, f"{visits} in a row failed, the last one: {cut(reason)}")


def decide_recovery(options: Options, failures: int) -> Decision:
    """Decide about a visit that went well after so many that did not: told where the trouble was told."""
    if options.trouble_after and failures >= options.trouble_after:
        return Decision(True, f"it can be visited again, after {counted(failures, 'visit')} that failed")
    return Decision(False, "not told: the trouble was not told either")


def decide_selector(stopped: Stopped) -> Decision:
    """Decide about a selector that finds nothing any more; whoever watches its health wants to know."""
    near = f"; closest is {stopped.closest.css} (“{cut(stopped.closest.text, 60)}”)" if stopped.closest else ""
    before, since = (f"{share:.0%}".replace("%", " %") for share in (stopped.before, stopped.since))
    name = f"{stopped.name} ({cut(stopped.expression, 100)})"
    return Decision(True, f"the selector {name} matched on {before} of the visits, now on {since}{near}")
