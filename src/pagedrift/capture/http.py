"""Which page does a server give now, asked politely and within limits?"""

from __future__ import annotations

import random
import ssl
import threading
import time
from dataclasses import dataclass, field
from datetime import UTC, datetime
from functools import cached_property
from typing import TYPE_CHECKING, Final, Literal

from pagedrift.capture.addresses import AddressError, AddressPolicy
from pagedrift.capture.asking import PLAIN, Asking, check_asking
from pagedrift.capture.politeness import HOSTS, TurnKeeper, Turns
from pagedrift.dates import moment
from pagedrift.errors import InputError, PagedriftError
from pagedrift.exchange import NOT_MODIFIED, Exchange, Headers
from pagedrift.limits import MEGABYTE, Limits
from pagedrift.page import PageVersion
from pagedrift.unpacking import CODINGS, unpack

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from types import TracebackType

    import httpcore
    import httpx
    from protego import Protego

    from pagedrift.capture.wire import Answer, Wires

USER_AGENT: Final = "Pagedrift/0.1"
ACCEPT: Final = "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8"
FETCH_LIMITS: Final = Limits(body=64 * MEGABYTE)
REDIRECTS: Final = frozenset({301, 302, 303, 307, 308})
AGAIN: Final = frozenset({429, 500, 502, 503, 504})  # statuses that may be gone a moment later
ROBOTS_AGE: Final = 3600.0  # seconds for which a robots.txt holds; RFC 9309 allows a day
ROBOTS_AGAIN: Final = 300.0  # for which one that could not be had counts as forbidding all
ROBOTS_KNOWN: Final = 2_000  # sites whose rules are remembered: some are long
ROBOTS_SIZE: Final = 512_000  # RFC 9309, section 2.5, asks for 500 KiB at least
LONGEST_SHOWN: Final = 500  # characters of an address in a message
_SECRET: Final = frozenset({"authorization", "cookie", "proxy-authorization"})
_CODINGS: Final = ", ".join(CODINGS)
FORBID_ALL: Final = "User-agent: *\nDisallow: /"

Robots = Literal["obey", "report", "ignore"]
Kind = Literal["address", "certificate", "network", "proxy", "redirects", "robots", "size", "timeout", "url"]


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

    asking: Asking
    seconds: float  # left
    first: httpx.URL  # headers and cookies of the user are for its host
    cookies: httpx.Cookies | None = None  # that sites set on the way
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
    following: httpx.URL | None = None


@dataclass(frozen=True, slots=True)
class Request:
    """One request as a browser makes it; `body` is never recorded."""

    url: str
    method: str = "GET"
    headers: Headers = field(default=(), repr=False)
    body: bytes = field(default=b"", repr=False)


@dataclass(frozen=True, slots=True)
class Answered:
    """One answer, redirects not followed: as it came, and its body unpacked."""

    exchange: Exchange
    body: bytes = field(repr=False)


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
        turns: TurnKeeper | None = None,
        sleep: Callable[[float], None] = time.sleep,
    ) -> None:
        self.policy = AddressPolicy.of(allow_private)
        self.manners = manners
        self._sleep = sleep
        self._turns = turns or Turns(sleep)
        self._robots: dict[tuple[str, str | None], tuple[float, Protego]] = {}  # by site and proxy: until when
        self._reading: dict[tuple[str, str | None], threading.Lock] = {}
        self._lock = threading.Lock()
        self._delays: dict[str, float] = {}  # of hosts whose robots.txt asks for one

    def __enter__(self) -> Client:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """Close all connections."""
        if "_wires" in self.__dict__:
            self._wires.close()

    @cached_property
    def _wires(self) -> Wires:
        from pagedrift.capture.wire import Wires  # loads httpx

        return Wires(self.policy)

    def fetch(
        self,
        url: str,
        *,
        known: PageVersion | None = None,
        robots: Robots = "report",
        asking: Asking = PLAIN,
        accept: str = ACCEPT,
    ) -> Fetched:
        """Fetch a page; of a `known` version the server is asked whether it still holds.

        Statuses of 400 and above are answers too; FetchError is raised where there is none. Headers and cookies of
        `asking` go to the host of the address only, not to where it redirects.
        """
        try:
            if robots == "obey" and not self.may_fetch(url, asking=asking):
                raise FetchError("robots.txt forbids it; leave it out, or ask its owner", kind="robots")
            visit, answer = self._visit(url, [("Accept", accept), *_conditions(known)], asking)
            allowed = None if robots == "ignore" else self.may_fetch(answer.url, asking=asking)
        except PagedriftError as error:
            raise of_address(url, error) from None
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

    def ask(
        self,
        request: Request,
        *,
        asking: Asking = PLAIN,
        own: bool = True,
        seconds: float | None = None,
        turn: bool = True,
    ) -> Answered:
        """Send one request as it is and give its answer, whatever it is: for browsers, which follow by themselves.

        Where it goes to another host than the visit, `own` is false, and nothing of the user's goes with it.
        """
        try:
            check_asking(asking)
            address = parse_url(request.url)
            own_asking = asking if own else asking.anonymous
            visit = _Visit(own_asking, seconds or self._seconds(asking), address)
            if turn:
                self.wait_for(address.host)
            answer, packed = self._sent(address, request, visit)
            return Answered(visit.exchanges[-1], _unpacked(packed, answer, self.manners.limits))
        except _PassingError as error:
            raise FetchError(f"{request.url}: {error}", kind=error.kind) from None
        except PagedriftError as error:
            raise of_address(request.url, error) from None

    def delay_of(self, host: str) -> float:
        """Give the seconds that lie between two requests to a host, as its robots.txt and our manners ask."""
        return max(self.manners.delay, self._delays.get(host, 0.0))

    def wait_for(self, host: str) -> None:
        """Wait for our turn to ask a host."""
        self._turns.wait(host, self.delay_of(host))

    def _seconds(self, asking: Asking) -> float:
        return self.manners.timeout if asking.timeout is None else asking.timeout

    def _visit(self, url: str, headers: list[tuple[str, str]], asking: Asking) -> tuple[_Visit, _Answer]:
        check_asking(asking)
        address = parse_url(url)
        agent = asking.user_agent or self.manners.user_agent
        request = Request(url, headers=(("User-Agent", agent), ("Accept-Encoding", _CODINGS), *headers))
        visit = _Visit(asking, self._seconds(asking), address)
        return visit, self._tried(address, request, visit)

    def _tried(self, url: httpx.URL, request: Request, visit: _Visit) -> _Answer:
        """Ask, and ask again where the trouble may pass."""
        manners, wait = self.manners, 0.0
        for attempt in range(manners.retries + 1):
            last = attempt == manners.retries
            try:
                answer = self._followed(url, request, visit)
                wait = answer.retry_after or 0.0
                if answer.status not in AGAIN or last or wait > manners.longest_delay:
                    return answer
            except _PassingError as error:
                if last or visit.seconds <= 0:
                    raise FetchError(str(error), kind=error.kind) from None
            visit.exchanges.clear()
            self._sleep(max(wait, manners.backoff * 2**attempt * random.uniform(0.75, 1.25)))
        raise AssertionError("the last attempt returns or raises")

    def _followed(self, url: httpx.URL, request: Request, visit: _Visit) -> _Answer:
        """Ask where the server sends us, as often as manners allow."""
        for _ in range(self.manners.redirects + 1):
            self.wait_for(url.host)
            answer = self._asked(url, request, visit)
            if answer.following is None:
                return answer
            url = parse_url(answer.following)
        raise FetchError(
            f"more than {self.manners.redirects} redirects; check the address in a browser", kind="redirects"
        )

    def _asked(self, url: httpx.URL, request: Request, visit: _Visit) -> _Answer:
        """Make of one answer a page, or where to go on."""
        answer, packed = self._sent(url, request, visit)
        status, told = answer.status, _text(_found(answer, b"location"))
        address = str(url).partition("#")[0]
        if status in REDIRECTS and told:
            return _Answer(address, status, following=_joined(url, told))
        if status == NOT_MODIFIED:
            return _Answer(address, status)
        page = PageVersion(
            address,
            _unpacked(packed, answer, self.manners.limits),
            captured_at=visit.exchanges[-1].captured_at,
            content_type=_text(_found(answer, b"content-type")),
            status=status,
            headers=tuple((_text(name).lower(), _text(value)) for name, value in answer.headers),
        )
        return _Answer(address, status, page, retry_after(_text(_found(answer, b"retry-after"))))

    def _sent(self, url: httpx.URL, request: Request, visit: _Visit) -> tuple[Answer, bytes]:
        """Send one request and read its answer, packed as it came, in the time that is left."""
        import httpcore

        from pagedrift.capture.wire import deadline

        started = time.monotonic()
        token = deadline.set(started + visit.seconds)
        visit.requests += 1
        try:
            way = self._wires.way(visit.asking.proxy, verify=visit.asking.verify)
            answer = way.send(_wired(url, request, visit, self.manners.step))
            try:
                packed = self._taken(answer, url, request, visit)
            finally:
                answer.close()
            return answer, packed
        except httpcore.TimeoutException:
            waited = time.monotonic() - started
            raise _PassingError(f"no whole answer in {waited:.0f} s; try again later", "timeout") from None
        except httpcore.ProxyError as error:
            raise FetchError(f"the proxy refused ({error}); check it, or leave it out", kind="proxy") from None
        except (httpcore.NetworkError, httpcore.ProtocolError) as error:
            raise _network_error(error) from None
        finally:
            visit.seconds -= time.monotonic() - started
            deadline.reset(token)

    def _taken(self, answer: Answer, url: httpx.URL, request: Request, visit: _Visit) -> bytes:
        """Read what the server said, all of it, and note it."""
        leads_on = answer.status in REDIRECTS and _found(answer, b"location")
        packed = b"" if leads_on or answer.status == NOT_MODIFIED else _packed(answer, self.manners.limits)
        if leads_on and _found(answer, b"set-cookie"):
            visit.cookies = _with_cookies(visit.cookies, answer, url)
        visit.exchanges.append(_exchange(answer, url, request, packed))
        return packed

    def may_fetch(self, url: str, *, asking: Asking = PLAIN) -> bool:
        """Tell whether the robots.txt of a site allows an address."""
        address = parse_url(url)
        site = f"{address.scheme}://{address.netloc.decode('ascii', 'replace')}"
        key = (site, asking.proxy)
        known = self._robots.get(key)
        if known is None or known[0] < time.monotonic():
            with self._lock:
                reading = self._reading.setdefault(key, threading.Lock())
            with reading:  # the others who want to know wait
                known = self._robots.get(key)
                if known is None or known[0] < time.monotonic():
                    known = self._rules(site, address.host, asking.anonymous)
                    self._remember(key, known)
            with self._lock:
                self._reading.pop(key, None)
        return known[1].can_fetch(url, asking.user_agent or self.manners.user_agent)

    def _remember(self, key: tuple[str, str | None], rules: tuple[float, Protego]) -> None:
        with self._lock:
            self._robots.pop(key, None)
            while len(self._robots) >= ROBOTS_KNOWN:
                del self._robots[next(iter(self._robots))]
            self._robots[key] = rules

    def _rules(self, origin: str, host: str, asking: Asking) -> tuple[float, Protego]:
        """Read the robots.txt of a site: a missing one allows everything, one that cannot be had forbids it."""
        from protego import Protego

        try:
            _, answer = self._visit(f"{origin}/robots.txt", [("Accept", "text/plain,*/*;q=0.5")], asking)
        except PagedriftError as error:
            if of_address(origin, error).kind in ("address", "url", "proxy"):
                raise
            return time.monotonic() + ROBOTS_AGAIN, Protego.parse(FORBID_ALL)
        if answer.page is None or answer.status >= 500:  # noqa: PLR2004 - RFC 9309, section 2.3.1.4
            return time.monotonic() + ROBOTS_AGAIN, Protego.parse(FORBID_ALL)
        missing = answer.status >= 400  # noqa: PLR2004 - and 2.3.1.3
        text = "" if missing else answer.page.body[:ROBOTS_SIZE].decode("utf-8", "replace").removeprefix("\ufeff")
        rules = Protego.parse(text)
        delay = rules.crawl_delay(asking.user_agent or self.manners.user_agent)
        with self._lock:
            self._delays.pop(host, None)
            if delay:
                self._delays[host] = min(delay, self.manners.longest_delay)
                if len(self._delays) > HOSTS:
                    del self._delays[next(iter(self._delays))]
        return time.monotonic() + ROBOTS_AGE, rules


def parse_url(url: str | httpx.URL) -> httpx.URL:
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


def of_address(url: str, error: PagedriftError) -> FetchError:
    """Say of which address an error is."""
    kind: Kind = "address" if isinstance(error, AddressError) else "size"
    if isinstance(error, InputError):
        kind = error.kind if isinstance(error, FetchError) else "url"
    said = str(error)
    shown = "".join(sign if sign.isprintable() else f"%{ord(sign):02X}" for sign in url[:LONGEST_SHOWN])
    return FetchError(said if said.startswith(shown) else f"{shown}: {said}", kind=kind)


def _conditions(known: PageVersion | None) -> list[tuple[str, str]]:
    """Ask only for what is newer than a known version."""
    if known is None or known.status not in (None, 200):
        return []
    pairs = (("If-None-Match", known.header("etag")), ("If-Modified-Since", known.header("last-modified")))
    return [(name, value) for name, value in pairs if value]


def retry_after(told: str | None) -> float | None:
    """Read how long a server wants us to wait: seconds, or until a date.

    >>> retry_after("120"), retry_after("Fri, 02 Feb 2024 10:00:00 GMT"), retry_after("soon")
    (120.0, 0.0, None)
    """
    text = (told or "").strip()
    if text.isdecimal() and len(text) < 10:  # noqa: PLR2004 - thirty years
        return float(text)
    when = moment(text) if text else None
    return max(0.0, (when - datetime.now(UTC)).total_seconds()) if when else None


def _found(answer: Answer, name: bytes) -> bytes:
    """Give a header of an answer, or nothing."""
    return next((value for key, value in answer.headers if key.lower() == name), b"")


def _text(raw: bytes) -> str:
    """Read a header: ASCII nearly always, and UTF-8 or Latin-1 where it is not."""
    try:
        return raw.decode("utf-8")
    except UnicodeDecodeError:
        return raw.decode("latin-1")


def _joined(url: httpx.URL, location: str) -> httpx.URL:
    """Give the address that a redirect leads to."""
    import httpx

    try:
        following = url.join(location)
        if following.is_absolute_url and not following.host:
            following = following.copy_with(host=url.host)  # http:///fees
        following.host  # noqa: B018 - raises where it is none
    except (httpx.InvalidURL, ValueError) as error:
        raise FetchError(f"it redirects to nowhere ({error}); check it in a browser", kind="redirects") from None
    return following


def _wired(url: httpx.URL, request: Request, visit: _Visit, step: float) -> httpcore.Request:
    """Write one request; what is the user's own goes along where its host is the first one's."""
    import httpcore

    own = visit.asking if is_own(visit.first, url) else PLAIN
    replaced = {"cookie", *(name.lower() for name, _ in own.headers)}
    lines = [("Host", url.netloc.decode("ascii")), ("Connection", "keep-alive")]
    lines += [pair for pair in request.headers if pair[0].lower() not in replaced]
    lines += [pair for pair in own.headers if pair[0].lower() != "cookie"]
    if cookies := _cookies(url, request.headers, visit, own):
        lines.append(("Cookie", cookies))
    if request.body or request.method in ("POST", "PUT", "PATCH"):
        lines.append(("Content-Length", str(len(request.body))))
    return httpcore.Request(
        request.method,
        httpcore.URL(scheme=url.raw_scheme, host=url.raw_host, port=url.port, target=url.raw_path),
        headers=[(name.encode("ascii"), value.encode("utf-8")) for name, value in lines],
        content=request.body or None,
        extensions={"timeout": dict.fromkeys(("connect", "read", "write", "pool"), step)},
    )


def is_own(first: httpx.URL, url: httpx.URL) -> bool:
    """Tell whether an address is on the host of the first, by the same way or a safer one."""
    if first.host != url.host:
        return False
    places = (first.scheme, first.port), (url.scheme, url.port)
    return places[0] == places[1] or places == (("http", None), ("https", None))


def _cookies(url: httpx.URL, headers: Headers, visit: _Visit, own: Asking) -> str:
    """Join the cookies for an address: the browser's, the user's, and those that were set on the way."""
    told = [value for name, value in (*headers, *own.headers) if name.lower() == "cookie"]
    told += [f"{name}={value}" for name, value in own.cookies]
    if visit.cookies is not None:
        import httpx

        request = httpx.Request("GET", url)
        visit.cookies.set_cookie_header(request)
        told += [request.headers["cookie"]] if "cookie" in request.headers else []
    by_name = {each.partition("=")[0].strip(): each.strip() for line in told for each in line.split(";")}
    return "; ".join(by_name.values())


def _with_cookies(jar: httpx.Cookies | None, answer: Answer, url: httpx.URL) -> httpx.Cookies:
    """Take the cookies that a site sets on the way: they count for this page, and for nobody else."""
    import httpx

    jar = jar if jar is not None else httpx.Cookies()
    jar.extract_cookies(httpx.Response(answer.status, headers=answer.headers, request=httpx.Request("GET", url)))
    return jar


def _packed(answer: Answer, limits: Limits) -> bytes:
    """Read a body up to its limit, packed as it came."""
    told = _found(answer, b"content-length")
    if told.isdigit() and int(told[:20]) > limits.body:
        raise _too_large(limits)
    pieces, size = [], 0
    for piece in answer.stream:
        size += len(piece)
        if size > limits.body:
            raise _too_large(limits)
        pieces.append(piece)
    return b"".join(pieces)


def _too_large(limits: Limits) -> FetchError:
    said = f"it has more than {limits.body:,} bytes; if you want it, save it and give the file"
    return FetchError(said, kind="size")


def _unpacked(body: bytes, answer: Answer, limits: Limits) -> bytes:
    """Unpack a body up to its limit."""
    codings = ",".join(_text(value) for name, value in answer.headers if name.lower() == b"content-encoding")
    for coding in reversed(codings.lower().replace(" ", "").split(",")):
        if coding in CODINGS and body:
            body = unpack(body, coding, limits=limits)
    return body


def _exchange(answer: Answer, url: httpx.URL, request: Request, body: bytes) -> Exchange:
    """Note what was asked and answered, as archives keep it: without what only the two may know."""
    asked = (
        ("Host", url.netloc.decode("ascii")),
        *(pair for pair in request.headers if pair[0].lower() not in _SECRET),
    )
    return Exchange(
        str(url).partition("#")[0],
        answer.status,
        tuple((name.decode("latin-1"), value.decode("latin-1")) for name, value in answer.headers),
        body,
        captured_at=datetime.now(UTC),
        request_headers=asked,
        method=request.method,
    )


def _network_error(error: Exception) -> Exception:
    """Tell a wrong certificate, which stays, from trouble that may pass."""
    cause: BaseException | None = error
    while cause is not None:
        if isinstance(cause, ssl.SSLCertVerificationError):
            reason = cause.verify_message
            return FetchError(f"its certificate is not valid ({reason}); check it in a browser", kind="certificate")
        cause = cause.__cause__ or cause.__context__
    return _PassingError(f"the connection failed ({str(error).strip() or 'closed'}); try again later", "network")
