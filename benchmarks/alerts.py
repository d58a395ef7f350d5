"""What does it cost to send an alert through apprise?"""

from __future__ import annotations

import subprocess
import sys
import time
from contextlib import contextmanager
from typing import TYPE_CHECKING

from benchmarks.measure import Table
from pagedrift.app.notify import apprise_process

if TYPE_CHECKING:
    from collections.abc import Iterator

MESSAGES = 100
ROUNDS = 3
MOST_MILLISECONDS = 20.0
HERE = ("127.0.0.1",)
TOLD = {
    "title": "Important: 24 € → 29 € · Fees",
    "text": "A permit is 29 €\n" * 10,
    "html": "<p>A permit is 29 €</p>" * 10,
    "level": "warning",
}
_SERVICE = r"""
import http.server, socketserver

class Handler(http.server.BaseHTTPRequestHandler):
    def do_POST(self):
        self.rfile.read(int(self.headers["Content-Length"]))
        self.send_response(204)
        self.end_headers()

    def log_message(self, *_):
        pass

class Server(socketserver.ThreadingMixIn, http.server.HTTPServer):
    daemon_threads = True

server = Server(("127.0.0.1", 0), Handler)
print(server.server_address[1], flush=True)
server.serve_forever()
"""


@contextmanager
def _service() -> Iterator[str]:
    """Run a service that takes messages, in a process of its own; give its channel."""
    with subprocess.Popen([sys.executable, "-c", _SERVICE], stdout=subprocess.PIPE, text=True) as service:
        try:
            yield f"json://127.0.0.1:{int(service.stdout.readline())}"  # type: ignore[union-attr] - it is a pipe
        finally:
            service.kill()


def _milliseconds(channel: str, messages: int) -> float:
    start = time.perf_counter()
    for _ in range(messages):
        apprise_process.send(channel, TOLD, allow_private=HERE)
    return (time.perf_counter() - start) / messages * 1000


def messages() -> list[str]:
    """Time messages: the first one starts a process, the others find it warm."""
    table = Table(f"A message through apprise to a service on this machine, best of {ROUNDS} rounds")
    with _service() as channel:
        first = _milliseconds(channel, 1)
        warm = min(_milliseconds(channel, MESSAGES) for _ in range(ROUNDS))
    table.row("the first, which starts the process", f"{first:.0f} ms")
    table.promise(f"milliseconds for each of {MESSAGES} more", warm, most=MOST_MILLISECONDS)
    return table.broken


if __name__ == "__main__":
    sys.exit(bool(messages()))
