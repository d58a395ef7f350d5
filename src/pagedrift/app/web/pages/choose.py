"""Pages on which parts of a captured page are chosen by pointing at them."""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING, Annotated, Any, Final

from fastapi import APIRouter, Query, Request, Response
from starlette.responses import JSONResponse

from pagedrift.app.model.options import OPTIONS, resolve
from pagedrift.app.monitor.page_parts import describe_element, find_parts, replay_parts
from pagedrift.app.store import queries, watches
from pagedrift.app.web import forms
from pagedrift.app.web.pages.shared import Fields, elsewhere, line_of, rules_of, to, version_of, wake_scheduler
from pagedrift.app.web.request_context import Number, scheduler_of, settings_of, store_of, worked_out
from pagedrift.app.web.templating import page
from pagedrift.app.web.value_charts import written
from pagedrift.errors import InputError, NotFoundError, PagedriftError

if TYPE_CHECKING:
    from collections.abc import Mapping

    from pagedrift.app.model.options import WatchOptions
    from pagedrift.app.model.results import StoredVersion
    from pagedrift.app.model.values import WatchedValue
    from pagedrift.app.model.watch import Watch
    from pagedrift.app.store.queries import WatchSummary
    from pagedrift.app.store.store import Session

router = APIRouter()
CHOSEN: Final = ("include", "exclude", "value", "conditions")  # the options that are chosen here
REPLAYED: Final = 10  # past versions that parts are tried on
MAX_REPLAYED_BYTES: Final = 2_000_000  # of one of them, packed
Selectors = Annotated[str, Query(max_length=20_000)]  # one on each line


@router.get("/watch/{which}/choose")
def choose(request: Request, which: str, version: Number | None = None) -> Response:
    """Show the page as it was captured, to point at parts of it; before the first check, how that is going."""
    with store_of(request).read() as session:
        line = line_of(session, which)
        shown = _version(session, line, version)
    if line.is_site:
        return elsewhere(request, f"/site/{line.id}")
    if shown is None:
        return _progress(request, line)
    if request.headers.get("hx-request"):  # the page that waited is loaded anew, with its script
        return Response(headers={"HX-Refresh": "true"})
    watch = watches.get(store_of(request), which)
    return _chooser(request, watch, shown, forms.shown(watch.options))


def _chooser(
    request: Request, watch: Watch, shown: StoredVersion, values: Mapping[str, Any], *, error: str = ""
) -> Response:
    with store_of(request).read() as session:
        line = line_of(session, watch.id)
    return page(
        request,
        "choose.html",
        status=400 if error else 200,
        line=line,
        version=shown,
        values=values,
        error=error,
        fields=[forms.FIELDS[name] for name in CHOSEN],
        kinds=OPTIONS["value"].about.choices,
    )


def _version(session: Session, line: WatchSummary, wanted: int | None) -> StoredVersion | None:
    """Find the version to point at: the one that is wanted, the newest, or one of another watch of the page."""
    if wanted is not None:
        found = version_of(session, wanted)
        if found.watch != line.id:
            raise NotFoundError("this version is of another watch; open it there")
        return found
    if line.newest:
        return queries.version(session, line.newest)
    past = queries.past_of_address(session, line.url, most=1, max_bytes=MAX_REPLAYED_BYTES)
    return past[0] if past else None


def _progress(request: Request, line: WatchSummary) -> Response:
    scheduler = scheduler_of(request)
    under_way = {each.watch: each.seconds for each in scheduler.state().under_way} if scheduler else {}
    return page(
        request, "choose_waiting.html", line=line, seconds=under_way.get(line.id), checks_here=scheduler is not None
    )


@router.post("/watch/{which}/choose")
def save(request: Request, which: str, form: Fields) -> Response:
    """Watch the chosen parts."""
    store = store_of(request)
    watch = watches.get(store, which)
    options, errors = forms.read(form)
    if errors.keys() & set(CHOSEN):
        error = next(errors[name] for name in CHOSEN if name in errors)
        with store.read() as session:
            shown = _version(session, line_of(session, which), None)
        if shown is None:
            raise InputError(error)
        return _chooser(request, watch, shown, {**forms.shown(watch.options), **forms.refilled(form)}, error=error)
    base = watches.groups(store).get(watch.group, {})
    kept = {name: value for name, value in watch.options.items() if name not in CHOSEN}
    watches.edit(store, watch.id, options={**kept, **forms.own({name: options[name] for name in CHOSEN}, base)})
    wake_scheduler(request)
    return to(f"/watch/{watch.id}")


@router.get("/watch/{which}/choose/element")
def element(request: Request, which: str, version: Number, node: Number) -> Response:
    """Describe the element that was pointed at: its selector, what it says, and what is around it."""
    with store_of(request).read() as session:
        line_of(session, which)
        place = version_of(session, version).place
    found = worked_out(request, describe_element, settings_of(request).archive, place, node)
    values = {kind: written(found.value, kind) if _says(found.value, kind) else "" for kind in _KINDS}
    return JSONResponse({**asdict(found), "value": values})


_KINDS: Final = ("number", "date", "stock", "text")


def _says(value: WatchedValue, kind: str) -> bool:
    said = {"number": value.number, "date": value.day or None, "stock": value.in_stock, "text": value.text or None}
    return said[kind] is not None


@router.get("/watch/{which}/choose/marks")
def marks(
    request: Request, which: str, version: Number, include: Selectors = "", exclude: Selectors = ""
) -> Response:
    """Say which elements are watched and which are left out."""
    with store_of(request).read() as session:
        line_of(session, which)
        place = version_of(session, version).place
    options = _tried({"include": include, "exclude": exclude}, {})
    found = worked_out(request, find_parts, settings_of(request).archive, place, options.include, options.exclude)
    return JSONResponse(asdict(found))


@router.get("/watch/{which}/choose/past")
def past(request: Request, which: str) -> Response:
    """Say what the chosen parts would have said in the past."""
    with store_of(request).read() as session:
        line = line_of(session, which)
        stored = queries.past_of_address(session, line.url, most=REPLAYED + 1, max_bytes=MAX_REPLAYED_BYTES)
        rules = rules_of(session, which)
    rows, trouble, options = [], "", None
    try:
        options = _tried(dict(request.query_params), watches.get(store_of(request), which).options)
        versions = [(each.id, each.captured_at, each.place) for each in stored]
        rows = worked_out(request, replay_parts, settings_of(request).archive, versions, options, rules)
    except PagedriftError as error:
        trouble = str(error)
    return page(
        request,
        "choose_past.html",
        rows=rows,
        trouble=trouble,
        kind=options.value if options else "none",
        written=written,
        alerts=sum(row.notify for row in rows),
    )


def _tried(form: Mapping[str, str], saved: Mapping[str, Any]) -> WatchOptions:
    """Put the options together that are tried; those that cannot be are an error."""
    options, errors = forms.read({**form, "value": form.get("value", "none")})
    for name in CHOSEN:
        if name in errors:
            raise InputError(errors[name])
    return resolve({**saved, **{name: options[name] for name in CHOSEN}})
