"""A service for crawlers: asked with an address and a body, it answers whether to keep the capture.

Pages are looked into in a process of its own, with limits; where it fails or takes too long the answer is to keep.
"""

from __future__ import annotations

import asyncio
from contextlib import asynccontextmanager, suppress
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any, Final

from pagedrift.crawls.gate_state import GateState
from pagedrift.crawls.keeping import KeepLevel
from pagedrift.dates import period
from pagedrift.page import PageVersion

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

    from starlette.applications import Starlette
    from starlette.requests import Request
    from starlette.responses import Response

MAX_BODY_BYTES: Final = 64_000_000
MAX_SECONDS: Final = 10.0  # that one decision may take
MAX_MEMORY: Final = 2 << 30  # bytes of the process that looks into pages
_KEEP: Final = {"decision": "keep", "change": "", "refers_to": None}

_state: GateState | None = None  # in the process that decides


def gate_application(state: str, level: KeepLevel) -> Starlette:
    """Make the service; what it remembers is kept in a file."""
    from pebble import ProcessPool
    from starlette.applications import Starlette
    from starlette.routing import Route

    GateState(state, level)  # refuses at once what cannot be opened

    @asynccontextmanager
    async def running(application: Starlette) -> AsyncIterator[None]:
        from multiprocessing import get_context

        with ProcessPool(
            max_workers=1, initializer=_begin, initargs=(state, str(level)), context=get_context("spawn")
        ) as pool:
            application.state.pool = pool
            yield
            pool.stop()  # type: ignore[no-untyped-call]

    routes = [Route("/decide", _decide, methods=["POST"]), Route("/", _about, methods=["GET"])]
    return Starlette(routes=routes, lifespan=running)


def _begin(state: str, level: str) -> None:
    global _state  # noqa: PLW0603 - what a process is given when it starts
    with suppress(ImportError, ValueError, OSError):  # Windows has no such limits, macOS not all of them
        import resource

        resource.setrlimit(resource.RLIMIT_AS, (MAX_MEMORY, MAX_MEMORY))
    _state = GateState(state, KeepLevel(level))


def decide(url: str, body: bytes, content_type: str | None, when: datetime) -> dict[str, Any]:
    """Decide about one capture, in the process that remembers."""
    assert _state is not None
    return _state.decide(PageVersion(url, body, content_type=content_type, captured_at=when))


async def _decide(request: Request) -> Response:
    from starlette.responses import JSONResponse

    url, date = request.query_params.get("url", ""), request.query_params.get("date", "")
    span = period(date) if date else (datetime.now(UTC),) * 2
    if problem := _problem(request, url, span):
        return JSONResponse({"error": problem}, status_code=400)
    body = await _body(request)
    if body is None:
        return JSONResponse({**_KEEP, "reason": "too large"})
    assert span is not None
    task = request.app.state.pool.schedule(
        decide, args=(url, body, request.headers.get("content-type"), span[0]), timeout=MAX_SECONDS
    )
    try:
        return JSONResponse(await asyncio.wrap_future(task))
    except Exception as error:  # a crawler must get an answer whatever a page does
        return JSONResponse({**_KEEP, "reason": "undecided", "change": type(error).__name__})


def _problem(request: Request, url: str, span: tuple[datetime, datetime] | None) -> str:
    """Say what is wrong with a request; a browser that some page sends here is none of a crawler."""
    if "origin" in request.headers or "sec-fetch-site" in request.headers:
        return "requests of browsers are refused; ask from a crawler"
    if not url.lower().startswith(("http://", "https://")):
        return "name the address of the capture: POST /decide?url=https://…"
    return "" if span else "the date cannot be read; write one such as 2026-11-15T09:12:00Z"


async def _body(request: Request) -> bytes | None:
    body = bytearray()
    async for part in request.stream():
        body += part
        if len(body) > MAX_BODY_BYTES:
            return None
    return bytes(body)


async def _about(request: Request) -> Response:  # noqa: ARG001 - as Starlette wants it
    from starlette.responses import JSONResponse

    return JSONResponse({"service": "pagedrift gate", "ask": "POST /decide?url=URL&date=DATE with the body"})
