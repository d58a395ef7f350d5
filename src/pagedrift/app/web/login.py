"""Routes for logging in and out, and for managing the password and tokens."""

from __future__ import annotations

from typing import Annotated, Literal

from fastapi import APIRouter, Form, Request, Response
from starlette.responses import RedirectResponse

from pagedrift.app.store import tokens
from pagedrift.app.store.login_attempts import KNOWN
from pagedrift.app.web import auth, csrf, limits
from pagedrift.app.web.error_responses import RefusedError
from pagedrift.app.web.request_context import HOME, caller, inside, settings_of, store_of
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
    password: Annotated[str, Form(max_length=auth.MAX_PASSWORD_CHARS)],
    next: Annotated[str, Form()] = HOME,  # noqa: A002
) -> Response:
    """Begin a session with the right password."""
    if not _is_right(request, password):
        return page(
            request, "login.html", status=401, next=inside(next), wrong="this is not the password; try again"
        )
    return _with_session(request, inside(next))


@router.post("/logout")
def log_out(request: Request) -> Response:
    """End this session."""
    settings, who = settings_of(request), caller(request)
    if who.way == "session":
        tokens.end_session(store_of(request), who.id)
        request.app.state.doorkeeper.forget()
    cookie = csrf.set_cookie(settings, auth.cookie_name(settings), "", seconds=0)
    headers = {"Set-Cookie": cookie, "Clear-Site-Data": '"cache"'}
    return RedirectResponse("/login", 303, headers)


@router.post("/settings/password")
def change_password(
    request: Request,
    password: Annotated[str, Form(max_length=auth.MAX_PASSWORD_CHARS)],
    old: Annotated[str, Form(max_length=auth.MAX_PASSWORD_CHARS)] = "",
) -> Response:
    """Set another password, which ends all other sessions."""
    store = store_of(request)
    if auth.has_password(store) and not _is_right(request, old):
        raise RefusedError(403, "the current password is wrong; try again")
    auth.set_password(store, password)
    request.app.state.doorkeeper.forget()
    return _with_session(request, "/settings")


def _is_right(request: Request, password: str) -> bool:
    """Check a password, which is counted first: of many that come at once, no more than allowed are looked at."""
    attempts: limits.LoginLimiter = request.app.state.attempts
    address = request.client.host if request.client else ""
    number = attempts.begin(limits.who_of(address, auth.known_browser(settings_of(request), request.scope)))
    right = auth.right_password(store_of(request), password)
    if right:
        attempts.right(number)
    return right


def _with_session(request: Request, path: str) -> Response:
    """Send a browser on with a session, and with what it is known by at the next login."""
    settings = settings_of(request)
    value = auth.begin_session(settings, store_of(request))
    seconds = int(auth.SESSION.total_seconds())
    answer = RedirectResponse(path, 303)
    answer.headers.append(
        "Set-Cookie", csrf.set_cookie(settings, auth.cookie_name(settings), value, seconds=seconds)
    )
    if not auth.known_browser(settings, request.scope):
        name, known = auth.remember_browser(settings)
        seconds = int(KNOWN.total_seconds())
        answer.headers.append("Set-Cookie", csrf.set_cookie(settings, name, known, seconds=seconds))
    return answer


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
    if not tokens.revoke(store_of(request), id):
        raise NotFoundError("token not found; see the list in the settings")
    request.app.state.doorkeeper.forget()
    return RedirectResponse("/settings", 303)
