"""Page about people: accounts, their roles, and invitations."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Final

from fastapi import APIRouter, Request, Response

from pagedrift.app.model.people import checked_role
from pagedrift.app.store import invitations, people, tokens
from pagedrift.app.web import auth
from pagedrift.app.web.pages.shared import Fields, to
from pagedrift.app.web.request_context import app_origin, person_of, settings_of, store_of
from pagedrift.app.web.templating import page
from pagedrift.errors import InputError, PagedriftError

if TYPE_CHECKING:
    from collections.abc import Callable

router = APIRouter()
HERE: Final = "/settings/people"
SAID: Final = {
    "role": ("fine", "Role changed."),
    "removed": ("fine", "Removed."),
    "withdrawn": ("fine", "Invitation withdrawn: its link no longer works."),
    "logout": ("fine", "Logged out everywhere."),
}


@router.get(HERE)
def people_page(request: Request, saved: str = "") -> Response:
    """List people and open invitations."""
    return _shown(request, *SAID.get(saved, ("", "")))


@router.post(HERE)
def invite(request: Request, form: Fields) -> Response:
    """Make the link of an invitation, and show it this once."""
    if not _can_invite(request):
        raise InputError("set a password of your own first; it is under Settings")
    path = auth.invite(store_of(request), checked_role(form.get("role", "")))
    return _shown(request, link=f"{app_origin(settings_of(request))}{path}")


@router.post(HERE + "/invitations/{id}/withdraw")
def withdraw(request: Request, id: str) -> Response:  # noqa: A002 - as the table calls it
    """Make the link of an invitation worthless."""
    invitations.withdraw(store_of(request), id)
    return to(f"{HERE}?saved=withdrawn")


@router.post(HERE + "/{id}/role")
def set_role(request: Request, id: str, form: Fields) -> Response:  # noqa: A002
    """Let somebody do more or less than before."""
    role = checked_role(form.get("role", ""))
    return _done(request, "role", lambda: people.set_role(store_of(request), id, role))


@router.post(HERE + "/{id}/remove")
def remove(request: Request, id: str) -> Response:  # noqa: A002
    """Remove an account."""
    return _done(request, "removed", lambda: people.remove(store_of(request), id))


@router.post(HERE + "/{id}/logout")
def log_out(request: Request, id: str) -> Response:  # noqa: A002
    """End all sessions of somebody."""
    tokens.end_sessions(store_of(request), person=id)
    request.app.state.doorkeeper.forget()
    return to(f"{HERE}?saved=logout")


@router.post("/settings/name")
def rename(request: Request, form: Fields) -> Response:
    """Change one's own name."""
    people.rename(store_of(request), person_of(request), form.get("name", ""))
    request.app.state.doorkeeper.forget()
    return to("/settings?saved=name#password")


def _done(request: Request, saved: str, work: Callable[[], None]) -> Response:
    try:
        work()
    except InputError as error:
        return _shown(request, "trouble", _sentence(error), status=400)
    request.app.state.doorkeeper.forget()
    return to(f"{HERE}?saved={saved}")


def _sentence(error: PagedriftError) -> str:
    text = str(error)
    return f"{text[:1].upper()}{text[1:]}."


def _can_invite(request: Request) -> bool:
    return auth.has_password(store_of(request), person_of(request)) or settings_of(request).signs_on


def _shown(request: Request, kind: str = "", said: str = "", *, link: str = "", status: int = 200) -> Response:
    store = store_of(request)
    return page(
        request,
        "people.html",
        status=status,
        people=people.every(store),
        invitations=invitations.every(store),
        sessions=Counter(each.person.id for each in tokens.sessions(store)),
        tokens=Counter(each.person.id for each in tokens.every(store)),
        can_invite=_can_invite(request),
        said=said,
        said_kind=kind,
        link=link,
    )
