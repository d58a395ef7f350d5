"""Pages that add or edit a watch, with previews of options on past versions."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from fastapi import APIRouter, Request, Response

from pagedrift.app.model.options import SECRET, renamed
from pagedrift.app.model.watch import AUTO, Watch, checked, checked_url, completed_url, split_tags
from pagedrift.app.store import queries, watches
from pagedrift.app.store.watches import WatchedAlreadyError
from pagedrift.app.web import forms
from pagedrift.app.web.pages import overview
from pagedrift.app.web.pages.shared import Fields, line_of, to, wake_scheduler
from pagedrift.app.web.request_context import settings_of, store_of, worked_out
from pagedrift.app.web.templating import page
from pagedrift.errors import InputError, PagedriftError

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from pagedrift.archive.locations import Place

router = APIRouter()
REPLAYED = 50  # changes that are listed
USES = {"include": "include:", "exclude": "exclude:", "selectors": "monitored:"}  # options that are selectors


# --- adding and changing ---------------------------------------------------------------------------------------


@router.get("/watch/new")
def new(request: Request, url: str = "", kind: str = AUTO, group: str = "") -> Response:
    """Ask what is to be watched."""
    base = watches.groups(store_of(request)).get(group, {})
    values = {
        "url": url,
        "kind": kind,
        "name": "",
        "group": group,
        "tags": "",
        **forms.shown(_without_secrets(base)),
    }
    return _form(request, None, values, {}, base=base)


@router.post("/watch/new")
def add(request: Request, form: Fields) -> Response:
    """Watch something more."""
    if form.get("quick"):
        return _add_at_once(request, form)
    store = store_of(request)
    base = watches.groups(store).get(form.get("base", ""), {})
    options, errors = forms.read(form)
    errors |= _wrong(form)
    if not errors:
        try:
            given, finds_kind = _kind_of(_watch(form, forms.own(options, base)), form.get("kind", AUTO))
            if form.get("then") == "steps":
                return _add_for_steps(request, given)
            added = watches.add(store, given, find_kind=finds_kind)
            wake_scheduler(request)
            return to(_page_of(added))
        except InputError as error:
            errors["url"] = str(error)
    return _form(request, None, _typed(form), errors, base=base, status=400)


def _add_for_steps(request: Request, given: Watch) -> Response:
    """Add a page that is checked once its steps are recorded; without them, its first version would be another."""
    options = {**given.options, "browser": True}
    added = watches.add(store_of(request), replace(given, kind="page", options=options, paused=True))
    return to(f"/watch/{added.id}/steps")


def _kind_of(watch: Watch, kind: str) -> tuple[Watch, bool]:
    """Give a watch its kind; one that is found by the first check begins as a page."""
    return replace(watch, kind="page" if kind == AUTO else kind), kind == AUTO  # type: ignore[arg-type]


def _add_at_once(request: Request, form: Mapping[str, str]) -> Response:
    url = completed_url(form.get("url", ""))
    try:
        new, finds_kind = _kind_of(Watch(url), form.get("kind", AUTO))
        added = watches.add(store_of(request), new, again=bool(form.get("again")), find_kind=finds_kind)
    except WatchedAlreadyError as error:
        return overview.shown(
            request, overview.Asked(), watched=watches.get(store_of(request), error.watch), status=409
        )
    except InputError as error:
        return overview.shown(request, overview.Asked(), trouble=str(error), status=400)
    wake_scheduler(request)
    return to(_page_of(added) if added.kind != "page" else f"/watch/{added.id}/choose")


@router.get("/watch/{which}/edit")
def edit(request: Request, which: str) -> Response:
    """Show how something is watched."""
    store = store_of(request)
    watch = watches.get(store, which)
    base = watches.groups(store).get(watch.group, {})
    values = {"url": watch.url, "kind": watch.kind, "name": watch.name, "group": watch.group}
    values["tags"] = ", ".join(watch.tags)
    shown = forms.shown({**_without_secrets(base), **watch.options})
    return _form(request, watch.id, {**values, **shown}, {}, base=base)


@router.post("/watch/{which}/edit")
def change(request: Request, which: str, form: Fields) -> Response:
    """Watch something in another way."""
    store = store_of(request)
    watch = watches.get(store, which)
    base = watches.groups(store).get(form.get("base", ""), {})
    options, errors = forms.read(form)
    errors |= _wrong(form)
    if not errors:
        try:
            own = forms.own(options, base)
            given = _watch(form, own)
            edited = watches.edit(
                store, watch.id, url=given.url, name=given.name, group=given.group, tags=given.tags, options=own
            )
            wake_scheduler(request)
            return to(_page_of(edited))
        except InputError as error:
            errors[""] = str(error)
    return _form(request, watch.id, _typed(form), errors, base=base, status=400)


def _form(
    request: Request,
    which: str | None,
    values: Mapping[str, Any],
    errors: Mapping[str, str],
    *,
    base: Mapping[str, Any],
    status: int = 200,
) -> Response:
    store = store_of(request)
    with store.read() as session:
        line = line_of(session, which) if which else None
    return page(
        request,
        "form.html",
        status=status,
        line=line,
        action=f"/watch/{which}/edit" if which else "/watch/new",
        values=values,
        errors=dict(errors),
        sections=forms.sections(line.kind) if line else forms.SECTIONS,
        groups=list(watches.groups(store)),
        tags=watches.tags(store),
        base_group=values["group"] if status == 200 else values.get("base", ""),  # noqa: PLR2004 - HTTP
        inherited=forms.inherited(base),
    )


def _without_secrets(base: Mapping[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in base.items() if name not in SECRET}


def _typed(form: Mapping[str, str]) -> dict[str, Any]:
    names = ("url", "name", "group", "tags", "base")
    kind = form.get("kind", AUTO)
    return {
        **{name: form.get(name, "") for name in names},
        "kind": kind if kind in (AUTO, "page", *queries.SITES) else AUTO,
        **forms.refilled(form),
    }


def _watch(form: Mapping[str, str], options: Mapping[str, Any]) -> Watch:
    said = {name: form.get(name, "").strip() for name in ("name", "group")}
    tags, url = split_tags(form.get("tags", "")), completed_url(form.get("url", ""))
    return Watch(url, **said, tags=tags, options=options)  # type: ignore[arg-type]


def _wrong(form: Mapping[str, str]) -> dict[str, str]:
    """Say what is wrong with what a watch is."""
    errors: dict[str, str] = {}
    try:
        checked_url(completed_url(form.get("url", "")))
    except InputError as error:
        errors["url"] = str(error)
    try:
        split_tags(form.get("tags", ""))
    except InputError as error:
        errors["tags"] = str(error)
    for name in ("kind", "name", "group"):
        try:
            given = form.get(name, "")
            said = given if name != "kind" or given not in ("", AUTO) else "page"
            checked(Watch("https://city.example/", **{name: said}))  # type: ignore[arg-type]
        except InputError as error:
            errors[name] = str(error)
    return errors


def _page_of(watch: Watch) -> str:
    return f"/{'watch' if watch.kind == 'page' else 'site'}/{watch.id}"


# --- what other options would have made of the past ------------------------------------------------------------


@router.get("/watch/{which}/replay")
def replay(request: Request, which: str, at: float = 0.0) -> Response:
    """Say which past changes would have caused an alert at a minimum size."""
    least = min(1.0, max(0.0, at))
    with store_of(request).read() as session:
        line = line_of(session, which)
        total, found = queries.replayed(session, which, least)
        changes, _ = queries.changes(session, which=which, least=least, size=REPLAYED)
    return _fragment(
        request,
        "replay.html",
        "Preview of the minimum size",
        line=line,
        at=least,
        total=total,
        found=found,
        changes=changes,
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class SelectorMatch:
    """What a selector finds."""

    use: str
    css: str
    count: int = 0
    text: str = ""
    error: str = ""


@router.get("/watch/{which}/matches")
def matches(request: Request, which: str) -> Response:
    """Try selectors on the newest version."""
    with store_of(request).read() as session:
        line = line_of(session, which)
        saved = watches.get(store_of(request), which).options
        version = queries.version(session, line.newest) if line.newest else None
        place = version.place if version else None
    given = renamed(request.query_params)
    tried = [
        (name, css)
        for name in USES
        for css in (given[name].splitlines() if name in given else saved.get(name, ()))
        if css.strip()
    ][:100]
    rows, trouble = [], ""
    if place is None:
        trouble = "There is no version yet. You can test selectors after the first check."
    else:
        try:
            rows = worked_out(request, match_all, settings_of(request).archive, place, tried)
        except PagedriftError as error:
            trouble = str(error)
    return _fragment(
        request, "matches.html", "What the selectors match", line=line, rows=rows, trouble=trouble, version=version
    )


def match_all(folder: str | Path, place: Place, tried: list[tuple[str, str]]) -> list[SelectorMatch]:
    """Look for each selector in a version."""
    from pagedrift.app.captures import page_of
    from pagedrift.what_changed.selection import select as find
    from pagedrift.what_changed.selection import text_of

    version = page_of(folder, place)
    found = []
    for name, line in tried:
        css = line.partition("=")[2].strip() if name == "selectors" else line.strip()
        try:
            nodes = find(version, css)
        except PagedriftError as error:
            found.append(SelectorMatch(use=USES[name], css=css, error=str(error)))
        else:
            found.append(
                SelectorMatch(
                    use=USES[name],
                    css=css,
                    count=len(nodes),
                    text=text_of(version.tree, nodes[0])[:200] if nodes else "",
                )
            )
    return found


def _fragment(request: Request, template: str, heading: str, **context: Any) -> Response:
    """Give a part of a page to a script that asks for it, and a whole page to people."""
    if request.headers.get("hx-request"):
        return page(request, template, **context)
    return page(request, "fragment_page.html", fragment=template, heading=heading, **context)
