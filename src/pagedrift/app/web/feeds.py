"""Feed routes: all alerts, those of a group, or those of a watch, each at a secret address."""

from __future__ import annotations

from fastapi import APIRouter, Request, Response

from pagedrift.app.notify import atom
from pagedrift.app.store import watches
from pagedrift.app.web.request_context import app_origin, settings_of, store_of

router = APIRouter()


@router.get("/feed/{token}/all.atom")
def everything(request: Request) -> Response:
    """Give what was answer, whatever it is about."""
    return _feed(request, "/alerts")


@router.get("/feed/{token}/watch/{id}.atom")
def of_watch(request: Request, id: str) -> Response:  # noqa: A002 - as the table calls it
    """Give what was answer about one watch."""
    found = watches.get(store_of(request), id)
    return _feed(request, f"/watch/{found.id}", watch=found.id, title=found.title)


@router.get("/feed/{token}/group/{name}.atom")
def of_group(request: Request, name: str) -> Response:
    """Give what was answer about the watches of a group."""
    return _feed(request, "/alerts", group=name)


def _feed(request: Request, site: str, **about: str) -> Response:
    origin = app_origin(settings_of(request))
    answer = atom.answer(
        store_of(request),
        url=f"{origin}{request.url.path}",
        site=f"{origin}{site}",
        before=request.query_params.get("before", "")[:100],
        headers={name.lower(): value for name, value in request.headers.items()},
        **about,
    )
    return Response(answer.body, answer.status, dict(answer.headers))
