"""Queue page: visits that are due, under way and recently done."""

from __future__ import annotations

from datetime import UTC, datetime

from fastapi import APIRouter, Request, Response

from pagedrift.app.store import queries
from pagedrift.app.web.request_context import scheduler_of, store_of
from pagedrift.app.web.templating import page

router = APIRouter()


@router.get("/queue")
def queue(request: Request, now: bool = False) -> Response:
    """Show the queue; a part of the page where it refreshes itself."""
    moment = datetime.now(UTC)
    with store_of(request).read() as session:
        found = queries.queue(session, now=moment)
    running = scheduler_of(request) is not None or found.per_minute > 0
    return page(request, "queue_now.html" if now else "queue.html", queue=found, now=moment, running=running)
