"""Gate: checks that every request must pass before it reaches a route; it fails closed."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Final

from anyio import to_thread
from starlette.responses import RedirectResponse, Response

from pagedrift.app.model.actors import Actor, act_as
from pagedrift.app.web import csrf, limits, permissions
from pagedrift.app.web.error_responses import BROKEN, RefusedError, refusal
from pagedrift.app.web.permissions import AGENTS, EVENTS
from pagedrift.app.web.request_context import content_origin, header, inside, reached_by

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Coroutine, MutableMapping

    from pagedrift.app.web.auth import Authenticator
    from pagedrift.app.web.request_context import Caller, Scope

    Message = MutableMapping[str, Any]
    Receive = Callable[[], Awaitable[Message]]
    Send = Callable[[Message], Awaitable[None]]
    App = Callable[[Scope, Receive, Send], Coroutine[Any, Any, None]]

HEADERS: Final = {
    "x-content-type-options": "nosniff",
    "x-frame-options": "DENY",
    "referrer-policy": "same-origin",
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
    "permissions-policy": "camera=(), geolocation=(), microphone=(), payment=(), usb=()",
    "x-dns-prefetch-control": "off",
}


class Gate:
    """Looks at each request: by which name, from whose page, by whom, how large, with which token."""

    def __init__(self, app: App, doorkeeper: Authenticator) -> None:
        self.app, self.doorkeeper, self.settings = app, doorkeeper, doorkeeper.settings
        self._late: set[asyncio.Task[None]] = set()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request, or say why not."""
        if scope["type"] == "lifespan":
            await self.app(scope, receive, send)
        elif scope["type"] == "http":
            await self._http(scope, receive, send)
        else:  # no web sockets here
            await send({"type": "websocket.close", "code": 1008})

    async def _http(self, scope: Scope, receive: Receive, send: Send) -> None:
        answer = _Answer(self, scope, send)
        if scope["method"] == "HEAD":  # the same answer, without what it is about
            scope = {**scope, "method": "GET"}
        try:
            receive = await self._let_in(scope, receive, answer)
            if scope["path"] == EVENTS:  # it ends by itself
                await self.app(scope, receive, answer)
            else:
                await self._in_time(self.app(scope, receive, answer), answer)
        except RefusedError as no:
            await self._refuse(answer, scope, no)
        except TimeoutError:
            await self._refuse(answer, scope, RefusedError(503, "this takes too long; try again later"))
        except Exception:
            await self._refuse(answer, scope, RefusedError(500, BROKEN))
            raise  # the server writes it to its log

    async def _in_time(self, work: Coroutine[Any, Any, None], answer: _Answer) -> None:
        """Wait for an answer; one that takes too long is given up, though a thread cannot be stopped."""
        task = asyncio.create_task(work)
        done, _ = await asyncio.wait({task}, timeout=limits.MAX_ANSWER_SECONDS)
        if done:
            task.result()
            return
        answer.given_up = task
        self._late.add(task)
        task.add_done_callback(self._forget)
        task.cancel()
        raise TimeoutError

    def _forget(self, task: asyncio.Task[None]) -> None:
        self._late.discard(task)
        if not task.cancelled():
            task.exception()  # looked at, and of no interest anymore

    async def _let_in(self, scope: Scope, receive: Receive, answer: _Answer) -> Receive:
        """Let a request in, with who sent it; give what it is read from."""
        limits.check_length(scope)
        reached_by(csrf.check_host(self.settings, scope))
        csrf.check_source(self.settings, scope)
        who = await to_thread.run_sync(self.doorkeeper.who, scope)
        if who is None:
            raise self._turned_away(scope)
        seed, answer.fresh_seed = csrf.seed(self.settings, scope)
        answer.seed = seed
        wanted = csrf.token(self.settings, seed, who.id)
        scope["caller"] = replace(who, csrf=wanted)
        permissions.check(scope, who)
        act_as(_actor(who))
        if scope["method"] not in csrf.UNSAFE:  # read, or known to no route: answered with 405
            return receive
        body = await limits.body_of(scope, receive)
        # Browsers send cookies by themselves, but never a token of the API; agents of this machine send neither.
        if who.way != "api" and not (who.way == "open" and scope["path"] == AGENTS):
            csrf.check_token(scope, body, wanted)
        return _replayed(body, receive)

    def _turned_away(self, scope: Scope) -> RefusedError:
        """Send people to the login, and programs away."""
        path: str = scope["path"]
        reads = scope["method"] in csrf.SAFE and "text/html" in header(scope, "accept")
        if not reads or path.startswith(("/api/", "/feed/", "/memento/")):
            how = {"WWW-Authenticate": "Bearer"} if path.startswith(("/api/", "/memento/")) else {}
            return RefusedError(
                401, "this needs a token or a session; make a token in the settings, or log in", how
            )
        from urllib.parse import quote

        query = scope["query_string"].decode("latin-1")
        asked = quote(path, safe="/") + (f"?{query}" if query else "")
        if header(scope, "sec-fetch-site") == "cross-site":
            # Behind a link of another site browsers hold the session back; asked again from here they send it.
            return RefusedError(200, inside(asked))
        return RefusedError(303, "log in first", {"Location": f"/login?next={quote(asked, safe='')}"})

    async def _refuse(self, answer: _Answer, scope: Scope, no: RefusedError) -> None:
        if answer.begun:
            return
        nothing: Receive = _replayed(b"", _never)
        response: Response
        if no.status == 200:  # noqa: PLR2004
            from pagedrift.app.web.templating import rendered

            response = Response(rendered("again.html", path=str(no)), 200, media_type="text/html")
        elif "Location" in no.headers:
            response = RedirectResponse(no.headers["Location"], no.status)
        else:
            response = refusal(scope, no.status, str(no), no.headers)
        await response(scope, nothing, answer)

    def policy(self) -> str:
        """Write what pages of the application may load: only what is theirs, and captured pages in frames."""
        content = content_origin(self.settings)
        return (
            "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; font-src 'self'; "
            f"img-src 'self' {content}; frame-src {content}; manifest-src 'self'; form-action 'self'; "
            "base-uri 'none'; frame-ancestors 'none'"
        )


class _Answer:
    """Sends an answer on, with the headers that every answer has."""

    def __init__(self, gate: Gate, scope: Scope, send: Send) -> None:
        self.gate, self.scope, self.send = gate, scope, send
        self.begun = False
        self.given_up: asyncio.Task[None] | None = None  # whose parts are not sent anymore
        self.seed, self.fresh_seed = "", False

    async def __call__(self, message: Message) -> None:
        """Send one part of it."""
        if self.given_up is not None and asyncio.current_task() is self.given_up:
            return
        if message["type"] == "http.response.start":
            self.begun = True
            message["headers"] = self._headers(list(message.get("headers", ())))
        elif self.scope["method"] == "HEAD":
            message = {**message, "body": b""}
        await self.send(message)

    def _headers(self, given: list[tuple[bytes, bytes]]) -> list[tuple[bytes, bytes]]:
        known = {name.lower() for name, _ in given}
        fixed = {**HEADERS, "content-security-policy": self.gate.policy(), "cache-control": "no-store"}
        for name, value in fixed.items():
            if name.encode() not in known:
                given.append((name.encode(), value.encode("latin-1")))
        kind = next((value for name, value in given if name.lower() == b"content-type"), b"")
        if self.fresh_seed and kind.startswith(b"text/html"):
            settings = self.gate.settings
            cookie = csrf.set_cookie(settings, csrf.seed_name(settings), self.seed)
            given.append((b"set-cookie", cookie.encode("latin-1")))
        return given


def _actor(who: Caller) -> Actor:
    """Say who acts, for the log: a person, or a program with one of their tokens."""
    by_token = who.way in ("api", "feed")
    return Actor(
        kind="token" if by_token else "person",
        name=f"{who.token} ({who.name})" if by_token else who.name,
        person=who.person,
        role=who.role,
    )


def _replayed(body: bytes, rest: Receive) -> Receive:
    """Give a body that was read already, then what comes after it."""
    parts: list[Message] = [{"type": "http.request", "body": body, "more_body": False}]

    async def receive() -> Message:
        return parts.pop() if parts else await rest()

    return receive


async def _never() -> Message:
    return {"type": "http.disconnect"}
