"""How does one come in and go out: password, sessions, tokens?"""

from __future__ import annotations

from typing import Annotated, Literal

from fastapi import APIRouter, Form, Request, Response
from starlette.responses import RedirectResponse

from pagedrift.app.web import auth, csrf
from pagedrift.app.web.asking import HOME, caller, inside, settings_of, store_of
from pagedrift.app.web.refusing import Refused
from pagedrift.app.web.templating import page
from pagedrift.errors import NotFoundError

router = APIRouter()


@router.get("/login")
def login_page(request: Request, next: str = HOME) -> Response:  # noqa: A002 - as the address has it
    """Ask for the password."""
    return page(request, "login.html", next=inside(next), wrong="")


@router.post("/login")
def log_in(
    request: Request,
    password: Annotated[str, Form(max_length=auth.LONGEST_PASSWORD)],
    next: Annotated[str, Form()] = HOME,  # noqa: A002
) -> Response:
    """Begin a session with the right password."""
    settings, store, attempts = settings_of(request), store_of(request), request.app.state.attempts
    address = request.client.host if request.client else ""
    attempts.check(address)
    if not auth.right_password(store, password):
        attempts.failed(address)
        return page(
            request, "login.html", status=401, next=inside(next), wrong="this is not the password; try again"
        )
    value = auth.begin_session(settings, store)
    seconds = int(auth.SESSION.total_seconds())
    cookie = csrf.set_cookie(settings, auth.cookie_name(settings), value, seconds=seconds)
    return RedirectResponse(inside(next), 303, {"Set-Cookie": cookie})


@router.post("/logout")
def log_out(request: Request) -> Response:
    """End this session."""
    settings, who = settings_of(request), caller(request)
    if who.way == "session":
        auth.end_session(store_of(request), who.id)
        request.app.state.doorkeeper.forget()
    cookie = csrf.set_cookie(settings, auth.cookie_name(settings), "", seconds=0)
    headers = {"Set-Cookie": cookie, "Clear-Site-Data": '"cache"'}
    return RedirectResponse("/login", 303, headers)


@router.post("/settings/password")
def change_password(
    request: Request,
    password: Annotated[str, Form(max_length=auth.LONGEST_PASSWORD)],
    old: Annotated[str, Form(max_length=auth.LONGEST_PASSWORD)] = "",
) -> Response:
    """Set another password, which ends all other sessions."""
    settings, store, attempts = settings_of(request), store_of(request), request.app.state.attempts
    address = request.client.host if request.client else ""
    if auth.has_password(store):
        attempts.check(address)
        if not auth.right_password(store, old):
            attempts.failed(address)
            raise Refused(403, "the old password is another one; type it again")
    auth.set_password(store, password)
    request.app.state.doorkeeper.forget()
    value = auth.begin_session(settings, store)
    seconds = int(auth.SESSION.total_seconds())
    cookie = csrf.set_cookie(settings, auth.cookie_name(settings), value, seconds=seconds)
    return RedirectResponse("/settings", 303, {"Set-Cookie": cookie})


@router.post("/settings/tokens")
def make_token(
    request: Request, name: Annotated[str, Form()], use: Annotated[Literal["api", "feed"], Form()] = "api"
) -> Response:
    """Make a token, and show it this once."""
    value = auth.add_token(store_of(request), name, use)
    return page(request, "token.html", token=value, use=use, name=name)


@router.post("/settings/tokens/{id}/revoke")
def revoke_token(request: Request, id: str) -> Response:  # noqa: A002 - as the table calls it
    """Make a token worthless."""
    if not auth.revoke(store_of(request), id):
        raise NotFoundError("there is no such token; look at the list in the settings")
    request.app.state.doorkeeper.forget()
    return RedirectResponse("/settings", 303)
