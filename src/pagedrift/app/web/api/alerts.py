"""API routes for alerts and rules."""

from __future__ import annotations

from fastapi import APIRouter, Request
from sqlalchemy import select

from pagedrift.app.model.rules import Rule
from pagedrift.app.store import feedback
from pagedrift.app.store.tables import StoryRow, StoryWatchRow
from pagedrift.app.web.api.schemas import NewRule, RuleState, Stories, Story, StoryKind
from pagedrift.app.web.api.shared import PREFIX, Before, Id, Limit, newest, row_of
from pagedrift.app.web.request_context import Number, store_of

router = APIRouter(prefix=PREFIX)


@router.get("/rules")
def list_rules(request: Request) -> list[RuleState]:
    """Give what is never told."""
    return [_rule(each) for each in feedback.rules(store_of(request))]


@router.post("/rules", status_code=201)
def add_rule(request: Request, given: NewRule) -> RuleState:
    """Never tell something again."""
    rule = Rule(given.scope, given.of, given.kind, given.value)
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
    wanted = select(StoryRow) if kind is None else select(StoryRow).where(StoryRow.kind == kind)
    rows, more = newest(request, wanted, StoryRow, before, limit)
    return Stories(stories=_stories(request, rows), next=more)


@router.get("/stories/{id}")
def read_story(request: Request, id: Number) -> Story:  # noqa: A002
    """Give one message."""
    return _stories(request, [row_of(request, StoryRow, id)])[0]


def _rule(rule: Rule) -> RuleState:
    return RuleState(id=rule.id, scope=rule.scope, of=rule.of, kind=rule.kind, value=rule.value)


def _stories(request: Request, rows: list[StoryRow]) -> list[Story]:
    about: dict[int, list[str]] = {row.id: [] for row in rows}
    with store_of(request).read() as session:
        named = select(StoryWatchRow.story, StoryWatchRow.watch).where(StoryWatchRow.story.in_(about))
        for story, watch in session.execute(named):
            about[story].append(watch)
    names = [name for name in Story.model_fields if name != "watches"]
    return [Story(**{name: getattr(row, name) for name in names}, watches=about[row.id]) for row in rows]
