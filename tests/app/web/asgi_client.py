"""HTTP client that calls the application in this process and keeps cookies."""

import asyncio
from collections.abc import AsyncIterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import httpx

_THREAD = ThreadPoolExecutor(1, thread_name_prefix="tests-asking")


class Transport(httpx.BaseTransport):
    """Hand requests to an application, each in a loop of its own."""

    def __init__(self, app: Any, address: str = "127.0.0.1") -> None:
        self.app, self.address = app, address

    def handle_request(self, request: httpx.Request) -> httpx.Response:
        # In a thread, since Playwright leaves a loop running in this one.
        return _THREAD.submit(lambda: asyncio.run(self._asked(request))).result()

    async def _asked(self, request: httpx.Request) -> httpx.Response:
        if not isinstance(request.stream, httpx.AsyncByteStream):
            request.stream = _Pieces(request.stream)
        inside = httpx.ASGITransport(self.app, raise_app_exceptions=False, client=(self.address, 50_000))
        answer = await inside.handle_async_request(request)
        return httpx.Response(answer.status_code, headers=answer.headers, content=await answer.aread())


class _Pieces(httpx.AsyncByteStream):
    """Send a body piece by piece."""

    def __init__(self, pieces: Any) -> None:
        self.pieces = pieces

    async def __aiter__(self) -> AsyncIterator[bytes]:
        for piece in self.pieces:
            yield piece


def client(app: Any, **options: Any) -> httpx.Client:
    """Make a browser; events that a real server would send for minutes end at once."""
    address = options.pop("address", "127.0.0.1")
    if (state := getattr(getattr(app, "app", None), "state", None)) is not None and hasattr(state, "live"):
        state.live.is_stopping = lambda: True
    return httpx.Client(transport=Transport(app, address), follow_redirects=False, **options)
