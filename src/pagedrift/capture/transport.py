"""Network transport: connections only to permitted machines, and within time limits."""

from __future__ import annotations

import threading
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from contextvars import ContextVar
from itertools import islice
from typing import TYPE_CHECKING, Any, Final
from urllib.parse import unquote, urlsplit

import httpcore
import httpx

if TYPE_CHECKING:
    import ssl
    from collections.abc import Callable, Iterable

    from pagedrift.capture.addresses import AddressPolicy

PATIENCE: Final = 1.0  # seconds after which one that waits for a server looks whether somebody waits for it
IDLE: Final = 32  # connections that wait for the next request
EXPIRY: Final = 10.0  # seconds for which they do
BEHIND: Final = 32  # connections through one proxy
WAYS: Final = 16  # proxies whose connections are kept

# When the request under way must be over. A server that sends a byte now and then never times out otherwise.
deadline: ContextVar[float] = ContextVar("deadline", default=float("inf"))


# Whether nobody waits for the request under way anymore, which is asked now and then while a server says nothing.
given_up: ContextVar[Callable[[], bool]] = ContextVar("given_up", default=lambda: False)


class GivenUpError(Exception):
    """A request that nobody waits for anymore."""


def left(timeout: float | None) -> float:
    """Give the seconds that one step may take; raise where the time of the whole request is up."""
    remaining = deadline.get() - time.monotonic()
    if remaining <= 0:
        raise httpcore.ReadTimeout("the time is up")
    return min(remaining, timeout if timeout is not None else remaining)


class _Connection(httpcore.NetworkStream):
    """A connection whose every step ends with the request."""

    def __init__(self, inner: httpcore.NetworkStream) -> None:
        self._inner = inner
        self._looked_at = time.monotonic()

    def _look(self) -> None:
        """See now and then whether somebody still waits for what we read."""
        now = time.monotonic()
        if now - self._looked_at >= PATIENCE:
            self._looked_at = now
            if given_up.get()():
                raise GivenUpError

    def read(self, max_bytes: int, timeout: float | None = None) -> bytes:
        until = time.monotonic() + left(timeout)
        while True:
            self._look()
            try:
                return self._inner.read(max_bytes, min(PATIENCE, max(0.001, until - time.monotonic())))
            except httpcore.ReadTimeout:
                if time.monotonic() >= until:
                    raise

    def write(self, buffer: bytes, timeout: float | None = None) -> None:
        self._inner.write(buffer, left(timeout))

    def close(self) -> None:
        self._inner.close()

    def start_tls(
        self, ssl_context: ssl.SSLContext, server_hostname: str | None = None, timeout: float | None = None
    ) -> httpcore.NetworkStream:
        return _Connection(self._inner.start_tls(ssl_context, server_hostname, left(timeout)))

    def get_extra_info(self, info: str) -> Any:
        return self._inner.get_extra_info(info)


class _Anywhere(httpcore.SyncBackend):
    """A network in which every machine may be asked: for proxies, which the user names."""

    def connect_tcp(
        self,
        host: str,
        port: int,
        timeout: float | None = None,
        local_address: str | None = None,
        socket_options: Iterable[httpcore.SOCKET_OPTION] | None = None,
    ) -> httpcore.NetworkStream:
        return _Connection(super().connect_tcp(host, port, left(timeout), local_address, socket_options))

    def connect_unix_socket(self, *_: Any, **__: Any) -> httpcore.NetworkStream:
        raise httpcore.ConnectError("pages come over the network only")


class _ToProxy(_Anywhere):
    """The way to a proxy; what a failed request opened is closed, which httpcore forgets with SOCKS."""

    def __init__(self) -> None:
        self._of_thread = threading.local()

    def begin(self) -> None:
        """Remember what this thread opens from now on."""
        self._of_thread.opened = []

    def connect_tcp(self, *where: Any, **how: Any) -> httpcore.NetworkStream:
        stream = super().connect_tcp(*where, **how)
        self._of_thread.opened.append(stream)
        return stream

    def undo(self) -> None:
        """Close what this thread opened."""
        for stream in self._of_thread.opened:
            stream.close()


class _Network(_Anywhere):
    """A network in which the address that is connected to is the one that was checked."""

    def __init__(self, names: Names) -> None:
        self._names = names

    def connect_tcp(
        self, host: str, port: int, timeout: float | None = None, *more: Any, **others: Any
    ) -> httpcore.NetworkStream:
        *first, last = self._names.resolve(host, port, timeout)
        for address in first:
            try:
                return super().connect_tcp(address, port, timeout, *more, **others)
            except (httpcore.ConnectError, httpcore.ConnectTimeout):
                continue  # such as IPv6 on a machine without it
        return super().connect_tcp(last, port, timeout, *more, **others)


class Names:
    """What names stand for, found out in time: the system's own resolver can take minutes."""

    def __init__(self, policy: AddressPolicy) -> None:
        self._policy = policy
        self._threads = ThreadPoolExecutor(32, thread_name_prefix="pagedrift-names")

    def resolve(self, host: str, port: int, timeout: float | None = None) -> list[str]:
        """Give the addresses that may be connected to."""
        task = self._threads.submit(self._policy.resolve, host, port)
        try:
            return task.result(left(timeout))
        except TimeoutError:
            task.cancel()
            raise httpcore.ConnectTimeout(f"could not resolve {host}") from None

    def check(self, host: str, port: int, timeout: float | None = None) -> None:
        """Refuse a host that is known not to be public; one without an address here is the proxy's to find."""
        task = self._threads.submit(self._policy.check, host, port)
        with suppress(TimeoutError):
            task.result(left(timeout))

    def close(self) -> None:
        """Look nothing up anymore."""
        self._threads.shutdown(wait=False, cancel_futures=True)


class _Idle:
    """Connections that wait for the next request to their host; beyond a number, the longest waiting one leaves."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._since: dict[httpcore.HTTP11Connection, tuple[httpcore.Origin, float]] = {}
        self._of: dict[tuple[bytes, bytes, int], list[httpcore.HTTP11Connection]] = {}

    def take(self, origin: httpcore.Origin) -> httpcore.HTTP11Connection | None:
        """Give the connection used last, if one is still open."""
        while True:
            with self._lock:
                waiting = self._of.get(_key(origin))
                if not waiting:
                    return None
                found = waiting[-1]
                self._forget(found)
            if not found.has_expired():
                return found
            found.close()

    def keep(self, connection: httpcore.HTTP11Connection, origin: httpcore.Origin) -> None:
        """Return a connection to the pool, if it can be reused."""
        if not connection.is_idle():
            connection.close()
            return
        now, leaving = time.monotonic(), []
        with self._lock:
            self._since[connection] = (origin, now)
            self._of.setdefault(_key(origin), []).append(connection)
            for oldest, (_, since) in list(islice(self._since.items(), 2)):
                if len(self._since) > IDLE or now - since > EXPIRY:
                    self._forget(oldest)
                    leaving.append(oldest)
        for each in leaving:
            each.close()

    def _forget(self, connection: httpcore.HTTP11Connection) -> None:
        origin, _ = self._since.pop(connection)
        waiting = self._of[_key(origin)]
        waiting.remove(connection)
        if not waiting:
            del self._of[_key(origin)]

    def close(self) -> None:
        """Close all of them."""
        with self._lock:
            waiting = list(self._since)
            self._since.clear()
            self._of.clear()
        for each in waiting:
            each.close()


def _key(origin: httpcore.Origin) -> tuple[bytes, bytes, int]:
    return origin.scheme, origin.host, origin.port


class Direct:
    """The way to a server without anybody between.

    httpcore's own pool looks at every connection for every request, which is most of the time with many hosts.
    """

    def __init__(self, names: Names, *, verify: bool) -> None:
        self._network = _Network(names)
        self._verify = verify
        self._tls: ssl.SSLContext | None = None
        self._idle = _Idle()

    def send(self, request: httpcore.Request) -> ServerAnswer:
        """Send one request; a connection that the server closed meanwhile costs nothing."""
        origin = request.url.origin
        # A form is sent once, so never on a connection that may be closed by now.
        connection = self._idle.take(origin) if request.method in (b"GET", b"HEAD") else None
        if connection is not None:
            try:
                return ServerAnswer(connection.handle_request(request), self._idle, connection, origin)
            except (httpcore.RemoteProtocolError, httpcore.NetworkError):
                connection.close()
        connection = httpcore.HTTP11Connection(origin, self._connected(origin, request), keepalive_expiry=EXPIRY)
        try:
            return ServerAnswer(connection.handle_request(request), self._idle, connection, origin)
        except BaseException:
            connection.close()
            raise

    def _connected(self, origin: httpcore.Origin, request: httpcore.Request) -> httpcore.NetworkStream:
        host, timeout = origin.host.decode("ascii"), request.extensions["timeout"]["connect"]
        stream = self._network.connect_tcp(host, origin.port, timeout)
        if origin.scheme != b"https":
            return stream
        if self._tls is None:
            self._tls = _tls(verify=self._verify)
        try:
            return stream.start_tls(self._tls, host.strip("[]"), timeout)
        except BaseException:
            stream.close()
            raise

    def close(self) -> None:
        """Close all connections that wait."""
        self._idle.close()


def _tls(*, verify: bool) -> ssl.SSLContext:
    context = httpx.create_ssl_context(verify=verify)
    context.set_alpn_protocols(["http/1.1"])
    return context


class Through:
    """The way through a proxy, which may be anywhere; where it leads is looked at as far as it can be known."""

    def __init__(self, names: Names, proxy: str, *, verify: bool) -> None:
        self._names, self._network = names, _ToProxy()
        parts = urlsplit(proxy)
        port = parts.port or {"http": 80, "https": 443}.get(parts.scheme, 1080)
        host = (parts.hostname or "").encode("idna" if not (parts.hostname or "").isascii() else "ascii")
        auth = (unquote(parts.username), unquote(parts.password or "")) if parts.username else None
        scheme = "socks5" if parts.scheme.startswith("socks5") else parts.scheme
        more: dict[str, Any] = {
            "proxy_url": httpcore.URL(scheme=scheme, host=host, port=port, target=b"/"),
            "proxy_auth": tuple(each.encode() for each in auth) if auth else None,
            "ssl_context": _tls(verify=verify),
            "max_connections": BEHIND,
            "keepalive_expiry": EXPIRY,
            "network_backend": self._network,
        }
        if scheme == "https":
            more["proxy_ssl_context"] = _tls(verify=True)
        self._pool = httpcore.SOCKSProxy(**more) if scheme == "socks5" else httpcore.HTTPProxy(**more)

    def send(self, request: httpcore.Request) -> ServerAnswer:
        """Send one request."""
        origin, timeouts = request.url.origin, request.extensions["timeout"]
        self._names.check(origin.host.decode("ascii"), origin.port, timeouts["connect"])
        self._network.begin()
        try:
            return ServerAnswer(self._pool.handle_request(request))
        except (httpcore.NetworkError, httpcore.ProtocolError, httpcore.TimeoutException, httpcore.ProxyError):
            self._network.undo()
            raise
        except Exception:  # of socksio, and whatever httpcore asserts: an answer that is not SOCKS
            self._network.undo()
            raise httpcore.ProxyError("it does not speak SOCKS5") from None

    def close(self) -> None:
        """Close all connections."""
        self._pool.close()


class ServerAnswer:
    """What a server says; its connection is free when it is closed."""

    def __init__(
        self,
        response: httpcore.Response,
        idle: _Idle | None = None,
        connection: httpcore.HTTP11Connection | None = None,
        origin: httpcore.Origin | None = None,
    ) -> None:
        self.status: int = response.status
        self.headers: list[tuple[bytes, bytes]] = response.headers
        self.stream: Any = response.stream
        self._idle, self._connection, self._origin = idle, connection, origin

    def close(self) -> None:
        """Let the next request have the connection, if the answer was read to its end."""
        self.stream.close()
        if self._idle is not None and self._connection is not None and self._origin is not None:
            self._idle.keep(self._connection, self._origin)
            self._connection = None


class Wires:
    """All ways out: one without a proxy, and one for each proxy that is in use."""

    def __init__(self, policy: AddressPolicy) -> None:
        self._names = Names(policy)
        self._lock = threading.Lock()
        self._ways: dict[tuple[str | None, bool], Direct | Through] = {}

    def way(self, proxy: str | None, *, verify: bool) -> Direct | Through:
        """Give the way for a request."""
        found = self._ways.get((proxy, verify))
        return found if found is not None else self._new(proxy, verify=verify)

    def _new(self, proxy: str | None, *, verify: bool) -> Direct | Through:
        leaving = None
        with self._lock:
            found = self._ways.get((proxy, verify))
            if found is None:
                found = Through(self._names, proxy, verify=verify) if proxy else Direct(self._names, verify=verify)
                self._ways[proxy, verify] = found
                if len(self._ways) > WAYS:
                    leaving = self._ways.pop(next(key for key in self._ways if key[0]))
        if leaving is not None:
            leaving.close()
        return found

    def close(self) -> None:
        """Close all connections."""
        with self._lock:
            ways = list(self._ways.values())
            self._ways.clear()
        for each in ways:
            with suppress(RuntimeError):  # httpcore: connections of another thread that are in use
                each.close()
        self._names.close()
