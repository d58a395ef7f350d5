"""How are a page version and all that belongs to it written as WARC records, each a gzip member of its own?"""

from __future__ import annotations

import io
import json
import re
from dataclasses import dataclass, field
from datetime import UTC, datetime
from http import HTTPStatus
from typing import TYPE_CHECKING, Any, Final
from urllib.parse import quote

from warcio.statusandheaders import StatusAndHeaders
from warcio.utils import Digester
from warcio.warcwriter import WARCWriter

from pagedrift.exchange import Exchange, Headers

if TYPE_CHECKING:
    from collections.abc import Mapping

    from pagedrift.page import PageVersion

WARC_VERSION: Final = "WARC/1.1"  # the first with fractions of a second
_PROFILE: Final = "http://netpreserve.org/warc/1.1/revisit/"
SAME_BODY: Final = _PROFILE + "identical-payload-digest"
NOT_MODIFIED: Final = _PROFILE + "server-not-modified"
_ASIDE: Final = "X-Archive-Orig-"  # before the names of headers that are not true of what is stored
_FRAMING: Final = frozenset({"transfer-encoding", "connection", "keep-alive", "trailer", "upgrade"})
_NOT_IN_HEADERS: Final = re.compile(r"[\x00-\x1f\x7f]+")
_NOT_IN_ADDRESSES: Final = re.compile(r"[\x00-\x20\x7f]+")


@dataclass(frozen=True, slots=True)
class Attachment:
    """What was made of a page and is kept beside it: its picture, or its DOM after its scripts ran.

    >>> Attachment("fullPage", "image/png", b"...").address("https://city.example/")
    'urn:fullPage:https://city.example/'
    """

    name: str  # as in other archives: fullPage for a picture
    media_type: str
    body: bytes = field(repr=False)

    def address(self, url: str) -> str:
        """Say under which address it is kept."""
        return f"urn:{self.name}:{url}"


@dataclass(frozen=True, slots=True)
class Original:
    """The record whose body a revisit repeats."""

    url: str
    date: str
    digest: str


class _Message(StatusAndHeaders):  # type: ignore[misc]
    """HTTP headers, written as they came: warcio would escape what is not ASCII."""

    def compute_headers_buffer(self, header_filter: Any = None) -> None:
        text = self.to_str(header_filter) + "\r\n"
        try:
            self.headers_buff = text.encode("latin-1")  # as HTTP has it, and as readers of archives decode it
        except UnicodeEncodeError:
            self.headers_buff = text.encode("utf-8", "replace")


class Members:
    """Records of one capture, in the order they are written in."""

    def __init__(self, url: str, captured_at: datetime) -> None:
        self.url = written(url)
        self.date = warc_date(captured_at)
        self._buffer = io.BytesIO()
        self._writer = WARCWriter(self._buffer, gzip=True, warc_version=WARC_VERSION)
        self._main = ""  # the record that the others belong to

    def __bytes__(self) -> bytes:
        return self._buffer.getvalue()

    def information(self, filename: str, software: str) -> None:
        """Say at the beginning of a file who wrote it."""
        told = {"software": software, "format": "WARC File Format 1.1"}
        self._writer.write_record(self._writer.create_warcinfo_record(filename, told))

    def exchange(self, exchange: Exchange, original: Original | None = None) -> None:
        """Write an answer, or that it repeats an original one, and then the request."""
        headers = stored_headers(exchange.headers, len(exchange.body), repeats=original is not None)
        message = _Message(_status_line(exchange.status), headers, protocol="HTTP/1.1")
        if original is None:
            self._add("response", self.url, exchange.body, http=message)
        else:
            fields = {
                "WARC-Profile": NOT_MODIFIED if exchange.not_modified else SAME_BODY,
                "WARC-Refers-To-Target-URI": original.url,
                "WARC-Refers-To-Date": original.date,
                "WARC-Payload-Digest": original.digest,
            }
            # pywb answers with the headers of a revisit where it has some: 304 and no page, if they were those.
            self._add("revisit", self.url, b"", http=None if exchange.not_modified else message, **fields)
        if exchange.request_headers:
            target = re.sub(r"^[a-z]+://[^/?#]*", "", self.url.partition("#")[0]) or "/"
            line = target if target.startswith("/") else f"/{target}"
            sent = _Message(f"{line} HTTP/1.1", _clean(exchange.request_headers), protocol=exchange.method)
            self._add("request", self.url, b"", http=sent)

    def resource(self, url: str, media_type: str, body: bytes) -> None:
        """Write bytes that came without HTTP."""
        self._add("resource", url, body, content_type=_NOT_IN_HEADERS.sub(" ", media_type))

    def metadata(self, notes: Mapping[str, Any]) -> None:
        """Write what was found out about the capture, such as a verdict."""
        said = json.dumps(notes, ensure_ascii=False, sort_keys=True).encode("utf-8", "replace")
        # Not under the address of the page itself, where players of archives would take it for a version.
        self._add("metadata", f"urn:notes:{self.url}", said, content_type="application/json")

    def _add(
        self, kind: str, url: str, body: bytes, *, http: Any = None, content_type: str = "", **fields: str
    ) -> None:
        about = {"WARC-Date": self.date, **fields}
        if self._main:
            about["WARC-Concurrent-To"] = self._main
        record = self._writer.create_warc_record(
            url,
            kind,
            payload=io.BytesIO(body),
            length=len(body),
            warc_content_type=content_type,
            warc_headers_dict=about,
            http_headers=http,
        )
        self._writer.write_record(record)
        self._main = self._main or record.rec_headers.get_header("WARC-Record-ID")


def written(url: str) -> str:
    """Write an address so that a header can hold it.

    >>> written("file:///my page.html")
    'file:///my%20page.html'
    """
    return _NOT_IN_ADDRESSES.sub(lambda found: quote(found[0]), url)


def digest(body: bytes) -> str:
    """Give the digest of a payload as archives write it.

    >>> digest(b"")
    'sha1:3I42H3S6NNFQ2MSVX7XZKYAYSCX5QBYJ'
    """
    digester = Digester("sha1")
    digester.update(body)
    return str(digester)


def warc_date(moment: datetime) -> str:
    """Write a time as WARC does, with as much of the second as there is.

    >>> warc_date(datetime(2026, 11, 15, 9, 12, tzinfo=UTC))
    '2026-11-15T09:12:00Z'
    """
    utc = moment.replace(tzinfo=UTC) if moment.tzinfo is None else moment.astimezone(UTC)
    return utc.replace(tzinfo=None).isoformat() + "Z"


def exchange_of(page: PageVersion) -> Exchange:
    """Make of a page version the answer it came by; its body is unpacked, and its headers must not deny it."""
    headers = tuple(_aside(name, value, {"content-encoding"}) for name, value in page.headers)
    if page.content_type and page.header("content-type") is None:
        headers = (("Content-Type", page.content_type), *headers)
    captured = page.captured_at or datetime.now(UTC)
    return Exchange(page.url, page.status or HTTPStatus.OK, headers, page.body, captured_at=captured)


def stored_headers(headers: Headers, length: int, *, repeats: bool) -> list[tuple[str, str]]:
    """Rename the headers that are not true of the stored bytes: a connection's framing, and another length."""
    stored = []
    for name, value in _clean(headers):
        untrue = _FRAMING
        if name.lower() == "content-length" and value != str(length) and not repeats:
            untrue = _FRAMING | {"content-length"}
        stored.append(_aside(name, value, untrue))
    return stored


def _aside(name: str, value: str, untrue: frozenset[str] | set[str]) -> tuple[str, str]:
    return (_ASIDE + name if name.lower() in untrue else name, value)


def _clean(headers: Headers) -> list[tuple[str, str]]:
    """Leave out of headers what would end them early."""
    named = ((_NOT_IN_HEADERS.sub("", name).strip(), value) for name, value in headers)
    return [(name, _NOT_IN_HEADERS.sub(" ", value).strip()) for name, value in named if name and ":" not in name]


def _status_line(status: int) -> str:
    try:
        return f"{status} {HTTPStatus(status).phrase}"
    except ValueError:
        return f"{status} Unknown"
