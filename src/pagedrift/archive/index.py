"""The index of an archive folder: where each capture stands in its WARCs.

Sorted CDXJ files, which pywb reads as they are. Each writer has its own: `WRITER~recent.cdxj` with what came last,
which is small and rewritten for each flush of captures, and `WRITER~NUMBER.cdxj`, which never change: four of
about the same size become one, so that each line is copied a few times however many there are.
`WRITER~segments.json` says which of them hold, and up to where each WARC is listed. All of it can be made again
from the WARCs.
"""

from __future__ import annotations

import errno
import heapq
import json
import os
import re
import threading
import time
from bisect import bisect_left
from collections import defaultdict
from contextlib import ExitStack, suppress
from dataclasses import dataclass
from itertools import islice, takewhile
from typing import TYPE_CHECKING, BinaryIO, Final, TypeVar

from warcio.timeutils import iso_date_to_timestamp

from pagedrift.archive.locations import WRITER
from pagedrift.archive.record_format import RecordEntry, bare
from pagedrift.archive.surt import key
from pagedrift.atomic_files import atomic_file

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping
    from pathlib import Path

    from pagedrift.archive.record_scan import Record

FOLDER: Final = "indexes"
MAX_RECENT_LINES: Final = 256  # lines, before they become a file of their own
REVISIT: Final = "warc/revisit"
_OLDER: Final = ("index.cdxj", "recent.cdxj")  # of folders before there were several writers
_LISTED: Final = frozenset({"response", "revisit", "resource", "metadata"})
_WINDOW: Final = 1 << 15  # bytes of lines about one address that are looked at, the newest ones of each file
_NEWEST: Final = 64  # captures of one address among which a body is looked for
_BLOCK: Final = 512  # bytes that hold a line, mostly
_ALIKE: Final = 4  # files of about one size become one
_MAX_JOINED_BYTES: Final = 1 << 26  # of a file; more are not joined, so that no capture waits long
_AT_ONCE: Final = 50_000  # lines in memory while an index is rewritten

_T = TypeVar("_T")


@dataclass(frozen=True, slots=True, kw_only=True)
class IndexEntry:
    """One line of an index."""

    timestamp: str
    url: str
    mime: str
    status: str
    digest: str
    filename: str
    offset: int
    length: int

    @classmethod
    def read(cls, line: bytes) -> IndexEntry:
        """Read a line."""
        _, timestamp, found = line.decode("utf-8").split(" ", 2)
        data = json.loads(found)
        return cls(
            timestamp=timestamp,
            url=data["url"],
            mime=data.get("mime", ""),
            status=data.get("status", ""),
            digest=data.get("digest", ""),
            filename=data["filename"],
            offset=int(data["offset"]),
            length=int(data["length"]),
        )


def line_of(written: RecordEntry, filename: str, *, start: int = 0) -> bytes | None:
    """Write the line for a record, among bytes that start at an offset of a file; None where it is not listed."""
    if written.kind not in _LISTED:
        return None
    about = {
        "url": written.url,
        "mime": REVISIT if written.kind == "revisit" else written.mime,
        "status": written.status,
        "digest": written.digest,
        "length": str(written.length),
        "offset": str(start + written.offset),
        "filename": filename,
    }
    found = json.dumps({name: value for name, value in about.items() if value})
    return f"{key(written.url)} {timestamp_of(written.date)} {found}\n".encode()


def written(record: Record) -> RecordEntry:
    """Say of a record that was read what an index says of it."""
    fields, http = record.fields, record.http
    found = http.get("Content-Type") if http else fields.get("Content-Type")
    status = str(http.status_code or "") if http and record.kind != "request" else ""
    url, digest = (fields.get("WARC-Target-URI") or "").strip("<>"), fields.get("WARC-Payload-Digest") or ""
    return RecordEntry(
        kind=record.kind,
        url=url,
        date=fields.get("WARC-Date") or "",
        mime=bare(found),
        status=status,
        digest=digest,
        offset=record.offset,
        length=record.length,
    )


def timestamp_of(date: str) -> str:
    """Give the 14 digits of a date, as indexes have them."""
    return str(iso_date_to_timestamp(date))


class Index:
    """What one writer wrote; its threads may share it."""

    def __init__(self, folder: Path, writer: str = WRITER) -> None:
        self.folder = folder / FOLDER
        self.writer = writer
        self.ends: dict[str, int] = {}  # up to where each WARC is listed
        self._lock = threading.RLock()  # on what is in memory
        self._tidying = threading.Lock()  # on the files
        self._untold = False
        self._recent: list[bytes] = []
        self._segments: dict[str, int] = {}  # with their sizes
        self._number = 0
        self._marked = 0  # seconds; never the same twice
        self.folder.mkdir(exist_ok=True)
        self._load()

    def __iter__(self) -> Iterator[bytes]:
        """Give all lines in order, each once."""
        with self._lock:
            return merged([self.folder / name for name in self._segments], self._recent.copy())

    def add(self, lines: Iterable[bytes], ends: Mapping[str, int]) -> None:
        """List more captures, in memory: no capture waits for the files, which `tidy` writes."""
        with self._lock:
            self._recent = sorted({*self._recent, *lines})
            self.ends |= ends
            self._untold = True

    def tidy(self) -> None:
        """Write what was added, unless another thread is at it; what cannot be written now is next time."""
        while self._untold and self._tidying.acquire(blocking=False):
            try:
                self._write_recent()
            except OSError:
                self._untold = True
                return
            finally:
                self._tidying.release()

    def flush(self) -> None:
        """Put what came last into a file of its own, on disk."""
        with self._tidying:
            if self._recent:
                self._write_recent(most=0)

    def drop(self, filenames: Iterable[str]) -> None:
        """Remove the captures of some WARCs."""
        gone = set(filenames)
        with self._tidying, self._lock:
            held = (line for line in self if IndexEntry.read(line).filename not in gone)
            segments = self._write(_chunks(held))
            self._start_over(segments, {name: end for name, end in self.ends.items() if name not in gone})

    def clear(self) -> None:
        """List nothing."""
        with self._tidying, self._lock:
            self._start_over({}, {})

    def _start_over(self, segments: dict[str, int], ends: dict[str, int]) -> None:
        self._settle(segments, ends)
        self.ends, self._recent = ends, []
        self._replace(self._name("recent.cdxj"), ())

    def _write_recent(self, *, most: int | None = None) -> None:
        """Write what came last, and move it to a file that lasts where that has become much.

        The new file is there before the small one is emptied: whoever reads meanwhile may see a line twice, never
        not at all. Afterwards each is in one file, as pywb shows a capture as often as it is listed.
        """
        with self._lock:
            recent, ends, self._untold = self._recent, dict(self.ends), False
        if len(recent) <= (MAX_RECENT_LINES if most is None else most):
            self._replace(self._name("recent.cdxj"), recent)
            return
        self._settle({**self._segments, **self._write([recent])}, ends)
        with self._lock:
            self._recent = sorted({*self._recent} - {*recent})
        self._replace(self._name("recent.cdxj"), ())
        self._mark_changed()

    def _mark_changed(self) -> None:
        """Let pywb see that there are other files: it looks again where the folder's time is another second."""
        self._marked = max(self._marked, int(time.time())) + 1
        with suppress(OSError):
            os.utime(self.folder, (self._marked, self._marked))

    def newest(self, url: str) -> list[IndexEntry]:
        """Give the newest captures of an address, by any writer, oldest first."""
        prefix = f"{key(url)} ".encode()
        lines = self._look(lambda file: _last(file, prefix), _last_of(self._recent, prefix))
        entries = map(IndexEntry.read, lines[-_NEWEST:])
        return sorted(entries, key=lambda entry: (entry.timestamp, entry.filename, entry.offset))

    def at(self, url: str, timestamp: str) -> list[IndexEntry]:
        """Give the captures of an address in one second, by any writer."""
        prefix = f"{key(url)} {timestamp} ".encode()
        return list(
            map(IndexEntry.read, self._look(lambda file: _all(file, prefix), _last_of(self._recent, prefix)))
        )

    def _look(self, ask: Callable[[BinaryIO], list[bytes]], recent: list[bytes]) -> list[bytes]:
        own = self._name("recent.cdxj").name
        with self._lock:
            found = looked_up(self.folder, ask, besides=own)
        return sorted({*found, *recent})

    def _name(self, ending: str) -> Path:
        return self.folder / f"{self.writer}~{ending}"

    def _load(self) -> None:
        """Take up what is on disk, and clear away what a crash left; what cannot be trusted is as if not there."""
        try:
            data = json.loads(self._name("segments.json").read_bytes())
            self._segments, self.ends = dict(data["segments"]), dict(data["ends"])
            if any((self.folder / name).stat().st_size != size for name, size in self._segments.items()):
                raise ValueError
        except (OSError, ValueError, KeyError, TypeError):
            self._segments, self.ends = {}, {}
        named = re.compile(re.escape(self.writer) + r"~(?:(\d+)\.cdxj|.+\.new)")
        for path in list(self.folder.iterdir()):
            if found := named.fullmatch(path.name):
                self._number = max(self._number, int(found[1] or 0))
                if path.name not in self._segments:
                    path.unlink()
        self._replace(self._name("recent.cdxj"), ())

    def _settle(self, segments: dict[str, int], ends: Mapping[str, int]) -> None:
        """Let these files hold, joined where some are alike, and no others."""
        known = {*self._segments, *segments}
        while alike := _alike(segments):
            joined = self._write([sorted({line for name in alike for line in _lines(self.folder / name)})])
            segments = {name: size for name, size in segments.items() if name not in alike} | joined
            known |= joined.keys()
        found = json.dumps({"segments": segments, "ends": ends}).encode()
        self._replace(self._name("segments.json"), [found], durable=True)
        self._segments = segments
        for name in known - segments.keys():
            (self.folder / name).unlink(missing_ok=True)
        if self.writer == WRITER:
            for name in _OLDER:
                (self.folder / name).unlink(missing_ok=True)

    def _write(self, chunks: Iterable[Iterable[bytes]]) -> dict[str, int]:
        """Write new files, on disk, that do not hold yet."""
        made = {}
        for lines in chunks:
            self._number += 1
            path = self._name(f"{self._number:08}.cdxj")
            self._replace(path, lines, durable=True)
            made[path.name] = path.stat().st_size
        return made

    def _replace(self, path: Path, lines: Iterable[bytes], *, durable: bool = False) -> None:
        """Write a file in one step; what a crash of the machine takes of some is read off the WARCs again."""
        with atomic_file(path, durable=durable, beside=path.with_name(path.name + ".new")) as file:
            file.writelines(lines)


def merged(paths: Iterable[Path], recent: Iterable[bytes] = (), *, prefix: bytes = b"") -> Iterator[bytes]:
    """Give the lines of sorted files in order, each once, in flat memory; the files are opened at once."""
    with ExitStack() as opened:
        files = [opened.enter_context(path.open("rb")) for path in paths]
        for file in files:
            file.seek(_place(file, prefix))
        parts = [takewhile(lambda line: line.startswith(prefix), file) for file in files]
        return _once(heapq.merge(*parts, recent), opened.pop_all())


def _once(lines: Iterable[bytes], opened: ExitStack) -> Iterator[bytes]:
    with opened:
        last = b""
        for line in lines:
            if line != last:
                yield line
            last = line


def listed(folder: Path, *, prefix: bytes = b"") -> Iterator[bytes]:
    """Give the lines of all writers of a folder in order, as of now; only those with a prefix."""
    return _retried(lambda: _settled(folder / FOLDER, lambda paths: merged(paths, prefix=prefix)))


def looked_up(folder: Path, ask: Callable[[BinaryIO], list[bytes]], *, besides: str = "") -> list[bytes]:
    """Ask all files of a folder of indexes but one."""

    def asked(paths: list[Path]) -> list[bytes]:
        found: list[bytes] = []
        for path in paths:
            if path.name != besides:
                with path.open("rb", buffering=0) as file:
                    found += ask(file)
        return sorted({*found})  # some stand in two, while they are moved

    return _retried(lambda: _settled(folder, asked))


def captures_at(folder: Path, url: str, timestamp: str) -> list[IndexEntry]:
    """Give the captures of an address in one second."""
    prefix = f"{key(url)} {timestamp} ".encode()
    return [IndexEntry.read(line) for line in looked_up(folder / FOLDER, lambda file: _all(file, prefix))]


def _settled(folder: Path, ask: Callable[[list[Path]], _T]) -> _T:
    """Ask all files of a folder, and again where there are others now: a line may have moved to one of these."""
    paths = sorted(folder.glob("*.cdxj"))
    for _ in range(20):
        found = ask(paths)
        known, paths = paths, sorted(folder.glob("*.cdxj"))
        if paths == known:
            break
    return found


def _retried(ask: Callable[[], _T]) -> _T:
    """Ask again where another process took a file away meanwhile: what was in it is in another then."""
    for _ in range(20):
        try:
            return ask()
        except OSError as error:
            if error.errno not in (errno.ENOENT, errno.ESTALE):  # as network folders say it
                raise
    return ask()


def _alike(segments: Mapping[str, int]) -> list[str]:
    """Name files that should become one: several of about the same size."""
    classes = defaultdict(list)
    for name, size in segments.items():
        classes[max(size, 1).bit_length() // 2].append(name)
    for _, names in sorted(classes.items()):
        if len(names) >= _ALIKE and sum(segments[name] for name in names) <= _MAX_JOINED_BYTES:
            return names
    return []


def _chunks(lines: Iterable[bytes]) -> Iterator[list[bytes]]:
    rest = iter(lines)
    while chunk := list(islice(rest, _AT_ONCE)):
        yield chunk


def _lines(path: Path) -> list[bytes]:
    return path.read_bytes().splitlines(keepends=True)


def _last_of(lines: list[bytes], prefix: bytes) -> list[bytes]:
    return lines[bisect_left(lines, prefix) : bisect_left(lines, _behind(prefix))]


def _last(file: BinaryIO, prefix: bytes) -> list[bytes]:
    """Give the last lines with a prefix, a number of as are looked at."""
    start = _place(file, prefix)
    end = _place(file, _behind(prefix), start)
    if end - start > _WINDOW:
        start = _line_end(file, end - _WINDOW)
    return os.pread(file.fileno(), end - start, start).splitlines(keepends=True)


def _all(file: BinaryIO, prefix: bytes) -> list[bytes]:
    """Give the lines with a prefix."""
    start = _place(file, prefix)
    return os.pread(file.fileno(), _place(file, _behind(prefix), start) - start, start).splitlines(keepends=True)


def _behind(prefix: bytes) -> bytes:
    """Give what comes right behind all lines with a prefix."""
    return prefix[:-1] + bytes([prefix[-1] + 1])


def _place(file: BinaryIO, prefix: bytes, low: int = 0) -> int:
    """Find where the lines that are not before a prefix begin."""
    number, high, size = file.fileno(), os.fstat(file.fileno()).st_size, len(prefix)
    while low < high:
        start = _line_start(file, low, (low + high) // 2)
        if os.pread(number, size, start) < prefix:
            low = _line_end(file, start)
        else:
            high = start
    return low


def _line_start(file: BinaryIO, low: int, offset: int) -> int:
    """Give where the line begins that an offset is in."""
    size = _BLOCK
    while True:
        start = max(low, offset - size)
        found = os.pread(file.fileno(), offset - start, start).rfind(b"\n")
        if found >= 0 or start == low:
            return start + found + 1
        size *= 4


def _line_end(file: BinaryIO, offset: int) -> int:
    """Give where the line behind the one that an offset is in begins."""
    while block := os.pread(file.fileno(), _BLOCK, offset):
        found = block.find(b"\n")
        if found >= 0:
            return offset + found + 1
        offset += len(block)
    return offset
