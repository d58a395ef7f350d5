"""Pages about alerts, and about changes without one."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Annotated

from fastapi import APIRouter, Form, Request, Response
from starlette.responses import RedirectResponse

from pagedrift.app.model.redesign import RedesignSummary
from pagedrift.app.store import deliveries, queries, undo
from pagedrift.app.web.pages.shared import to, wake_scheduler
from pagedrift.app.web.request_context import Number, store_of
from pagedrift.app.web.templating import page
from pagedrift.errors import NotFoundError
from pagedrift.report import reasons

router = APIRouter()
KINDS = ("change", "redesign", "trouble", "selector", "expiry")


@router.get("/alerts")
def alerts(request: Request, before: Number | None = None, kind: str = "") -> Response:
    """List the alerts."""
    kind = kind if kind in KINDS else ""
    with store_of(request).read() as session:
        found, older = queries.alerts(session, before=before, kind=kind)
        held = queries.held(session)
    return page(
        request,
        "alerts.html",
        alerts=found,
        older=older,
        before=before,
        kind=kind,
        held=held,
        delivery_summary=delivery_summary,
    )


@router.get("/alerts/{number}")
def alert(request: Request, number: Number) -> Response:
    """Show one alert."""
    with store_of(request).read() as session:
        found = queries.alert(session, number)
        if found is None:
            raise NotFoundError("alert not found; see the list of alerts")
        changes = [change for _, _, change in found.watches if change is not None]
        why = queries.reasons(session, changes)
        pages = queries.redesigned_pages(session, number) if found.kind == "redesign" else ()
        example = queries.example_of(session, pages)
    content = {each.watch: each.details.content for each in pages}
    summary = RedesignSummary.of((each.watch, each.details) for each in pages) if pages else None
    return page(request, "alert.html", alert=found, why=why, redesign=summary, example=example, content=content)


@router.post("/alerts/{number}/again")
def send_again(request: Request, number: Number, delivery: Annotated[Number, Form()]) -> Response:
    """Try again to deliver an alert."""
    deliveries.retry(store_of(request), delivery, datetime.now(UTC))
    wake_scheduler(request)
    return to(f"/alerts/{number}")


@router.get("/ignored")
def ignored(request: Request, before: Number | None = None, done: str = "") -> Response:
    """List the changes without an alert, by cause and one by one, and why there was none."""
    with store_of(request).read() as session:
        changes, older = queries.changes(session, alerted=False, before=before)
        skipped = queries.skipped(session, size=20) if before is None else ()
        causes = queries.ignored_causes(session) if before is None else ()
    last = undo.last(store_of(request), done) if done else None
    return page(
        request,
        "ignored.html",
        changes=changes,
        older=older,
        skipped=skipped,
        causes=causes,
        done=last,
        done_text=reasons.done(last.kind, last.count, value=last.value) if last else "",
    )


@router.get("/stories", include_in_schema=False)
@router.get("/stories/{number}", include_in_schema=False)
@router.get("/not-told", include_in_schema=False)
def moved(request: Request) -> Response:
    """Redirect the addresses of older releases, which old alerts link to."""
    path = request.url.path.replace("/stories", "/alerts", 1).replace("/not-told", "/ignored", 1)
    query = f"?{request.url.query}" if request.url.query else ""
    return RedirectResponse(path + query, 301)


def delivery_summary(alert: queries.AlertSummary) -> str:
    """Say to how many channels an alert was delivered."""
    done = sum(each.delivered_at is not None for each in alert.deliveries)
    waiting = sum(each.next_at is not None for each in alert.deliveries)
    lost = len(alert.deliveries) - done - waiting
    return reasons.deliveries(done, waiting, lost)
