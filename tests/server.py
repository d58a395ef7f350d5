"""A real web server in a thread, for tests of everything that fetches."""

import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

Answer = tuple[int, dict[str, str], bytes]
HTML = {"Content-Type": "text/html; charset=utf-8"}


class Site(ThreadingHTTPServer):
    """A site whose answers are in `pages`: bytes, an answer, or a function of the request that sends one."""

    daemon_threads = True

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.pages: dict[str, bytes | Answer | list[Answer] | Callable] = {}
        self.asked: list[tuple[str, dict[str, str], float]] = []
        self.port = self.server_address[1]
        self.url = f"http://127.0.0.1:{self.port}"

    @property
    def paths(self) -> list[str]:
        """What was asked for, in order."""
        return [path for path, _, _ in self.asked]

    def handle_error(self, *_: object) -> None:
        """Clients of these tests hang up on purpose."""


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server: Site

    def do_GET(self) -> None:
        site = self.server
        site.asked.append(
            (self.path, {name.lower(): value for name, value in self.headers.items()}, time.monotonic())
        )
        found = site.pages.get(self.path, (404, HTML, b"<p>Not here"))
        if isinstance(found, list):  # one answer after the other, the last one for ever
            found = found.pop(0) if len(found) > 1 else found[0]
        if callable(found):
            found = found(self)
        if isinstance(found, bytes):
            found = (200, HTML, found)
        if found is not None:
            self.answer(*found)

    def do_POST(self) -> None:
        self.sent = self.rfile.read(int(self.headers.get("Content-Length", 0)))
        self.do_GET()

    def do_OPTIONS(self) -> None:
        self.do_GET()

    def answer(self, status: int, headers: dict[str, str], body: bytes) -> None:
        self.send_response(status)
        for name, value in headers.items():
            self.send_header(name, value)
        if status != 304:
            self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        if status != 304:
            self.wfile.write(body)

    def log_message(self, *_: object) -> None:
        pass


@contextmanager
def serving() -> Iterator[Site]:
    """Run a site for as long as it is needed."""
    site = Site()
    thread = threading.Thread(target=site.serve_forever, args=(0.01,))
    thread.start()
    try:
        yield site
    finally:
        site.shutdown()
        thread.join()
        site.server_close()
