"""The format of WARC records: a page version and its attachments, each packed as its own gzip member."""

from __future__ import annotations

import io
import json
import re
from dataclasses import dataclass, field
from datetime import UTC, datetime
from http import HTTPStatus
from typing import TYPE_CHECKING, Any, Final
from urllib.parse import quote
from uuid import uuid4

from warcio.statusandheaders import StatusAndHeaders
from warcio.utils import Digester
from warcio.warcwriter import WARCWriter

from pagedrift.http_exchange import Exchange, Headers

if TYPE_CHECKING:
    from collections.abc import Mapping

    from pagedrift.archive.locations import Place
    from pagedrift.page import PageVersion

WARC_VERSION: Final = "WARC/1.1"  # the first with fractions of a second
_PROFILE: Final = "http://netpreserve.org/warc/1.1/revisit/"
SAME_BODY: Final = _PROFILE + "identical-payload-digest"
NOT_MODIFIED: Final = _PROFILE + "server-not-modified"
PART: Final = "Pagedrift-Part"  # which of how many records of a capture: one that is not whole was never kept
REPEATED: Final = "Pagedrift-Refers-To-File"  # where the repeated body stands, to find it at once
REPEATED_AT: Final = "Pagedrift-Refers-To-Bytes"
NOTES: Final = "urn:notes:"
JSON: Final = "application/json"
_ASIDE: Final = "X-Archive-Orig-"  # before the names of headers that are not true of what is stored
_FRAMING: Final = frozenset({"transfer-encoding", "connection", "keep-alive", "trailer", "upgrade"})
_NOT_IN_HEADERS: Final = re.compile(r"[\x00-\x1f\x7f]+")
_NOT_IN_ADDRESSES: Final = re.compile(r"[\x00-\x20\x7f]+")


@dataclass(frozen=True, slots=True)
class Attachment:
    """What was made of a page and is kept next to it: its picture, or its DOM after its scripts ran.

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
    """The record whose body a revisit repeats, and where it stands."""

    url: str
    date: str
    digest: str
    place: Place

    @property
    def fields(self) -> dict[str, str]:
        """What a revisit says of it."""
        return {
            "WARC-Refers-To-Target-URI": self.url,
            "WARC-Refers-To-Date": self.date,
            "WARC-Payload-Digest": self.digest,
            REPEATED: self.place.filename,
            REPEATED_AT: f"{self.place.offset}+{self.place.length}",
        }


class _Message(StatusAndHeaders):  # type: ignore[misc]
    """HTTP headers, written as they came: warcio would escape what is not ASCII."""

    def compute_headers_buffer(self, header_filter: Any = None) -> None:
        text = self.to_str(header_filter) + "\r\n"
        try:
            self.headers_buff = text.encode("latin-1")  # as HTTP has it, and as readers of archives decode it
        except UnicodeEncodeError:
            self.headers_buff = text.encode("utf-8", "replace")


@dataclass(frozen=True, slots=True, kw_only=True)
class RecordEntry:
    """What an index says of one record; its offset and length are those among the bytes it was written with."""

    kind: str
    url: str
    date: str
    mime: str
    status: str
    digest: str
    offset: int
    length: int


class Members:
    """Records of one capture, in the order they are written in."""

    def __init__(self, url: str, captured_at: datetime) -> None:
        self.url = written(url)
        self.date = warc_date(captured_at)
        self._records: list[tuple[str, str, bytes, Any, str, dict[str, str]]] = []
        self._main = 0  # which one the others belong to

    def redirect(self, exchange: Exchange) -> None:
        """Write an answer that led to the capture."""
        self._exchange(written(exchange.url), warc_date(exchange.captured_at), exchange, None)
        self._main = len(self._records)

    def exchange(self, exchange: Exchange, original: Original | None = None) -> None:
        """Write an answer, or that it repeats an original one, and then the request."""
        self._exchange(self.url, self.date, exchange, original)

    def resource(self, url: str, media_type: str, body: bytes) -> None:
        """Write bytes that came without HTTP."""
        self._add("resource", url, body, content_type=_NOT_IN_HEADERS.sub(" ", media_type))

    def metadata(self, notes: Mapping[str, Any]) -> None:
        """Write what was found out about the capture, such as a verdict."""
        # Not under the address of the page itself, where players of archives would take it for a version.
        self._add("metadata", f"{NOTES}{self.url}", as_json(notes), content_type=JSON)

    def packed(self) -> tuple[bytes, list[RecordEntry], int]:
        """Give the bytes, what an index says of them, and where among them the main record starts."""
        buffer = io.BytesIO()
        writer = WARCWriter(buffer, gzip=True, warc_version=WARC_VERSION)
        entries: list[RecordEntry] = []
        names = [f"<urn:uuid:{uuid4()}>" for _ in self._records]
        for number in range(len(names)):
            record = self._record(writer, number, names)
            start = buffer.tell()
            writer.write_record(record)
            entries.append(_entry(record, start, buffer.tell() - start))
        return buffer.getvalue(), entries, entries[self._main].offset

    def _record(self, writer: WARCWriter, number: int, names: list[str]) -> Any:
        kind, url, body, http, content_type, fields = self._records[number]
        part = f"{number + 1}/{len(names)}; main={self._main + 1}"
        about = {"WARC-Date": self.date, "WARC-Record-ID": names[number], **fields, PART: part}
        if number != self._main:
            about["WARC-Concurrent-To"] = names[self._main]
        return writer.create_warc_record(
            url,
            kind,
            payload=io.BytesIO(body),
            length=len(body),
            warc_content_type=content_type,
            warc_headers_dict=about,
            http_headers=http,
        )

    def _exchange(self, url: str, date: str, exchange: Exchange, original: Original | None) -> None:
        headers = stored_headers(exchange.headers, len(exchange.body), repeats=original is not None)
        message = _Message(_status_line(exchange.status), headers, protocol="HTTP/1.1")
        dated = {"WARC-Date": date}
        if original is None:
            self._add("response", url, exchange.body, http=message, **dated)
        else:
            # pywb answers with the headers of a revisit where it has some: 304 and no page, if they were those.
            shown = None if exchange.not_modified else message
            profile = NOT_MODIFIED if exchange.not_modified else SAME_BODY
            about = {"WARC-Profile": profile, **original.fields, **dated}
            self._add("revisit", url, b"", http=shown, **about)
        if exchange.request_headers:
            target = re.sub(r"^[a-z]+://[^/?#]*", "", url.partition("#")[0]) or "/"
            line = target if target.startswith("/") else f"/{target}"
            sent = _Message(f"{line} HTTP/1.1", _clean(exchange.request_headers), protocol=exchange.method)
            self._add("request", url, b"", http=sent, **dated)

    def _add(
        self, kind: str, url: str, body: bytes, *, http: Any = None, content_type: str = "", **fields: str
    ) -> None:
        self._records.append((kind, url, body, http, content_type, fields))


def information(filename: str, software: str) -> bytes:
    """Say at the beginning of a file who wrote it."""
    buffer = io.BytesIO()
    writer = WARCWriter(buffer, gzip=True, warc_version=WARC_VERSION)
    found = {"software": software, "format": "WARC File Format 1.1"}
    writer.write_record(writer.create_warcinfo_record(filename, found))
    return buffer.getvalue()


def _entry(record: Any, offset: int, length: int) -> RecordEntry:
    fields, http = record.rec_headers, record.http_headers
    found = http.get_header("Content-Type") if http else fields.get_header("Content-Type")
    return RecordEntry(
        kind=record.rec_type,
        url=fields.get_header("WARC-Target-URI"),
        date=fields.get_header("WARC-Date"),
        mime=bare(found),
        status=(http.get_statuscode() or "") if http and record.rec_type != "request" else "",
        digest=fields.get_header("WARC-Payload-Digest") or "",
        offset=offset,
        length=length,
    )


def bare(content_type: str | None) -> str:
    """Give a content type without its parameters, as indexes do.

    >>> bare("text/html; charset=utf-8")
    'text/html'
    """
    return (content_type or "").replace(";", " ").split(" ", 1)[0].strip()


def as_json(data: Mapping[str, Any]) -> bytes:
    """Write notes."""
    return json.dumps(data, ensure_ascii=False, sort_keys=True).encode("utf-8", "replace")


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
    return Exchange(
        url=page.url, status=page.status or HTTPStatus.OK, headers=headers, body=page.body, captured_at=captured
    )


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
