"""What does it cost to fetch a page politely, beside a client that only fetches?"""

from __future__ import annotations

import resource
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from typing import TYPE_CHECKING

import httpx

from benchmarks.measure import Table
from pagedrift.capture.http import Client, ClientConfig

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

THREADS = 32
PAGES = 2_000
ROUNDS = 3
_SERVER = r"""
import asyncio
body = b"<title>Fees</title>" + b"<p>A permit costs $120</p>" * 400
head = b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nETag: \"7\"\r\nContent-Length: %d\r\n\r\n"
found = head % len(body) + body
missing = b"HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n"

class Site(asyncio.Protocol):
    def connection_made(self, transport):
        self.transport, self.rest = transport, b""

    def data_received(self, data):
        *asked, self.rest = (self.rest + data).split(b"\r\n\r\n")
        for each in asked:
            self.transport.write(missing if each.startswith(b"GET /robots.txt") else found)

async def main():
    port = 0
    for number in range(1, 91):
        server = await asyncio.get_running_loop().create_server(Site, f"127.0.0.{number}", port, backlog=500)
        port = server.sockets[0].getsockname()[1]
    print(port, flush=True)
    await server.serve_forever()

asyncio.run(main())
"""


@contextmanager
def _site() -> Iterator[int]:
    """Run a server that costs next to nothing in a process of its own; give its port."""
    with subprocess.Popen([sys.executable, "-c", _SERVER], stdout=subprocess.PIPE, text=True) as server:
        try:
            yield int(server.stdout.readline())  # type: ignore[union-attr] - it is a pipe
        finally:
            server.kill()


def _cost(get: Callable[[int], object], pages: int = PAGES) -> float:
    """Time the processor over many pages by many threads: the best of several rounds."""
    best = float("inf")
    with ThreadPoolExecutor(THREADS) as pool:
        list(pool.map(get, range(THREADS)))
        for _ in range(ROUNDS):
            started = time.process_time()
            list(pool.map(get, range(pages)))
            best = min(best, time.process_time() - started)
    return best / pages


def fetched() -> list[str]:
    """Compare with httpx, on one host and on many."""
    table = Table(f"Fetching {PAGES:,} pages in {THREADS} threads (processor time per page)")
    with _site() as port:
        one, many = f"http://127.0.0.1:{port}/", f"http://127.0.0.{{}}:{port}/{{}}"
        limits = httpx.Limits(max_connections=200, max_keepalive_connections=100)
        with httpx.Client(limits=limits, trust_env=False) as plain:
            alone = _cost(lambda number: plain.get(f"{one}{number}").content)
        allowed = ["127.0.0.0/8"]
        with Client(allow_private=allowed, config=ClientConfig(delay=0)) as client:
            ours = _cost(lambda number: client.fetch(f"{one}{number}"))
            spread = _cost(lambda number: client.fetch(many.format(number % 90 + 1, number)))
            before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
            _cost(lambda number: client.fetch(many.format(number % 90 + 1, number)))
            grown = (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) / before
    table.row("httpx.Client.get, one host", f"{alone * 1e6:.0f} µs")
    table.promise("pagedrift, robots.txt and exchanges, one host", ours / alone, most=1.0)
    table.promise("pagedrift, 90 hosts", spread / alone, most=1.5)
    table.promise(f"most memory, {ROUNDS * PAGES:,} pages later", 1 + grown, most=1.25)
    return table.broken
