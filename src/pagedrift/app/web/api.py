"""What can programs ask for and do? The same as people, through the same checks, in JSON."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from functools import cache
from typing import Annotated, Any, Final

from anyio import to_thread
from fastapi import APIRouter, FastAPI, Query, Request, Response
from pydantic import BaseModel, ConfigDict, Field
from sqlalchemy import Select, func, select

from pagedrift.app import imports
from pagedrift.app.imports import own
from pagedrift.app.store import feedback, watches
from pagedrift.app.store.tables import ChangeRow, StoryRow, StoryWatchRow, VersionRow, WatchRow
from pagedrift.app.watch.rules import Rule
from pagedrift.app.watches import Watch, hidden
from pagedrift.app.web import content
from pagedrift.app.web.asking import MissingError, Number, settings_of, store_of, watcher_of
from pagedrift.app.web.templating import page
from pagedrift.errors import InputError

PREFIX: Final = "/api/v1"
MOST: Final = 500  # entries of one answer
router = APIRouter(prefix=PREFIX)

Limit = Annotated[int, Query(ge=1, le=MOST, description="how many to give at most")]
Before = Annotated[Number | None, Query(description="`next` of the answer before")]


class Error(BaseModel):
    """What every refusal says; the text ends with the next step."""

    error: str


class Sent(BaseModel):
    """What is sent to us: a name that is none of ours is an error, not ignored."""

    model_config = ConfigDict(extra="forbid", strict=True)


class NewWatch(Sent):
    """Something to watch."""

    url: str
    kind: str = Field("page", description="page, feed, sitemap or list")
    name: str = ""
    group: str = ""
    options: dict[str, Any] = Field(default_factory=dict, description="those that differ from the group's")
    paused: bool = False


class Edit(Sent):
    """What is to be different; what is not named stays, and so do secrets that are sent back as (hidden)."""

    url: str | None = None
    name: str | None = None
    group: str | None = None
    options: dict[str, Any] | None = None
    paused: bool | None = None


class GroupOptions(Sent):
    """What the watches of a group have in common."""

    options: dict[str, Any]


class Opinion(Sent):
    """Whether a change matters, for the learner."""

    matters: bool


class NewRule(Sent):
    """Something that is never to be told again."""

    scope: str = Field(description="watch, host, group or all")
    of: str = ""
    kind: str = Field(description="block (CSS), text (regular expression) or kind (of change)")
    value: str
    change: int | None = None


class WatchState(BaseModel):
    """One watch, and how it fares. Secrets are hidden."""

    id: str
    url: str
    kind: str
    name: str
    group: str
    options: dict[str, Any]
    paused: bool
    parent: str | None
    state: str
    trouble: str
    visits: int
    created_at: datetime
    visited_at: datetime | None
    changed_at: datetime | None
    next_at: datetime


class Version(BaseModel):
    """One version that is kept."""

    id: int
    watch: str
    url: str
    captured_at: datetime
    digest: str
    mime: str
    status: int | None
    title: str
    pictured: bool


class Change(BaseModel):
    """One change, and what was decided about it."""

    id: int
    watch: str
    old: int
    new: int
    at: datetime
    headline: str
    amount: float
    probability: float
    matters: bool
    redesigned: bool
    told: bool
    reason: str
    story: int | None


class WholeChange(Change):
    """One change with its five answers, what the user said about it, and where its pages are for an hour."""

    card: dict[str, Any]
    feedback: bool | None
    pages: dict[str, str]


class RuleState(BaseModel):
    """Something that is never told."""

    id: str
    scope: str
    of: str
    kind: str
    value: str


class Story(BaseModel):
    """One message, as it was told."""

    id: int
    uid: str
    kind: str
    host: str
    title: str
    opened_at: datetime
    closed_at: datetime | None
    told: dict[str, Any]
    watches: list[str]


class Watches(BaseModel):
    """Some watches; `next` leads to more."""

    watches: list[WatchState]
    next: str | None


class Versions(BaseModel):
    """Some versions, newest first."""

    versions: list[Version]
    next: int | None


class Changes(BaseModel):
    """Some changes, newest first."""

    changes: list[Change]
    next: int | None


class Stories(BaseModel):
    """Some messages, newest first."""

    stories: list[Story]
    next: int | None


class Imported(BaseModel):
    """What came of an import."""

    added: list[str]
    present: int
    notes: list[str]


class State(BaseModel):
    """How far the watcher is."""

    watches: int
    paused: int
    due: int
    trouble: int
    running: bool
    under_way: list[str]
    per_second: float


# --- watches -----------------------------------------------------------------------------------------------------


@router.get("/watches")
def list_watches(
    request: Request,
    group: str | None = None,
    state: str | None = None,
    after: Annotated[str, Query(max_length=64, description="`next` of the answer before")] = "",
    limit: Limit = 100,
) -> Watches:
    """List watches."""
    wanted = select(WatchRow).where(~WatchRow.deleted, WatchRow.id > after).order_by(WatchRow.id).limit(limit + 1)
    if group is not None:
        wanted = wanted.where(WatchRow.group == group)
    if state is not None:
        wanted = wanted.where(WatchRow.state == state)
    with store_of(request).read() as session:
        rows = list(session.scalars(wanted))
    more = rows[limit - 1].id if len(rows) > limit else None
    return Watches(watches=[_watch(row) for row in rows[:limit]], next=more)


@router.post("/watches", status_code=201)
def add_watch(request: Request, response: Response, given: NewWatch) -> WatchState:
    """Watch something more, from now on."""
    new = Watch(given.url, given.kind, given.name, given.group, given.options, given.paused)  # type: ignore[arg-type]
    added = watches.add(store_of(request), new)
    response.headers["Location"] = f"{PREFIX}/watches/{added.id}"
    return read_watch(request, added.id)


@router.get("/watches/{id}")
def read_watch(request: Request, id: str) -> WatchState:  # noqa: A002 - as the table calls it
    """Give one watch."""
    with store_of(request).read() as session:
        row = session.get(WatchRow, id)
    if row is None or row.deleted:
        raise MissingError("there is no such watch; list them at /api/v1/watches")
    return _watch(row)


@router.patch("/watches/{id}")
def edit_watch(request: Request, id: str, given: Edit) -> WatchState:  # noqa: A002
    """Change a watch."""
    read_watch(request, id)
    said = {name: value for name, value in given.model_dump().items() if name in given.model_fields_set}
    if None in said.values():
        raise InputError("null stands for nothing here; leave out what stays as it is")
    watches.edit(store_of(request), id, **said)
    return read_watch(request, id)


@router.delete("/watches/{id}", status_code=204)
def remove_watch(request: Request, id: str) -> None:  # noqa: A002
    """Stop watching; what was kept stays in the archive."""
    read_watch(request, id)
    watches.remove(store_of(request), id)


@router.post("/watches/{id}/visit", status_code=202)
def visit_watch(request: Request, id: str) -> WatchState:  # noqa: A002
    """Visit it as soon as it can be."""
    read_watch(request, id)
    watches.visit_now(store_of(request), id)
    if (watcher := watcher_of(request)) is not None:
        watcher.nudge()
    return read_watch(request, id)


@router.post("/watches/{id}/pause")
def pause_watch(request: Request, id: str) -> WatchState:  # noqa: A002
    """Leave it alone for a while."""
    return edit_watch(request, id, Edit(paused=True))


@router.post("/watches/{id}/resume")
def resume_watch(request: Request, id: str) -> WatchState:  # noqa: A002
    """Go on with it."""
    return edit_watch(request, id, Edit(paused=False))


@router.get("/groups")
def list_groups(request: Request) -> dict[str, dict[str, Any]]:
    """Give the groups with the options that each sets; secrets are hidden."""
    return {name: hidden(options) for name, options in watches.groups(store_of(request)).items()}


@router.put("/groups/{name}")
def set_group(request: Request, name: str, given: GroupOptions) -> dict[str, Any]:
    """Say what the watches of a group have in common."""
    watches.set_group(store_of(request), name, given.options)
    return hidden(watches.groups(store_of(request))[name])


@router.delete("/groups/{name}", status_code=204)
def remove_group(request: Request, name: str) -> None:
    """Forget a group; its watches stay."""
    if name not in watches.groups(store_of(request)):
        raise MissingError("there is no such group; list them at /api/v1/groups")
    watches.remove_group(store_of(request), name)


# --- what was found ----------------------------------------------------------------------------------------------


@router.get("/watches/{id}/versions")
def list_versions(request: Request, id: str, before: Before = None, limit: Limit = 100) -> Versions:  # noqa: A002
    """List the versions of a watch, newest first."""
    read_watch(request, id)
    rows, more = _newest(request, select(VersionRow).where(VersionRow.watch == id), VersionRow, before, limit)
    return Versions(versions=[_version(row) for row in rows], next=more)


@router.get("/versions/{id}")
def read_version(request: Request, id: Number) -> Version:  # noqa: A002
    """Give one version, without its bytes."""
    return _version(_row(request, VersionRow, id))


@router.get("/versions/{id}/body", response_class=Response)
def read_body(request: Request, id: Number) -> Response:  # noqa: A002
    """Give the bytes of a version, as a file that no browser shows."""
    from pagedrift.archive.places import Place
    from pagedrift.archive.stored import page_at

    row = _row(request, VersionRow, id)
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
    watch: str | None = None,
    told: bool | None = None,
    matters: bool | None = None,
    before: Before = None,
    limit: Limit = 100,
) -> Changes:
    """List changes, newest first."""
    wanted = select(ChangeRow)
    for column, value in ((ChangeRow.watch, watch), (ChangeRow.told, told), (ChangeRow.matters, matters)):
        wanted = wanted.where(column == value) if value is not None else wanted
    rows, more = _newest(request, wanted, ChangeRow, before, limit)
    return Changes(changes=[Change(**_change(row)) for row in rows], next=more)


@router.get("/changes/{id}")
def read_change(request: Request, id: Number) -> WholeChange:  # noqa: A002
    """Give one change with its five answers."""
    row = _row(request, ChangeRow, id)
    settings = settings_of(request)
    pages = {kind: content.url(settings, kind, row.id) for kind, of in content.KINDS.items() if of == "change"}
    said = feedback.label_of(store_of(request), row.id)
    return WholeChange(**_change(row), card=row.card, feedback=said, pages=pages)


@router.put("/changes/{id}/feedback")
def give_feedback(request: Request, id: Number, given: Opinion) -> WholeChange:  # noqa: A002
    """Say whether a change matters."""
    _row(request, ChangeRow, id)
    feedback.label(store_of(request), id, matters=given.matters)
    return read_change(request, id)


@router.get("/rules")
def list_rules(request: Request) -> list[RuleState]:
    """Give what is never told."""
    return [_rule(each) for each in feedback.rules(store_of(request))]


@router.post("/rules", status_code=201)
def add_rule(request: Request, given: NewRule) -> RuleState:
    """Never tell something again."""
    rule = Rule(given.scope, given.of, given.kind, given.value)  # type: ignore[arg-type]
    return _rule(feedback.add_rule(store_of(request), rule, change=given.change))


@router.delete("/rules/{id}", status_code=204)
def remove_rule(request: Request, id: str) -> None:  # noqa: A002
    """Tell it again."""
    feedback.remove_rule(store_of(request), id)


@router.get("/stories")
def list_stories(request: Request, kind: str | None = None, before: Before = None, limit: Limit = 100) -> Stories:
    """List what was told, newest first."""
    wanted = select(StoryRow) if kind is None else select(StoryRow).where(StoryRow.kind == kind)
    rows, more = _newest(request, wanted, StoryRow, before, limit)
    return Stories(stories=_stories(request, rows), next=more)


@router.get("/stories/{id}")
def read_story(request: Request, id: Number) -> Story:  # noqa: A002
    """Give one message."""
    return _stories(request, [_row(request, StoryRow, id)])[0]


@router.get("/state")
def read_state(request: Request) -> State:
    """Tell how far the watcher is."""
    watcher = watcher_of(request)
    counted = func.count().filter
    due = (WatchRow.next_at <= datetime.now(UTC)) & ~WatchRow.paused
    with store_of(request).read() as session:
        row = session.execute(
            select(
                func.count(), counted(WatchRow.paused), counted(WatchRow.state == "trouble"), counted(due)
            ).where(~WatchRow.deleted)
        ).one()
    now = watcher.state() if watcher is not None else None
    return State(
        watches=row[0],
        paused=row[1],
        trouble=row[2],
        due=now.due if now else row[3],
        running=bool(now and now.running),
        under_way=[each.url for each in now.under_way] if now else [],
        per_second=now.per_second if now else 0.0,
    )


@router.get("/export")
def export(request: Request) -> Response:
    """Give watches, groups, rules and what was told, to be imported elsewhere; without secrets."""
    told = json.dumps(own.export(store_of(request)), ensure_ascii=False, indent=1).encode()
    headers = {"Content-Disposition": 'attachment; filename="pagedrift.json"'}
    return Response(told, 200, headers, "application/json")


@router.post("/import", status_code=201)
async def import_file(request: Request, paused: bool = False) -> Imported:
    """Add the watches of a file: of this API, changedetection.io, urlwatch, Distill, OPML or a list."""
    data, store = await request.body(), store_of(request)

    def take() -> Imported:
        taken = imports.take(store, imports.read(data), paused=paused)
        return Imported(added=[each.id for each in taken.added], present=taken.present, notes=list(taken.notes))

    return await to_thread.run_sync(take)


# --- what there is -----------------------------------------------------------------------------------------------


@router.get("/openapi.json", include_in_schema=False)
def openapi(request: Request) -> dict[str, Any]:
    """Describe all of this for programs (OpenAPI)."""
    return schema(request.app)


@router.get("/docs", include_in_schema=False)
def docs(request: Request) -> Response:
    """Describe all of this for people."""
    described = schema(request.app)
    calls = [
        {"method": method.upper(), "path": path, **call}
        for path, methods in described["paths"].items()
        for method, call in methods.items()
    ]
    return page(request, "api.html", calls=calls, schemas=described["components"]["schemas"])


@cache
def schema(app: FastAPI) -> dict[str, Any]:
    """Describe the routes of this module."""
    from fastapi.openapi.utils import get_openapi

    made = get_openapi(title="Pagedrift", version="1", openapi_version="3.1.0", routes=app.routes)
    made["components"]["securitySchemes"] = {"token": {"type": "http", "scheme": "bearer"}}
    made["security"] = [{"token": []}]
    made["components"]["schemas"]["Error"] = Error.model_json_schema()
    refused = {
        "description": "refused",
        "content": {"application/json": {"schema": {"$ref": "#/components/schemas/Error"}}},
    }
    for methods in made["paths"].values():
        for call in methods.values():
            call["responses"].pop("422", None)
            call["responses"]["default"] = refused
    for name in ("HTTPValidationError", "ValidationError"):
        made["components"]["schemas"].pop(name, None)
    return made


def _newest(
    request: Request, wanted: Select[Any], table: Any, before: int | None, limit: int
) -> tuple[list[Any], int | None]:
    """Give some rows, newest first, and where to go on."""
    if before is not None:
        wanted = wanted.where(table.id < before)
    with store_of(request).read() as session:
        rows = list(session.scalars(wanted.order_by(table.id.desc()).limit(limit + 1)))
    return rows[:limit], rows[limit - 1].id if len(rows) > limit else None


def _row(request: Request, table: Any, number: int) -> Any:
    with store_of(request).read() as session:
        row = session.get(table, number)
    if row is None:
        raise MissingError(f"there is no number {number} of these; list them first")
    return row


def _watch(row: WatchRow) -> WatchState:
    said = {name: getattr(row, name) for name in WatchState.model_fields if name != "options"}
    return WatchState(**said, options=hidden(watches.watch_of(row).options))


def _version(row: VersionRow) -> Version:
    return Version(**{name: getattr(row, name) for name in Version.model_fields})


def _change(row: ChangeRow) -> dict[str, Any]:
    said = {name: getattr(row, name) for name in Change.model_fields if name != "headline"}
    return said | {"headline": str(getattr(row, "headline", "") or row.card.get("headline", ""))}


def _rule(rule: Rule) -> RuleState:
    return RuleState(id=rule.id, scope=rule.scope, of=rule.of, kind=rule.kind, value=rule.value)


def _stories(request: Request, rows: list[StoryRow]) -> list[Story]:
    about: dict[int, list[str]] = {row.id: [] for row in rows}
    with store_of(request).read() as session:
        named = select(StoryWatchRow.story, StoryWatchRow.watch).where(StoryWatchRow.story.in_(about))
        for story, watch in session.execute(named):
            about[story].append(watch)
    names = [name for name in Story.model_fields if name != "watches"]
    return [Story(**{name: getattr(row, name) for name in names}, watches=about[row.id]) for row in rows]
