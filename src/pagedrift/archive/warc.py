"""Which versions of pages does a WARC hold?"""

from __future__ import annotations

import io
from contextlib import closing, contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from itertools import islice
from typing import TYPE_CHECKING, Any

from fastwarc.warc import ArchiveIterator, WarcHeader, WarcRecordType

from pagedrift.account import Account, Problem
from pagedrift.archive import salvage
from pagedrift.archive.payload import decode, names_page
from pagedrift.archive.revisits import Place, Places
from pagedrift.dates import period
from pagedrift.errors import PagedriftError
from pagedrift.limits import DEFAULT_LIMITS, Limits
from pagedrift.page import PageVersion
from pagedrift.sniffing import HEAD, looks_like_html

if TYPE_CHECKING:
    from collections.abc import Generator, Iterator

    from pagedrift.archive.source import Readable, Source

    Headers = tuple[tuple[str, str], ...]

_RESPONSE, _RESOURCE, _REVISIT = WarcRecordType.response, WarcRecordType.resource, WarcRecordType.revisit
_UNKNOWN = WarcRecordType.unknown
# FastWARC finds a header by these five times as fast as by its name
_URL, _DATE, _DIGEST = WarcHeader.WARC_TARGET_URI, WarcHeader.WARC_DATE, WarcHeader.WARC_PAYLOAD_DIGEST
_TYPE, _PROFILE = WarcHeader.CONTENT_TYPE, WarcHeader.WARC_PROFILE
_OLD_URL, _OLD_DATE = WarcHeader.WARC_REFERS_TO_TARGET_URI, WarcHeader.WARC_REFERS_TO_DATE

_NOT_MODIFIED = 304
_LONGEST_HEADER = 1 << 20  # cookies and policies grow long
_AT_ONCE = 1 << 20  # FastWARC reserves what it is asked for, and ends the process where it cannot
_CUT_BODY = "the body is shorter than its length says; get a complete copy of the archive"
_NO_STATUS = "the HTTP status line is unreadable; fetch the page again"
_NO_URL = "the record has no WARC-Target-URI; get a complete copy of the archive"
_NO_DATE = (
    "the WARC-Date is missing or unreadable, so the page has no time; correct the archive if order matters"
)
_NO_UTF8 = "the WARC-Target-URI is not UTF-8; look for the page under the address as it is shown"
_NO_ORIGINAL = (
    "the record that this revisit repeats was not read before it; read the archive that holds it as well"
)
_PASSED = (
    "what this revisit repeats cannot be read again; save the WARC as a file of its own, packed by record"
)


@dataclass(frozen=True, slots=True)
class _Flawed:
    """A page that is kept although something about it is wrong."""

    page: PageVersion
    problem: Problem


Outcome = PageVersion | _Flawed | Problem | str  # a string: passed over, for this reason


def versions(
    source: Source,
    *,
    account: Account | None = None,
    limits: Limits = DEFAULT_LIMITS,
    places: Places | None = None,
) -> Iterator[PageVersion]:
    """Give the page versions of a WARC as they stand, and account for the rest; damage never ends it."""
    reader = _Reader(source, account or Account(), limits, places or Places())
    offset = settled = 0
    try:
        if source.rereadable and reader.packed_by_record():
            offset, settled = yield from reader.fast()
        yield from reader.careful(offset, settled)
    except OSError as error:
        reader.account.report(
            Problem(source.name, offset, f"{error.strerror or error}; check that the file is there")
        )
    reader.account.finished += source.size


class _Reader:
    """One pass through one WARC: by FastWARC as long as it is healthy, then by looking at every byte."""

    def __init__(self, source: Source, account: Account, limits: Limits, places: Places) -> None:
        self.source = source
        self.account = account
        self.limits = limits
        self.places = places
        self.remember = places.remember

    def fast(self) -> Generator[PageVersion, None, tuple[int, int]]:
        """Give versions until FastWARC stops; say where its last record starts and how many came before.

        FastWARC may stop at damage in silence, and notices a wrong length at the next record only. So each
        record waits for its successor, and the last one is left for the careful pass to judge.
        """
        offset, settled = 0, -1
        waiting: Outcome | None = None
        with self._opened() as file:
            try:
                for record in ArchiveIterator(file, max_header_len=_LONGEST_HEADER):
                    if waiting.__class__ is PageVersion:
                        yield waiting  # type: ignore[misc]
                    elif waiting is not None:
                        yield from self._settle(waiting)
                    settled += 1
                    offset, waiting = record.stream_pos, None
                    waiting = self._outcome(record, offset)
            except OSError:  # FastWARC's only error; what it was about shows in the careful pass
                pass
        return offset, max(0, settled)

    def careful(self, offset: int, settled: int) -> Iterator[PageVersion]:
        """Give the versions from an offset on, whatever state the file is in."""
        skipped = 0
        if offset and not self._record_at(offset):  # it shares a gzip member with others: start again
            offset, skipped = 0, settled
        with self._opened(offset) as file:
            found = salvage.records(file, offset=offset, largest=self.limits.body)
            for at, data in islice(found, skipped, None):
                outcome = self._problem(at, data) if isinstance(data, str) else self._parse(at, data)
                yield from self._settle(outcome)

    def packed_by_record(self) -> bool:
        """Tell whether records can be found again by their offset: not where one gzip stream holds them all."""
        with closing(self.source.open()) as file:
            try:
                found = [record.stream_pos for record in islice(ArchiveIterator(file, parse_http=False), 2)]
            except OSError:
                return True
        return self._record_at(found[-1]) if found else True

    def _record_at(self, offset: int) -> bool:
        with closing(self.source.open(offset)) as file:
            return salvage.opens_record(file.read(HEAD))

    @contextmanager
    def _opened(self, offset: int = 0) -> Iterator[Readable]:
        """Open the source, and let the account see how far it was read."""
        with closing(self.source.open(offset)) as file:
            self.account.files.append(file)
            try:
                yield file
            finally:
                self.account.files.remove(file)

    def _settle(self, outcome: Outcome) -> Iterator[PageVersion]:
        """Give the version, or account for what is none."""
        if isinstance(outcome, _Flawed):
            self.account.report(outcome.problem)
            outcome = outcome.page
        if isinstance(outcome, PageVersion):
            yield outcome
        elif isinstance(outcome, Problem):
            self.account.report(outcome)
        else:
            self.account.counts.passed_over[outcome] += 1

    def _problem(self, offset: int, reason: str) -> Problem:
        return Problem(self.source.name, offset, reason)

    def _parse(self, offset: int, data: bytes) -> Outcome:
        """Make of the bytes of one record what they are."""
        try:
            record = next(ArchiveIterator(io.BytesIO(data), max_header_len=_LONGEST_HEADER, quirks_mode=True))
            return self._outcome(record, offset)
        except (OSError, StopIteration):
            return self._problem(offset, salvage.CUT)

    def _outcome(self, record: Any, offset: int) -> Outcome:
        """Make of one record what it is. Runs for every record: what is called from here shows in the benchmark."""
        kind = record.record_type
        if kind is _UNKNOWN:
            kind = _kind(record)
        if kind is _RESPONSE:
            http = record.http_headers
            if http is None:
                return "not HTTP"
            status, headers = http.status_code, http.to_tuples()
            if status is None:
                return self._problem(offset, _NO_STATUS)
            return self._page(record, offset, status, headers, *_claims(headers))
        if kind is _RESOURCE:
            return self._page(record, offset, None, (), record.headers.get(_TYPE), "")
        return self._revisit(record, offset) if kind is _REVISIT else f"{kind} record"

    def _page(
        self,
        record: Any,
        offset: int,
        status: int | None,
        headers: Headers,
        content_type: str | None,
        packing: str,
    ) -> Outcome:
        """Take the page that a record holds, if it holds one, and remember the place for revisits."""
        fields = record.headers
        url, date, digest = fields.get(_URL), fields.get(_DATE), fields.get(_DIGEST)
        if not url:
            return self._problem(offset, _NO_URL)
        passed_over = _passed_over(status, content_type)
        if passed_over is None:
            body = self._body(record, packing)
            if isinstance(body, str):
                return self._problem(offset, body)
            if names_page(content_type) or looks_like_html(body):
                self.remember((url, date, digest, self.source, offset))
                return self._version(offset, date, url, body, content_type, status, headers)
            passed_over = "not HTML"
        self.remember((url, date, digest, self.source, None))
        return passed_over

    def _body(self, record: Any, packing: str) -> bytes | str:
        """Read and unpack the body of a record, or say why not."""
        length = record.content_length
        if length > self.limits.body:
            return f"the page has more than {self.limits.body:,} bytes; raise Limits.body if you trust it"
        body: bytes = record.reader.read(length) if length < _AT_ONCE else record.reader.read()
        if len(body) != length:
            return _CUT_BODY
        try:
            return decode(body, packing, limits=self.limits) if packing else body
        except PagedriftError as error:
            return str(error)

    def _version(
        self,
        offset: int,
        date: str | None,
        url: str,
        body: bytes,
        kind: str | None,
        status: int | None,
        headers: Headers,
    ) -> PageVersion | _Flawed:
        """Make the version, and note what is wrong with its date or address."""
        try:
            captured = datetime.fromisoformat(date)  # type: ignore[arg-type]
        except (TypeError, ValueError):
            captured = None
        if captured is None or captured.tzinfo is not UTC:
            captured = _moment(date)
        page = PageVersion(url, body, captured_at=captured, content_type=kind, status=status, headers=headers)
        if captured is None or "\ufffd" in url:
            return _Flawed(page, self._problem(offset, _NO_UTF8 if captured else _NO_DATE))
        return page

    def _revisit(self, record: Any, offset: int) -> Outcome:
        """Take the body of the record that this one repeats."""
        fields, http = record.headers, record.http_headers
        status, headers = (http.status_code, http.to_tuples()) if http else (None, ())
        url, date, digest = fields.get(_URL), fields.get(_DATE), fields.get(_DIGEST)
        if not url:
            return self._problem(offset, _NO_URL)
        content_type, _ = _claims(headers)
        passed_over = None if status == _NOT_MODIFIED else _passed_over(status, content_type)
        if passed_over:
            return passed_over
        unchanged = url if "not-modified" in (fields.get(_PROFILE) or "") else None
        place = self.places.find((f"{fields.get(_OLD_URL)} {fields.get(_OLD_DATE)}", digest, unchanged))
        if place is None or place.offset is None:
            return "not HTML" if place else self._problem(offset, _NO_ORIGINAL)
        original = self._original(place, place.offset)
        if original is None:
            return self._problem(offset, _PASSED)
        self.places.repeat(place, url, date, digest)
        if status is None or status == _NOT_MODIFIED:
            status = original.status
        return self._version(
            offset, date, url, original.body, content_type or original.content_type, status, headers
        )

    def _original(self, place: Place, offset: int) -> PageVersion | None:
        """Read the page at a place again, if it is still the one that was remembered."""
        if not place.source.rereadable:
            return None
        with closing(place.source.open(offset)) as file:
            try:
                record = next(ArchiveIterator(file, max_header_len=_LONGEST_HEADER))
                if (record.headers.get(_URL), record.headers.get(_DATE)) != (place.url, place.date):
                    return None
                outcome = _Reader(place.source, Account(), self.limits, Places())._outcome(record, offset)
            except (OSError, StopIteration):
                return None
        page = outcome.page if isinstance(outcome, _Flawed) else outcome
        return page if isinstance(page, PageVersion) else None


def _claims(headers: Headers) -> tuple[str | None, str]:
    """Give the content type, and the codings in the order they were applied in."""
    content_type, coding, transfer = None, "", ""
    for name, value in headers:
        key = name.lower()
        if key == "content-type":
            content_type = value
        elif key == "content-encoding":
            coding += f"{value},"
        elif key == "transfer-encoding":
            transfer += f"{value},"
    return content_type, coding + transfer


def _passed_over(status: int | None, content_type: str | None) -> str | None:
    """Say why a message holds no page, where its headers already tell."""
    if status is not None and 300 <= status < 400:  # noqa: PLR2004 - the codes of redirects
        return "redirect"
    return "not HTML" if names_page(content_type) is False else None


def _kind(record: Any) -> Any:
    """Read the type of a record that FastWARC does not know, such as one written in small letters."""
    written = record.headers.get("WARC-Type")
    if written is None:
        raise OSError("no WARC header")
    return {"response": _RESPONSE, "resource": _RESOURCE, "revisit": _REVISIT}.get(written.lower(), _UNKNOWN)


def _moment(date: str | None) -> datetime | None:
    """Read a date that is not written as usual: of reduced precision, of another zone, of 14 digits."""
    found = period(date) if date else None
    return found[0].astimezone(UTC) if found else None
