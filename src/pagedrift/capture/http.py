"""Which page does a server give now, asked politely and within limits?"""

from __future__ import annotations

import random
import ssl
import time
from dataclasses import dataclass, field
from datetime import UTC, datetime
from functools import cached_property
from typing import TYPE_CHECKING, Final, Literal

from pagedrift.capture.addresses import AddressError, AddressPolicy
from pagedrift.capture.politeness import HOSTS, Turns
from pagedrift.dates import moment
from pagedrift.errors import InputError, PagedriftError
from pagedrift.exchange import NOT_MODIFIED, Exchange
from pagedrift.limits import MEGABYTE, Limits
from pagedrift.page import PageVersion
from pagedrift.unpacking import CODINGS, unpack

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from types import TracebackType

    import httpx
    from protego import Protego

    from pagedrift.capture.wire import Transport

USER_AGENT: Final = "Pagedrift/0.1"
ACCEPT: Final = "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8"
FETCH_LIMITS: Final = Limits(body=64 * MEGABYTE)
AGAIN: Final = frozenset({429, 500, 502, 503, 504})  # statuses that may be gone a moment later
ROBOTS_AGE: Final = 3600.0  # seconds for which a robots.txt holds; RFC 9309 allows a day
ROBOTS_SIZE: Final = 512_000  # RFC 9309, section 2.5, asks for 500 KiB at least
_SECRET: Final = frozenset({"authorization", "cookie", "proxy-authorization"})
FORBID_ALL: Final = "User-agent: *\nDisallow: /"

Robots = Literal["obey", "report", "ignore"]
Kind = Literal["address", "certificate", "network", "redirects", "robots", "size", "timeout", "url"]


class FetchError(InputError):
    """A page that could not be fetched, and why; `kind` says it in one word."""

    def __init__(self, message: str, *, kind: Kind) -> None:
        super().__init__(message)
        self.kind = kind


@dataclass(frozen=True, slots=True)
class Manners:
    """How a client behaves: how often it asks, how long it waits, what it accepts.

    >>> Manners(delay=5).delay
    5
    """

    delay: float = 1.0  # seconds between two requests to one host; a longer one in robots.txt counts
    longest_delay: float = 60.0  # that a robots.txt or a Retry-After may ask for
    timeout: float = 60.0  # seconds for one page with all its redirects and retries; waiting for a turn not counted
    step: float = 20.0  # seconds for one connection, or one read
    retries: int = 2
    backoff: float = 1.0  # seconds before the first retry, twice as many before the next
    redirects: int = 10
    user_agent: str = USER_AGENT
    limits: Limits = FETCH_LIMITS


DEFAULT_MANNERS: Final = Manners()


@dataclass(frozen=True, slots=True)
class Fetched:
    """What a server gave: the page, or none where it has not changed since the version it was asked about."""

    page: PageVersion | None
    status: int
    url: str  # where it was found in the end
    redirects: tuple[tuple[str, int], ...] = ()  # the addresses that led elsewhere, and by which status
    robots_allow: bool | None = None  # None where nobody looked
    retry_after: float | None = None  # seconds, where the server asked for more than we wait
    requests: int = 1
    exchanges: tuple[Exchange, ...] = field(default=(), repr=False)  # to keep: the redirects, and the answer

    @property
    def not_modified(self) -> bool:
        """Tell whether the server said that the known version still holds."""
        return self.status == NOT_MODIFIED


@dataclass(slots=True)
class _Visit:
    """One fetch under way."""

    jar: httpx.Client
    seconds: float  # left
    secrets: frozenset[str]  # headers that are for the first host only
    requests: int = 0
    exchanges: list[Exchange] = field(default_factory=list)  # since the last retry

    @property
    def redirects(self) -> tuple[tuple[str, int], ...]:
        """What led elsewhere."""
        return tuple((exchange.url, exchange.status) for exchange in self.exchanges[:-1])


@dataclass(frozen=True, slots=True)
class _Answer:
    url: str
    status: int
    page: PageVersion | None = None
    retry_after: float | None = None
    following: httpx.Request | None = None


class _PassingError(Exception):
    """Trouble that may be gone a moment later."""

    def __init__(self, message: str, kind: Kind) -> None:
        super().__init__(message)
        self.kind = kind


class Client:
    """One polite HTTP client for everything: pages, feeds, sitemaps, robots.txt. Threads may share it.

    >>> with Client() as client:
    ...     client.fetch("ftp://city.example/")
    Traceback (most recent call last):
    pagedrift.capture.http.FetchError: ftp://city.example/: only http and https are fetched; give such an address
    """

    def __init__(
        self,
        *,
        allow_private: Iterable[str] = (),
        manners: Manners = DEFAULT_MANNERS,
        sleep: Callable[[float], None] = time.sleep,
    ) -> None:
        self.policy = AddressPolicy.of(allow_private)
        self.manners = manners
        self._sleep = sleep
        self._turns = Turns(sleep)
        self._robots: dict[str, tuple[float, Protego]] = {}
        self._delays: dict[str, float] = {}  # of hosts whose robots.txt asks for one

    def __enter__(self) -> Client:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """Close all connections."""
        if "_transport" in self.__dict__:
            self._transport.close()

    @cached_property
    def _transport(self) -> Transport:
        from pagedrift.capture.wire import Transport  # loads httpx

        return Transport(self.policy)

    def fetch(
        self,
        url: str,
        *,
        known: PageVersion | None = None,
        robots: Robots = "report",
        headers: Iterable[tuple[str, str]] = (),
        accept: str = ACCEPT,
    ) -> Fetched:
        """Fetch a page; of a `known` version the server is asked whether it still holds.

        Statuses of 400 and above are answers too; FetchError is raised where there is none. `headers` go to the
        host of the address only, not to where it redirects.
        """
        try:
            if robots == "obey" and not self.may_fetch(url):
                raise FetchError("robots.txt forbids it; leave it out, or ask its owner", kind="robots")
            visit, answer = self._visit(url, [*headers], [("Accept", accept), *_conditions(known)])
            allowed = None if robots == "ignore" else self.may_fetch(answer.url)
        except PagedriftError as error:
            raise _of(url, error) from None
        return Fetched(
            answer.page,
            answer.status,
            answer.url,
            visit.redirects,
            allowed,
            answer.retry_after,
            visit.requests,
            tuple(visit.exchanges),
        )

    def _visit(
        self, url: str, secrets: list[tuple[str, str]], headers: list[tuple[str, str]]
    ) -> tuple[_Visit, _Answer]:
        import httpx

        from pagedrift.capture.wire import Lent

        sent = [
            ("User-Agent", self.manners.user_agent),
            ("Accept-Encoding", ", ".join(CODINGS)),
            *headers,
            *secrets,
        ]
        names = frozenset(name.lower() for name, _ in secrets)
        # A jar of its own: the cookies that a site sets on the way count for this page, and for nobody else.
        with httpx.Client(transport=Lent(self._transport), trust_env=False) as jar:
            visit = _Visit(jar, self.manners.timeout, names)
            request = httpx.Request("GET", _checked(url), headers=sent)
            return visit, self._tried(request, visit)

    def _tried(self, request: httpx.Request, visit: _Visit) -> _Answer:
        """Ask, and ask again where the trouble may pass."""
        manners, wait = self.manners, 0.0
        for attempt in range(manners.retries + 1):
            last = attempt == manners.retries
            try:
                answer = self._followed(request, visit)
                wait = answer.retry_after or 0.0
                if answer.status not in AGAIN or last or wait > manners.longest_delay:
                    return answer
            except _PassingError as error:
                if last or visit.seconds <= 0:
                    raise FetchError(str(error), kind=error.kind) from None
            visit.exchanges.clear()
            self._sleep(max(wait, manners.backoff * 2**attempt * random.uniform(0.75, 1.25)))
        raise AssertionError("the last attempt returns or raises")

    def _followed(self, request: httpx.Request, visit: _Visit) -> _Answer:
        """Ask where the server sends us, as often as manners allow."""
        for _ in range(self.manners.redirects + 1):
            host = request.url.host
            self._turns.wait(host, max(self.manners.delay, self._delays.get(host, 0.0)))
            answer = self._asked(request, visit)
            if answer.following is None:
                return answer
            following = answer.following
            _checked(str(following.url))
            if following.url.netloc != request.url.netloc:
                for name in visit.secrets:
                    following.headers.pop(name, None)
            request = following
        raise FetchError(
            f"more than {self.manners.redirects} redirects; check the address in a browser", kind="redirects"
        )

    def _asked(self, request: httpx.Request, visit: _Visit) -> _Answer:
        """Send one request and read its answer, in the time that is left."""
        import httpcore
        import httpx

        from pagedrift.capture.wire import deadline

        started = time.monotonic()
        token = deadline.set(started + visit.seconds)
        visit.requests += 1
        request.extensions["timeout"] = dict.fromkeys(("connect", "read", "write", "pool"), self.manners.step)
        try:
            response = visit.jar.send(request, stream=True, follow_redirects=False)
            try:
                return self._read(response, visit)
            finally:
                response.close()
        except httpcore.TimeoutException:
            waited = time.monotonic() - started
            raise _PassingError(f"no whole answer in {waited:.0f} s; try again later", "timeout") from None
        except (httpcore.NetworkError, httpcore.ProtocolError) as error:
            raise _network_error(error) from None
        except (httpx.HTTPError, httpx.InvalidURL, UnicodeError) as error:
            raise FetchError(
                f"it redirects to nowhere ({error}); check it in a browser", kind="redirects"
            ) from None
        finally:
            visit.seconds -= time.monotonic() - started
            deadline.reset(token)

    def _read(self, response: httpx.Response, visit: _Visit) -> _Answer:
        """Read what the server said, all of it, and undo its packing."""
        url, status = str(response.url.copy_with(fragment=None)), response.status_code
        wait = _seconds(response.headers.get("retry-after"))
        packed = b"" if response.next_request or status == NOT_MODIFIED else _packed(response, self.manners.limits)
        now = datetime.now(UTC)
        visit.exchanges.append(_exchange(response, packed, now, visit.secrets))
        if response.next_request is not None:
            return _Answer(url, status, following=response.next_request)
        if status == NOT_MODIFIED:
            return _Answer(url, status)
        page = PageVersion(
            url,
            _unpacked(packed, response, self.manners.limits),
            captured_at=now,
            content_type=response.headers.get("content-type"),
            status=status,
            headers=tuple(response.headers.multi_items()),
        )
        return _Answer(url, status, page, wait)

    def may_fetch(self, url: str) -> bool:
        """Tell whether the robots.txt of a site allows an address."""
        address = _checked(url)
        origin = f"{address.scheme}://{address.netloc.decode('ascii', 'replace')}"
        known = self._robots.get(origin)
        if known is None or time.monotonic() - known[0] > ROBOTS_AGE:
            known = (time.monotonic(), self._rules(origin, address.host))
            if len(self._robots) > HOSTS:
                self._robots.clear()
            self._robots[origin] = known
        return known[1].can_fetch(url, self.manners.user_agent)

    def _rules(self, origin: str, host: str) -> Protego:
        """Read the robots.txt of a site: a missing one allows everything, one that cannot be had forbids it."""
        from protego import Protego

        try:
            _, answer = self._visit(f"{origin}/robots.txt", [], [("Accept", "text/plain,*/*;q=0.5")])
        except PagedriftError as error:
            if _of(origin, error).kind in ("address", "url"):
                raise
            return Protego.parse(FORBID_ALL)
        if answer.page is None or answer.status >= 500:  # noqa: PLR2004 - RFC 9309, section 2.3.1.4
            return Protego.parse(FORBID_ALL)
        missing = answer.status >= 400  # noqa: PLR2004 - and 2.3.1.3
        text = "" if missing else answer.page.body[:ROBOTS_SIZE].decode("utf-8", "replace").removeprefix("\ufeff")
        rules = Protego.parse(text)
        if delay := rules.crawl_delay(self.manners.user_agent):
            self._delays[host] = min(delay, self.manners.longest_delay)
        return rules


def _checked(url: str) -> httpx.URL:
    """Refuse addresses that are none, of other schemes, or with a name and password in them."""
    import httpx

    try:
        address = httpx.URL(url)
        host = address.host
    except (httpx.InvalidURL, TypeError, UnicodeError):  # the last: punycode of no name
        raise FetchError("this is no address; write one such as https://city.example/", kind="url") from None
    if address.scheme not in ("http", "https"):
        raise FetchError("only http and https are fetched; give such an address", kind="url")
    if not host or not 0 < (address.port or 80) < 1 << 16:
        raise FetchError("this is no address; write one such as https://city.example/", kind="url")
    if address.userinfo:
        raise FetchError("it has a name or password in front of the host; leave them out", kind="url")
    return address


def _of(url: str, error: PagedriftError) -> FetchError:
    """Say of which address an error is."""
    kind: Kind = (
        error.kind if isinstance(error, FetchError) else "address" if isinstance(error, AddressError) else "size"
    )
    said = str(error)
    return FetchError(said if said.startswith(url) else f"{url}: {said}", kind=kind)


def _conditions(known: PageVersion | None) -> list[tuple[str, str]]:
    """Ask only for what is newer than a known version."""
    if known is None or known.status not in (None, 200):
        return []
    pairs = (("If-None-Match", known.header("etag")), ("If-Modified-Since", known.header("last-modified")))
    return [(name, value) for name, value in pairs if value]


def _seconds(retry_after: str | None) -> float | None:
    """Read how long a server wants us to wait: seconds, or until a date.

    >>> _seconds("120"), _seconds("Fri, 02 Feb 2024 10:00:00 GMT"), _seconds("soon")
    (120.0, 0.0, None)
    """
    text = (retry_after or "").strip()
    if text.isdecimal() and len(text) < 10:  # noqa: PLR2004 - thirty years
        return float(text)
    when = moment(text) if text else None
    return max(0.0, (when - datetime.now(UTC)).total_seconds()) if when else None


def _packed(response: httpx.Response, limits: Limits) -> bytes:
    """Read a body up to its limit, packed as it came."""
    pieces, size = [], 0
    for piece in response.iter_raw():
        size += len(piece)
        if size > limits.body:
            raise FetchError(
                f"it has more than {limits.body:,} bytes; if you want it, save it and give the file", kind="size"
            )
        pieces.append(piece)
    return b"".join(pieces)


def _unpacked(body: bytes, response: httpx.Response, limits: Limits) -> bytes:
    """Unpack a body up to its limit."""
    for coding in reversed(response.headers.get("content-encoding", "").lower().replace(" ", "").split(",")):
        if coding in CODINGS and body:
            body = unpack(body, coding, limits=limits)
    return body


def _exchange(response: httpx.Response, body: bytes, now: datetime, secrets: frozenset[str]) -> Exchange:
    """Note what was asked and answered, as archives keep it: without what only the two may know."""
    secret = secrets | _SECRET
    asked = tuple(pair for pair in _written(response.request.headers) if pair[0].lower() not in secret)
    url = str(response.url.copy_with(fragment=None))
    answered = _written(response.headers)
    return Exchange(url, response.status_code, answered, body, captured_at=now, request_headers=asked)


def _written(headers: httpx.Headers) -> tuple[tuple[str, str], ...]:
    """Give headers as they were written, each byte as one character."""
    return tuple((name.decode("latin-1"), value.decode("latin-1")) for name, value in headers.raw)


def _network_error(error: Exception) -> Exception:
    """Tell a wrong certificate, which stays, from trouble that may pass."""
    cause: BaseException | None = error
    while cause is not None:
        if isinstance(cause, ssl.SSLCertVerificationError):
            reason = cause.verify_message
            return FetchError(f"its certificate is not valid ({reason}); check it in a browser", kind="certificate")
        cause = cause.__cause__ or cause.__context__
    return _PassingError(f"the connection failed ({str(error).strip() or 'closed'}); try again later", "network")
