"""Actions of the home page: on changes of the inbox, and on several watches at once."""

from __future__ import annotations

from typing import Annotated, cast
from urllib.parse import urlencode

from fastapi import APIRouter, Depends, Request, Response

from pagedrift.app.model.bulk import BulkAction, BulkKind, DoneAction
from pagedrift.app.store import bulk, inbox
from pagedrift.app.web.pages.shared import Fields, to, wake_scheduler
from pagedrift.app.web.request_context import inside, person_of, store_of
from pagedrift.errors import InputError

router = APIRouter()
STAY = "stay"  # in `back`: a script asks, and shows the page that it is on


async def _lists(request: Request) -> dict[str, list[str]]:
    """Read the fields of a form, each with all its values."""
    found: dict[str, list[str]] = {}
    for name, value in (await request.form()).multi_items():
        if isinstance(value, str):
            found.setdefault(name, []).append(value)
    return found


Lists = Annotated[dict[str, list[str]], Depends(_lists)]


@router.post("/inbox")
def act(request: Request, form: Lists) -> Response:
    """Mark one entry of the inbox, those that are selected, or all."""
    what, about = _asked(form)
    if what == "all":
        done = inbox.mark_all(store_of(request), up_to=_number(_last(form, "newest")), person=person_of(request))
    elif what in inbox.MARKS:
        unread = what == "unread"
        done = inbox.mark(store_of(request), _changes(about), unread=unread, person=person_of(request))
    else:
        raise InputError(f"{what[:40]!r} is not an action; choose one on the page")
    back = _last(form, "back")
    return Response() if back == STAY else to(_with(back, done))


@router.post("/inbox/feedback")
def say(request: Request, form: Lists) -> Response:
    """Say that an entry is important, or not."""
    what, about = _asked(form)
    changes, store, person = _changes(about), store_of(request), person_of(request)
    if what == "not_important":
        done = inbox.not_important(store, changes, person=person)
    elif what == "important":
        edit = about[0].partition(":")[2]
        done = inbox.important(store, changes[0], edit=_number(edit) if edit else None, person=person)
    else:
        raise InputError(f"{what[:40]!r} is not an action; choose one on the page")
    return to(_with(_last(form, "back"), done))


@router.post("/inbox/undo")
def undo_mark(request: Request, form: Fields) -> Response:
    """Undo what one has marked last."""
    inbox.undo_action(store_of(request), form.get("action", ""), person=person_of(request), only_marks=True)
    return to(inside(form.get("back", "")))


@router.post("/watches")
def act_on_watches(request: Request, form: Lists) -> Response:
    """Do something with the watches that are selected."""
    kind = _last(form, "do")
    value = _last(form, {"untag": "tag"}.get(kind, kind))
    done = bulk.apply(store_of(request), form.get("watch", []), BulkAction(cast("BulkKind", kind), value))
    wake_scheduler(request)
    return to(_with(_last(form, "back"), done))


@router.post("/undo")
def undo(request: Request, form: Fields) -> Response:
    """Undo what was done last."""
    inbox.undo_action(store_of(request), form.get("action", ""), person=person_of(request))
    wake_scheduler(request)
    return to(inside(form.get("back", "")))


def _asked(form: dict[str, list[str]]) -> tuple[str, list[str]]:
    """Give what to do, and with which entries."""
    what, _, about = _last(form, "do").partition(" ")
    return what, [about] if about else form.get("change", [])


def _changes(about: list[str]) -> list[int]:
    changes = [_number(each) for listed in about for each in listed.partition(":")[0].split(",")]
    if not changes:
        raise InputError("nothing is selected; tick some changes first")
    return changes


def _number(text: str) -> int:
    if not text.isascii() or not text.isdigit() or len(text) > 15:  # noqa: PLR2004 - digits that any database takes
        raise InputError("this is not the number of a change; open the inbox again")
    return int(text)


def _last(form: dict[str, list[str]], name: str) -> str:
    return form.get(name, [""])[-1]


def _with(back: str, done: DoneAction) -> str:
    path = inside(back)
    return f"{path}{'&' if '?' in path else '?'}{urlencode({'done': done.id})}"
