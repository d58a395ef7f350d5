"""Real proxies in a thread, one that speaks HTTP and one that speaks SOCKS5."""

import base64
import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from socketserver import StreamRequestHandler, ThreadingTCPServer


class Proxy(ThreadingTCPServer):
    """Passes on what it is asked, all of it to one port of this machine, and remembers for whom."""

    daemon_threads = True

    def __init__(self, handler: type[StreamRequestHandler], to: int, password: str = "") -> None:
        super().__init__(("127.0.0.1", 0), handler)
        self.to, self.password = to, password
        self.asked: list[str] = []
        self.address = f"127.0.0.1:{self.server_address[1]}"

    def handle_error(self, *_: object) -> None:
        """Clients of these tests hang up on purpose."""


class Http(StreamRequestHandler):
    """Takes whole requests, and CONNECT."""

    server: Proxy

    def handle(self) -> None:
        line = self.rfile.readline().decode()
        headers = b""
        while (header := self.rfile.readline()) not in (b"\r\n", b""):
            headers += b"" if header.lower().startswith(b"connection:") else header
        method, target, _ = line.split(" ", 2)
        self.server.asked.append(f"{method} {target}")
        wanted = base64.b64encode(self.server.password.encode())
        if self.server.password and wanted not in headers:
            self.wfile.write(b"HTTP/1.1 407 Who are you\r\nContent-Length: 0\r\n\r\n")
            return
        with socket.create_connection(("127.0.0.1", self.server.to)) as other:
            if method == "CONNECT":
                self.wfile.write(b"HTTP/1.1 200 OK\r\n\r\n")
            else:
                path = "/" + target.split("/", 3)[3]
                other.sendall(f"{method} {path} HTTP/1.1\r\n".encode() + headers + b"Connection: close\r\n\r\n")
            pass_on(self.connection, other)


class Socks(StreamRequestHandler):
    """Speaks SOCKS5: RFC 1928, and passwords by RFC 1929."""

    server: Proxy

    def handle(self) -> None:
        _, methods = self.rfile.read(2)
        self.rfile.read(methods)
        self.wfile.write(b"\5\2" if self.server.password else b"\5\0")
        if self.server.password:
            _, length = self.rfile.read(2)
            name = self.rfile.read(length)
            told = name + b":" + self.rfile.read(self.rfile.read(1)[0])
            self.wfile.write(b"\1\0" if told.decode() == self.server.password else b"\1\1")
        kind = self.rfile.read(4)[3]
        host = (
            self.rfile.read(self.rfile.read(1)[0]).decode() if kind == 3 else socket.inet_ntoa(self.rfile.read(4))
        )
        port = int.from_bytes(self.rfile.read(2))
        self.server.asked.append(f"{host}:{port}")
        with socket.create_connection(("127.0.0.1", self.server.to)) as other:
            self.wfile.write(b"\5\0\0\1\0\0\0\0\0\0")
            pass_on(self.connection, other)


def pass_on(one: socket.socket, other: socket.socket) -> None:
    """Carry bytes both ways until one side hangs up."""

    def carry(source: socket.socket, sink: socket.socket) -> None:
        try:
            while data := source.recv(65536):
                sink.sendall(data)
            sink.shutdown(socket.SHUT_RDWR)
        except OSError:
            pass

    back = threading.Thread(target=carry, args=(other, one), daemon=True)
    back.start()
    carry(one, other)
    back.join(5)


@contextmanager
def proxying(handler: type[StreamRequestHandler], to: int, password: str = "") -> Iterator[Proxy]:
    """Run a proxy for as long as it is needed."""
    proxy = Proxy(handler, to, password)
    thread = threading.Thread(target=proxy.serve_forever, args=(0.01,))
    thread.start()
    try:
        yield proxy
    finally:
        proxy.shutdown()
        thread.join()
        proxy.server_close()
