"""How do bytes come over the network: only from machines that may be asked, and in time?"""

from __future__ import annotations

import time
from contextvars import ContextVar
from typing import TYPE_CHECKING, Any

import httpcore
import httpx

if TYPE_CHECKING:
    import ssl
    from collections.abc import Iterable, Iterator

    from pagedrift.capture.addresses import AddressPolicy

# When the request under way must be over. A server that sends a byte now and then never times out otherwise.
deadline: ContextVar[float] = ContextVar("deadline", default=float("inf"))


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

    def read(self, max_bytes: int, timeout: float | None = None) -> bytes:
        return self._inner.read(max_bytes, left(timeout))

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


class _Network(httpcore.SyncBackend):
    """A network in which the address that is connected to is the one that was checked."""

    def __init__(self, policy: AddressPolicy) -> None:
        self._policy = policy

    def connect_tcp(
        self,
        host: str,
        port: int,
        timeout: float | None = None,
        local_address: str | None = None,
        socket_options: Iterable[httpcore.SOCKET_OPTION] | None = None,
    ) -> httpcore.NetworkStream:
        *others, last = self._policy.resolve(host, port)
        for address in others:
            try:
                return _Connection(super().connect_tcp(address, port, left(timeout), local_address, socket_options))
            except (httpcore.ConnectError, httpcore.ConnectTimeout):
                continue  # such as IPv6 on a machine without it
        return _Connection(super().connect_tcp(last, port, left(timeout), local_address, socket_options))

    def connect_unix_socket(self, *_: Any, **__: Any) -> httpcore.NetworkStream:
        raise httpcore.ConnectError("pages come over the network only")


class Transport(httpx.BaseTransport):
    """What httpx sends its requests through: httpx itself lets nobody look at addresses at connect time."""

    def __init__(self, policy: AddressPolicy, *, connections: int = 100) -> None:
        self._pool = httpcore.ConnectionPool(
            ssl_context=httpx.create_ssl_context(),
            max_connections=connections,
            max_keepalive_connections=connections // 5,
            keepalive_expiry=10,
            network_backend=_Network(policy),
        )

    def handle_request(self, request: httpx.Request) -> httpx.Response:
        """Send one request."""
        url = request.url
        answer = self._pool.handle_request(
            httpcore.Request(
                request.method,
                httpcore.URL(scheme=url.raw_scheme, host=url.raw_host, port=url.port, target=url.raw_path),
                headers=request.headers.raw,
                content=request.stream,
                extensions=request.extensions,
            )
        )
        return httpx.Response(
            answer.status, headers=answer.headers, stream=_Body(answer.stream), extensions=answer.extensions
        )

    def close(self) -> None:
        """Close all connections."""
        self._pool.close()


class _Body(httpx.SyncByteStream):
    def __init__(self, stream: Any) -> None:
        self._stream = stream

    def __iter__(self) -> Iterator[bytes]:
        yield from self._stream

    def close(self) -> None:
        if hasattr(self._stream, "close"):
            self._stream.close()


class Lent(httpx.BaseTransport):
    """A transport that outlives the one who uses it."""

    def __init__(self, owner: Transport) -> None:
        self._owner = owner

    def handle_request(self, request: httpx.Request) -> httpx.Response:
        """Send one request."""
        return self._owner.handle_request(request)
