"""Page on which browser steps are recorded: by pointing at a picture of the page, and each tried at once."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from fastapi import APIRouter, Request, Response

from pagedrift.app.store import failed_steps, watches
from pagedrift.app.web import forms
from pagedrift.app.web.pages.shared import Fields, elsewhere, line_of, options_of, wake_scheduler
from pagedrift.app.web.request_context import person_of, step_trials_of, store_of
from pagedrift.app.web.templating import page
from pagedrift.capture.steps import BrowserStep, Secrets, check_step, parse_steps
from pagedrift.errors import InputError, NotFoundError, PagedriftError

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from pagedrift.app.model.options import WatchOptions
    from pagedrift.app.monitor.step_trials import RecordedTrial
    from pagedrift.app.web.trial_pictures import TrialPictures

router = APIRouter()
ACTIONS: Final = {
    "click": "Click it",
    "fill": "Fill in a text",
    "secret": "Fill in a secret",
    "select": "Choose an option",
    "press": "Press a key in it",
    "wait": "Wait until it is there",
}
KINDS: Final = {
    "field": "Field",
    "password": "Password field",
    "list": "List",
    "checkbox": "Checkbox",
    "radio": "Radio button",
    "button": "Button",
    "link": "Link",
    "text": "Text",
}
_SECRET_NAME: Final = re.compile(r"[A-Za-z0-9_.-]{1,64}")
_IMAGE: Final = "image/jpeg"


@dataclass(frozen=True, slots=True, kw_only=True)
class ShownStep:
    """One step in the list: what became of it, and its picture."""

    text: str
    outcome: str = ""  # empty where it was not tried
    problem: str = ""
    picture: str = ""  # its address


@router.get("/watch/{which}/steps")
def recorder(request: Request, which: str) -> Response:
    """Show the steps of a watch, and open its page."""
    with store_of(request).read() as session:
        line = line_of(session, which)
        steps = options_of(session, which).steps
    if line.is_site:
        return elsewhere(request, f"/site/{line.id}")
    return _recorder(request, line.id, steps)


@router.post("/watch/{which}/steps")
def record(request: Request, which: str, form: Fields) -> Response:
    """Add, remove or move a step and try them all, or save them."""
    which = watches.get(store_of(request), which).id
    written, error = form.get("steps", ""), ""
    try:
        steps = [str(step) for step in parse_steps(written)]
    except InputError as wrong:
        return _recorder(request, which, (), written=written, error=str(wrong))
    do, _, number = form.get("do", "").partition(":")
    try:
        if do == "save":
            return _save(request, which, steps)
        steps = _changed(request, which, steps, do, number=number, form=form)
    except InputError as wrong:
        error = str(wrong)
    return _tried(request, which, steps, error=error, each_picture=do == "try")


@router.get("/watch/{which}/steps/picture/{name}")
def picture(request: Request, which: str, name: str) -> Response:
    """Give a picture of a trial to the one who made it."""
    return Response(_pictures(request).get(person_of(request), which, name), media_type=_IMAGE)


@router.get("/watch/{which}/failed-step.jpg")
def failed_picture(request: Request, which: str) -> Response:
    """Give the picture of the step at which the last check failed."""
    with store_of(request).read() as session:
        line_of(session, which)
        failed = failed_steps.read(session, which)
    if failed is None or not failed.picture:
        raise NotFoundError("there is no picture of a failed step; the last check did not fail at one")
    return Response(failed.picture, media_type=_IMAGE)


def _pictures(request: Request) -> TrialPictures:
    pictures: TrialPictures = request.app.state.trial_pictures
    return pictures


# --- what is done with the steps -------------------------------------------------------------------------------


def _changed(
    request: Request, which: str, steps: Sequence[str], do: str, *, number: str, form: Mapping[str, str]
) -> list[str]:
    """Give the steps after something was done with them."""
    changed = list(steps)
    if do == "add":
        return [*changed, str(_new_step(request, which, form))]
    if do in ("remove", "up", "down"):
        at = int(number) - 1 if number.isascii() and number.isdigit() else -1
        if not 0 <= at < len(changed):
            raise InputError("this step is not in the list; choose one that is")
        moved = changed.pop(at)
        if do != "remove":
            changed.insert(max(0, at + (1 if do == "down" else -1)), moved)
    return changed


def _new_step(request: Request, which: str, form: Mapping[str, str]) -> BrowserStep:
    """Make a step of what was pointed at and what is to be done with it."""
    target, action, value = form.get("target", ""), form.get("action", ""), form.get("value", "")
    if not target:
        raise InputError("no element is selected; click one in the picture, or choose one from the list")
    if action not in ACTIONS:
        raise InputError("nothing is to be done with the element; choose what")
    if action == "secret":
        value = f"{{secret:{_secret(request, which, form)}}}"
    kind: Any = "fill" if action == "secret" else action
    step = BrowserStep(kind, target, value if kind in ("fill", "select", "press") else "")
    if kind in ("select", "press") and not value:
        raise InputError("the option is missing; type it" if kind == "select" else "the key is missing; type Enter")
    check_step(step)
    return step


def _secret(request: Request, which: str, form: Mapping[str, str]) -> str:
    """Store a secret that was typed with the watch, and give its name; one that is known may be named only."""
    name, value = form.get("secret_name", "").strip(), form.get("secret_value", "")
    if not _SECRET_NAME.fullmatch(name):
        raise InputError("a secret needs a name of letters, digits and _ . -; write one such as password")
    store = store_of(request)
    with store.read() as session:
        known = dict(options_of(session, which).secrets)
    if not value and name not in known:
        raise InputError(f"there is no secret called {name} yet; type its value")
    if value:
        watch = watches.get(store, which)
        watches.edit(store, which, options={**watch.options, "secrets": tuple({**known, name: value}.items())})
    return name


def _save(request: Request, which: str, steps: Sequence[str]) -> Response:
    """Take the steps at every check from now on."""
    store = store_of(request)
    watch = watches.get(store, which)
    with store.read() as session:
        line, known = line_of(session, which), options_of(session, which).secrets
    Secrets(parse_steps("\n".join(steps)), dict(known))  # all that are named are there
    base = watches.groups(store).get(watch.group, {})
    chosen = forms.own({"steps": tuple(steps), **({"browser": True} if steps else {})}, base)
    kept = {name: value for name, value in watch.options.items() if name not in ("steps", *chosen)}
    paused = watch.paused and line.visits > 0  # one that was never checked waited for its steps
    watches.edit(store, which, options={**kept, **chosen}, paused=paused)
    wake_scheduler(request)
    return elsewhere(request, f"/watch/{watch.id}")


# --- the page --------------------------------------------------------------------------------------------------


def _tried(
    request: Request, which: str, steps: Sequence[str], *, error: str = "", each_picture: bool = False
) -> Response:
    store = store_of(request)
    url = watches.get(store, which).url
    with store.read() as session:
        options: WatchOptions = options_of(session, which)
    try:
        found = step_trials_of(request).run(url, steps, options, each_picture=each_picture)
    except PagedriftError as trouble:
        return _recorder(request, which, steps, error=error or str(trouble), tried=True)
    return _recorder(request, which, steps, found=found, error=error or found.trial.trouble, tried=True)


def _recorder(
    request: Request,
    which: str,
    steps: Sequence[str],
    *,
    written: str | None = None,
    found: RecordedTrial | None = None,
    error: str = "",
    tried: bool = False,
) -> Response:
    with store_of(request).read() as session:
        line = line_of(session, which)
        names = [name for name, _ in options_of(session, which).secrets]
    shown = _listed(request, which, found) if found else [ShownStep(text=step) for step in steps]
    return page(
        request,
        "steps.html",
        line=line,
        steps=shown,
        written="\n".join(steps) if written is None else written,
        error=error,
        tried=tried or written is not None,
        trial=found.trial if found else None,
        failed=next((step for step in shown if step.outcome == "failed"), None),
        targets=found.targets if found else (),
        picture=_address(request, which, found.trial.picture) if found else "",
        secret_names=names,
        actions=ACTIONS,
        kinds=KINDS,
    )


def _listed(request: Request, which: str, found: RecordedTrial) -> list[ShownStep]:
    return [
        ShownStep(
            text=each.step,
            outcome=each.outcome,
            problem=each.problem,
            picture=_address(request, which, each.picture) if each.outcome == "done" else "",
        )
        for each in found.trial.steps
    ]


def _address(request: Request, which: str, picture: bytes) -> str:
    """Keep a picture for a while, and give its address."""
    if not picture:
        return ""
    return f"/watch/{which}/steps/picture/{_pictures(request).put(person_of(request), which, picture)}"
