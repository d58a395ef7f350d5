"""The HTTP client: fetches pages politely and within limits."""

from __future__ import annotations

import random
import threading
import time
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Final, Literal

from pagedrift._version import __version__
from pagedrift.capture.addresses import AddressPolicy
from pagedrift.capture.http_messages import (
    REDIRECTS,
    Answered,
    FetchError,
    Kind,
    PassingError,
    Request,
    check_status,
    conditions,
    digest_of,
    exchange_of,
    header_of,
    is_own,
    joined,
    network_error,
    of_address,
    packed_body,
    page_of,
    parse_url,
    retry_after,
    start_of,
    text_of,
    with_cookies,
    without_cookies,
    written,
)
from pagedrift.capture.request_options import PLAIN, RequestOptions, check_request_options
from pagedrift.capture.throttle import HOSTS, HostTurns, TurnKeeper
from pagedrift.decompression import CODINGS
from pagedrift.errors import PagedriftError
from pagedrift.http_exchange import NOT_MODIFIED, Exchange, is_failure
from pagedrift.limits import MEGABYTE, Limits

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from types import TracebackType

    import httpx
    from protego import Protego

    from pagedrift.capture.transport import ServerAnswer, Wires
    from pagedrift.page import PageVersion

__all__ = ["Answered", "Client", "ClientConfig", "FetchError", "Fetched", "Kind", "Request", "parse_url"]

USER_AGENT: Final = f"Pagedrift/{__version__}"
ACCEPT: Final = "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8"
FETCH_LIMITS: Final = Limits(body=64 * MEGABYTE)
PASSING_STATUSES: Final = frozenset({429, 500, 502, 503, 504})  # statuses that may be gone a moment later
ROBOTS_AGE: Final = 3600.0  # seconds for which a robots.txt holds; RFC 9309 allows a day
ROBOTS_AGAIN: Final = 300.0  # for which one that could not be had counts as forbidding all
ROBOTS_KNOWN: Final = 2_000  # sites whose rules are remembered: some are long
ROBOTS_SIZE: Final = 512_000  # RFC 9309, section 2.5, asks for 500 KiB at least
_CODINGS: Final = ", ".join(CODINGS)
FORBID_ALL: Final = "User-agent: *\nDisallow: /"

Robots = Literal["obey", "report", "ignore"]


@dataclass(frozen=True, slots=True, kw_only=True)
class ClientConfig:
    """How a client behaves: how often it asks, how long it waits, what it accepts.

    >>> ClientConfig(delay=5).delay
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


DEFAULT_MANNERS: Final = ClientConfig()


@dataclass(frozen=True, slots=True, kw_only=True)
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
    digest: str = ""  # of the page, where it was left packed, and
    size: int = 0  # how many bytes it has

    @property
    def not_modified(self) -> bool:
        """Return whether the server said that the known version still holds."""
        return self.status == NOT_MODIFIED

    @property
    def failed(self) -> bool:
        """Return whether the server failed to give the page."""
        return is_failure(self.status)


@dataclass(slots=True, kw_only=True)
class _Visit:
    """One fetch under way."""

    request_options: RequestOptions
    seconds: float  # left
    first: httpx.URL  # headers and cookies of the user are for its host
    cookies: httpx.Cookies | None = None  # that sites set on the way
    turn_at: str = ""  # host at which it is our turn
    unpack: bool = True
    most: int | None = None  # bytes of the body that are of use
    limits: Limits | None = None  # of this one, if not those of the config
    requests: int = 0
    asked: set[str] = field(default_factory=set)  # hosts
    exchanges: list[Exchange] = field(default_factory=list)  # since the last retry

    @property
    def redirects(self) -> tuple[tuple[str, int], ...]:
        """What led elsewhere."""
        return tuple((exchange.url, exchange.status) for exchange in self.exchanges[:-1])


@dataclass(frozen=True, slots=True, kw_only=True)
class _Answer:
    url: str
    status: int
    page: PageVersion | None = None
    retry_after: float | None = None
    following: httpx.URL | None = None
    digest: str = ""
    size: int = 0


class Client:
    """One polite HTTP client for everything: pages, feeds, sitemaps, robots.txt. Threads may share it.

    >>> with Client() as client:
    ...     client.fetch("ftp://x.example/")
    Traceback (most recent call last):
    pagedrift.capture.http_messages.FetchError: ftp://x.example/: only http and https are fetched; give ...
    """

    def __init__(
        self,
        *,
        allow_private: Iterable[str] = (),
        config: ClientConfig = DEFAULT_MANNERS,
        turns: TurnKeeper | None = None,
        sleep: Callable[[float], None] = time.sleep,
    ) -> None:
        self.policy = AddressPolicy.of(allow_private)
        self.config = config
        self._sleep = sleep
        self._turns = turns or HostTurns(sleep)
        self._robots: dict[tuple[str, str | None], tuple[float, Protego]] = {}  # by site and proxy: until when
        self._reading: dict[tuple[str, str | None], threading.Lock] = {}
        self._lock = threading.Lock()
        self._opened: Wires | None = None
        self._delays: dict[str, float] = {}  # of hosts whose robots.txt asks for one

    def __enter__(self) -> Client:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """Close all connections."""
        with self._lock:
            wires, self._opened = self._opened, None
        if wires is not None:
            wires.close()

    @property
    def _wires(self) -> Wires:
        if self._opened is None:
            from pagedrift.capture.transport import Wires  # loads httpx

            with self._lock:
                self._opened = self._opened or Wires(self.policy)
        return self._opened

    def fetch(
        self,
        url: str,
        *,
        known: PageVersion | None = None,
        robots: Robots = "report",
        request_options: RequestOptions = PLAIN,
        accept: str = ACCEPT,
        after: str = "",
        turn_at: str = "",
        unpack: bool = True,
    ) -> Fetched:
        """Fetch a page; of a `known` version the server is asked whether it still holds.

        Statuses of 400 and above are answers too; FetchError is raised where there is none. Headers and cookies of
        `request_options` go to the host of the address only, not to where it redirects. `after` is an address that
        was fetched for the same visit: its host does not need another turn. `turn_at` is a host at which the caller
        has taken the turn. Without `unpack` no page is made: the last exchange holds it, packed as it came, and its
        digest is known.
        """
        try:
            if robots == "obey" and not self.may_fetch(url, request_options=request_options):
                raise FetchError("robots.txt does not allow it; remove the page, or ask its owner", kind="robots")
            asked = [("Accept", accept), *conditions(known)]
            visit, answer = self._visit(url, asked, request_options, after=after, turn_at=turn_at, unpack=unpack)
            check_status(answer.status, (name for name, _ in (*asked, *request_options.headers)))
            allowed = None if robots == "ignore" else self.may_fetch(answer.url, request_options=request_options)
        except PagedriftError as error:
            raise of_address(url, error) from None
        page, exchanges = answer.page, visit.exchanges
        if request_options.personal:
            page = page and replace(page, headers=without_cookies(page.headers))
            exchanges = [replace(each, headers=without_cookies(each.headers)) for each in exchanges]
        return Fetched(
            page=page,
            status=answer.status,
            url=answer.url,
            redirects=visit.redirects,
            robots_allow=allowed,
            retry_after=answer.retry_after,
            requests=visit.requests,
            exchanges=tuple(exchanges),
            digest=answer.digest,
            size=answer.size,
        )

    def ask(
        self,
        request: Request,
        *,
        request_options: RequestOptions = PLAIN,
        own: bool = True,
        seconds: float | None = None,
        turn: bool = True,
        limits: Limits | None = None,
    ) -> Answered:
        """Send one request as it is and give its answer, whatever it is: for browsers, which follow by themselves.

        Where it goes to another host than the visit, `own` is false, and nothing of the user's goes with it.
        """
        try:
            check_request_options(request_options)
            address = parse_url(request.url)
            own_asking = request_options if own else request_options.anonymous
            limits = limits or self.config.limits
            visit = _Visit(
                request_options=own_asking,
                seconds=seconds or self._seconds(request_options),
                first=address,
                limits=limits,
            )
            if turn:
                self._follow(address.host)
            self._sent(address, request, visit)
            exchange = visit.exchanges[-1]
            return Answered(exchange, page_of(exchange, limits=limits).body)
        except PassingError as error:
            raise FetchError(str(error), kind=error.kind, url=request.url) from None
        except PagedriftError as error:
            raise of_address(request.url, error) from None

    def delay_of(self, host: str) -> float:
        """Give the seconds that lie between two requests to a host, as its robots.txt and our configuration ask."""
        return max(self.config.delay, self._delays.get(host, 0.0))

    def wait_for(self, host: str) -> None:
        """Wait for our turn to ask a host."""
        self._turns.wait(host, self.delay_of(host))

    def _follow(self, host: str) -> None:
        """Ask a host again for the same visit."""
        self._turns.follow(host, self.delay_of(host), self.config.delay)

    def _seconds(self, request_options: RequestOptions) -> float:
        return self.config.timeout if request_options.timeout is None else request_options.timeout

    def _visit(
        self,
        url: str,
        headers: list[tuple[str, str]],
        request_options: RequestOptions,
        *,
        after: str = "",
        turn_at: str = "",
        unpack: bool = True,
        most: int | None = None,
    ) -> tuple[_Visit, _Answer]:
        check_request_options(request_options)
        address = parse_url(url)
        agent = request_options.user_agent or self.config.user_agent
        request = Request(url, headers=(("User-Agent", agent), ("Accept-Encoding", _CODINGS), *headers))
        visit = _Visit(
            request_options=request_options,
            seconds=self._seconds(request_options),
            first=address,
            turn_at=turn_at,
            unpack=unpack,
            most=most,
        )
        if after:
            visit.asked.add(parse_url(after).host)
        return visit, self._tried(address, request, visit)

    def _tried(self, url: httpx.URL, request: Request, visit: _Visit) -> _Answer:
        """Ask, and ask again where the trouble may pass."""
        config, wait = self.config, 0.0
        for attempt in range(config.retries + 1):
            last = attempt == config.retries
            try:
                answer = self._followed(url, request, visit)
                wait = answer.retry_after or 0.0
                if answer.status not in PASSING_STATUSES or last or wait > config.longest_delay:
                    return answer
            except PassingError as error:
                if last or visit.seconds <= 0:
                    raise FetchError(str(error), kind=error.kind) from None
            visit.exchanges.clear()
            self._sleep(max(wait, config.backoff * 2**attempt * random.uniform(0.75, 1.25)))
        raise AssertionError("the last attempt returns or raises")

    def _followed(self, url: httpx.URL, request: Request, visit: _Visit) -> _Answer:
        """Ask where the server sends us, as often as the configuration allows."""
        for _ in range(self.config.redirects + 1):
            if url.host != visit.turn_at:
                (self._follow if url.host in visit.asked else self.wait_for)(url.host)
            visit.turn_at = ""
            visit.asked.add(url.host)
            answer = self._asked(url, request, visit)
            if answer.following is None:
                return answer
            url = parse_url(answer.following)
        raise FetchError(
            f"more than {self.config.redirects} redirects; check the address in a browser", kind="redirects"
        )

    def _asked(self, url: httpx.URL, request: Request, visit: _Visit) -> _Answer:
        """Turn one response into a page, or into where to continue."""
        answer = self._sent(url, request, visit)
        status, found = answer.status, text_of(header_of(answer, b"location"))
        address = str(url).partition("#")[0]
        if status in REDIRECTS and found:
            return _Answer(url=address, status=status, following=joined(url, found))
        if status == NOT_MODIFIED:
            return _Answer(url=address, status=status)
        exchange, limits = visit.exchanges[-1], self.config.limits
        wait = retry_after(text_of(header_of(answer, b"retry-after")))
        if visit.unpack:
            return _Answer(url=address, status=status, page=page_of(exchange, limits=limits), retry_after=wait)
        if visit.most is not None:
            return _Answer(url=address, status=status, retry_after=wait)
        seconds = max(visit.seconds, self.config.step)
        digest, size = digest_of(exchange, limits=limits, seconds=seconds)
        return _Answer(url=address, status=status, page=None, retry_after=wait, digest=digest, size=size)

    def _sent(self, url: httpx.URL, request: Request, visit: _Visit) -> ServerAnswer:
        """Send one request and note its answer, packed as it came, in the time that is left."""
        import httpcore

        from pagedrift.capture.transport import deadline

        started = time.monotonic()
        token = deadline.set(started + visit.seconds)
        visit.requests += 1
        try:
            own = visit.request_options if is_own(visit.first, url) else PLAIN
            way = self._wires.way(visit.request_options.proxy, verify=visit.request_options.verify)
            answer = way.send(written(url, request, own=own, cookies=visit.cookies, step=self.config.step))
            try:
                self._take(answer, url, request, visit)
            finally:
                answer.close()
            return answer
        except httpcore.TimeoutException:
            waited = time.monotonic() - started
            raise PassingError(f"no complete response within {waited:.0f} s; try again later", "timeout") from None
        except httpcore.ProxyError as error:
            raise FetchError(f"the proxy refused ({error}); check it, or leave it out", kind="proxy") from None
        except (httpcore.NetworkError, httpcore.ProtocolError) as error:
            raise network_error(error) from None
        finally:
            visit.seconds -= time.monotonic() - started
            deadline.reset(token)

    def _take(self, answer: ServerAnswer, url: httpx.URL, request: Request, visit: _Visit) -> None:
        """Read what the server said, all of it, and note it."""
        leads_on = answer.status in REDIRECTS and header_of(answer, b"location")
        packed = b""
        if not leads_on and answer.status != NOT_MODIFIED:
            packed = packed_body(answer, visit.limits or self.config.limits, most=visit.most)
        if leads_on and header_of(answer, b"set-cookie"):
            visit.cookies = with_cookies(visit.cookies, answer, url)
        visit.exchanges.append(exchange_of(answer, url, request, packed))

    def may_fetch(self, url: str, *, request_options: RequestOptions = PLAIN) -> bool:
        """Return whether the robots.txt of a site allows an address."""
        address = parse_url(url)
        site = f"{address.scheme}://{address.netloc.decode('ascii', 'replace')}"
        key = (site, request_options.proxy)
        known = self._robots.get(key)
        if known is None or known[0] < time.monotonic():
            with self._lock:
                reading = self._reading.setdefault(key, threading.Lock())
            with reading:  # the others who want to know wait
                known = self._robots.get(key)
                if known is None or known[0] < time.monotonic():
                    known = self._rules(site, address.host, request_options.anonymous)
                    self._remember(key, known)
            with self._lock:
                self._reading.pop(key, None)
        return known[1].can_fetch(url, request_options.user_agent or self.config.user_agent)

    def _remember(self, key: tuple[str, str | None], rules: tuple[float, Protego]) -> None:
        with self._lock:
            self._robots.pop(key, None)
            while len(self._robots) >= ROBOTS_KNOWN:
                del self._robots[next(iter(self._robots))]
            self._robots[key] = rules

    def _rules(self, origin: str, host: str, request_options: RequestOptions) -> tuple[float, Protego]:
        """Read the robots.txt of a site: a missing one allows everything, one that cannot be had forbids it."""
        from protego import Protego

        try:
            address = f"{origin}/robots.txt"  # part of the visit that wants to know
            accept = [("Accept", "text/plain,*/*;q=0.5")]
            visit, answer = self._visit(
                address, accept, request_options, after=address, unpack=False, most=ROBOTS_SIZE
            )
            start = start_of(visit.exchanges[-1], limits=self.config.limits, most=ROBOTS_SIZE)
        except PagedriftError as error:
            if of_address(origin, error).kind in ("address", "url", "proxy"):
                raise
            return time.monotonic() + ROBOTS_AGAIN, Protego.parse(FORBID_ALL)
        if answer.status == NOT_MODIFIED or answer.status >= 500:  # noqa: PLR2004 - RFC 9309, section 2.3.1.4
            return time.monotonic() + ROBOTS_AGAIN, Protego.parse(FORBID_ALL)
        text = "" if is_failure(answer.status) else start.decode("utf-8", "replace").removeprefix("\ufeff")
        rules = Protego.parse(text)
        delay = rules.crawl_delay(request_options.user_agent or self.config.user_agent)
        with self._lock:
            self._delays.pop(host, None)
            if delay:
                self._delays[host] = min(delay, self.config.longest_delay)
                if len(self._delays) > HOSTS:
                    del self._delays[next(iter(self._delays))]
        return time.monotonic() + ROBOTS_AGE, rules
