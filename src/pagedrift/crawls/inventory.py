"""The inventory of a crawl: one row for each capture and its place; pages stay in the archive."""

from __future__ import annotations

import hashlib
import zlib
from contextlib import contextmanager
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from itertools import islice
from pathlib import PurePath
from typing import TYPE_CHECKING, Any, Final, NamedTuple
from urllib.parse import urljoin

from pagedrift.archive.fastwarc_compat import WarcHeader, WarcRecordType
from pagedrift.archive.payload import names_document, names_page
from pagedrift.archive.record import (
    DIGEST,
    NOT_HTML,
    NOT_HTTP,
    Glimpse,
    Outcome,
    address_and_time,
    claims,
    page_of,
    read_body,
    redirects,
)
from pagedrift.archive.source import Source
from pagedrift.archive.warc import Shelf
from pagedrift.capture import files
from pagedrift.collection.captures import record_at
from pagedrift.crawls.addresses import address_key
from pagedrift.errors import InputError, PagedriftError
from pagedrift.file_types import looks_like_html
from pagedrift.http_exchange import NOT_MODIFIED, is_failure
from pagedrift.limits import DEFAULT_LIMITS
from pagedrift.page import PageVersion
from pagedrift.read_report import Account, Problem
from pagedrift.reading.inputs import File, Input, expand

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Callable, Iterable, Iterator

    from pagedrift.limits import Limits

PAGE, REDIRECT, FAILURE, REVISIT, OTHER = "page", "redirect", "failure", "revisit", "other"
LOST: Final = "what this revisit repeats is in neither crawl; give the archive that holds it as well"
_EPOCH: Final = datetime(1970, 1, 1, tzinfo=UTC)
_MICRO: Final = timedelta(microseconds=1)
_BATCH: Final = 500  # rows that are written at once
_REFERS_URL, _REFERS_DATE = WarcHeader.WARC_REFERS_TO_TARGET_URI, WarcHeader.WARC_REFERS_TO_DATE
_TABLE: Final = """
CREATE TABLE captures (
  id INTEGER PRIMARY KEY, address BLOB NOT NULL, url BLOB NOT NULL, captured_at INTEGER, kind TEXT NOT NULL,
  status INTEGER, mime TEXT, digest BLOB, payload TEXT, target BLOB, path TEXT, offset INTEGER, size INTEGER,
  body BLOB
)"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Crawl:
    """One side of a comparison: some archives, or what one archive held at a time."""

    name: str  # as the user gave it
    paths: tuple[str, ...]
    since: datetime | None = None  # captures after this moment
    until: datetime | None = None  # captures up to this one

    def covers(self, captured_at: datetime | None) -> bool:
        """Return whether a capture of this time is part of the crawl; one without a time is."""
        if captured_at is None:
            return True
        return (self.since is None or captured_at > self.since) and (
            self.until is None or captured_at <= self.until
        )


class CaptureEntry(NamedTuple):
    """What an inventory says of one capture."""

    url: str
    captured_at: datetime | None
    kind: str
    status: int | None = None
    mime: str | None = None
    digest: bytes | None = None  # of the body
    payload: str | None = None  # the digest that the archive states
    target: str | None = None  # where a redirect leads, or the page and time that a revisit repeats
    size: int = 0
    body: bytes | None = None  # only where it cannot be read again


class CaptureRow(NamedTuple):
    """One capture as the inventory lists it."""

    id: int
    address: bytes
    url: bytes
    captured_at: int | None
    kind: str
    status: int | None
    mime: str | None
    digest: bytes | None
    payload: str | None
    target: bytes | None
    path: str | None
    offset: int | None
    size: int
    body: bytes | None

    @property
    def where(self) -> str:
        """Its address as people read it."""
        return self.url.decode("utf-8", "surrogatepass")

    @property
    def time(self) -> datetime | None:
        """When it was captured."""
        return moment_of(self.captured_at)


COLUMNS: Final = ", ".join(CaptureRow._fields)


def micros(moment: datetime) -> int:
    """Give a time as the inventory has it: microseconds since 1970."""
    return (moment - _EPOCH) // _MICRO


def moment_of(stored: int | None) -> datetime | None:
    """Give the time that the inventory has."""
    return None if stored is None else _EPOCH + stored * _MICRO


def encoded(text: str) -> bytes:
    """Encode what a database would refuse as text: addresses of archives hold anything."""
    return text.encode("utf-8", "surrogatepass")


def size_of(crawl: Crawl) -> int:
    """Give the bytes of the files of a crawl; raise InputError where there is nothing to read."""
    parts = (part for path in crawl.paths for part in expand(path, limits=DEFAULT_LIMITS, account=Account()))
    return sum(len(part.body) if isinstance(part, PageVersion) else part.size for part in parts)


def entry_of(record: Any, *, limits: Limits) -> Outcome:
    """Make an entry of a record: a page or document, a redirect, a failure, a revisit; the rest is passed over."""
    if record.record_type is WarcRecordType.revisit:
        return _revisit(record)
    http = record.http_headers
    if record.record_type is not WarcRecordType.response or http is None:
        return _of_page(page_of(record, limits=limits), record)
    status, headers = http.status_code, http.to_tuples()
    if status is None:
        raise InputError("the HTTP status line is unreadable; fetch the page again")
    url, captured_at = address_and_time(record)
    content_type, codings = claims(headers)
    entry = CaptureEntry(url, captured_at, FAILURE, status, content_type)
    if is_failure(status):
        return Glimpse(url, entry)
    if redirects(status):
        return _redirect(entry, headers)
    is_page = names_page(content_type)
    if is_page is False and not names_document(content_type):
        return Glimpse(url, entry._replace(kind=OTHER, payload=record.headers.get(DIGEST)))
    body = read_body(record, codings, limits=limits)
    if is_page is None and not looks_like_html(body):
        return NOT_HTML
    return Glimpse(url, _with_body(entry, body, record.headers.get(DIGEST)))


def _of_page(found: Outcome, record: Any) -> Outcome:
    """Make an entry of a record without HTTP headers."""
    page = found[0] if isinstance(found, tuple) else found
    if not isinstance(page, PageVersion):
        return found if isinstance(found, str) else NOT_HTTP
    entry = CaptureEntry(page.url, page.captured_at, PAGE, page.status, page.content_type)
    return Glimpse(page.url, _with_body(entry, page.body, record.headers.get(DIGEST)))


def _with_body(entry: CaptureEntry, body: bytes, payload: str | None) -> CaptureEntry:
    digest = hashlib.sha256(body).digest()
    return entry._replace(kind=PAGE, digest=digest, payload=payload, size=len(body), body=body)


def _redirect(entry: CaptureEntry, headers: tuple[tuple[str, str], ...]) -> Outcome:
    location = next((value for name, value in headers if name.lower() == "location"), "")
    if not location or entry.status == NOT_MODIFIED:
        return "redirect"
    try:
        target = urljoin(entry.url, location)
    except ValueError:
        return "redirect"
    if address_key(target) == address_key(entry.url):  # from http to https, or to a name without www
        return "redirect"
    return Glimpse(entry.url, entry._replace(kind=REDIRECT, target=target))


def _revisit(record: Any) -> Outcome:
    url, captured_at = address_and_time(record)
    http, fields = record.http_headers, record.headers
    status = http.status_code if http is not None else None
    content_type, _ = claims(http.to_tuples()) if http is not None else (None, "")
    if names_page(content_type) is False and not names_document(content_type):
        return NOT_HTML
    if redirects(status) and status != NOT_MODIFIED:
        return "redirect"
    if is_failure(status):
        return Glimpse(url, CaptureEntry(url, captured_at, FAILURE, status, content_type))
    refers = f"{fields.get(_REFERS_DATE) or ''} {fields.get(_REFERS_URL) or url}"
    return Glimpse(
        url,
        CaptureEntry(url, captured_at, REVISIT, None, content_type, payload=fields.get(DIGEST), target=refers),
    )


@dataclass(slots=True)
class InventoryReader:
    """Reads the captures of a crawl into a database, one pass through its archives."""

    crawl: Crawl
    database: sqlite3.Connection
    account: Account
    on_progress: Callable[[int], None]

    def read(self) -> None:
        """Read all that the crawl names; damage is counted and never ends it."""
        create_table(self.database)
        shelf = Shelf(account=self.account, take=entry_of)
        seen: set[str] = set()
        for path in self.crawl.paths:
            inputs = expand(path, limits=DEFAULT_LIMITS, account=self.account)
            for part in inputs:
                self._read_part(path, part, shelf, seen)
        create_indexes(self.database)

    def _read_part(self, path: str, part: Input, shelf: Shelf, seen: set[str]) -> None:
        if isinstance(part, Source):
            name = f"{part.path} {part.member}"
            if name in seen and part.stream is None:
                return  # the same file, named twice
            seen.add(name)
            self._put(archive_rows(source=part, name=part.path, shelf=shelf, crawl=self.crawl))
        else:
            self._put(self._of_file(path, part))

    def _of_file(self, path: str, part: File | PageVersion) -> Iterator[tuple[Any, ...]]:
        try:
            page = part if isinstance(part, PageVersion) else files.read_page(part.path)
        except PagedriftError as error:
            self.account.report(Problem(path, 0, str(error)))
            return
        place = part.path if isinstance(part, File) else path
        shown = PurePath(place).relative_to(path).as_posix() if place != path else PurePath(path).name
        entry = CaptureEntry(shown, page.captured_at, PAGE, page.status, page.content_type)
        if self.crawl.covers(page.captured_at):
            yield _row(shown, _with_body(entry, page.body, None), place, None)

    def _put(self, rows: Iterator[tuple[Any, ...]]) -> None:
        insert_rows(self.database, rows, lambda: self.on_progress(self.position))

    @property
    def position(self) -> int:
        """How many bytes of the archives were read."""
        return self.account.finished + sum(part.offset for part in self.account.under_way)


@contextmanager
def full_disk_explained() -> Iterator[None]:
    """Say what to do where the database of an inventory cannot be written."""
    import sqlite3

    try:
        yield
    except sqlite3.Error as error:
        raise InputError(
            f"the inventory cannot be written ({error}); free some space in the folder for temporary files"
        ) from None


def create_table(database: sqlite3.Connection) -> None:
    """Make the table of captures."""
    database.execute(_TABLE)


def create_indexes(database: sqlite3.Connection) -> None:
    """Make what captures are looked up by, once all of them are there."""
    database.execute("CREATE INDEX by_address ON captures (address, captured_at, id)")
    database.execute("CREATE INDEX by_payload ON captures (payload)")
    database.commit()


def insert_rows(
    database: sqlite3.Connection, rows: Iterable[tuple[Any, ...]], on_batch: Callable[[], None]
) -> None:
    """Write rows, many at once."""
    insert = f"INSERT INTO captures VALUES ({', '.join('?' * len(CaptureRow._fields))})"
    source = iter(rows)
    while held := list(islice(source, _BATCH)):
        database.executemany(insert, held)
        on_batch()


def archive_rows(source: Source, name: str, shelf: Shelf, crawl: Crawl) -> Iterator[tuple[Any, ...]]:
    """Give the rows of one archive, which is found again under a name."""
    for found in shelf.versions(source):
        assert isinstance(found, Glimpse)  # that is what entry_of makes
        entry: CaptureEntry = found.value
        if crawl.covers(entry.captured_at):
            offset = source.start + shelf.account.under_way[-1].offset if source.rereadable else None
            yield _row(address_key(entry.url), entry, name, offset)


def _row(address: str, entry: CaptureEntry, path: str, offset: int | None) -> tuple[Any, ...]:
    body = zlib.compress(entry.body, 1) if offset is None and entry.body is not None else None
    return (
        None,
        encoded(address),
        encoded(entry.url),
        None if entry.captured_at is None else micros(entry.captured_at),
        entry.kind,
        entry.status,
        entry.mime,
        entry.digest,
        entry.payload,
        None if entry.target is None else encoded(entry.target),
        path,
        offset,
        entry.size,
        body,
    )


def load(row: CaptureRow) -> PageVersion:
    """Read the page of a row again, from where it stands; raise InputError if it is no longer there."""
    if row.body is not None:
        page = PageVersion(row.where, zlib.decompress(row.body), content_type=row.mime, status=row.status)
    else:
        page = _from_archive(row)
    return replace(page, url=row.where, captured_at=row.time)


def _from_archive(row: CaptureRow) -> PageVersion:
    assert row.path is not None
    assert row.offset is not None
    found = record_at(row.path, row.offset, take=entry_of)
    entry = found.value if isinstance(found, Glimpse) else None
    if not isinstance(entry, CaptureEntry) or entry.digest != row.digest or entry.body is None:
        raise InputError(f"{row.path}, byte {row.offset}: another record is here now; start again")
    return PageVersion(entry.url, entry.body, content_type=entry.mime, status=entry.status)
