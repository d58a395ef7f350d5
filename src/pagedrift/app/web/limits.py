"""Request limits: size and duration of requests, and attempts at the password."""

from __future__ import annotations

import asyncio
import ipaddress
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Final

from pagedrift.app.store import login_attempts
from pagedrift.app.store.login_attempts import BROWSER
from pagedrift.app.web.error_responses import RefusedError
from pagedrift.app.web.request_context import header

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, MutableMapping
    from typing import Any

    from pagedrift.app.store.store import Store
    from pagedrift.app.web.request_context import Scope

    Receive = Callable[[], Awaitable[MutableMapping[str, Any]]]

MAX_BODY_BYTES: Final = 1_000_000  # bytes
MAX_UPLOAD_BYTES: Final = 64_000_000  # of what is imported
UPLOADS: Final = frozenset({"/import", "/api/v1/import"})
MAX_ANSWER_SECONDS: Final = 60.0  # for an answer
MAX_REQUEST_SECONDS: Final = 60.0  # for a request to arrive
MAX_PATH_BYTES: Final = 16_000  # bytes of a path and its query

WINDOW_SECONDS: Final = 900.0  # seconds in which attempts are counted
MAX_WRONG_PER_CLIENT: Final = 8  # wrong passwords from one address
MAX_WRONG_ALTOGETHER: Final = 100  # from all addresses together
MAX_WRONG_PER_ACCOUNT: Final = 40  # from all addresses together


def check_length(scope: Scope) -> None:
    """Refuse addresses that are longer than any valid one."""
    if len(scope.get("raw_path") or b"") + len(scope["query_string"]) > MAX_PATH_BYTES:
        raise RefusedError(414, "this address is too long; shorten it")


async def body_of(scope: Scope, receive: Receive) -> bytes:
    """Read a request whole, within its limits of size and time."""
    most = MAX_UPLOAD_BYTES if scope["path"] in UPLOADS else MAX_BODY_BYTES
    length = header(scope, "content-length")
    if length.isascii() and length.isdigit() and int(length[:20]) > most:
        raise _too_large(most)
    try:
        async with asyncio.timeout(MAX_REQUEST_SECONDS):
            return await _read(receive, most)
    except TimeoutError:
        raise RefusedError(408, "the request took too long to arrive; send it again") from None


async def _read(receive: Receive, most: int) -> bytes:
    body = bytearray()
    while True:
        message = await receive()
        if message["type"] == "http.disconnect":
            raise RefusedError(400, "the request was cut off; send it again")
        body += message.get("body", b"")
        if len(body) > most:
            raise _too_large(most)
        if not message.get("more_body"):
            return bytes(body)


def _too_large(most: int) -> RefusedError:
    return RefusedError(413, f"the request is larger than {most:,} bytes; send less", {"Connection": "close"})


@dataclass(frozen=True, slots=True)
class LoginClient:
    """Whose attempts are counted together, and whether strangers may use up those of all."""

    name: str
    is_trusted: bool = False


class LoginLimiter:
    """Counts passwords before they are looked at: by who tries them, by account and altogether, for all processes.

    Whoever tries many at once has them counted one after the other. A stranger who uses up the attempts of all
    does not lock out browsers that logged in before, addresses from which somebody did, nor this machine.
    """

    def __init__(
        self,
        store: Store,
        *,
        each: int = MAX_WRONG_PER_CLIENT,
        all_: int = MAX_WRONG_ALTOGETHER,
        account: int = MAX_WRONG_PER_ACCOUNT,
        window: float = WINDOW_SECONDS,
    ) -> None:
        self.store, self.each, self.all, self.account, self.window = store, each, all_, account, window

    def begin(self, who: LoginClient, account: str = "") -> int:
        """Count an attempt as wrong until it is known to be right; refuse it where there were too many."""
        window = timedelta(seconds=self.window)
        begun = login_attempts.begin(
            self.store,
            who.name,
            account=account,
            is_trusted=who.is_trusted,
            window=window,
            max_each=self.each,
            max_all=self.all,
            max_account=self.account,
        )
        if isinstance(begun, int):
            return begun
        wait = max(1, int((begun + window - datetime.now(UTC)).total_seconds()) + 1)
        raise RefusedError(
            429, f"too many wrong passwords; try again in {wait} seconds", {"Retry-After": str(wait)}
        )

    def right(self, attempt: int) -> None:
        """Take an attempt back that was right, and remember who made it."""
        login_attempts.right(self.store, attempt)


def who_of(address: str, browser: str = "") -> LoginClient:
    """Name who tries a password: a browser that logged in before, or else an address.

    >>> who_of("192.0.2.1"), who_of("127.0.0.1").is_trusted, who_of("192.0.2.1", "a1b2").name
    (LoginClient(name='192.0.2.1', is_trusted=False), True, 'browser:a1b2')
    """
    if browser:
        return LoginClient(f"{BROWSER}{browser}", is_trusted=True)
    name = _neighbourhood(address)
    try:
        here = ipaddress.ip_address(name).is_loopback
    except ValueError:  # a network, or no address at all
        here = name == _neighbourhood("::1")
    return LoginClient(name[:64], is_trusted=here)


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
