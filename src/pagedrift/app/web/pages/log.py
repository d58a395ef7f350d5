"""Page of the log: who changed what, and when."""

from __future__ import annotations

from fastapi import APIRouter, Request, Response

from pagedrift.app.model.log import KINDS
from pagedrift.app.store import log
from pagedrift.app.web.request_context import Number, store_of
from pagedrift.app.web.templating import page

router = APIRouter()


@router.get("/log")
def log_page(
    request: Request, who: str = "", kind: str = "", subject: str = "", before: Number | None = None
) -> Response:
    """Show the log, newest first, of somebody or about something."""
    who, kind, subject = who[:200], kind if kind in KINDS else "", subject[:200]
    asked = {"who": who, "kind": kind, "subject": subject}
    with store_of(request).read() as session:
        found, older = log.entries(session, who=who, kind=kind, subject=subject, before=before)
        actors = log.actors(session)
    return page(request, "log.html", entries=found, older=older, asked=asked, actors=actors, kinds=KINDS)
