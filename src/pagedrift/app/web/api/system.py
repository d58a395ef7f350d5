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


@router.get("/metrics", responses={200: {"content": {"text/plain": {"schema": {"type": "string"}}}}})
def read_metrics(request: Request) -> Response:
    """Give the state of the watcher as Prometheus reads it."""
    state = read_state(request)
    figures = {
        "watches": ("Watches, paused ones included.", state.watches),
        "watches_paused": ("Watches that are paused.", state.paused),
        "watches_failing": ("Watches whose last check failed.", state.trouble),
        "checks_due": ("Checks that are due.", state.due),
        "checks_under_way": ("Checks that are under way.", len(state.under_way)),
        "checks_per_second": ("Checks per second, over the last minutes.", state.per_second),
        "scheduler_running": ("1 if this process makes checks, 0 if not.", int(state.running)),
    }
    lines = [
        f"# HELP pagedrift_{name} {said}\n# TYPE pagedrift_{name} gauge\npagedrift_{name} {value}\n"
        for name, (said, value) in figures.items()
    ]
    return Response("".join(lines), media_type="text/plain; version=0.0.4")


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
