r"""The head of a WARC record that is one gzip member: what a reader needs of it, in one pass (readable twin).

Only heads in the plainest form are read: complete, in ASCII, one header a line, none of those that count twice.
Nearly all are; of any other nothing is said, and FastWARC, which knows more forms, reads the record.
"""

from __future__ import annotations

import re
from typing import Final, NamedTuple

_MAGIC: Final = b"\x1f\x8b\x08"
_TRAILER_BYTES: Final = 4  # of a gzip member, at its end: the unpacked size
_LEAST_MEMBER_BYTES: Final = 18  # ten of header and eight of trailer, RFC 1952
MAX_RATIO: Final = 1032  # unpacked over packed bytes: deflate cannot do more
_KINDS: Final = frozenset("warcinfo response resource request metadata revisit conversion continuation".split())
_VERSION: Final = re.compile(rb"WARC/1\.[01]\r\n")
_STATUS: Final = re.compile(rb"HTTP/\d(?:\.\d)? (\d{3})(?: [\t\x20-\x7e]*)?\r\n")
_FIELD: Final = re.compile(rb"([A-Za-z0-9_.-]+):[\t ]*((?:[\x21-\x7e](?:[\t\x20-\x7e]*[\x21-\x7e])?)?)[\t ]*\r\n")
_WANTED: Final = frozenset((b"warc-type", b"warc-target-uri", b"warc-date", b"content-length", b"content-type"))
_HTTP: Final = re.compile(r"application/http(?:[; ]|$)")
_LENGTH: Final = re.compile(r"\d{1,10}")


class RecordHead(NamedTuple):
    """What the head of a record says; of a response also the head of the HTTP message in it."""

    kind: str
    url: str
    date: str
    status: int  # of a response
    content_type: str | None  # of what is in the response, or of the record
    codings: str  # of the body, in the order they were applied in, each with a comma
    fields: int  # where the HTTP headers begin
    body: int  # where the body of the response begins
    size: int  # of the whole record, and the two empty lines behind it


def member_end(data: bytes | bytearray, start: int, end: int, largest: int) -> int:
    """Find where a gzip member may end: before another one, with a size that can be; -1: nowhere before the end."""
    at = data.find(_MAGIC, start + _LEAST_MEMBER_BYTES, end)
    while at >= 0 and member_size(data, start, at) > largest:
        at = data.find(_MAGIC, at + 1, end)
    return at


def member_size(data: bytes | bytearray, start: int, end: int) -> int:
    """Read how many bytes a member says it unpacks to; more than any limit where that cannot be."""
    if end - start < _TRAILER_BYTES or end > len(data):
        return 1 << 32
    size = int.from_bytes(data[end - _TRAILER_BYTES : end], "little")
    return size if size <= (end - start) * MAX_RATIO else 1 << 32


def read_head(data: bytes | bytearray, length: int = -1, *, is_start: bool = False) -> RecordHead | None:
    r"""Read the head of a record; None where it is not as usual, or the record not exactly as long as it says.

    The record is all of the data, or its first bytes up to a length, where a NUL is. Of the start of a record,
    which is not all of it, only the head need be there.

    >>> head = b"WARC/1.0\r\nWARC-Type: request\r\nWARC-Target-URI: a:b\r\nContent-Length: 2\r\n\r\n"
    >>> read_head(bytearray(head + b"Hi\r\n\r\n"))[:2]
    ('request', 'a:b')
    """
    if length >= 0:
        data = data[:length]
    opening = _VERSION.match(data)
    end = _end_of_fields(data, opening.end()) if opening else 0
    if not end:
        return None
    found: dict[bytes, str] = {}
    assert opening
    for field in _FIELD.finditer(data, opening.end(), end):
        name = bytes(field[1]).lower()
        if name in found:
            return None
        if name in _WANTED:
            found[name] = field[2].decode("ascii")
    claimed, kind = found.get(b"content-length", ""), found.get(b"warc-type", "")
    if not _LENGTH.fullmatch(claimed) or kind not in _KINDS:
        return None
    size = end + int(claimed) + 4
    if not is_start and (len(data) != size or not data.endswith(b"\r\n\r\n")):
        return None
    url, date = found.get(b"warc-target-uri", ""), found.get(b"warc-date", "")
    content_type = found.get(b"content-type")
    if kind != "response":
        return RecordHead(kind, url, date, 0, content_type, "", end, end, size)
    return _response(data, url, date, end, size) if _HTTP.match(content_type or "") else None


def _response(data: bytes | bytearray, url: str, date: str, start: int, size: int) -> RecordHead | None:
    line = _STATUS.match(data, start)
    end = _end_of_fields(data, line.end()) if line else 0
    if not line or not end or end > min(len(data), size - 4):
        return None
    content_type, coding, transfer = None, "", ""
    for name, value in header_fields(data, line.end(), end):
        key = name.lower()
        if key == "content-type":
            content_type = value
        elif key == "content-encoding":
            coding += f"{value},"
        elif key == "transfer-encoding":
            transfer += f"{value},"
    fields = line.end()
    return RecordHead("response", url, date, int(line[1]), content_type, coding + transfer, fields, end, size)


def _end_of_fields(data: bytes | bytearray, at: int) -> int:
    """Find where lines of headers end, behind the empty line; 0 where a line is not in the plainest form."""
    while field := _FIELD.match(data, at):
        at = field.end()
    return at + 2 if data[at : at + 2] == b"\r\n" else 0


def header_fields(data: bytes | bytearray, start: int, end: int) -> tuple[tuple[str, str], ...]:
    r"""Give the names and values of HTTP headers, which are known to be in the plainest form.

    >>> header_fields(b"ETag: 7\r\n\r\n", 0, 11)
    (('ETag', '7'),)
    """
    found = _FIELD.finditer(data, start, end)
    return tuple((field[1].decode("ascii"), field[2].decode("ascii")) for field in found)
