"""HTTP server for the demonstration site, on this machine only."""

from __future__ import annotations

import hashlib
import itertools
import math
import sys
import threading
import time
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime, parsedate_to_datetime
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import TYPE_CHECKING, Any, Final, Self
from urllib.parse import parse_qs, urlsplit

from pagedrift.app.demo.pages import DemoResponse, Moment, answer
from pagedrift.app.demo.scenario import LAST, SECONDS_PER_STEP, changed_at, state_at
from pagedrift.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Callable

    from pagedrift.app.model.watch import Kind

IDLE: Final = 30.0  # seconds that a connection is kept for the next request
WATCHES: Final[tuple[tuple[str, str, Kind, str], ...]] = (
    (
        "Front page",
        "/",
        "page",
        "an advertisement and a counter that do not matter, news that do, a section that moves",
    ),
    ("Lantern in the town shop", "/shop/lantern", "page", "a price that changes"),
    ("Hours of the market hall", "/market-hall", "page", "opening hours, and a notice that comes and goes"),
    ("News feed", "/feed.xml", "feed", "articles that appear, and the day on which they look different"),
    ("All pages", "/sitemap.xml", "sitemap", "one entry of a menu that is new on every page at once"),
)


class DemoSite:
    """The site of a small town, on 127.0.0.1, with a scenario of two and a half minutes.

    >>> with DemoSite() as site:
    ...     site.step, [kind for _, _, kind, _ in site.watches]
    (0, ['page', 'page', 'page', 'feed', 'sitemap'])
    """

    watches: Final = WATCHES  # (name, path, kind, what it shows)

    def __init__(self, port: int = 0, pace: float = 1.0, *, clock: Callable[[], float] = time.time) -> None:
        if not (math.isfinite(pace) and pace > 0):
            raise InputError(f"a pace of {pace} is none; give a number above 0, such as 0.5 for twice as fast")
        self.pace = pace
        self._port = port
        self._clock = clock
        self._serials = itertools.count(1)
        self._server: _Server | None = None
        self._thread: threading.Thread | None = None
        self.restart()

    def restart(self) -> None:
        """Begin the scenario again."""
        self._began = self._clock()

    def start(self) -> Self:
        """Begin to answer, and the scenario."""
        try:
            self._server = _Server(self, self._port)
        except OSError as error:
            message = f"port {self._port} of this machine cannot be had ({error.strerror}); choose another"
            raise InputError(message) from None
        self.restart()
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.05,), name="demo", daemon=True)
        self._thread.start()
        return self

    def close(self) -> None:
        """Stop to answer; connections that are open end."""
        if self._server is not None and self._thread is not None:
            self._server.shutdown()
            self._thread.join()
            self._server.server_close()
            self._server = self._thread = None

    def __enter__(self) -> Self:
        return self.start()

    def __exit__(self, *_: object) -> None:
        self.close()

    @property
    def url(self) -> str:
        """The address of the site, without a slash at its end."""
        if self._server is None:
            raise InputError("the demonstration site does not run; start it first")
        return f"http://127.0.0.1:{self._server.server_address[1]}"

    @property
    def address(self) -> str:
        """Its host and port, as a policy of addresses allows them."""
        return self.url.removeprefix("http://")

    @property
    def step(self) -> int:
        """How far the scenario is."""
        return max(0, min(LAST, int((self._clock() - self._began) / (SECONDS_PER_STEP * self.pace))))

    def answer(self, path: str, *, consented: bool = False) -> tuple[DemoResponse, dict[str, str]]:
        """Answer a request, with the headers that belong to the answer."""
        step, length = self.step, timedelta(seconds=SECONDS_PER_STEP * self.pace)
        began = datetime.fromtimestamp(self._began, UTC).replace(microsecond=0)
        moment = Moment(
            state=state_at(step), url=self.url, began=began, step_length=length, serial=next(self._serials)
        )
        found = answer(path, moment, consented=consented)
        if not found.still:
            return found, {"Cache-Control": "no-store"}
        changed = began if path.startswith(("/assets/", "/media/")) else began + changed_at(step) * length
        tag = hashlib.sha256(found.body).hexdigest()[:20]
        return found, {
            "Cache-Control": "no-cache",
            "ETag": f'"{tag}"',
            "Last-Modified": format_datetime(changed.replace(microsecond=0), usegmt=True),
        }


class _Server(ThreadingHTTPServer):
    """A server whose open connections end with it."""

    daemon_threads = True
    block_on_close = False

    def __init__(self, site: DemoSite, port: int) -> None:
        self.site = site
        self._open: set[Any] = set()
        super().__init__(("127.0.0.1", port), _Handler)

    def process_request(self, request: Any, client_address: Any) -> None:
        self._open.add(request)
        super().process_request(request, client_address)

    def shutdown_request(self, request: Any) -> None:
        self._open.discard(request)
        super().shutdown_request(request)

    def server_close(self) -> None:
        super().server_close()
        for request in tuple(self._open):
            self.shutdown_request(request)

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Say nothing where a client hangs up; that is not an event of the scenario."""
        if not isinstance(sys.exception(), ConnectionError | TimeoutError):
            super().handle_error(request, client_address)


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server_version = "Ostermill"
    sys_version = ""
    timeout = IDLE
    wbufsize = 1 << 16  # head and body in one packet: the second would wait for the client to confirm the first
    server: _Server

    def do_GET(self) -> None:
        """Answer with a page."""
        parts = urlsplit(self.path)
        consent = parse_qs(parts.query).get("consent") == ["yes"]
        found, headers = self.server.site.answer(parts.path, consented=consent or self._consented())
        if consent:
            headers["Set-Cookie"] = "consent=yes; Path=/; SameSite=Lax"
        if found.still and self._is_known(headers):
            self._send(304, headers, None)
        else:
            self._send(found.status, {"Content-Type": found.content_type, **headers}, found.body)

    do_HEAD = do_GET  # noqa: N815 - the name that http.server asks for

    def _consented(self) -> bool:
        return "consent=yes" in self.headers.get("Cookie", "").replace(" ", "").split(";")

    def _is_known(self, headers: dict[str, str]) -> bool:
        """Return whether the client has this very answer: by its tag, else by its date (RFC 9110, 13.2.2)."""
        tags = self.headers.get("If-None-Match")
        if tags is not None:
            known = [tag.strip().removeprefix("W/") for tag in tags.split(",")]
            return "*" in known or headers["ETag"] in known
        try:
            since = parsedate_to_datetime(self.headers.get("If-Modified-Since", ""))
        except ValueError:
            return False
        return since.tzinfo is not None and parsedate_to_datetime(headers["Last-Modified"]) <= since

    def _send(self, status: int, headers: dict[str, str], body: bytes | None) -> None:
        self.send_response(status)
        for name, value in headers.items():
            self.send_header(name, value)
        if body is not None:
            self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        if body is not None and self.command != "HEAD":
            self.wfile.write(body)

    def log_message(self, *_: object) -> None:
        """Keep quiet."""
