"""How are page versions kept so that none that was acknowledged is ever lost?

A folder holds `warc/` (the bytes, readable by every tool for WARC) and `indexes/` (where they stand). A capture is
one write, flushed to the disk before it is acknowledged; what a crash cut off is mended when the folder is opened
again.
"""

from __future__ import annotations

import io
import os
import re
import threading
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, Literal

from pagedrift.archive import lock, tail
from pagedrift.archive.engine import ArchiveIterator
from pagedrift.archive.index import REVISIT, Entry, Index, lines_of
from pagedrift.archive.members import Attachment, Members, Original, digest, exchange_of, written
from pagedrift.archive.record import DATE, LONGEST_HEADER, page_of, version
from pagedrift.errors import PagedriftError
from pagedrift.exchange import Exchange
from pagedrift.limits import DEFAULT_LIMITS
from pagedrift.page import PageVersion

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from types import TracebackType


LARGEST: Final = 1_000_000_000  # bytes of a WARC, before the next one is begun
_NAME: Final = re.compile(r"pagedrift-(\d{6,})-\d{14}\.warc\.gz")
_OK: Final = 200

Kind = Literal["response", "resource", "revisit"]


class ArchiveError(PagedriftError):
    """A folder that cannot be written to."""


@dataclass(frozen=True, slots=True)
class Kept:
    """Where a capture was written, and as what: a revisit repeats the body of another one."""

    kind: Kind
    path: Path
    offset: int
    length: int  # of all its records


class ArchiveWriter:
    """Appends page versions to the WARCs of a folder; one process at a time, whose threads may share it.

    >>> import tempfile
    >>> from pagedrift import PageVersion, read
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     with ArchiveWriter(folder) as archive:
    ...         page = PageVersion("https://city.example/", b"<p>Fees", status=200, content_type="text/html")
    ...         first, second = archive.append(page), archive.append(page)
    ...     first.kind, second.kind, [version.body for version in read(folder)]
    ('response', 'revisit', [b'<p>Fees', b'<p>Fees'])
    """

    def __init__(self, folder: str | Path, *, largest: int = LARGEST) -> None:
        self.folder = Path(folder)
        self.largest = largest
        self.mended = 0  # bytes that were cut off by a crash and put aside
        self._thread = threading.Lock()
        self._lock: int | None = None
        self._file: io.FileIO | None = None
        try:
            self._open()
        except OSError as error:
            self.close()
            raise ArchiveError(
                f"{self.folder} cannot be written to ({error.strerror}); mend that, or take another folder"
            ) from None
        except BaseException:
            self.close()
            raise

    def __enter__(self) -> ArchiveWriter:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """Let others write to the folder."""
        if self._file is not None:
            self._file.close()
        if self._lock is not None:
            os.close(self._lock)
        self._file = self._lock = None

    def append(
        self,
        capture: PageVersion | Exchange,
        *,
        redirects: Iterable[Exchange] = (),
        notes: Mapping[str, Any] | None = None,
        attachments: Iterable[Attachment] = (),
    ) -> Kept:
        """Keep a capture, the redirects that led to it, notes and attachments; on disk when this returns.

        A body that the newest capture of its address has already is not written again, nor one that the server
        said was not modified: a revisit record says so.
        """
        with self._thread:
            kind, members = self._members(capture)
            if kind == "revisit" and isinstance(capture, Exchange) and capture.not_modified:
                notes = {
                    **(notes or {}),
                    "status": capture.status,
                    "headers": capture.headers,
                }  # no record has them
            if notes is not None:
                members.metadata(notes)
            for attachment in attachments:
                members.resource(attachment.address(members.url), attachment.media_type, attachment.body)
            before = b"".join(map(_bytes_of, redirects))
            return self._written(kind, before + bytes(members))

    def newest(self, url: str) -> PageVersion | None:
        """Give the newest version of a page, for asking a server whether it still holds."""
        with self._thread:
            entries = self._captures(written(url))
            original = _original(entries)
            if original is None:
                return None
            page = self._page(original)
            again = self._record(entries[-1]) if entries[-1].mime == REVISIT else None
            if page is None or again is None:
                return page
            headers = again.http_headers.to_tuples() if again.http_headers else page.headers
            found = version(again, page.body, page.content_type, page.status, headers)
            return found[0] if isinstance(found, tuple) else found

    def rebuild_index(self) -> None:
        """Make the index again from the WARCs alone."""
        with self._thread:
            self._rebuild()

    def snapshot(self) -> tuple[list[tuple[Path, int]], list[bytes]]:
        """Give the WARCs with their sizes, and the lines of the index, as of one moment."""
        with self._thread:
            return [(path, path.stat().st_size) for path in self.warcs], list(self._index)

    @property
    def warcs(self) -> list[Path]:
        """The WARCs of the folder, oldest first, whatever the clock said."""
        found = [(int(name[1]), path) for path in self._warc.iterdir() if (name := _NAME.fullmatch(path.name))]
        return [path for _, path in sorted(found)]

    def _open(self) -> None:
        self._warc = self.folder / "warc"
        self._warc.mkdir(parents=True, exist_ok=True)
        self._lock = lock.take(self.folder / "lock")
        if self._lock is None:
            raise ArchiveError(
                f"{self.folder} is being written to by another process; wait for it, or take another folder"
            )
        self._index = Index(self.folder / "indexes")
        self._catch_up()
        known = self.warcs
        if known and not known[-1].stat().st_size:
            known.pop().unlink()  # begun, and cut off before its first record was whole
        if known and known[-1].stat().st_size < self.largest:
            self._file = known[-1].open("ab", buffering=0)

    def _catch_up(self) -> None:
        """Mend the WARC written last, and list what a crash kept from being listed."""
        ends, known = self._ends(), self.warcs
        sizes = {path.name: path.stat().st_size for path in known}
        if any(end > sizes.get(name, 0) for name, end in ends.items()):
            ends = {}  # files were cut or taken away since
            self._index.replace(())
        if known:
            self.mended = tail.mend(known[-1], start=ends.get(known[-1].name, 0), aside=self.folder / "damaged")
        for path in known:
            if missing := list(_lines(path, ends.get(path.name, 0))):
                self._index.add(missing)

    def _ends(self) -> dict[str, int]:
        """Say up to where each WARC is listed; an index that cannot be read is made again."""
        try:
            return self._index.ends()
        except (ValueError, KeyError):
            self._index.replace(())
            return {}

    def _rebuild(self) -> None:
        self._index.replace(line for path in self.warcs for line in _lines(path, 0))

    def _members(self, capture: PageVersion | Exchange) -> tuple[Kind, Members]:
        """Make the records of a capture."""
        moment = capture.captured_at or datetime.now(UTC)
        members = Members(capture.url, moment)
        if isinstance(capture, PageVersion):
            if capture.status is None and not capture.headers:
                members.resource(members.url, capture.content_type or "text/html", capture.body)
                return "resource", members
            capture = exchange_of(capture)
        original = self._repeated(members.url, capture)
        members.exchange(capture, original)
        return "response" if original is None else "revisit", members

    def _repeated(self, url: str, capture: Exchange) -> Original | None:
        """Find the capture of the same address whose body this one repeats, if any."""
        entries = self._captures(url)
        found = _original(entries) if capture.not_modified else _holding(entries, digest(capture.body))
        if found is None or (not capture.not_modified and not (capture.body and capture.status == _OK)):
            return None
        # Readers look an original up by its address and second: where two answer to that, it is written again.
        if any(each.timestamp == found.timestamp and each.digest != found.digest for each in entries):
            return None
        record = self._record(found)
        return Original(found.url, record.headers.get(DATE), found.digest)

    def _captures(self, url: str) -> list[Entry]:
        """Give the captures of an address that were no errors, oldest first."""
        return [entry for entry in self._index.under(url) if entry.url == url and entry.status in ("", "200")]

    def _record(self, entry: Entry) -> Any:
        """Read the record that an index leads to."""
        path = self._warc / entry.filename
        with path.open("rb") as file:
            file.seek(entry.offset)
            record = next(ArchiveIterator(file, max_header_len=LONGEST_HEADER))
            record.freeze()
            return record

    def _page(self, entry: Entry) -> PageVersion | None:
        try:
            page = page_of(self._record(entry), limits=DEFAULT_LIMITS)
        except PagedriftError:
            return None
        page = page[0] if isinstance(page, tuple) else page
        return page if isinstance(page, PageVersion) else None

    def _written(self, kind: Kind, data: bytes) -> Kept:
        """Write the records of one capture and list them: both, or neither."""
        if self._lock is None:
            raise ArchiveError(f"{self.folder} was closed; open it again")
        try:
            file = self._file_for(len(data))
            path, start = Path(str(file.name)), file.seek(0, os.SEEK_END)
            try:
                _write(file, data)
                self._index.add(lines_of(io.BytesIO(data), path.name, start=start))
            except BaseException:
                with suppress(OSError):
                    file.truncate(start)
                raise
        except OSError as error:
            raise ArchiveError(
                f"nothing was kept of this capture: {self.folder} cannot be written to ({error.strerror}); "
                "make room or mend that, then try again"
            ) from None
        return Kept(kind, path, start, len(data))

    def _file_for(self, size: int) -> io.FileIO:
        """Give the WARC to write to; begin the next one where this one has grown enough."""
        if self._file is not None:
            now = self._file.seek(0, os.SEEK_END)
            if now + size <= self.largest:
                return self._file
            self._file.close()
            self._file = None
        known = self.warcs
        number = int(_NAME.fullmatch(known[-1].name)[1]) + 1 if known else 0  # type: ignore[index]
        moment = datetime.now(UTC)
        path = self._warc / f"pagedrift-{number:06}-{moment:%Y%m%d%H%M%S}.warc.gz"
        members = Members("", moment)
        members.information(path.name, software())
        file = path.open("xb", buffering=0)
        try:
            _write(file, bytes(members))
        except OSError:
            file.close()
            path.unlink()
            raise
        _flush_folder(self._warc)
        self._file = file
        return file


def _original(entries: list[Entry]) -> Entry | None:
    """Give the capture whose body the newest one has: itself, or what it repeats."""
    return _holding(entries, entries[-1].digest) if entries else None


def _holding(entries: list[Entry], digest: str) -> Entry | None:
    """Give the newest capture that has a body of its own, with this digest."""
    return next((entry for entry in reversed(entries) if entry.mime != REVISIT and entry.digest == digest), None)


def _bytes_of(exchange: Exchange) -> bytes:
    members = Members(exchange.url, exchange.captured_at)
    members.exchange(exchange)
    return bytes(members)


def _lines(path: Path, start: int) -> list[bytes]:
    """Make the index lines of a WARC from an offset on."""
    with path.open("rb") as file:
        file.seek(start)
        return list(lines_of(file, path.name))


def _write(file: io.FileIO, data: bytes) -> None:
    """Write all of it and wait until the disk has it."""
    rest = memoryview(data)
    while rest:
        rest = rest[file.write(rest) or 0 :]
    os.fsync(file.fileno())


def _flush_folder(path: Path) -> None:
    """Wait until the disk knows the names in a folder; where folders cannot be opened, it does by itself."""
    with suppress(OSError):
        folder = os.open(path, os.O_RDONLY)
        try:
            os.fsync(folder)
        finally:
            os.close(folder)


def software() -> str:
    """Say who writes."""
    from importlib.metadata import version as installed

    return f"Pagedrift/{installed('pagedrift')}"
