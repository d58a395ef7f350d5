"""Browser traffic: the requests of a live page, each sent by our own client instead of the browser."""

from __future__ import annotations

import asyncio
import base64
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from typing import TYPE_CHECKING, Any, Final
from urllib.parse import urlsplit

from pagedrift.capture.http import ACCEPT
from pagedrift.capture.http_messages import REDIRECTS, FetchError, Kind, Request, is_own, parse_url
from pagedrift.decompression import CODINGS
from pagedrift.errors import PagedriftError

if TYPE_CHECKING:
    from pagedrift.capture.http import Answered, Client
    from pagedrift.capture.request_options import RequestOptions
    from pagedrift.capture.snapshot import Window
    from pagedrift.http_exchange import Exchange

_AT_ONCE: Final = 6  # requests, as browsers do
_ONE: Final = 20.0  # seconds for one thing that a page loads
_MAX_FORM_BYTES: Final = 10_000_000  # that a page may send
_KEPT_BACK: Final = frozenset(
    "content-encoding content-length transfer-encoding connection keep-alive alt-svc".split()
)
_OWN: Final = ("sec-ch-ua", "accept-encoding", "host", "content-length", "if-none-match", "if-modified-since")
_REASONS: Final[dict[Kind, str]] = {"address": "AddressUnreachable", "url": "AccessDenied", "timeout": "TimedOut"}
_ORIGINATED: Final = frozenset({"Font", "XHR", "Fetch"})


class Traffic:
    """The requests of one visit: each is paused in the browser, sent by our client, and answered with what came.

    Whatever is not paused here, such as a socket or a worker of another window, goes to a proxy that is not there.
    """

    def __init__(
        self,
        session: Any,
        url: str,
        *,
        client: Client,
        request_options: RequestOptions,
        window: Window,
        until: float,
    ) -> None:
        self._session, self._client, self._asking, self._window = session, client, request_options, window
        self._first = parse_url(url)
        self._until = until
        self._threads = ThreadPoolExecutor(_AT_ONCE, thread_name_prefix="pagedrift-visit")
        self._tasks: set[asyncio.Task[None]] = set()
        self._frame = ""
        self._chain: list[Exchange] = []  # of the document under way
        self._documents = 0
        self._bytes = 0
        self._busy_at = time.monotonic()
        self.requests = 0
        self.trouble: FetchError | None = None  # with the document
        self.main: tuple[Exchange, bytes] | None = None
        self.led_by: list[Exchange] = []
        self.resources: list[tuple[Exchange, bytes]] = []
        self.refused: list[tuple[str, str]] = []
        self.unstyled: list[str] = []

    @property
    def document(self) -> tuple[Exchange, bytes]:
        """The document that stands in the window, and its body unpacked."""
        assert self.main is not None  # whoever asks has looked
        return self.main

    async def begin(self) -> None:
        """Pause every request from now on."""
        self._frame = (await self._session.send("Page.getFrameTree"))["frameTree"]["frame"]["id"]
        self._session.on("Fetch.requestPaused", self._paused)
        await self._session.send("Fetch.enable", {"patterns": [{"urlPattern": "*"}]})

    def end(self) -> None:
        """Ask for nothing more."""
        for task in self._tasks:
            task.cancel()
        self._threads.shutdown(wait=False, cancel_futures=True)

    def rested(self, seconds: float) -> bool:
        """Return whether nothing was under way for some time."""
        return not self._tasks and time.monotonic() - self._busy_at > seconds

    def _paused(self, event: dict[str, Any]) -> None:
        task = asyncio.ensure_future(self._handled(event))
        self._tasks.add(task)
        task.add_done_callback(self._over)

    def _over(self, task: asyncio.Task[None]) -> None:
        self._tasks.discard(task)
        self._busy_at = time.monotonic()
        if not task.cancelled():
            task.exception()  # the window is gone: nobody is left to answer

    async def _handled(self, event: dict[str, Any]) -> None:
        """Answer one request, with what a server said or with a refusal."""
        url = event["request"]["url"]
        is_main = event["resourceType"] == "Document" and event["frameId"] == self._frame
        try:
            answered = await self._asked(event, is_main=is_main)
        except Exception as error:  # whatever it is: a request that is not answered would wait forever
            await self._refuse(event, error, is_main=is_main)
            return
        self._note(event, answered, is_main=is_main)
        exchange = answered.exchange
        headers = [
            {"name": name, "value": value} for name, value in exchange.headers if name.lower() not in _KEPT_BACK
        ]
        said = {
            "requestId": event["requestId"],
            "responseCode": exchange.status,
            "responseHeaders": headers,
            "body": base64.b64encode(answered.body).decode(),
        }
        try:
            await self._session.send("Fetch.fulfillRequest", said)
        except Exception:  # the request is gone, or the browser takes no such answer
            with suppress(Exception):
                await self._session.send(
                    "Fetch.failRequest", {"requestId": event["requestId"], "errorReason": "Failed"}
                )
            self.refused.append((url, "the browser rejected the response"))

    async def _asked(self, event: dict[str, Any], *, is_main: bool) -> Answered:
        """Send what the browser would have sent."""
        self.requests += 1
        if self.requests > self._window.most_requests:
            raise FetchError(f"more than {self._window.most_requests:,} requests; allow more", kind="size")
        if self._bytes > self._window.most_bytes:
            raise FetchError(f"more than {self._window.most_bytes:,} bytes; allow more", kind="size")
        request = _request(event)
        seconds = min(_ONE, self._until - time.monotonic()) if not is_main else self._until - time.monotonic()
        if seconds <= 0:
            raise FetchError("timed out; increase the timeout", kind="timeout")
        own = is_own(self._first, parse_url(request.url))
        turn = is_main and self._documents > 0  # whoever sent us took the first one
        self._documents += is_main

        def ask() -> Answered:
            return self._client.ask(request, request_options=self._asking, own=own, seconds=seconds, turn=turn)

        answered = await asyncio.get_running_loop().run_in_executor(self._threads, ask)
        self._bytes += len(answered.body)
        return answered

    def _note(self, event: dict[str, Any], answered: Answered, *, is_main: bool) -> None:
        """Remember what came: what leads to the document, the document, or a thing that it loads."""
        exchange = answered.exchange
        if not is_main:
            if exchange.method == "GET":  # what was sent along with others is not kept, so they cannot be replayed
                self.resources.append((exchange, answered.body))
            return
        if "redirectedRequestId" not in event:
            self._chain = []
        leads_on = exchange.status in REDIRECTS and any(name.lower() == "location" for name, _ in exchange.headers)
        if leads_on:
            self._chain.append(exchange)
        elif exchange.status not in (204, 205):  # these leave the document that is there
            self.main, self.led_by, self.resources = (exchange, answered.body), self._chain, []
            self.trouble = None

    async def _refuse(self, event: dict[str, Any], error: Exception, *, is_main: bool) -> None:
        url = event["request"]["url"]
        if not isinstance(error, PagedriftError):
            error = FetchError(f"it cannot be sent ({type(error).__name__}); leave it out", kind="url")
        trouble = error if isinstance(error, FetchError) else FetchError(str(error), kind="size")
        if is_main:
            self.trouble = trouble
        self.refused.append((url, trouble.problem_of(url)))
        if event["resourceType"] == "Stylesheet":
            self.unstyled.append(url)
        reason = _REASONS.get(trouble.kind, "Failed")
        with suppress(Exception):  # the request is gone
            await self._session.send("Fetch.failRequest", {"requestId": event["requestId"], "errorReason": reason})


def _request(event: dict[str, Any]) -> Request:
    """Read what the browser wants to send."""
    asked = event["request"]
    entries = asked.get("postDataEntries", ())
    body = b"".join(base64.b64decode(each["bytes"]) for each in entries if "bytes" in each)
    if (asked.get("hasPostData") and not entries) or len(body) > _MAX_FORM_BYTES:
        raise FetchError(f"it sends more than {_MAX_FORM_BYTES:,} bytes; leave it out", kind="size")
    headers = [(name, value) for name, value in asked["headers"].items() if not name.lower().startswith(_OWN)]
    found = {name.lower() for name, _ in headers}
    if event["resourceType"] in _ORIGINATED and "origin" not in found and "referer" in found:
        page = urlsplit(asked["headers"].get("Referer", asked["headers"].get("referer", "")))
        if (page.scheme, page.netloc) != urlsplit(asked["url"])[:2]:
            headers.append(("Origin", f"{page.scheme}://{page.netloc}"))
    if "accept" not in found:
        headers.append(("Accept", "*/*"))
    headers = [(name, ACCEPT if "signed-exchange" in value else value) for name, value in headers]
    headers.append(("Accept-Encoding", ", ".join(CODINGS)))
    return Request(asked["url"], asked["method"], tuple(headers), body)
