"""API routes for watches and groups."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Path, Query, Request, Response

from pagedrift.app.model.options import SomeOptions, hidden
from pagedrift.app.model.watch import AUTO, MAX_GROUP_CHARS, MAX_TAG_CHARS, Watch
from pagedrift.app.store import queries, watches
from pagedrift.app.web.api.schemas import NO_NUL, CheckState, Edit, GroupOptions, NewWatch, Watches, WatchState
from pagedrift.app.web.api.shared import PREFIX, Id, Limit
from pagedrift.app.web.request_context import scheduler_of, store_of
from pagedrift.errors import NotFoundError

router = APIRouter(prefix=PREFIX)
# Without spaces around it, which forms take off: a group has one address.
Name = Annotated[str, Path(max_length=MAX_GROUP_CHARS, pattern=r"^[^\s\x00]([^\x00]*[^\s\x00])?$")]


@router.get("/watches")
def list_watches(
    request: Request,
    *,
    group: Annotated[str | None, Query(max_length=MAX_GROUP_CHARS, pattern=NO_NUL)] = None,
    tag: Annotated[str, Query(max_length=MAX_TAG_CHARS, pattern=NO_NUL)] = "",
    state: CheckState | None = None,
    after: Annotated[str, Query(max_length=64, pattern=NO_NUL, description="`next` of the previous answer")] = "",
    limit: Limit = 100,
) -> Watches:
    """List watches."""
    with store_of(request).read() as session:
        listed, more = queries.statuses_after(session, after, group=group, tag=tag, state=state, size=limit)
    return Watches(watches=[_watch(each) for each in listed], next=more)


@router.post("/watches", status_code=201)
def add_watch(request: Request, response: Response, given: NewWatch) -> WatchState:
    """Add a watch."""
    new = Watch(
        given.url,
        kind="page" if given.kind == AUTO else given.kind,
        name=given.name,
        group=given.group,
        tags=tuple(given.tags),
        options=given.options,
        paused=given.paused,
    )
    added = watches.add(store_of(request), new, find_kind=given.kind == AUTO)
    response.headers["Location"] = f"{PREFIX}/watches/{added.id}"
    return read_watch(request, added.id)


@router.get("/watches/{id}")
def read_watch(request: Request, id: Id) -> WatchState:  # noqa: A002 - as the table calls it
    """Give one watch."""
    with store_of(request).read() as session:
        status = queries.status(session, id)
    if status is None:
        raise NotFoundError("watch not found; list them at /api/v1/watches")
    return _watch(status)


@router.patch("/watches/{id}")
def edit_watch(request: Request, id: Id, given: Edit) -> WatchState:  # noqa: A002
    """Edit a watch."""
    read_watch(request, id)
    watches.edit(store_of(request), id, **given.model_dump(exclude_unset=True))
    return read_watch(request, id)


@router.delete("/watches/{id}", status_code=204)
def remove_watch(request: Request, id: Id) -> None:  # noqa: A002
    """Remove a watch; its versions stay in the archive."""
    read_watch(request, id)
    watches.remove(store_of(request), id)


@router.post("/watches/{id}/check", status_code=202)
def check_watch(request: Request, id: Id) -> WatchState:  # noqa: A002
    """Check a watch as soon as possible."""
    read_watch(request, id)
    watches.visit_now(store_of(request), id)
    if (scheduler := scheduler_of(request)) is not None:
        scheduler.wake()
    return read_watch(request, id)


@router.post("/watches/{id}/visit", status_code=202, deprecated=True)
def visit_watch(request: Request, id: Id) -> WatchState:  # noqa: A002
    """Check a watch, under the old name. Use /api/v1/watches/{id}/check instead."""
    return check_watch(request, id)


@router.post("/watches/{id}/pause")
def pause_watch(request: Request, id: Id) -> WatchState:  # noqa: A002
    """Pause a watch."""
    return edit_watch(request, id, Edit(paused=True))


@router.post("/watches/{id}/resume")
def resume_watch(request: Request, id: Id) -> WatchState:  # noqa: A002
    """Resume a watch."""
    return edit_watch(request, id, Edit(paused=False))


@router.get("/groups")
def list_groups(request: Request) -> dict[str, SomeOptions]:
    """List the groups with their options; secrets are hidden."""
    return {name: hidden(options) for name, options in watches.groups(store_of(request)).items()}


@router.put("/groups/{name}")
def set_group(request: Request, name: Name, given: GroupOptions) -> SomeOptions:
    """Set the options that the watches of a group share."""
    watches.set_group(store_of(request), name, given.options)
    return hidden(watches.groups(store_of(request))[name])


@router.delete("/groups/{name}", status_code=204)
def remove_group(request: Request, name: Name) -> None:
    """Remove a group; its watches are kept."""
    if name not in watches.groups(store_of(request)):
        raise NotFoundError("group not found; list them at /api/v1/groups")
    watches.remove_group(store_of(request), name)


def _watch(status: queries.WatchStatus) -> WatchState:
    own = {"id", "url", "kind", "name", "group", "tags", "paused"}
    renamed = {"checks": "visits", "checked_at": "visited_at"}
    fields = {
        name: getattr(status.watch if name in own else status, renamed.get(name, name))
        for name in WatchState.model_fields
        if name != "options"
    }
    return WatchState(**fields, options=hidden(status.watch.options))
