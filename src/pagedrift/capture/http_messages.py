"""HTTP messages: writing requests, reading answers, and what can go wrong."""

from __future__ import annotations

import io
import ssl
from dataclasses import dataclass, field
from datetime import UTC, datetime
from hashlib import sha256
from typing import TYPE_CHECKING, Final, Literal

from pagedrift.capture.addresses import AddressError
from pagedrift.dates import parse_date
from pagedrift.decompression import CODINGS, pieces, unpack_all
from pagedrift.errors import InputError, PagedriftError
from pagedrift.http_exchange import NOT_MODIFIED, Exchange, Headers
from pagedrift.page import PageVersion

if TYPE_CHECKING:
    from collections.abc import Iterable

    import httpcore
    import httpx

    from pagedrift.capture.request_options import RequestOptions
    from pagedrift.capture.transport import ServerAnswer
    from pagedrift.limits import Limits

REDIRECTS: Final = frozenset({301, 302, 303, 307, 308})
PARTIAL: Final = 206
_CONDITIONS: Final = frozenset({"if-none-match", "if-modified-since"})
MAX_SHOWN_CHARS: Final = 500  # characters of an address in a message
MAX_TINY_CHUNKS: Final = 50_000  # that a body may come in, if they are on average smaller than
TINY: Final = 256  # bytes
_SECRET: Final = frozenset({"authorization", "cookie", "proxy-authorization"})

Kind = Literal[
    "address", "certificate", "network", "proxy", "redirects", "robots", "size", "status", "timeout", "url"
]


class FetchError(InputError):
    """A page that could not be fetched: its address where that is known, the problem, and its kind in one word.

    >>> error = FetchError("the server sent no page; try again later", kind="network", url="https://city.example/")
    >>> print(error)
    https://city.example/: the server sent no page; try again later
    >>> error.problem_of("https://city.example/")
    'the server sent no page; try again later'
    """

    def __init__(self, problem: str, *, kind: Kind, url: str = "") -> None:
        super().__init__(f"{_shown(url)}: {problem}" if url else problem)
        self.url = url
        self.problem = problem
        self.kind = kind

    def problem_of(self, url: str) -> str:
        """Say what is wrong where this address stands next to it; another one is named."""
        return self.problem if self.url == url else str(self)


class PassingError(Exception):
    """Trouble that may be gone a moment later."""

    def __init__(self, message: str, kind: Kind) -> None:
        super().__init__(message)
        self.kind = kind


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


def parse_url(url: str | httpx.URL) -> httpx.URL:
    """Refuse addresses that are none, of other schemes, or with a name and password in them."""
    import httpx

    try:
        address = httpx.URL(url)
        host = address.host
    except (httpx.InvalidURL, TypeError, UnicodeError):  # the last: punycode of no name
        raise FetchError(
            "this is not a valid address; write one such as https://city.example/", kind="url"
        ) from None
    if address.scheme not in ("http", "https"):
        raise FetchError("only http and https are fetched; give such an address", kind="url")
    if not host or not 0 < (address.port or 80) < 1 << 16:
        raise FetchError("this is not a valid address; write one such as https://city.example/", kind="url")
    if address.userinfo:
        raise FetchError("it has a name or password in front of the host; leave them out", kind="url")
    return address


def of_address(url: str, error: PagedriftError) -> FetchError:
    """Say of which address an error is."""
    kind: Kind = "address" if isinstance(error, AddressError) else "size"
    if isinstance(error, InputError):
        kind = error.kind if isinstance(error, FetchError) else "url"
    if isinstance(error, FetchError) and error.url.startswith(url):  # a page below it names it as well
        return error
    return FetchError(str(error), kind=kind, url=url)


def _shown(url: str) -> str:
    return "".join(
        character if character.isprintable() else f"%{ord(character):02X}" for character in url[:MAX_SHOWN_CHARS]
    )


def conditions(known: PageVersion | None) -> list[tuple[str, str]]:
    """Ask only for what is newer than a known version."""
    if known is None or known.status not in (None, 200):
        return []
    pairs = (("If-None-Match", known.header("etag")), ("If-Modified-Since", known.header("last-modified")))
    return [(name, value) for name, value in pairs if value]


def check_status(status: int, sent: Iterable[str]) -> None:
    """Refuse an answer to a question that was not asked; `sent` are the names of the headers that were."""
    names = {name.lower() for name in sent}
    if status == PARTIAL and "range" not in names:
        raise FetchError(
            "the server sent a part of the page though all of it was asked for (status 206); try again later",
            kind="status",
        )
    if status == NOT_MODIFIED and not names & _CONDITIONS:
        raise FetchError(
            "the server says that the page is as before though no version was named (status 304); try again later",
            kind="status",
        )


def retry_after(found: str | None) -> float | None:
    """Read how long a server wants us to wait: seconds, or until a date.

    >>> retry_after("120"), retry_after("Fri, 02 Feb 2024 10:00:00 GMT"), retry_after("soon")
    (120.0, 0.0, None)
    """
    text = (found or "").strip()
    if text.isdecimal() and len(text) < 10:  # noqa: PLR2004 - thirty years
        return float(text)
    when = parse_date(text) if text else None
    return max(0.0, (when - datetime.now(UTC)).total_seconds()) if when else None


def header_of(answer: ServerAnswer, name: bytes) -> bytes:
    """Give a header of an answer, or nothing."""
    return next((value for key, value in answer.headers if key.lower() == name), b"")


def text_of(raw: bytes) -> str:
    """Read a header: ASCII nearly always, and UTF-8 or Latin-1 where it is not."""
    try:
        return raw.decode("utf-8")
    except UnicodeDecodeError:
        return raw.decode("latin-1")


def joined(url: httpx.URL, location: str) -> httpx.URL:
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


def written(
    url: httpx.URL, request: Request, *, own: RequestOptions, cookies: httpx.Cookies | None, step: float
) -> httpcore.Request:
    """Write one request; `own` is what the user sends along to this host."""
    import httpcore

    replaced = {"cookie", *(name.lower() for name, _ in own.headers)}
    lines = [("Host", url.netloc.decode("ascii")), ("Connection", "keep-alive")]
    lines += [pair for pair in request.headers if pair[0].lower() not in replaced]
    lines += [pair for pair in own.headers if pair[0].lower() != "cookie"]
    if found := _cookies(url, request.headers, own, cookies):
        lines.append(("Cookie", found))
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
    """Return whether an address is on the host of the first, by the same way or a safer one."""
    if first.host != url.host:
        return False
    places = (first.scheme, first.port), (url.scheme, url.port)
    return places[0] == places[1] or places == (("http", None), ("https", None))


def _cookies(url: httpx.URL, headers: Headers, own: RequestOptions, jar: httpx.Cookies | None) -> str:
    """Join the cookies for an address: the browser's, the user's, and those that were set on the way."""
    found = [value for name, value in (*headers, *own.headers) if name.lower() == "cookie"]
    found += [f"{name}={value}" for name, value in own.cookies]
    if jar is not None:
        import httpx

        request = httpx.Request("GET", url)
        jar.set_cookie_header(request)
        found += [request.headers["cookie"]] if "cookie" in request.headers else []
    by_name = {each.partition("=")[0].strip(): each.strip() for line in found for each in line.split(";")}
    return "; ".join(by_name.values())


def with_cookies(jar: httpx.Cookies | None, answer: ServerAnswer, url: httpx.URL) -> httpx.Cookies:
    """Take the cookies that a site sets on the way: they count for this page, and for nobody else."""
    import httpx

    jar = jar if jar is not None else httpx.Cookies()
    jar.extract_cookies(httpx.Response(answer.status, headers=answer.headers, request=httpx.Request("GET", url)))
    return jar


def packed_body(answer: ServerAnswer, limits: Limits, *, most: int | None = None) -> bytes:
    """Read a body up to its limit, packed as it came; or only as `most` bytes of it as are of use."""
    found = header_of(answer, b"content-length")
    if most is None and found.isdigit() and int(found[:20]) > limits.body:
        raise _too_large(limits)
    whole, size, chunks = io.BytesIO(), 0, 0
    for piece in answer.stream:
        size, chunks = size + len(piece), chunks + 1
        if most is not None and size >= most:
            return whole.getvalue() + bytes(piece)
        if size > limits.body:
            raise _too_large(limits)
        if chunks > MAX_TINY_CHUNKS and size < chunks * TINY:
            raise FetchError(
                f"it comes in more than {MAX_TINY_CHUNKS:,} pieces of a few bytes, as attacks do; leave it out",
                kind="size",
            )
        whole.write(piece)
    return whole.getvalue()


def _too_large(limits: Limits) -> FetchError:
    said = f"it has more than {limits.body:,} bytes; if you want it, save it and give the file"
    return FetchError(said, kind="size")


def codings_of(headers: Headers) -> tuple[str, ...]:
    """Give the content codings that can be undone, in the order in which they were put on.

    >>> codings_of((("Content-Encoding", "gzip, BR"), ("content-encoding", "identity")))
    ('gzip', 'br')
    """
    found = ",".join(value for name, value in headers if name.lower() == "content-encoding")
    return tuple(coding for coding in found.lower().replace(" ", "").split(",") if coding in CODINGS)


def headers_of(exchange: Exchange) -> Headers:
    """Read the headers of an answer, as pages have them."""
    return tuple((name.lower(), text_of(value.encode("latin-1"))) for name, value in exchange.headers)


def page_of(exchange: Exchange, *, limits: Limits) -> PageVersion:
    """Make a page of an answer: its body is unpacked."""
    body = unpack_all(exchange.body, codings_of(exchange.headers), limits=limits)
    headers = headers_of(exchange)
    found = next((value for name, value in headers if name == "content-type"), "")
    return PageVersion(
        exchange.url,
        body,
        captured_at=exchange.captured_at,
        content_type=found,
        status=exchange.status,
        headers=headers,
    )


def digest_of(exchange: Exchange, *, limits: Limits, seconds: float) -> tuple[str, int]:
    """Give the digest and size of the page of an answer, and hold nothing of it but what is being unpacked."""
    digest, size = sha256(), 0
    for piece in pieces(exchange.body, codings_of(exchange.headers), limits=limits, seconds=seconds):
        digest.update(piece)
        size += len(piece)
    return digest.hexdigest(), size


def start_of(exchange: Exchange, *, limits: Limits, most: int) -> bytes:
    """Give the start of a body of which only `most` packed bytes were read; damage raises InputError."""
    start = bytearray()
    try:
        for piece in pieces(exchange.body, codings_of(exchange.headers), limits=limits):
            start += piece
            if len(start) >= most:
                break
    except PagedriftError:
        if len(exchange.body) < most:  # otherwise we cut it off ourselves
            raise
    return bytes(start[:most])


def exchange_of(answer: ServerAnswer, url: httpx.URL, request: Request, body: bytes) -> Exchange:
    """Note what was asked and answered, as archives keep it: without what only the two may know."""
    asked = (
        ("Host", url.netloc.decode("ascii")),
        *(pair for pair in request.headers if pair[0].lower() not in _SECRET),
    )
    return Exchange(
        url=str(url).partition("#")[0],
        status=answer.status,
        headers=tuple((name.decode("latin-1"), value.decode("latin-1")) for name, value in answer.headers),
        body=body,
        captured_at=datetime.now(UTC),
        request_headers=asked,
        method=request.method,
    )


def without_cookies(headers: Headers) -> Headers:
    """Leave out the cookies that a server sets: where the user signed in, one of them is the key to the account.

    >>> without_cookies((("Set-Cookie", "session=1"), ("ETag", "7")))
    (('ETag', '7'),)
    """
    return tuple(pair for pair in headers if pair[0].lower() not in ("set-cookie", "set-cookie2"))


def network_error(error: Exception) -> Exception:
    """Distinguish a wrong certificate, which stays, from trouble that may pass."""
    cause: BaseException | None = error
    while cause is not None:
        if isinstance(cause, ssl.SSLCertVerificationError):
            reason = cause.verify_message
            return FetchError(f"its certificate is not valid ({reason}); check it in a browser", kind="certificate")
        cause = cause.__cause__ or cause.__context__
    return PassingError(f"the connection failed ({str(error).strip() or 'closed'}); try again later", "network")
