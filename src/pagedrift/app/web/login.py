"""Routes for joining, logging in and out, and for one's own password, sessions and tokens."""

from __future__ import annotations

from typing import Annotated, Final, Literal

from fastapi import APIRouter, Form, Request, Response
from starlette.responses import RedirectResponse

from pagedrift.app.model.people import MAX_NAME_CHARS, Role
from pagedrift.app.store import invitations, people, tokens
from pagedrift.app.store.login_attempts import KNOWN
from pagedrift.app.web import auth, csrf, limits
from pagedrift.app.web.error_responses import RefusedError
from pagedrift.app.web.request_context import HOME, caller, inside, person_of, settings_of, store_of
from pagedrift.app.web.templating import page
from pagedrift.errors import InputError, NotFoundError

router = APIRouter()
MAX_BROWSER_CHARS: Final = 300  # of what a browser calls itself


@router.get("/login")
def login_page(request: Request, next: str = HOME) -> Response:  # noqa: A002 - as the address has it
    """Ask for the password, and for the name where there is more than one account."""
    return _asked(request, inside(next))


@router.post("/login")
def log_in(
    request: Request,
    password: Annotated[str, Form(max_length=auth.MAX_PASSWORD_CHARS)],
    username: Annotated[str, Form(max_length=MAX_NAME_CHARS * 4)] = "",
    next: Annotated[str, Form()] = HOME,  # noqa: A002
) -> Response:
    """Begin a session with the right name and password."""
    store = store_of(request)
    alone = len(people.every(store)) == 1
    person = people.chosen(store) if alone or not username.strip() else people.find(store, username)
    if not _is_right(request, password, person.id if person else ""):
        wrong = "this is not the password; try again" if alone else "name or password is wrong; try again"
        return _asked(request, inside(next), name=username, wrong=wrong)
    assert person is not None  # nobody has no password
    return _with_session(request, inside(next), person.id)


def _asked(request: Request, path: str, *, name: str = "", wrong: str = "") -> Response:
    several = len(people.every(store_of(request))) > 1
    return page(
        request,
        "login.html",
        status=401 if wrong else 200,
        next=path,
        wrong=wrong,
        several=several,
        name=name,
    )


@router.get("/join/{secret}")
def invitation_page(request: Request, secret: str) -> Response:
    """Ask somebody who was invited for a name and a password."""
    return _invited(request, secret)


@router.post("/join/{secret}")
def join(
    request: Request,
    secret: str,
    username: Annotated[str, Form(max_length=MAX_NAME_CHARS * 4)],
    password: Annotated[str, Form(max_length=auth.MAX_PASSWORD_CHARS)],
) -> Response:
    """Make the account of somebody who was invited, and log them in."""
    try:
        person = auth.join(store_of(request), secret, username, password)
    except InputError as error:
        return _invited(request, secret, name=username, wrong=str(error))
    request.app.state.doorkeeper.forget()
    return _with_session(request, HOME, person.id)


def _invited(request: Request, secret: str, *, name: str = "", wrong: str = "") -> Response:
    found = invitations.find(store_of(request), auth.digest_of(secret))
    if found is None:
        raise NotFoundError("this invitation was used or has expired; ask for another one")
    status = 400 if wrong else 200
    return page(request, "join.html", status=status, secret=secret, role=found.role, name=name, wrong=wrong)


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
    """Set another password of one's own, which ends all other sessions."""
    store, person = store_of(request), person_of(request)
    if auth.has_password(store, person) and not _is_right(request, old, person):
        raise RefusedError(403, "the current password is wrong; try again")
    auth.set_password(store, password, person)
    request.app.state.doorkeeper.forget()
    return _with_session(request, "/settings", person)


@router.post("/settings/sessions/{id}/end")
def end_session(request: Request, id: str) -> Response:  # noqa: A002 - as the table calls it
    """End one of one's own sessions."""
    if not tokens.end_session(store_of(request), id, person=person_of(request)):
        raise NotFoundError("this session is over already; see the list in the settings")
    request.app.state.doorkeeper.forget()
    return RedirectResponse("/settings#password", 303)


@router.post("/settings/sessions/end")
def end_sessions(request: Request) -> Response:
    """Log out everywhere, here too."""
    tokens.end_sessions(store_of(request), person=person_of(request))
    request.app.state.doorkeeper.forget()
    return RedirectResponse("/login", 303)


def _is_right(request: Request, password: str, person: str) -> bool:
    """Check a password, which is counted first: of many that come at once, no more than allowed are looked at."""
    attempts: limits.LoginLimiter = request.app.state.attempts
    address = request.client.host if request.client else ""
    client = limits.who_of(address, auth.known_browser(settings_of(request), request.scope))
    number = attempts.begin(client, person)
    right = auth.right_password(store_of(request), password, person)
    if right:
        attempts.right(number)
    return right


def _with_session(request: Request, path: str, person: str) -> Response:
    """Send a browser on with a session, and with what it is known by at the next login."""
    settings = settings_of(request)
    browser = request.headers.get("user-agent", "")[:MAX_BROWSER_CHARS]
    value = auth.begin_session(settings, store_of(request), person=person, browser=browser)
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
    request: Request,
    name: Annotated[str, Form()],
    use: Annotated[Literal["api", "feed"], Form()] = "api",
    role: Annotated[Role, Form()] = "owner",
) -> Response:
    """Make a token of one's own, and show it this once."""
    value = auth.add_token(store_of(request), name, use, person=person_of(request), role=role)
    return page(request, "token.html", token=value, use=use, name=name)


@router.post("/settings/tokens/{id}/revoke")
def revoke_token(request: Request, id: str) -> Response:  # noqa: A002 - as the table calls it
    """Make a token of one's own worthless; owners may do so with any."""
    who = caller(request)
    if not tokens.revoke(store_of(request), id, person=None if who.owns else who.person):
        raise NotFoundError("token not found; see the list in the settings")
    request.app.state.doorkeeper.forget()
    return RedirectResponse("/settings", 303)
