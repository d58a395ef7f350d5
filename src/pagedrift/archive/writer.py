"""The archive writer: keeps page versions so that none it has acknowledged is ever lost.

A folder holds `warc/` (the bytes, readable by every tool for WARC) and `indexes/` (where they stand). Captures are
written and flushed to the disk before they are acknowledged; what a crash cut off is repaired when the folder is
opened again. Several writers share a folder, each with files of its own.
"""

from __future__ import annotations

import os
import threading
from contextlib import contextmanager, suppress
from dataclasses import KW_ONLY, dataclass, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, Literal, Self, cast

from pagedrift.archive import compaction, lock, relocations, truncation
from pagedrift.archive.index import REVISIT, Index, IndexEntry, line_of, timestamp_of, written
from pagedrift.archive.locations import SCHEME, WRITER, ArchiveError, Name, Place, checked, open_at, warcs
from pagedrift.archive.reader import NOTE, Stored, page_at, repeated_by, stored, whole
from pagedrift.archive.record import DATE, DIGEST, URL
from pagedrift.archive.record_format import (
    JSON,
    Members,
    Original,
    RecordEntry,
    as_json,
    digest,
    exchange_of,
    information,
)
from pagedrift.archive.record_scan import Group, groups, record_at
from pagedrift.atomic_files import flush_folder
from pagedrift.errors import InputError, PagedriftError
from pagedrift.http_exchange import Exchange
from pagedrift.page import PageVersion

if TYPE_CHECKING:
    import io
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
    from types import EllipsisType, TracebackType

    from pagedrift.archive.compaction import Compaction
    from pagedrift.archive.record_format import Attachment

__all__ = ["MAX_WARC_BYTES", "ArchiveError", "ArchiveWriter", "Capture", "KeptCapture", "Packed", "software"]

MAX_WARC_BYTES: Final = 1_000_000_000  # of a WARC, before the next one is begun
_AT_ONCE: Final = 20_000  # lines of an index that is made again
_OK: Final = 200

Kind = Literal["response", "resource", "revisit"]


@dataclass(frozen=True, slots=True)
class Capture:
    """All that is kept of one visit.

    `repeats` says which kept capture has the same body (or, after a 304, still holds): `...` looks that up, None
    writes the body whole.
    """

    page: PageVersion | Exchange
    _: KW_ONLY
    redirects: Sequence[Exchange] = ()
    notes: Mapping[str, Any] | None = None
    attachments: Sequence[Attachment] = ()
    repeats: Place | EllipsisType | None = ...


@dataclass(frozen=True, slots=True, kw_only=True)
class KeptCapture:
    """Where a capture was written, and as what: a revisit repeats the body of another one."""

    kind: Kind
    path: Path
    offset: int
    length: int  # of all its records
    place: Place  # of its main record


@dataclass(slots=True, kw_only=True)
class Packed:
    """A capture that waits to be written."""

    kind: Kind
    data: bytes
    entries: list[RecordEntry]
    main: int  # where in its bytes the main record starts
    capture: Capture | None = None  # that it was made of
    repeats: Place | None = None
    kept: KeptCapture | None = None
    lost: bool = False  # what it repeats was dropped meanwhile
    error: OSError | None = None


class ArchiveWriter:
    """Appends page versions to the WARCs of a folder; one process per name of a writer, whose threads may share it.

    >>> import tempfile
    >>> from pagedrift import PageVersion, read
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     with ArchiveWriter(folder) as archive:
    ...         page = PageVersion("https://city.example/", b"<p>Fees", status=200, content_type="text/html")
    ...         first, second = archive.append(page), archive.append(page)
    ...     first.kind, second.kind, [version.body for version in read(folder)]
    ('response', 'revisit', [b'<p>Fees', b'<p>Fees'])
    """

    def __new__(cls, folder: str | Path, **_: object) -> Self:
        """Give one that keeps captures in a bucket, where that is what is named."""
        if cls is ArchiveWriter and str(folder).startswith(SCHEME):
            from pagedrift.archive.s3_writer import BucketWriter

            return cast("Self", super().__new__(BucketWriter))
        return super().__new__(cls)

    def __init__(self, folder: str | Path, *, writer: str = WRITER, largest: int = MAX_WARC_BYTES) -> None:
        self.folder = Path(folder)
        self.address = str(folder) if str(folder).startswith(SCHEME) else self.folder  # where captures are read
        self.writer = checked(writer)
        self.largest = largest
        self.mended = 0  # bytes that were cut off by a crash and put aside
        self._thread = threading.Lock()  # held by the thread that writes, for itself and for those that wait
        self._queue = threading.Lock()
        self._waiting: list[Packed] = []
        self._lock: int | None = None
        self._file: io.FileIO | None = None
        try:
            self._open()
        except OSError as error:
            self.close()
            raise ArchiveError(
                f"{self.address} cannot be written to ({error.strerror}); fix that, or choose another folder"
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
        """Let others write under this name."""
        with self._thread:
            if self._file is not None:
                self._file.close()
            if self._lock is not None:
                with suppress(OSError, AttributeError):
                    self._index.flush()
                os.close(self._lock)
            self._file = self._lock = None

    def append(
        self,
        capture: PageVersion | Exchange,
        *,
        redirects: Iterable[Exchange] = (),
        notes: Mapping[str, Any] | None = None,
        attachments: Iterable[Attachment] = (),
        repeats: Place | EllipsisType | None = ...,
    ) -> KeptCapture:
        """Keep a capture, the redirects that led to it, notes and attachments; on disk when this returns.

        A body that a recent capture of its address has already is not written again, nor one that the server said
        was not modified: a revisit record says so. Threads that append at the same time share one flush.
        """
        return self.append_all(
            [Capture(capture, redirects=(*redirects,), notes=notes, attachments=(*attachments,), repeats=repeats)]
        )[0]

    def append_all(self, captures: Iterable[Capture]) -> list[KeptCapture]:
        """Keep several captures with one flush; each whole or not at all, and all of them when this returns."""
        kept = []
        for each in self.write([self.pack(capture) for capture in captures]):
            if isinstance(each, ArchiveError):
                raise each
            kept.append(each)
        return kept

    def write(self, packed: Sequence[Packed]) -> list[KeptCapture | ArchiveError]:
        """Keep packed captures with one flush; of each, say where it is now, or why it could not be written."""
        return list(map(self._outcome, self._commit([*packed])))

    def _outcome(self, packed: Packed) -> KeptCapture | ArchiveError:
        while packed.lost and packed.capture is not None:  # what it repeats was dropped meanwhile
            page = packed.capture.page
            again = ... if isinstance(page, Exchange) and page.not_modified else None
            [packed] = self._commit([self.pack(replace(packed.capture, repeats=again))])
        if packed.error is not None:
            return ArchiveError(
                f"this capture was not stored: {self.address} cannot be written to "
                f"({packed.error.strerror}); free some space or fix that, then try again"
            )
        assert packed.kept is not None  # for the type checker
        return packed.kept

    def note(self, urn: str, data: Mapping[str, Any]) -> Place:
        """Keep what belongs to no capture, such as the definition of a watch, under `urn:pagedrift:URN`."""
        moment = datetime.now(UTC)
        members = Members(NOTE + urn, moment)
        members.resource(members.url, JSON, as_json(data))
        body, entries, main = members.packed()
        [kept] = self.write([Packed(kind="resource", data=body, entries=entries, main=main)])
        if isinstance(kept, ArchiveError):
            raise kept
        return kept.place

    def newest(self, url: str) -> PageVersion | None:
        """Give the newest version of a page, by whichever writer, that was not an error."""
        for entry in reversed(self._captures(Members(url, datetime.now(UTC)).url)):
            with suppress(PagedriftError):
                return page_at(self.address, Place(entry.filename, entry.offset, entry.length))
        return None

    def stored(self, *, after: Mapping[str, int] | None = None) -> Iterator[Stored]:
        """Walk everything that the folder holds."""
        return stored(self.address, after=after)

    def compact(self, keep: Callable[[Stored], bool]) -> Compaction:
        """Rewrite the WARCs of this writer without what is not kept; what a kept capture repeats stays."""
        (self.folder / "locks").mkdir(exist_ok=True)
        alone = lock.take(self.folder / "locks" / "~compaction")
        if alone is None:
            raise ArchiveError(f"{self.address} is being compacted by another writer; wait for it")
        try:
            return self._compact(compaction.CompactionPlan(self.folder, self.writer, keep))
        finally:
            os.close(alone)

    def _compact(self, plan: compaction.CompactionPlan) -> Compaction:
        with self._writing():
            if self._file is not None and Path(str(self._file.name)) in plan.files:
                self._file.close()  # what is written from here on stands in the next one
                self._file_after(Path(str(self._file.name)))
        done = compaction.Compaction()
        for path in plan.files:
            with self._writing():
                done += compaction.rewrite(self.folder, path, plan, self._list)
        with self._writing():
            self._index.drop(path.name for path in plan.files)
        return done

    def forget_moves(self) -> None:
        """Forget where compaction moved the captures of this writer, once nobody asks for the old places."""
        names = [name for name in relocations.superseded(self.folder) if self._own(name)]
        relocations.forget(self.folder, [name for name in names if not (self.folder / "warc" / name).exists()])

    def rebuild_index(self) -> None:
        """Make the index again from the WARCs alone."""
        with self._thread:
            self._rebuild()

    @property
    def warcs(self) -> list[Path]:
        """The WARCs of this writer, oldest first, whatever the clock said."""
        return warcs(self.folder, writer=self.writer)

    def _own(self, name: str) -> bool:
        found = Name.read(name)
        return found is not None and found.writer == self.writer

    def _open(self) -> None:
        for name in ("warc", "locks"):
            (self.folder / name).mkdir(parents=True, exist_ok=True)
        self._lock = lock.take(self.folder / "locks" / self.writer)
        if self._lock is None:
            raise ArchiveError(
                f"{self.address} is being written to by another process as {self.writer!r}; wait for it, "
                "or choose another folder or writer name"
            )
        compaction.finish(self.folder, self.writer)
        self._index = Index(self.folder, self.writer)
        try:
            self._catch_up()
            self._index.flush()
        except (ValueError, KeyError):  # an index that cannot be read
            self._rebuild()
        known = self.warcs
        if known and not known[-1].stat().st_size:
            known.pop().unlink()  # begun, and cut off before its first record was whole
        if known and known[-1].stat().st_size < self.largest:
            self._file = known[-1].open("ab", buffering=0)

    def _catch_up(self) -> None:
        """Repair what was written last, and list what a crash kept from being listed."""
        sizes = {path.name: path.stat().st_size for path in self.warcs}
        if cut := [name for name, end in self._index.ends.items() if end > sizes.get(name, 0)]:
            self._index.drop(cut)  # cut or taken away since
        for path in self.warcs:
            start = self._index.ends.get(path.name, 0)
            if start < sizes[path.name]:
                self.mended += truncation.mend(path, start=start, aside=self.folder / "damaged")
                self._list(path, start)

    def _list(self, path: Path, start: int = 0) -> None:
        """List what is in a WARC from an offset on."""
        lines: list[bytes] = []
        end = start
        with path.open("rb") as file:
            for group in groups(file, start):
                if isinstance(group, Group):
                    lines += filter(None, (line_of(written(record), path.name) for record in group.records))
                    end = group.end
                if len(lines) > _AT_ONCE:
                    self._index.add(lines, {path.name: end})
                    self._index.tidy()
                    lines = []
        self._index.add(lines, {path.name: end})
        self._index.tidy()

    def _rebuild(self) -> None:
        self._index.clear()
        for path in self.warcs:
            self._list(path)

    def pack(self, capture: Capture) -> Packed:
        """Make the records of a capture, to be written with others."""
        page, notes = capture.page, capture.notes
        members = Members(page.url, page.captured_at or datetime.now(UTC))
        for redirect in capture.redirects:
            members.redirect(redirect)
        kind: Kind = "resource"
        original = None
        if isinstance(page, PageVersion) and page.status is None and not page.headers:
            members.resource(members.url, page.content_type or "text/html", page.body)
        else:
            exchange = exchange_of(page) if isinstance(page, PageVersion) else page
            original = self._original(members.url, exchange, capture.repeats)
            members.exchange(exchange, original)
            kind = "response" if original is None else "revisit"
            if original is not None and exchange.not_modified:  # no record has its status and headers
                notes = {**(notes or {}), "status": exchange.status, "headers": exchange.headers}
        if notes is not None:
            members.metadata(notes)
        for attachment in capture.attachments:
            members.resource(attachment.address(members.url), attachment.media_type, attachment.body)
        data, entries, main = members.packed()
        repeats = original.place if original else None
        return Packed(kind=kind, data=data, entries=entries, main=main, capture=capture, repeats=repeats)

    def _original(self, url: str, exchange: Exchange, repeats: Place | EllipsisType | None) -> Original | None:
        """Find the capture whose body this one repeats, if any."""
        if isinstance(repeats, tuple):
            with suppress(InputError):
                found = self._original_at(repeats)
                if exchange.not_modified or found.digest == digest(exchange.body):
                    return found
            return self._repeated(url, exchange) if exchange.not_modified else None
        return self._repeated(url, exchange) if repeats is ... else None

    def _original_at(self, place: Place) -> Original:
        """Read what a revisit says of the capture at a place, or of the one that it repeats itself."""
        file, place = open_at(self.address, place)
        with file:
            record = record_at(file, place.offset)
        if record is None:
            raise InputError(
                f"no record starts at byte {place.offset} of {place.filename}; get a complete copy of it"
            )
        if record.kind == "revisit":
            return self._original_at(repeated_by(self.address, record.fields))
        return Original(record.fields.get(URL), record.fields.get(DATE), record.fields.get(DIGEST) or "", place)

    def _repeated(self, url: str, exchange: Exchange) -> Original | None:
        """Look up which of the newest captures of an address has the same body."""
        if not exchange.not_modified and not (exchange.body and exchange.status == _OK):
            return None
        entries = self._captures(url)
        if not entries:
            return None
        wanted = entries[-1].digest if exchange.not_modified else digest(exchange.body)
        for same in reversed(entries):
            if same.digest == wanted:
                place = Place(same.filename, same.offset, same.length)
                with suppress(InputError):
                    found = self._original_at(place if same.mime == REVISIT else whole(self.address, place))
                    # Some readers look an original up by its address and second, where two may answer.
                    return None if self._mistaken(found) else found
        return None

    def _mistaken(self, original: Original) -> bool:
        others = self._index.at(original.url, timestamp_of(original.date))
        return any(
            each.url == original.url and each.digest != original.digest for each in others if each.mime != REVISIT
        )

    def _captures(self, url: str) -> list[IndexEntry]:
        """Give the newest captures of an address that were not errors, oldest first."""
        try:
            entries = self._index.newest(url)
        except (ValueError, KeyError):  # an index that cannot be read
            self.rebuild_index()
            entries = self._index.newest(url)
        return [entry for entry in entries if entry.url == url and entry.status in ("", "200")]

    @contextmanager
    def _writing(self) -> Iterator[None]:
        """Let no other thread write, and say so where nobody can."""
        with self._thread:
            if self._lock is None:
                raise ArchiveError(f"{self.address} was closed; open it again")
            try:
                yield
            except OSError as error:
                raise ArchiveError(
                    f"{self.address} cannot be written to ({error.strerror}); "
                    "free some space or fix that, then try again"
                ) from None

    def _commit(self, packed: list[Packed]) -> list[Packed]:
        """Wait until captures are on disk; whoever comes first writes what others have waiting, too."""
        with self._queue:
            self._waiting += packed
        with self._writing():
            if any(each.kept is None and each.error is None and not each.lost for each in packed):
                with self._queue:
                    waiting, self._waiting = self._waiting, []
                self._write(waiting)
        self._tidy()
        return packed

    def _tidy(self) -> None:
        self._index.tidy()

    def _write(self, waiting: list[Packed]) -> None:
        """Write captures with one flush; where that fails, each alone, so that none fails for another one."""
        try:
            self._write_all(waiting)
        except OSError as error:
            if len(waiting) == 1:
                waiting[0].error = error
                return
            for each in waiting:
                if each.kept is None and not each.lost:
                    self._write([each])

    def _write_all(self, waiting: list[Packed]) -> None:
        """Write captures and list them: all, or none."""
        while waiting:
            file = self._file_for(len(waiting[0].data))
            path, start = Path(str(file.name)), file.seek(0, os.SEEK_END)
            fitting, end = 1, start + len(waiting[0].data)
            while fitting < len(waiting) and end + len(waiting[fitting].data) <= self.largest:
                end += len(waiting[fitting].data)
                fitting += 1
            now, waiting = waiting[:fitting], waiting[fitting:]
            try:
                _write(file, b"".join(each.data for each in now))
            except BaseException:
                self._take_back(file, start)
                raise
            if lost := [each for each in now if each.repeats and relocations.going(self.folder, *each.repeats[:2])]:
                self._take_back(file, start)
                for each in lost:
                    each.lost = True
                waiting = [each for each in now if not each.lost] + waiting
                continue
            self._acknowledge(now, path, start)

    def _acknowledge(self, written: list[Packed], path: Path, start: int) -> None:
        lines: list[bytes] = []
        for each in written:
            lines += filter(None, (line_of(entry, path.name, start=start) for entry in each.entries))
            place = Place(path.name, start + each.main, len(each.data) - each.main)
            each.kept = KeptCapture(kind=each.kind, path=path, offset=start, length=len(each.data), place=place)
            start += len(each.data)
        self._index.add(lines, {path.name: start})

    def _take_back(self, file: io.FileIO, start: int) -> None:
        """Cut off what was written in part; if even that fails, continue in another file."""
        try:
            file.truncate(start)
        except OSError:
            file.close()
            self._file = None

    def _file_for(self, size: int) -> io.FileIO:
        """Give the WARC to write to; begin the next one where this one has grown enough."""
        if self._file is not None:
            now = self._file.seek(0, os.SEEK_END)
            if now + size <= self.largest:
                return self._file
            self._file.close()
            self._file = None
        return self._file_after(self.warcs[-1] if self.warcs else None)

    def _file_after(self, last: Path | None) -> io.FileIO:
        """Begin the next WARC."""
        known = Name.read(last.name) if last else None
        number = known.number + 1 if known else 0
        name = Name(self.writer, number, f"{datetime.now(UTC):%Y%m%d%H%M%S}")
        path = self.folder / "warc" / str(name)
        file = path.open("xb", buffering=0)
        try:
            _write(file, information(path.name, software()))
        except OSError:
            file.close()
            path.unlink()
            raise
        flush_folder(path.parent)
        self._file = file
        return file


def _write(file: io.FileIO, data: bytes) -> None:
    """Write all of it and wait until the disk has it."""
    rest = memoryview(data)
    while rest:
        rest = rest[file.write(rest) or 0 :]
    os.fsync(file.fileno())


def software() -> str:
    """Say who writes."""
    from importlib.metadata import version as installed

    return f"Pagedrift/{installed('pagedrift')}"
