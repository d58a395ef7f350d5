"""A real HTTP server that records the webhook messages it receives."""

from __future__ import annotations

import threading
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator


class Receiver(ThreadingHTTPServer):
    """Remembers what it was told; answers with the statuses in `answers`, the last one for ever."""

    daemon_threads = True

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.answers: list[tuple[int, dict[str, str]]] = [(204, {})]
        self.told: list[tuple[str, dict[str, str], bytes]] = []
        self.may_answer: Callable[[], bool] = lambda: True
        self.url = f"http://127.0.0.1:{self.server_address[1]}"

    def handle_error(self, *_: object) -> None:
        """Clients of these tests are killed on purpose."""


class _Handler(BaseHTTPRequestHandler):
    server: Receiver

    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
        self.server.told.append((self.path, {name.lower(): text for name, text in self.headers.items()}, body))
        if not self.server.may_answer():
            return
        answers = self.server.answers
        status, headers = answers.pop(0) if len(answers) > 1 else answers[0]
        self.send_response(status)
        for name, text in headers.items():
            self.send_header(name, text)
        self.send_header("Content-Length", "0")
        self.end_headers()

    def log_message(self, *_: object) -> None:
        pass


@contextmanager
def receiving() -> Iterator[Receiver]:
    """Run a receiver for as long as it is needed."""
    server = Receiver()
    thread = threading.Thread(target=server.serve_forever, args=(0.01,))
    thread.start()
    try:
        yield server
    finally:
        server.shutdown()
        thread.join()
        server.server_close()
