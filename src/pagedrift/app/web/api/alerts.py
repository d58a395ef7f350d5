"""API routes for alerts and rules."""

from __future__ import annotations

from typing import Final

from fastapi import APIRouter, Request

from pagedrift.app.model.redesign import RedesignSummary
from pagedrift.app.model.rules import Rule
from pagedrift.app.store import feedback, queries
from pagedrift.app.web.api.schemas import Alert, AlertKind, Alerts, NewRule, Redesigned, RuleState, Stories, Story
from pagedrift.app.web.api.shared import PREFIX, Before, Id, Limit, found
from pagedrift.app.web.request_context import Number, store_of

router = APIRouter(prefix=PREFIX)
MAX_WATCHES: Final = 10_000  # that one alert names


@router.get("/rules")
def list_rules(request: Request) -> list[RuleState]:
    """List the rules: what is ignored."""
    return [_rule(each) for each in feedback.rules(store_of(request))]


@router.post("/rules", status_code=201)
def add_rule(request: Request, given: NewRule) -> RuleState:
    """Add a rule: ignore something from now on."""
    rule = Rule(scope=given.scope, of=given.of, kind=given.kind, value=given.value)
    return _rule(feedback.add_rule(store_of(request), rule, change=given.change))


@router.delete("/rules/{id}", status_code=204)
def remove_rule(request: Request, id: Id) -> None:  # noqa: A002
    """Remove a rule."""
    feedback.remove_rule(store_of(request), id)


@router.get("/alerts")
def list_alerts(
    request: Request, kind: AlertKind | None = None, before: Before = None, limit: Limit = 100
) -> Alerts:
    """List the alerts, newest first."""
    with store_of(request).read() as session:
        listed, more = queries.alerts(session, kind=kind or "", before=before, size=limit, pages=MAX_WATCHES)
    return Alerts(alerts=[_alert(each) for each in listed], next=more)


@router.get("/alerts/{id}")
def read_alert(request: Request, id: Number) -> Alert:  # noqa: A002
    """Give one alert."""
    with store_of(request).read() as session:
        return _alert(found(queries.alert(session, id, pages=MAX_WATCHES), id, "alert", "alerts"))


@router.get("/stories", deprecated=True)
def list_stories(
    request: Request, kind: AlertKind | None = None, before: Before = None, limit: Limit = 100
) -> Stories:
    """List the alerts under their old name. Use /api/v1/alerts instead."""
    listed = list_alerts(request, kind, before, limit)
    return Stories(stories=[_story(each) for each in listed.alerts], next=listed.next)


@router.get("/stories/{id}", deprecated=True)
def read_story(request: Request, id: Number) -> Story:  # noqa: A002
    """Give one alert under its old name. Use /api/v1/alerts/{id} instead."""
    return _story(read_alert(request, id))


def _rule(rule: Rule) -> RuleState:
    return RuleState(id=rule.id, scope=rule.scope, of=rule.of, kind=rule.kind, value=rule.value)


def _alert(alert: queries.AlertSummary) -> Alert:
    fields = {name: getattr(alert, name) for name in Alert.model_fields if name not in ("watches", "redesign")}
    stored = alert.message.get("redesign")
    summary = RedesignSummary.from_json(stored) if isinstance(stored, dict) else None
    redesign = Redesigned.model_validate(summary.to_json()) if summary else None
    return Alert(**fields, redesign=redesign, watches=[which for which, _, _ in alert.watches])


def _story(alert: Alert) -> Story:
    fields = alert.model_dump()
    return Story(**fields, told=fields["message"])
