"""Pages about alerts: what was sent, what was not, and why."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Annotated

from fastapi import APIRouter, Form, Request, Response

from pagedrift.app.store import deliveries, queries
from pagedrift.app.web.pages.shared import to, wake_scheduler
from pagedrift.app.web.request_context import Number, store_of
from pagedrift.app.web.templating import page
from pagedrift.errors import NotFoundError
from pagedrift.text import counted

router = APIRouter()
KINDS = ("change", "redesign", "trouble", "selector")


@router.get("/stories")
def stories(request: Request, before: Number | None = None, kind: str = "") -> Response:
    """List what was told."""
    kind = kind if kind in KINDS else ""
    with store_of(request).read() as session:
        found, older = queries.stories(session, before=before, kind=kind)
    return page(request, "stories.html", stories=found, older=older, before=before, kind=kind, parts_sent=sent)


@router.get("/stories/{number}")
def story(request: Request, number: Number) -> Response:
    """Show one message."""
    with store_of(request).read() as session:
        found = queries.story(session, number)
        if found is None:
            raise NotFoundError("there is no such message; look at the list of what was told")
        changes = [change for _, _, change in found.watches if change is not None]
        why = queries.reasons(session, changes)
    return page(request, "story.html", story=found, why=why)


@router.post("/stories/{number}/again")
def send_again(request: Request, number: Number, delivery: Annotated[Number, Form()]) -> Response:
    """Try to send a message again that was given up."""
    deliveries.retry(store_of(request), delivery, datetime.now(UTC))
    wake_scheduler(request)
    return to(f"/stories/{number}")


@router.get("/not-told")
def not_told(request: Request, before: Number | None = None) -> Response:
    """List what was found and kept quiet about."""
    with store_of(request).read() as session:
        changes, older = queries.changes(session, told=False, before=before)
        skipped = queries.skipped(session, size=20) if before is None else ()
    return page(request, "not_told.html", changes=changes, older=older, skipped=skipped)


def sent(story: queries.AlertSummary) -> str:
    """Say where a message went."""
    done = sum(each.delivered_at is not None for each in story.deliveries)
    waiting = sum(each.next_at is not None for each in story.deliveries)
    lost = len(story.deliveries) - done - waiting
    parts = [f"sent to {counted(done, 'channel')}"] if done else []
    parts += [f"{waiting} on the way"] if waiting else []
    parts += [f"{lost} given up"] if lost else []
    return ", ".join(parts)
