"""API routes for watches and groups."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Path, Query, Request, Response

from pagedrift.app.model.options import SomeOptions, hidden
from pagedrift.app.model.watch import MAX_GROUP_CHARS, Watch
from pagedrift.app.store import queries, watches
from pagedrift.app.web.api.schemas import NO_NUL, Edit, Fares, GroupOptions, NewWatch, Watches, WatchState
from pagedrift.app.web.api.shared import PREFIX, Id, Limit
from pagedrift.app.web.request_context import scheduler_of, store_of
from pagedrift.errors import NotFoundError

router = APIRouter(prefix=PREFIX)
# Without spaces around it, which forms take off: a group has one address.
Name = Annotated[str, Path(max_length=MAX_GROUP_CHARS, pattern=r"^[^\s\x00]([^\x00]*[^\s\x00])?$")]


@router.get("/watches")
def list_watches(
    request: Request,
    group: Annotated[str | None, Query(max_length=MAX_GROUP_CHARS, pattern=NO_NUL)] = None,
    state: Fares | None = None,
    after: Annotated[str, Query(max_length=64, pattern=NO_NUL, description="`next` of the answer before")] = "",
    limit: Limit = 100,
) -> Watches:
    """List watches."""
    with store_of(request).read() as session:
        listed, more = queries.statuses_after(session, after, group=group, state=state, size=limit)
    return Watches(watches=[_watch(each) for each in listed], next=more)


@router.post("/watches", status_code=201)
def add_watch(request: Request, response: Response, given: NewWatch) -> WatchState:
    """Watch something more, from now on."""
    new = Watch(
        given.url, kind=given.kind, name=given.name, group=given.group, options=given.options, paused=given.paused
    )
    added = watches.add(store_of(request), new)
    response.headers["Location"] = f"{PREFIX}/watches/{added.id}"
    return read_watch(request, added.id)


@router.get("/watches/{id}")
def read_watch(request: Request, id: Id) -> WatchState:  # noqa: A002 - as the table calls it
    """Give one watch."""
    with store_of(request).read() as session:
        status = queries.status(session, id)
    if status is None:
        raise NotFoundError("there is no such watch; list them at /api/v1/watches")
    return _watch(status)


@router.patch("/watches/{id}")
def edit_watch(request: Request, id: Id, given: Edit) -> WatchState:  # noqa: A002
    """Change a watch."""
    read_watch(request, id)
    watches.edit(store_of(request), id, **given.model_dump(exclude_unset=True))
    return read_watch(request, id)


@router.delete("/watches/{id}", status_code=204)
def remove_watch(request: Request, id: Id) -> None:  # noqa: A002
    """Stop watching; what was kept stays in the archive."""
    read_watch(request, id)
    watches.remove(store_of(request), id)


@router.post("/watches/{id}/visit", status_code=202)
def visit_watch(request: Request, id: Id) -> WatchState:  # noqa: A002
    """Visit it as soon as it can be."""
    read_watch(request, id)
    watches.visit_now(store_of(request), id)
    if (scheduler := scheduler_of(request)) is not None:
        scheduler.wake()
    return read_watch(request, id)


@router.post("/watches/{id}/pause")
def pause_watch(request: Request, id: Id) -> WatchState:  # noqa: A002
    """Leave it alone for a while."""
    return edit_watch(request, id, Edit(paused=True))


@router.post("/watches/{id}/resume")
def resume_watch(request: Request, id: Id) -> WatchState:  # noqa: A002
    """Go on with it."""
    return edit_watch(request, id, Edit(paused=False))


@router.get("/groups")
def list_groups(request: Request) -> dict[str, SomeOptions]:
    """Give the groups with the options that each sets; secrets are hidden."""
    return {name: hidden(options) for name, options in watches.groups(store_of(request)).items()}


@router.put("/groups/{name}")
def set_group(request: Request, name: Name, given: GroupOptions) -> SomeOptions:
    """Say what the watches of a group have in common."""
    watches.set_group(store_of(request), name, given.options)
    return hidden(watches.groups(store_of(request))[name])


@router.delete("/groups/{name}", status_code=204)
def remove_group(request: Request, name: Name) -> None:
    """Forget a group; its watches stay."""
    if name not in watches.groups(store_of(request)):
        raise NotFoundError("there is no such group; list them at /api/v1/groups")
    watches.remove_group(store_of(request), name)


def _watch(status: queries.WatchStatus) -> WatchState:
    own = {"id", "url", "kind", "name", "group", "paused"}
    said = {
        name: getattr(status.watch if name in own else status, name)
        for name in WatchState.model_fields
        if name != "options"
    }
    return WatchState(**said, options=hidden(status.watch.options))
