"""API route for the log of who changed what."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Query, Request

from pagedrift.app.store import log
from pagedrift.app.web.api.schemas import NO_NUL, LogLine, LogPage
from pagedrift.app.web.api.shared import PREFIX, Before, Limit
from pagedrift.app.web.request_context import store_of

router = APIRouter(prefix=PREFIX)
Text = Annotated[str, Query(max_length=200, pattern=NO_NUL)]


@router.get("/log")
def read_log(  # noqa: PLR0917 - by name, from the address
    request: Request, who: Text = "", kind: Text = "", subject: Text = "", before: Before = None, limit: Limit = 100
) -> LogPage:
    """List who changed what, newest first: by somebody, of a kind, or about one thing."""
    with store_of(request).read() as session:
        found, more = log.entries(session, who=who, kind=kind, subject=subject, before=before, size=limit)
    names = ("id", "at", "who", "action", "kind", "subject", "title", "before", "after")
    return LogPage(entries=[LogLine(**{name: getattr(each, name) for name in names}) for each in found], next=more)
