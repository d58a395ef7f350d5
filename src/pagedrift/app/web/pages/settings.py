"""Settings pages: groups, channels, rules, lessons, tokens, password, import and export."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Annotated, Any, Final

from fastapi import APIRouter, Form, Request, Response, UploadFile

from pagedrift.app.store import alert_settings, people, queries, tokens, watches
from pagedrift.app.web import auth, forms
from pagedrift.app.web.pages import channels as channel_pages
from pagedrift.app.web.pages.shared import Fields, to, wake_scheduler
from pagedrift.app.web.request_context import caller, settings_of, store_of
from pagedrift.app.web.templating import page
from pagedrift.errors import InputError, PagedriftError
from pagedrift.text import size

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

router = APIRouter()
SAID: Final = {
    "rule": ("fine", "Rule saved. It applies from the next check on."),
    "unrule": ("fine", "Rule removed."),
    "forgotten": ("fine", "Forgotten: the feedback was removed."),
    "judge": ("fine", "Saved. It applies from the next check on."),
    "group": ("fine", "Group saved."),
    "name": ("fine", "Name changed."),
    "alerts": ("fine", "Alert settings saved. Alerts that wait follow them, too."),
}


@router.get("/settings")
def settings_page(request: Request, saved: str = "") -> Response:
    """Show what is set."""
    return _shown(request, *SAID.get(saved, ("", "")))


def _shown(request: Request, kind: str = "", said: str = "", status: int = 200) -> Response:
    store, settings, who = store_of(request), settings_of(request), caller(request)
    with store.read() as session:
        counts, versions = queries.group_sizes(session), queries.count_versions(session)
        rules, labels = queries.rules(session), queries.labels(session)
        learned = queries.lessons(session)
        channels = channel_pages.listed(queries.channels(session), settings)
    return page(
        request,
        "settings.html",
        status=status,
        said=said,
        said_kind=kind,
        groups={name: forms.summary(options) for name, options in watches.groups(store).items()},
        counts=counts,
        channels=channels,
        alert_summary=channel_pages.summary(alert_settings.get(store)),
        rules=rules,
        labels=labels,
        lessons=learned,
        judge=queries.judge(store),
        tokens=tokens.every(store, person=None if who.owns else who.person),
        sessions=tokens.sessions(store, person=who.person),
        several=len(people.every(store)) > 1,
        data=str(settings.data),
        versions=versions,
        disk=size(_on_disk(settings.data)),
        has_password=auth.has_password(store, who.person),
    )


def _on_disk(folder: Path) -> int:
    """Add up the archive and the database; thousands of WARCs are counted in milliseconds."""
    files = [*folder.glob("warc/*"), *folder.glob("indexes/*"), *folder.glob("pagedrift.db*")]
    return sum(file.stat().st_size for file in files if file.is_file())


# --- import and export ----------------------------------------------------------------------------------------


@router.post("/import")
def bring_in(request: Request, file: UploadFile, group: Annotated[str, Form()] = "") -> Response:
    """Import watches of another program."""
    from pagedrift.app import imports
    from pagedrift.app.imports.results import MAX_FILE_BYTES

    try:
        taken = imports.take(
            store_of(request), imports.read(file.file.read(MAX_FILE_BYTES + 1)), group=group.strip()
        )
    except PagedriftError as error:
        return _shown(request, "trouble", f"Import failed: {error}", 400)
    wake_scheduler(request)
    return page(request, "imported.html", taken=taken)


@router.post("/export")
def take_out(request: Request, secrets: Annotated[str, Form()] = "") -> Response:
    """Export watches, groups, rules and alerts as one file; the archive is a folder that can be copied."""
    from pagedrift.app.imports import backup as own

    body = json.dumps(own.export(store_of(request), secrets=bool(secrets)), indent=1, ensure_ascii=False)
    name = f"pagedrift-{datetime.now(UTC):%Y-%m-%d}.json"
    return Response(
        body, media_type="application/json", headers={"Content-Disposition": f'attachment; filename="{name}"'}
    )


# --- groups ----------------------------------------------------------------------------------------------------


@router.get("/settings/group")
def group(request: Request, name: str) -> Response:
    """Show what the watches of a group have in common."""
    known = watches.groups(store_of(request)).get(name)
    return _group(request, name, forms.shown(known or {}), {}, known=known is not None)


@router.post("/settings/group")
def save_group(request: Request, form: Fields) -> Response:
    """Say what the watches of a group have in common."""
    name = form.get("name", "").strip()
    options, errors = forms.read(form)
    if not errors:
        try:
            watches.set_group(store_of(request), name, forms.own(options, {}))
            return to("/settings?saved=group#groups")
        except InputError as error:
            errors[""] = str(error)
    return _group(request, name, forms.refilled(form), errors, known=True, status=400)


@router.post("/settings/group/remove")
def remove_group(request: Request, form: Fields) -> Response:
    """Forget a group."""
    watches.remove_group(store_of(request), form.get("name", ""))
    return to("/settings#groups")


def _group(
    request: Request,
    name: str,
    values: Mapping[str, Any],
    errors: Mapping[str, str],
    *,
    known: bool,
    status: int = 200,
) -> Response:
    return page(
        request,
        "group.html",
        status=status,
        name=name,
        values=values,
        errors=dict(errors),
        sections=forms.SECTIONS,
        known=known,
    )
