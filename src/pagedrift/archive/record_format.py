"""The format of WARC records: a page version and its attachments, each packed as its own gzip member."""

from __future__ import annotations

import io
import json
import re
import zlib
from base64 import b32encode
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from hashlib import sha1
from http import HTTPStatus
from typing import TYPE_CHECKING, Any, Final
from urllib.parse import quote
from uuid import uuid4

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
SMALL_RECORD_BYTES: Final = 4096
_RESPONSE: Final = "application/http; msgtype=response"
_REQUEST: Final = "application/http; msgtype=request"
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


@dataclass(frozen=True, slots=True, kw_only=True)
class _Record:
    """One record before it is written: its fields, the head of an HTTP message where it holds one, and a body."""

    kind: str
    url: str
    content_type: str
    fields: dict[str, str]
    head: bytes = b""
    body: bytes = b""
    mime: str = ""  # of what it holds
    status: str = ""

    def written(self) -> bytes:
        """Give its bytes."""
        block = self.head + self.body
        fields = {
            **self.fields,
            "WARC-Block-Digest": digest(block),
            "Content-Type": self.content_type,
            "Content-Length": str(len(block)),
        }
        lines = "".join(f"{name}: {value}\r\n" for name, value in fields.items())
        return f"{WARC_VERSION}\r\n{lines}\r\n".encode() + block + b"\r\n\r\n"


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
        self._records: list[_Record] = []
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
        self._add("resource", url, body, _NOT_IN_HEADERS.sub(" ", media_type))

    def metadata(self, notes: Mapping[str, Any]) -> None:
        """Write what was found out about the capture, such as a verdict."""
        # Not under the address of the page itself, where players of archives would take it for a version.
        self._add("metadata", f"{NOTES}{self.url}", as_json(notes), JSON)

    def packed(self) -> tuple[bytes, list[RecordEntry], int]:
        """Give the bytes, what an index says of them, and where among them the main record starts."""
        entries: list[RecordEntry] = []
        pieces, start = [], 0
        names = [f"<urn:uuid:{uuid4()}>" for _ in self._records]
        for number, record in enumerate(self._records):
            about = self._about(number, names) | record.fields | {"WARC-Type": record.kind}
            about |= {"WARC-Target-URI": record.url}
            if record.kind != "revisit":  # whose digest is that of what it repeats
                about |= {"WARC-Payload-Digest": digest(record.body)}
            whole = replace(record, fields=about)
            pieces.append(_gzipped(whole.written()))
            entries.append(_entry(whole, start, len(pieces[-1])))
            start += len(pieces[-1])
        return b"".join(pieces), entries, entries[self._main].offset

    def _about(self, number: int, names: list[str]) -> dict[str, str]:
        part = f"{number + 1}/{len(names)}; main={self._main + 1}"
        about = {"WARC-Date": self.date, "WARC-Record-ID": names[number], PART: part}
        if number != self._main:
            about["WARC-Concurrent-To"] = names[self._main]
        return about

    def _exchange(self, url: str, date: str, exchange: Exchange, original: Original | None) -> None:
        headers = stored_headers(exchange.headers, len(exchange.body), repeats=original is not None)
        head = _message(f"HTTP/1.1 {_status_line(exchange.status)}", headers)
        about, body = {"WARC-Date": date}, exchange.body
        if original is not None:
            # pywb answers with the headers of a revisit where it has some: 304 and no page, if they were those.
            head, body = b"" if exchange.not_modified else head, b""
            profile = NOT_MODIFIED if exchange.not_modified else SAME_BODY
            about = {"WARC-Profile": profile, **original.fields, **about}
        self._records.append(
            _Record(
                kind="response" if original is None else "revisit",
                url=url,
                content_type=_RESPONSE,
                fields=about,
                head=head,
                body=body,
                mime=_value(headers, "content-type") if head else bare(_RESPONSE),
                status=str(exchange.status) if head else "",
            )
        )
        if exchange.request_headers:
            target = re.sub(r"^[a-z]+://[^/?#]*", "", url.partition("#")[0]) or "/"
            line = target if target.startswith("/") else f"/{target}"
            sent = _message(f"{exchange.method} {line} HTTP/1.1", _clean(exchange.request_headers))
            about = {"WARC-Date": date}
            self._records.append(_Record(kind="request", url=url, content_type=_REQUEST, fields=about, head=sent))

    def _add(self, kind: str, url: str, body: bytes, content_type: str) -> None:
        self._records.append(
            _Record(kind=kind, url=url, content_type=content_type, fields={}, body=body, mime=bare(content_type))
        )


def _message(first: str, headers: list[tuple[str, str]]) -> bytes:
    """Write the head of an HTTP message as it came."""
    text = "".join((f"{first}\r\n", *(f"{name}: {value}\r\n" for name, value in headers), "\r\n"))
    try:
        return text.encode("latin-1")  # as HTTP has it, and as readers of archives decode it
    except UnicodeEncodeError:
        return text.encode("utf-8", "replace")


def _value(headers: list[tuple[str, str]], wanted: str) -> str:
    return bare(next((value for name, value in headers if name.lower() == wanted), ""))


def _gzipped(record: bytes) -> bytes:
    """Pack a record as a member of its own; a large window for a small one costs more than all the rest."""
    small = len(record) <= SMALL_RECORD_BYTES
    window, memory = (12, 5) if small else (zlib.MAX_WBITS, zlib.DEF_MEM_LEVEL)
    packer = zlib.compressobj(9, zlib.DEFLATED, 16 + window, memory)
    return packer.compress(record) + packer.flush()


def information(filename: str, software: str) -> bytes:
    """Say at the beginning of a file who wrote it."""
    buffer = io.BytesIO()
    writer = WARCWriter(buffer, gzip=True, warc_version=WARC_VERSION)
    found = {"software": software, "format": "WARC File Format 1.1"}
    writer.write_record(writer.create_warcinfo_record(filename, found))
    return buffer.getvalue()


def _entry(record: _Record, offset: int, length: int) -> RecordEntry:
    return RecordEntry(
        kind=record.kind,
        url=record.url,
        date=record.fields["WARC-Date"],
        mime=record.mime,
        status=record.status,
        digest=record.fields["WARC-Payload-Digest"],
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
    return f"sha1:{b32encode(sha1(body, usedforsecurity=False).digest()).decode()}"


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
