"""Request options besides the address: headers, cookies, a proxy and timeouts."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import Final
from urllib.parse import urlsplit

from pagedrift.errors import InputError

PROXIES: Final = ("http", "https", "socks5", "socks5h")
_NAME: Final = re.compile(r"[!#$%&'*+.^_`|~0-9A-Za-z-]+")  # a token: RFC 9110, section 5.6.2
_COOKIE: Final = re.compile(
    r"[\x21\x23-\x2b\x2d-\x3a\x3c-\x5b\x5d-\x7e \"]*"
)  # RFC 6265, and what browsers send too
_VALUE: Final = re.compile(r"[\t\x20-\x7e\x80-\U0010ffff]*")
# These say how the message itself is written; another one would make it lie.
_OURS: Final = frozenset(
    "connection content-length expect host keep-alive te trailer transfer-encoding upgrade".split()
)


@dataclass(frozen=True, slots=True, kw_only=True)
class RequestOptions:
    """How one address is asked for; headers and cookies go to its own host only, and are never recorded.

    >>> RequestOptions(headers=(("X-Token", "t0p"),), cookies=(("seen", "1"),), timeout=5)
    RequestOptions(user_agent=None, timeout=5, verify=True)
    """

    headers: tuple[tuple[str, str], ...] = field(default=(), repr=False)
    cookies: tuple[tuple[str, str], ...] = field(default=(), repr=False)
    proxy: str | None = field(
        default=None, repr=False
    )  # http://, https:// or socks5://, with a password or without
    user_agent: str | None = None
    timeout: float | None = None  # seconds for the whole visit
    verify: bool = True  # the server's certificate

    @property
    def personal(self) -> bool:
        """Whether a server may know by it who asks."""
        return bool(self.headers or self.cookies)

    @property
    def anonymous(self) -> RequestOptions:
        """The same, without what is for one host only."""
        return RequestOptions(
            headers=(),
            cookies=(),
            proxy=self.proxy,
            user_agent=self.user_agent,
            timeout=self.timeout,
            verify=self.verify,
        )

    def passed_on(self, first: str, url: str) -> RequestOptions:
        """Give what may be said at an address that another one names: all of it at the same place only."""
        return self if same_place(first, url) else self.anonymous


def same_place(first: str, url: str) -> bool:
    """Return whether two addresses are of one host, reached by the same way.

    >>> same_place("https://city.example/feed", "https://city.example/a"), same_place("https://a.b/", "http://a.b/")
    (True, False)
    """
    try:
        one, other = urlsplit(first), urlsplit(url)
        return (one.scheme, one.hostname, one.port) == (other.scheme, other.hostname, other.port)
    except ValueError:
        return False


PLAIN: Final = RequestOptions()


def check_request_options(request_options: RequestOptions) -> None:
    """Raise InputError where something cannot be sent; the message never holds a value, which may be secret.

    >>> check_request_options(RequestOptions(proxy="ftp://proxy.example"))
    Traceback (most recent call last):
    pagedrift.errors.InputError: the proxy is not valid; use an http, https or socks5 address such as socks5://127.0.0.1:1080
    """
    if request_options is PLAIN:
        return
    for name, value in request_options.headers:
        if not _NAME.fullmatch(name) or not _VALUE.fullmatch(value):
            raise InputError(f"the header {name!r} cannot be sent; write name and value on one line each")
        if name.lower() in _OURS:
            raise InputError(f"the header {name} is set automatically; remove it")
    for name, value in request_options.cookies:
        if not _NAME.fullmatch(name) or not _COOKIE.fullmatch(value):
            raise InputError(f"the cookie {name!r} cannot be sent; write it as a browser shows it, percent-encoded")
    if request_options.user_agent is not None and not _VALUE.fullmatch(request_options.user_agent):
        raise InputError("the user agent cannot be sent; write it on one line")
    if request_options.timeout is not None and not 0 < request_options.timeout <= 3600:  # noqa: PLR2004 - an hour
        raise InputError(f"{request_options.timeout:g} seconds is not a valid timeout; use 1 to 3600")
    if request_options.proxy is not None:
        _check_proxy(request_options.proxy)


def _check_proxy(proxy: str) -> None:
    try:
        parts = urlsplit(proxy)
        found = parts.scheme in PROXIES and parts.hostname and (parts.port is None or parts.port > 0)
    except ValueError:
        found = False
    if not found or not _VALUE.fullmatch(proxy):
        raise InputError(
            "the proxy is not valid; use an http, https or socks5 address such as socks5://127.0.0.1:1080"
        )
