"""API routes for alerts and rules."""

from __future__ import annotations

from typing import Final

from fastapi import APIRouter, Request

from pagedrift.app.model.rules import Rule
from pagedrift.app.store import feedback, queries
from pagedrift.app.web.api.schemas import NewRule, RuleState, Stories, Story, StoryKind
from pagedrift.app.web.api.shared import PREFIX, Before, Id, Limit, found
from pagedrift.app.web.request_context import Number, store_of

router = APIRouter(prefix=PREFIX)
MAX_WATCHES: Final = 10_000  # that one alert names


@router.get("/rules")
def list_rules(request: Request) -> list[RuleState]:
    """Give what is never told."""
    return [_rule(each) for each in feedback.rules(store_of(request))]


@router.post("/rules", status_code=201)
def add_rule(request: Request, given: NewRule) -> RuleState:
    """Never tell something again."""
    rule = Rule(scope=given.scope, of=given.of, kind=given.kind, value=given.value)
    return _rule(feedback.add_rule(store_of(request), rule, change=given.change))


@router.delete("/rules/{id}", status_code=204)
def remove_rule(request: Request, id: Id) -> None:  # noqa: A002
    """Tell it again."""
    feedback.remove_rule(store_of(request), id)


@router.get("/stories")
def list_stories(
    request: Request, kind: StoryKind | None = None, before: Before = None, limit: Limit = 100
) -> Stories:
    """List what was told, newest first."""
    with store_of(request).read() as session:
        listed, more = queries.stories(session, kind=kind or "", before=before, size=limit, pages=MAX_WATCHES)
    return Stories(stories=[_story(each) for each in listed], next=more)


@router.get("/stories/{id}")
def read_story(request: Request, id: Number) -> Story:  # noqa: A002
    """Give one message."""
    with store_of(request).read() as session:
        return _story(found(queries.story(session, id, pages=MAX_WATCHES), id))


def _rule(rule: Rule) -> RuleState:
    return RuleState(id=rule.id, scope=rule.scope, of=rule.of, kind=rule.kind, value=rule.value)


def _story(story: queries.AlertSummary) -> Story:
    said = {name: getattr(story, name) for name in Story.model_fields if name != "watches"}
    return Story(**said, watches=[which for which, _, _ in story.watches])
