"""API routes for the inbox: unread changes, causes of ignored ones, actions on several watches, and undo."""

from __future__ import annotations

from typing import Annotated, Literal

from fastapi import APIRouter, Query, Request

from pagedrift.app.model.bulk import BulkAction, DoneAction
from pagedrift.app.store import bulk, inbox, queries
from pagedrift.app.web.api.changes import change_fields, read_change
from pagedrift.app.web.api.schemas import (
    NO_NUL,
    ActionResult,
    Change,
    IgnoredCauses,
    IgnoredCauseState,
    InboxPage,
    ReadMark,
    ReadMarks,
    WatchAction,
    WholeChange,
)
from pagedrift.app.web.api.shared import PREFIX, Before, Id, Limit
from pagedrift.app.web.request_context import Number, person_of, scheduler_of, store_of

router = APIRouter(prefix=PREFIX)
View = Literal["unread", "important", "ignored", "all"]


@router.get("/inbox")
def list_inbox(
    request: Request,
    show: View = "unread",
    find: Annotated[str, Query(max_length=500, pattern=NO_NUL, description="words of headlines and texts")] = "",
    before: Before = None,
    limit: Limit = 100,
) -> InboxPage:
    """List unread changes with an alert, or search in the texts of changes, newest first."""
    with store_of(request).read() as session:
        person = person_of(request)
        listed, more = queries.search_changes(
            session, person=person, show=show, find=find, before=before, size=limit
        )
        unread, newest = queries.unread_count(session, person=person), queries.newest_change(session)
    changes = [Change(**change_fields(each)) for each in listed]
    return InboxPage(changes=changes, next=more, unread=unread, newest=newest)


@router.post("/inbox/read")
def read_all(request: Request, given: ReadMarks) -> ActionResult:
    """Mark all changes as read, up to the one that is named."""
    return _result(inbox.mark_all(store_of(request), up_to=given.up_to, person=person_of(request)))


@router.put("/changes/{id}/read")
def mark_change(request: Request, id: Number, given: ReadMark) -> WholeChange:  # noqa: A002
    """Mark a change as read or unread."""
    inbox.set_read(store_of(request), id, read=given.read, person=person_of(request))
    return read_change(request, id)


@router.get("/ignored")
def list_causes(request: Request) -> IgnoredCauses:
    """List what caused the ignored changes of the last 30 days, the most frequent first."""
    with store_of(request).read() as session:
        found = queries.ignored_causes(session)
    return IgnoredCauses(
        causes=[
            IgnoredCauseState(
                **{
                    name: getattr(each, name) for name in ("host", "title", "why", "changes", "pages", "at", "edit")
                },
                newest=each.newest.id,
            )
            for each in found
        ]
    )


@router.post("/actions")
def act_on_watches(request: Request, given: WatchAction) -> ActionResult:
    """Check, pause, resume, tag, set or remove several watches at once."""
    done = bulk.apply(store_of(request), given.watches, BulkAction(given.action, given.value))
    if (scheduler := scheduler_of(request)) is not None:
        scheduler.wake()
    return _result(done)


@router.post("/undo/{id}")
def undo(request: Request, id: Id) -> ActionResult:  # noqa: A002
    """Undo one of the last 20 actions on several watches or changes."""
    done = inbox.undo_action(store_of(request), id, person=person_of(request))
    return ActionResult(id=done.id, action=done.kind, count=done.count, can_be_undone=False)


def _result(done: DoneAction) -> ActionResult:
    return ActionResult(id=done.id, action=done.kind, count=done.count, can_be_undone=done.can_be_undone)
