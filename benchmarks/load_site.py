"""Which pages does a program watch under load? A server of many distinct pages, of which some change at each visit.

This file runs by itself, in a process of its own, so that serving is charged to nobody:

    python -m benchmarks.load_site PAGES [SHARE]

SHARE of the visits after the first find their page changed: 0.1 where none is given.
It prints its port as soon as it answers. The pages stand on many addresses of this machine (127.1.x.y, which Linux
has without being asked), as if they were of many sites: a polite client waits between two requests to one of them.
Pages come without ETag and Last-Modified, so that every visit is one in which a page is fetched and compared.
GET /told says what was asked for since the beginning.
"""

from __future__ import annotations

import asyncio
import json
import re
import sys
import zlib
from collections import Counter

from benchmarks.pages import pairs
from pagedrift import PageVersion

HOSTS = 500
CHANGING = 0.1  # of the visits after the first find the page changed
_BODY = re.compile(rb"<body\b[^>]*>", re.IGNORECASE)
_REQUEST = re.compile(rb"(?:GET|HEAD) (?:http://[^/ ]+)?(/\S*) HTTP/1\.[01]\r\n")


def address(number: int, port: int) -> str:
    """Name the page of a number."""
    host = number % HOSTS
    return f"http://127.1.{host // 250}.{host % 250 + 1}:{port}/page/{number}"


class Pages:
    """All pages, and how often each was asked for."""

    def __init__(self, changing: float) -> None:
        self.changing = changing
        self.pairs = [tuple(_parted(page) for page in pair) for pair in pairs().values()]
        self.visits: Counter[int] = Counter()
        self.editions: Counter[int] = Counter()
        self.sent = 0

    def page(self, number: int) -> bytes:
        """Give a page; now and then its other version, with a line that was never there before."""
        self.visits[number] += 1
        visit = self.visits[number]
        if visit > 1 and zlib.crc32(b"%d %d" % (number, visit)) % 1000 < 1000 * self.changing:
            self.editions[number] += 1
        edition = self.editions[number]
        head, body = self.pairs[number % len(self.pairs)][edition % 2]
        line = b"<p>This is page %d of the town, in its edition of day %d.</p>" % (number, edition)
        page = head + line + body
        self.sent += len(page)
        return page

    def told(self) -> bytes:
        """Say what was asked for."""
        figures = {
            "visits": self.visits.total(),
            "pages": len(self.visits),
            "again": self.visits.total() - len(self.visits),
            "changes": self.editions.total(),
            "bytes": self.sent,
        }
        return json.dumps(figures).encode()


def _parted(page: bytes) -> tuple[bytes, bytes]:
    """Part a page where its body begins; in UTF-8, so that nobody spends time on guessing encodings."""
    page = PageVersion("", page).source.encode("utf-8", "replace")
    found = _BODY.search(page)
    place = found.end() if found else 0
    return page[:place], page[place:]


class Connection(asyncio.Protocol):
    """One client; requests have no body."""

    def __init__(self, pages: Pages) -> None:
        self._pages = pages
        self._read = b""

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Remember where to write."""
        self._transport = transport

    def data_received(self, data: bytes) -> None:
        """Answer what was asked for, as soon as its head is complete."""
        self._read += data
        while b"\r\n\r\n" in self._read:
            head, _, self._read = self._read.partition(b"\r\n\r\n")
            asked = _REQUEST.match(head + b"\r\n")
            if asked is None:
                self._transport.close()
                return
            self._answer(asked[1])

    def _answer(self, path: bytes) -> None:
        status, kind, body = b"200 OK", b"text/html; charset=utf-8", b""
        if path.startswith(b"/page/") and path[6:].isdigit():
            body = self._pages.page(int(path[6:]))
        elif path == b"/told":
            kind, body = b"application/json", self._pages.told()
        else:
            status = b"404 Not Found"
        head = b"HTTP/1.1 %b\r\nContent-Type: %b\r\nContent-Length: %d\r\n\r\n" % (status, kind, len(body))
        self._transport.write(head + body)


async def main(count: int, changing: float = CHANGING) -> None:
    """Serve for ever."""
    loop, pages = asyncio.get_running_loop(), Pages(changing)
    first = await loop.create_server(lambda: Connection(pages), "127.0.0.1", 0)
    port = first.sockets[0].getsockname()[1]
    for host in sorted({address(number, port).split("/")[2].partition(":")[0] for number in range(count)}):
        await loop.create_server(lambda: Connection(pages), host, port, backlog=256)
    print(port, flush=True)
    await first.serve_forever()


if __name__ == "__main__":
    asyncio.run(main(int(sys.argv[1]), *map(float, sys.argv[2:])))
