"""API routes for the state of the scheduler, export and import."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from typing import Final

from anyio import to_thread
from fastapi import APIRouter, Request, Response

from pagedrift.app import imports
from pagedrift.app.imports import backup
from pagedrift.app.store import queries
from pagedrift.app.web.api.schemas import Imported, State
from pagedrift.app.web.api.shared import PREFIX
from pagedrift.app.web.request_context import scheduler_of, store_of
from pagedrift.errors import InputError

router = APIRouter(prefix=PREFIX)
_A_FILE: Final = {
    "required": True,
    "description": "the file; its format is detected",
    "content": {"application/octet-stream": {"schema": {"type": "string", "format": "binary", "minLength": 1}}},
}


@router.get("/state")
def read_state(request: Request) -> State:
    """Give the state of the watcher."""
    scheduler = scheduler_of(request)
    with store_of(request).read() as session:
        counts = queries.count_watches(session, datetime.now(UTC))
    now = scheduler.state() if scheduler is not None else None
    return State(
        watches=counts.total,
        paused=counts.paused,
        trouble=counts.failing,
        due=now.due if now else counts.due,
        running=bool(now and now.running),
        under_way=[each.url for each in now.under_way] if now else [],
        per_second=now.per_second if now else 0.0,
    )


@router.get("/export", responses={200: {"content": {"application/json": {"schema": {"type": "object"}}}}})
def export(request: Request) -> Response:
    """Export watches, groups, rules and alerts, without secrets."""
    body = json.dumps(backup.export(store_of(request)), ensure_ascii=False, indent=1).encode()
    headers = {"Content-Disposition": 'attachment; filename="pagedrift.json"'}
    return Response(body, 200, headers, "application/json")


@router.post("/import", status_code=201, openapi_extra={"requestBody": _A_FILE})
async def import_file(request: Request, paused: bool = False) -> Imported:
    """Add the watches of a file: of this API, changedetection.io, urlwatch, Distill, OPML or a list."""
    data, store = await request.body(), store_of(request)
    if not data:
        raise InputError("the request has no body; send the file in it")

    def take() -> Imported:
        taken = imports.take(store, imports.read(data), paused=paused)
        return Imported(added=[each.id for each in taken.added], present=taken.present, notes=list(taken.notes))

    return await to_thread.run_sync(take)
