"""Pages that preview, add and remove rules."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from fastapi import APIRouter, Request, Response

from pagedrift.app.model.rules import DONE, THINGS, Rule, checked
from pagedrift.app.monitor.rule_preview import Preview, preview
from pagedrift.app.store import feedback, inbox, queries
from pagedrift.app.web.pages.shared import Fields, options_of, place_of, rules_of, to
from pagedrift.app.web.request_context import Number, person_of, settings_of, store_of, worked_out
from pagedrift.app.web.template_filters import SCOPES
from pagedrift.app.web.templating import page
from pagedrift.errors import NotFoundError, PagedriftError

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

    from pagedrift.app.model.options import WatchOptions
    from pagedrift.app.store.store import Session
    from pagedrift.archive.locations import Place

router = APIRouter()
MAX_PAST_CHANGES: Final = 30  # changes that a rule is tried on


@dataclass(frozen=True, slots=True, kw_only=True)
class TriedRule:
    """One past change, and what a rule would have made of it."""

    change: queries.ChangeSummary
    steps: int
    hidden: int
    wholly: bool
    trouble: str
    after: str  # the level of what would be left
    left: str  # what would be left, in one line
    alerts: bool  # whether that causes an alert

    @property
    def silenced(self) -> bool:
        """Whether an alert was sent that would not have been."""
        return self.change.alerted and bool(self.hidden) and not self.alerts


@router.get("/change/{number}/rule")
def try_out(
    request: Request, number: Number, kind: str = "block", value: str = "", scope: str = "watch"
) -> Response:
    """Show what a rule would have hidden so far."""
    with store_of(request).read() as session:
        found, line = _change(session, number)
        rule, trouble = _rule(line, kind, value, scope)
    tried: list[TriedRule] = []
    if not trouble:
        try:
            tried = _try_rule(request, rule, line)
        except PagedriftError as error:
            trouble = str(error)
    wholly = [each for each in tried if each.wholly]
    return page(
        request,
        "rule.html",
        change=found,
        line=line,
        rule=rule,
        trouble=trouble,
        shown=tried,
        wholly=len(wholly),
        partly=sum(bool(each.hidden) and not each.wholly for each in tried),
        silenced=sum(each.silenced for each in tried),
        scopes=_scopes(line),
        done=DONE,
        things=THINGS,
    )


@router.post("/change/{number}/rule")
def save(request: Request, number: Number, form: Fields) -> Response:
    """Save a rule; what is unread and would not have been reported with it is marked as read."""
    with store_of(request).read() as session:
        _, line = _change(session, number)
    rule = _as_said(line, form.get("kind", ""), form.get("value", ""), form.get("scope", ""))
    silenced = _silenced(request, rule, line)
    feedback.add_rule(store_of(request), rule, change=number)
    if silenced:
        inbox.mark(store_of(request), silenced, person=person_of(request))
    return to("/settings?saved=rule#rules")


def _silenced(request: Request, rule: Rule, line: queries.WatchSummary) -> list[int]:
    """Give the unread changes about which there would have been no alert; none where that cannot be said."""
    try:
        tried = _try_rule(request, checked(rule), line)
    except PagedriftError:  # the rule is saved all the same, or refused with its reason
        return []
    return [each.change.id for each in tried if each.silenced and each.change.unread]


def _try_rule(request: Request, rule: Rule, line: queries.WatchSummary) -> list[TriedRule]:
    """Try a rule on the newest changes that it would have been about."""
    with store_of(request).read() as session:
        jobs = _past(session, rule)
        options, rules = options_of(session, line.id), rules_of(session, line.id)
    given = [(change.id, old, new) for change, old, new in jobs]
    previews = worked_out(request, previewed, settings_of(request).archive, rule, given, options, rules)
    by = {each.change: each for each in previews}
    return [_tried(change, by[change.id]) for change, _, _ in jobs]


@router.post("/settings/rules/{which}/remove")
def remove(request: Request, which: str) -> Response:
    """Remove a rule."""
    feedback.remove_rule(store_of(request), which)
    return to("/settings?saved=unrule#rules")


def previewed(
    folder: str | Path,
    rule: Rule,
    past: Sequence[tuple[int, Place, Place]],
    options: WatchOptions,
    rules: Sequence[Rule],
) -> list[Preview]:
    """Try a rule on past changes, each read from the archive."""
    from pagedrift.app.captures import page_of

    found: list[Preview] = []
    for change, old, new in past:
        try:
            pair = change, page_of(folder, old), page_of(folder, new)
        except (PagedriftError, OSError) as error:
            found.append(Preview(change=change, steps=0, hidden=0, trouble=str(error)))
        else:
            found += preview(rule, [pair], options=options, rules=rules)
    return found


def _past(session: Session, rule: Rule) -> list[tuple[queries.ChangeSummary, Place, Place]]:
    """Give the newest changes that the rule would have been about, and where their versions are."""
    return list(_placed(session, queries.changes_in_scope(session, rule.scope, rule.of, most=MAX_PAST_CHANGES)))


def _placed(
    session: Session, found: Sequence[queries.ChangeSummary]
) -> Iterator[tuple[queries.ChangeSummary, Place, Place]]:
    for change in found:
        try:
            yield change, place_of(session, change.old), place_of(session, change.new)
        except NotFoundError:
            continue


def _tried(change: queries.ChangeSummary, found: Preview) -> TriedRule:
    return TriedRule(
        change=change,
        steps=found.steps,
        hidden=found.hidden,
        wholly=found.wholly,
        trouble=found.trouble,
        after=found.after,
        left=found.left,
        alerts=found.alerts,
    )


def _change(session: Session, number: int) -> tuple[queries.ChangeSummary, queries.WatchSummary]:
    whole = queries.change(session, number)
    if whole is None:
        raise NotFoundError("this change no longer exists; see the timeline of its page")
    return whole.change, whole.watch


def _rule(line: queries.WatchSummary, kind: str, value: str, scope: str) -> tuple[Rule, str]:
    rule = _as_said(line, kind, value, scope)
    try:
        return checked(rule), ""
    except PagedriftError as error:
        return rule, str(error)


def _as_said(line: queries.WatchSummary, kind: str, value: str, scope: str) -> Rule:
    of = {"watch": line.id, "host": line.host, "group": line.group, "all": ""}
    scope = scope if scope in of and (scope != "group" or line.group) else "watch"
    kind = kind if kind in ("block", "text", "kind") else "block"
    return Rule(scope=scope, of=of[scope], kind=kind, value=value)  # type: ignore[arg-type]


def _scopes(line: queries.WatchSummary) -> list[tuple[str, str]]:
    names = {**SCOPES, "host": f"on all pages of {line.host}", "group": f"in the group {line.group}"}
    return [(scope, name) for scope, name in names.items() if scope != "group" or line.group]
