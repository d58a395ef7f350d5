"""API routes for versions, changes and feedback."""

from __future__ import annotations

from typing import Annotated, Any

from fastapi import APIRouter, Query, Request, Response
from sqlalchemy import select
from starlette.responses import PlainTextResponse

from pagedrift.app.store import feedback
from pagedrift.app.store.tables import ChangeRow, VersionRow
from pagedrift.app.web import content
from pagedrift.app.web.api.schemas import NO_NUL, Change, Changes, Opinion, Version, Versions, WholeChange
from pagedrift.app.web.api.shared import PREFIX, Before, Id, Limit, newest, row_of
from pagedrift.app.web.api.watches import read_watch
from pagedrift.app.web.request_context import Number, settings_of, store_of

router = APIRouter(prefix=PREFIX)


@router.get("/watches/{id}/versions")
def list_versions(request: Request, id: Id, before: Before = None, limit: Limit = 100) -> Versions:  # noqa: A002
    """List the versions of a watch, newest first."""
    read_watch(request, id)
    rows, more = newest(request, select(VersionRow).where(VersionRow.watch == id), VersionRow, before, limit)
    return Versions(versions=[_version(row) for row in rows], next=more)


@router.get("/versions/{id}")
def read_version(request: Request, id: Number) -> Version:  # noqa: A002
    """Give one version, without its bytes."""
    return _version(row_of(request, VersionRow, id))


@router.get(
    "/versions/{id}/body",
    response_class=PlainTextResponse,
    responses={304: {"description": "not changed since the ETag that was sent"}},
)
def read_body(request: Request, id: Number) -> Response:  # noqa: A002
    """Give the bytes of a version, as a file that no browser shows."""
    from pagedrift.archive.locations import Place
    from pagedrift.archive.reader import page_at

    row = row_of(request, VersionRow, id)
    headers = {
        "ETag": f'"{row.digest}"',
        "Content-Disposition": f'attachment; filename="version-{row.id}.txt"',
        "Cache-Control": "private, no-cache",
    }
    if request.headers.get("if-none-match") == headers["ETag"]:
        return Response(status_code=304, headers=headers)
    found = page_at(settings_of(request).archive, Place(row.filename, row.offset, row.length))
    # Whatever it is, here it is text: as HTML it would run with the rights of the application.
    return Response(found.body, 200, headers, "text/plain; charset=" + (found.encoding.name or "utf-8"))


@router.get("/changes")
def list_changes(
    request: Request,
    *,
    watch: Annotated[str | None, Query(max_length=64, pattern=NO_NUL)] = None,
    told: bool | None = None,
    matters: bool | None = None,
    before: Before = None,
    limit: Limit = 100,
) -> Changes:
    """List changes, newest first."""
    wanted = select(ChangeRow)
    for column, value in ((ChangeRow.watch, watch), (ChangeRow.told, told), (ChangeRow.matters, matters)):
        wanted = wanted.where(column == value) if value is not None else wanted
    rows, more = newest(request, wanted, ChangeRow, before, limit)
    return Changes(changes=[Change(**_change(row)) for row in rows], next=more)


@router.get("/changes/{id}")
def read_change(request: Request, id: Number) -> WholeChange:  # noqa: A002
    """Give one change with its five answers."""
    row = row_of(request, ChangeRow, id)
    settings = settings_of(request)
    pages = {kind: content.url(settings, kind, row.id) for kind, of in content.KINDS.items() if of == "change"}
    said = feedback.label_of(store_of(request), row.id)
    return WholeChange(**_change(row), card=row.card, feedback=said, pages=pages)


@router.put("/changes/{id}/feedback")
def give_feedback(request: Request, id: Number, given: Opinion) -> WholeChange:  # noqa: A002
    """Say whether a change matters."""
    row_of(request, ChangeRow, id)
    feedback.label(store_of(request), id, matters=given.matters)
    return read_change(request, id)


def _version(row: VersionRow) -> Version:
    return Version(**{name: getattr(row, name) for name in Version.model_fields})


def _change(row: ChangeRow) -> dict[str, Any]:
    said = {name: getattr(row, name) for name in Change.model_fields if name != "headline"}
    return said | {"headline": str(getattr(row, "headline", "") or row.card.get("headline", ""))}
