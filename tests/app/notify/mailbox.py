"""A real mail server that stores what it receives."""

from __future__ import annotations

import threading
from contextlib import contextmanager
from socketserver import StreamRequestHandler, ThreadingTCPServer
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator


class Mailbox(ThreadingTCPServer):
    """Speaks as much SMTP as a mail needs."""

    daemon_threads = True
    allow_reuse_address = True

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), _Conversation)
        self.mails: list[bytes] = []
        self.port = self.server_address[1]


class _Conversation(StreamRequestHandler):
    server: Mailbox

    def handle(self) -> None:
        self._say("220 mailbox")
        for line in self.rfile:
            verb = line[:4].upper()
            if verb == b"DATA":
                self._say("354 go on")
                mail = b"".join(iter(self.rfile.readline, b".\r\n"))
                self.server.mails.append(mail)
            self._say("221 bye" if verb == b"QUIT" else "250 fine")
            if verb == b"QUIT":
                return

    def _say(self, line: str) -> None:
        self.wfile.write(f"{line}\r\n".encode())


@contextmanager
def mailbox() -> Iterator[Mailbox]:
    """Run a mail server for as long as it is needed."""
    server = Mailbox()
    thread = threading.Thread(target=server.serve_forever, args=(0.01,))
    thread.start()
    try:
        yield server
    finally:
        server.shutdown()
        thread.join()
        server.server_close()
