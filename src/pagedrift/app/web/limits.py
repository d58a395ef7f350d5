"""How much may be asked at once? Bytes of a request, time for an answer, attempts at a password."""

from __future__ import annotations

import asyncio
import ipaddress
import threading
import time
from collections import deque
from typing import TYPE_CHECKING, Final

from pagedrift.app.web.asking import header
from pagedrift.app.web.refusing import Refused

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, MutableMapping
    from typing import Any

    from pagedrift.app.web.asking import Scope

    Receive = Callable[[], Awaitable[MutableMapping[str, Any]]]

LARGEST_BODY: Final = 1_000_000  # bytes
LARGEST_UPLOAD: Final = 64_000_000  # of what is imported
UPLOADS: Final = frozenset({"/import", "/api/v1/import"})
SECONDS: Final = 60.0  # for an answer
SECONDS_TO_SEND: Final = 60.0  # for a request to arrive
LONGEST_PATH: Final = 16_000  # bytes of a path and its query

WINDOW: Final = 900.0  # seconds in which attempts are counted
EACH: Final = 8  # wrong passwords from one address
ALL: Final = 100  # from all addresses together


def check_length(scope: Scope) -> None:
    """Refuse addresses longer than any of ours."""
    if len(scope.get("raw_path") or b"") + len(scope["query_string"]) > LONGEST_PATH:
        raise Refused(414, "this address is too long; shorten it")


async def body_of(scope: Scope, receive: Receive) -> bytes:
    """Read a request whole, within its limits of size and time."""
    most = LARGEST_UPLOAD if scope["path"] in UPLOADS else LARGEST_BODY
    length = header(scope, "content-length")
    if length.isascii() and length.isdigit() and int(length[:20]) > most:
        raise _too_large(most)
    try:
        async with asyncio.timeout(SECONDS_TO_SEND):
            return await _read(receive, most)
    except TimeoutError:
        raise Refused(408, "the request took too long to arrive; send it again") from None


async def _read(receive: Receive, most: int) -> bytes:
    body = bytearray()
    while True:
        message = await receive()
        if message["type"] == "http.disconnect":
            raise Refused(400, "the request was cut off; send it again")
        body += message.get("body", b"")
        if len(body) > most:
            raise _too_large(most)
        if not message.get("more_body"):
            return bytes(body)


def _too_large(most: int) -> Refused:
    return Refused(413, f"the request is larger than {most:,} bytes; send less at once", {"Connection": "close"})


class Attempts:
    """Counts wrong passwords, by address and altogether."""

    def __init__(self, *, each: int = EACH, all_: int = ALL, window: float = WINDOW) -> None:
        self.each, self.all, self.window = each, all_, window
        self._failed: deque[tuple[float, str]] = deque()
        self._lock = threading.Lock()

    def check(self, address: str) -> None:
        """Refuse another attempt where there were too many wrong ones."""
        whose = _neighbourhood(address)
        with self._lock:
            self._drop_old()
            same = [moment for moment, where in self._failed if where == whose]
            late = same if len(same) >= self.each else [moment for moment, _ in self._failed]
            if len(same) < self.each and len(late) < self.all:
                return
            wait = int(self.window - (time.monotonic() - late[0])) + 1
        raise Refused(429, f"too many wrong passwords; try again in {wait} seconds", {"Retry-After": str(wait)})

    def failed(self, address: str) -> None:
        """Count a wrong password."""
        with self._lock:
            self._drop_old()
            self._failed.append((time.monotonic(), _neighbourhood(address)))

    def _drop_old(self) -> None:
        while self._failed and self._failed[0][0] < time.monotonic() - self.window:
            self._failed.popleft()


def _neighbourhood(address: str) -> str:
    """Name who asks: in IPv6, one has a whole network of addresses.

    >>> _neighbourhood("2001:db8::1") == _neighbourhood("2001:db8::2"), _neighbourhood("::ffff:192.0.2.1")
    (True, '192.0.2.1')
    """
    try:
        number = ipaddress.ip_address(address)
    except ValueError:
        return address
    if isinstance(number, ipaddress.IPv6Address):
        if number.ipv4_mapped:
            return str(number.ipv4_mapped)
        return str(ipaddress.ip_network((number, 64), strict=False))
    return str(number)
