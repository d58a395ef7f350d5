"""Page versions from single WARC records."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any, Protocol

from pagedrift._kernels import header_fields
from pagedrift.archive.fastwarc_compat import WarcHeader, WarcRecordType
from pagedrift.archive.payload import decode, names_document, names_page
from pagedrift.dates import period
from pagedrift.documents.comparable import readable
from pagedrift.errors import InputError, LimitError
from pagedrift.file_types import looks_like_html
from pagedrift.limits import allow
from pagedrift.page import PageVersion

if TYPE_CHECKING:
    from pagedrift._kernels.record_head_py import RecordHead
    from pagedrift.limits import Limits

    Headers = tuple[tuple[str, str], ...]

# FastWARC finds a header by these five times as fast as by its name
URL, DATE, DIGEST = WarcHeader.WARC_TARGET_URI, WarcHeader.WARC_DATE, WarcHeader.WARC_PAYLOAD_DIGEST
_TYPE = WarcHeader.CONTENT_TYPE
_RESPONSE, _RESOURCE, _REVISIT = WarcRecordType.response, WarcRecordType.resource, WarcRecordType.revisit
_KINDS = {"response": _RESPONSE, "resource": _RESOURCE, "revisit": _REVISIT}

_LENGTHS = frozenset(map(len, ("content-type", "content-encoding", "transfer-encoding")))
_OK = 200
_EMPTY_LINES = 4  # bytes of the two behind a record
# Records that are never pages; resources and revisits may be
_PASSED_OVER = {
    kind: f"{kind} record" for kind in ("warcinfo", "request", "metadata", "conversion", "continuation")
}
_UNTYPED = (WarcRecordType.no_type, WarcRecordType.unknown)

REVISIT = "revisit record"
MADE = "made of a page"  # such as its DOM after its scripts ran, which browsers write under urn:
REDIRECT, NOT_HTML, NOT_HTTP = "redirect", "not HTML", "not HTTP"
NO_DATE = "the WARC-Date is missing or unreadable, so its page has no time; correct it if the order matters"
NO_UTF8 = "the WARC-Target-URI is not UTF-8; look for its page under the address as it is shown"

_AT_ONCE = 1 << 20  # FastWARC reserves what it is asked for, and ends the process where it cannot
_read_date = datetime.fromisoformat
_AGAIN = "get a complete copy of the archive"


@dataclass(slots=True)
class Glimpse:
    """What a look at the beginning of a page gave, where that was enough."""

    url: str
    value: Any


# at a body, its content type; is it all, and between which offsets does it stand? At the second is a NUL, as behind
# all bytes objects. None: give the page
Look = Callable[[bytes | bytearray, str | None, bool, int, int], Any]
LOOK = 1 << 14  # bytes of a page that are shown at first

# A version, with what is wrong with it; or why there is none
Outcome = PageVersion | Glimpse | tuple[PageVersion, str] | str


class Take(Protocol):
    """What is wanted of each record of an archive."""

    def __call__(self, record: Any, *, limits: Limits) -> Outcome:
        """Make of a record what it is; raise InputError or LimitError at damage."""


def page_of(record: Any, *, limits: Limits) -> Outcome:
    """Take the page of a record, or say why it is passed over; raise InputError or LimitError at damage.

    This runs for every record of every archive: what it calls shows in the benchmark.
    """
    kind = record.record_type
    if kind is not _RESPONSE and (kind := _kind(record)) is not _RESPONSE:
        return (
            _of_resource(record, limits) if kind is _RESOURCE else REVISIT if kind is _REVISIT else f"{kind} record"
        )
    http = record.http_headers
    if http is None:
        return NOT_HTTP
    status, headers = http.status_code, http.to_tuples()
    if status is None:
        raise InputError("the HTTP status line is unreadable; fetch the page again")
    if 300 <= status < 400:  # noqa: PLR2004 - redirects(), at the price of no call
        return REDIRECT
    content_type, codings = claims(headers)
    is_page = names_page(content_type)
    if is_page is False:
        return NOT_HTML
    body = read_body(record, codings, limits=limits)
    if not is_page and not looks_like_html(body):
        return NOT_HTML
    return version(record, body, content_type, status, headers)


def page_of_member(data: bytearray, end: int, head: RecordHead, *, limits: Limits) -> Outcome | None:
    """Take the page of a record in the plainest form, as `page_of` does; None where that one must look at it.

    The data begins with the record, whose body ends at an offset.
    """
    if head.kind != "response":
        return _PASSED_OVER.get(head.kind)
    status, content_type, url = head.status, head.content_type, head.url
    if 300 <= status < 400:  # noqa: PLR2004 - redirects(), at the price of no call
        return REDIRECT
    is_page = names_page(content_type)
    if is_page is False:
        return NOT_HTML
    if not url or url[0] == "<" or end - head.body > limits.body:
        return None
    body = bytes(memoryview(data)[head.body : end])
    if head.codings:
        body = decode(body, head.codings, limits=limits)
    if not is_page and not looks_like_html(body):
        return NOT_HTML
    captured = _captured(head.date)
    known: dict[str, Any] = {
        "url": url,
        "body": body,
        "captured_at": captured,
        "content_type": content_type,
        "status": status,
    }
    known["headers"], known["view"] = header_fields(data, head.fields, head.body), None
    page = PageVersion.of_record(known)
    return page if captured else (page, NO_DATE)


def glimpse_of_member(data: bytearray, end: int, head: RecordHead, look: Look, *, limits: Limits) -> Outcome | None:
    """Take a look at a plain page, as `glimpse_of` does; None where that one must look at it."""
    content_type, url = head.content_type, head.url
    if (
        head.status == _OK
        and url
        and url[0] != "<"
        and not head.codings
        and end - head.body <= limits.body
        and names_page(content_type)
    ):
        value = look(data, content_type, True, head.body, end)
        if value is not None:
            return Glimpse(url, value)
    return page_of_member(data, end, head, limits=limits)


def glimpse_of_start(begun: bytes, head: RecordHead, look: Look, *, limits: Limits) -> Glimpse | str | None:
    """Take a look at the beginning of a plain page, or say why it is passed over; None: more is needed."""
    if head.kind != "response":
        return _PASSED_OVER.get(head.kind)
    status, content_type, url = head.status, head.content_type, head.url
    if 300 <= status < 400:  # noqa: PLR2004 - redirects(), at the price of no call
        return REDIRECT
    is_page = names_page(content_type)
    if is_page is False:
        return NOT_HTML
    if not is_page or status != _OK or not url or url[0] == "<" or head.codings:
        return None
    size = head.size - _EMPTY_LINES
    if size - head.body > limits.body:
        return None
    if len(begun) > size:
        begun = begun[:size]
    value = look(begun, content_type, len(begun) == size, head.body, len(begun))
    return None if value is None else Glimpse(url, value)


def page_or_document_of(record: Any, *, limits: Limits) -> Outcome:
    """Take the page of a record, or the document it holds, read like a page."""
    found = page_of(record, limits=limits)
    http = record.http_headers
    if found is not NOT_HTML or http is None:
        return found
    content_type, codings = claims(http.to_tuples())
    if not names_document(content_type):
        return found
    body = read_body(record, codings, limits=limits)
    page = version(record, body, content_type, http.status_code, http.to_tuples())
    return readable(page[0] if isinstance(page, tuple) else page) or found


def read_body(record: Any, codings: str, *, limits: Limits) -> bytes:
    """Read the body of a response as the server meant it, unpacked."""
    body = _body(record, limits)
    return decode(body, codings, limits=limits) if codings else body


def glimpse_of(record: Any, look: Look, *, limits: Limits) -> Outcome:
    """Take a look at the beginning of a plain page; of all else, or where that is not enough, take the page."""
    http = record.http_headers
    if record.record_type is not _RESPONSE or http is None or http.status_code != _OK:
        return page_of(record, limits=limits)
    headers, length = http.to_tuples(), record.content_length
    content_type, codings = claims(headers)
    url = record.headers.get(URL)
    if codings or length > limits.body or not url or url[0] == "<" or not names_page(content_type):
        return page_of(record, limits=limits)
    body: bytes = record.reader.read(LOOK)
    value = look(body, content_type, len(body) == length, 0, len(body))
    if value is None and len(body) < length:
        body = _body(record, limits, begun=body)
        value = look(body, content_type, True, 0, length)
    return Glimpse(url, value) if value is not None else version(record, body, content_type, _OK, headers)


def _of_resource(record: Any, limits: Limits) -> Outcome:
    """Take the page of a record without HTTP headers."""
    content_type = record.headers.get(_TYPE)
    is_page = names_page(content_type)
    if is_page is False:
        return NOT_HTML
    if (record.headers.get(URL) or "").startswith("urn:"):
        return MADE
    body = _body(record, limits)
    return version(record, body, content_type, None, ()) if is_page or looks_like_html(body) else NOT_HTML


def version(
    record: Any, body: bytes, content_type: str | None, status: int | None, headers: Headers
) -> PageVersion | tuple[PageVersion, str]:
    """Make the version that a record stands for, and say what is wrong with it."""
    url, captured = address_and_time(record)
    page = PageVersion(url, body, captured_at=captured, content_type=content_type, status=status, headers=headers)
    if captured is None or "\ufffd" in url:
        return page, NO_UTF8 if captured else NO_DATE
    return page


def address_and_time(record: Any) -> tuple[str, datetime | None]:
    """Give what a record is a capture of, and when it was taken, if that can be read."""
    fields = record.headers
    url = fields.get(URL)
    if not url:
        raise InputError(f"the record has no WARC-Target-URI; {_AGAIN}")
    if url[0] == "<":  # as Wget writes it
        url = url.strip("<>")
    return url, _captured(fields.get(DATE) or "")


def _captured(date: str) -> datetime | None:
    try:
        captured: datetime | None = _read_date(date)
    except ValueError:
        captured = None
    return captured if captured is not None and captured.tzinfo is UTC else _moment(date)


def redirects(status: int | None) -> bool:
    """Return whether a status sends the reader elsewhere."""
    return status is not None and 300 <= status < 400  # noqa: PLR2004 - RFC 9110, section 15.4


def claims(headers: Headers) -> tuple[str | None, str]:
    """Give the content type, and the codings in the order they were applied in.

    >>> claims((("Content-Type", "text/html"), ("transfer-encoding", "chunked"), ("Content-Encoding", "gzip")))
    ('text/html', 'gzip,chunked,')
    """
    content_type, coding, transfer = None, "", ""
    for name, value in headers:
        if len(name) not in _LENGTHS:  # faster than to compare letters
            continue
        key = name.lower()
        if key == "content-type":
            content_type = value
        elif key == "content-encoding":
            coding += f"{value},"
        elif key == "transfer-encoding":
            transfer += f"{value},"
    return content_type, coding + transfer


def _body(record: Any, limits: Limits, begun: bytes = b"") -> bytes:
    """Read the body of a record, all of it, or what comes after its beginning."""
    length = record.content_length
    if length > limits.body:
        raise LimitError(f"the page has more than {limits.body:,} bytes; " + allow("body"))
    body: bytes = record.reader.read(length - len(begun)) if length < _AT_ONCE else record.reader.read()
    if begun:
        body = begun + body
    if len(body) != length:
        raise InputError(f"the record is cut off; {_AGAIN}")
    return body


def _kind(record: Any) -> Any:
    """Give the type of a record, also where it is written in small letters, which FastWARC does not know."""
    if record.record_type not in _UNTYPED:
        return record.record_type
    written = record.headers.get("WARC-Type")
    if written is None:
        raise OSError("no WARC header")  # as FastWARC does where it notices
    return _KINDS.get(written.lower(), record.record_type)


def _moment(date: str) -> datetime | None:
    """Read a date that is not written as usual: of reduced precision, of another zone, of 14 digits."""
    found = period(date)
    return found[0] if found else None
