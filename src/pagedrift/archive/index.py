"""Where does each capture stand in the WARCs of a folder?

Two sorted CDXJ files, which pywb reads as they are: `index.cdxj`, and `recent.cdxj` with what came since, which is
small and written anew for each capture. Both are replaced in one step, and can be made again from the WARCs.
"""

from __future__ import annotations

import heapq
import io
import json
import os
import zlib
from bisect import bisect_left, insort
from contextlib import suppress
from dataclasses import dataclass
from itertools import takewhile
from typing import TYPE_CHECKING, Any, BinaryIO, Final

from warcio.archiveiterator import ArchiveIterator
from warcio.exceptions import ArchiveLoadFailed
from warcio.timeutils import iso_date_to_timestamp

from pagedrift.archive.keys import key

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from pathlib import Path

MAIN: Final = "index.cdxj"
RECENT: Final = "recent.cdxj"
MOST_RECENT: Final = 256  # lines, before they are merged into the main file
REVISIT: Final = "warc/revisit"
_LISTED: Final = frozenset({"response", "revisit", "resource", "metadata"})


@dataclass(frozen=True, slots=True)
class Entry:
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
    def read(cls, line: bytes) -> Entry:
        """Read a line."""
        _, timestamp, told = line.decode("utf-8").split(" ", 2)
        data = json.loads(told)
        return cls(
            timestamp,
            data["url"],
            data.get("mime", ""),
            data.get("status", ""),
            data.get("digest", ""),
            data["filename"],
            int(data["offset"]),
            int(data["length"]),
        )


def lines_of(file: BinaryIO, filename: str, *, start: int = 0) -> Iterator[bytes]:
    """Give the lines for the records in a file from where it stands, or in bytes that start at an offset of one."""
    records = ArchiveIterator(file)
    # At damage that came later, which warcio meets in many ways, the listing ends: what stands before it is listed.
    with suppress(ArchiveLoadFailed, zlib.error, AttributeError, KeyError, TypeError, ValueError):
        for record in records:
            if record.rec_type in _LISTED:
                yield _line(record, filename, start + records.get_record_offset(), records.get_record_length())


def _line(record: Any, filename: str, offset: int, length: int) -> bytes:
    fields, http = record.rec_headers, record.http_headers
    url = fields.get_header("WARC-Target-URI")
    mime = REVISIT if record.rec_type == "revisit" else _mime(record)
    status = http.get_statuscode() if http else None
    about = {
        "url": url,
        "mime": mime,
        "status": status,
        "digest": fields.get_header("WARC-Payload-Digest"),
        "length": str(length),
        "offset": str(offset),
        "filename": filename,
    }
    told = json.dumps({name: value for name, value in about.items() if value})
    return f"{key(url)} {iso_date_to_timestamp(fields.get_header('WARC-Date'))} {told}\n".encode()


def _mime(record: Any) -> str | None:
    """Give the content type without its parameters, as indexes do."""
    told = record.http_headers.get_header("Content-Type") if record.http_headers else None
    if record.http_headers is None:
        told = record.rec_headers.get_header("Content-Type")
    return str(told).replace(";", " ").split(" ", 1)[0].strip() if told else None


class Index:
    """The index of a folder, for one writer at a time."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._main = folder / MAIN
        self._recent = folder / RECENT
        folder.mkdir(exist_ok=True)
        for leftover in folder.glob("*.new"):
            leftover.unlink()
        self._main.touch()
        self._lines = self._recent.read_bytes().splitlines(keepends=True) if self._recent.exists() else []

    def __iter__(self) -> Iterator[bytes]:
        """Give all lines in order, each once."""
        with self._main.open("rb") as main:
            last = b""
            for line in heapq.merge(main, self._lines):
                if line != last:
                    yield line
                last = line

    def add(self, lines: Iterable[bytes]) -> None:
        """List more captures; either all of them are listed then, or none."""
        new = self._lines.copy()
        for line in lines:
            at = bisect_left(new, line)
            if new[at : at + 1] != [line]:
                insort(new, line)
        if len(new) > MOST_RECENT:
            self._lines, kept = new, self._lines
            try:
                self._replace(self._main, iter(self))
            except OSError:
                self._lines = kept
                raise
            new = []
        self._replace(self._recent, new)
        self._lines = new

    def replace(self, lines: Iterable[bytes]) -> None:
        """List these captures and no others."""
        self._replace(self._main, sorted(set(lines)))
        self._replace(self._recent, ())
        self._lines = []

    def under(self, url: str) -> list[Entry]:
        """Give the captures of an address, oldest first."""
        prefix = f"{key(url)} ".encode()
        recent = takewhile(lambda line: line.startswith(prefix), self._lines[bisect_left(self._lines, prefix) :])
        with self._main.open("rb") as main:
            main.seek(_place(main, prefix))
            held = list(takewhile(lambda line: line.startswith(prefix), main))
        entries = map(Entry.read, {*held, *recent})
        return sorted(entries, key=lambda entry: (entry.timestamp, entry.filename, entry.offset))

    def ends(self) -> dict[str, int]:
        """Say up to where each WARC is listed."""
        ends: dict[str, int] = {}
        for line in self:
            entry = Entry.read(line)
            ends[entry.filename] = max(ends.get(entry.filename, 0), entry.offset + entry.length)
        return ends

    def _replace(self, path: Path, lines: Iterable[bytes]) -> None:
        new = path.with_name(path.name + ".new")
        try:
            with new.open("wb") as file:
                file.writelines(lines)
                file.flush()
                if path == self._main:  # what a crash of the machine takes of the other is read off the WARCs again
                    os.fsync(file.fileno())
            new.replace(path)
        except OSError:
            with suppress(OSError):
                new.unlink()
            raise


def _place(file: BinaryIO, prefix: bytes) -> int:
    """Find where the lines that are not before a prefix begin."""
    low, high = 0, file.seek(0, io.SEEK_END)
    while low < high:
        middle = (low + high) // 2
        _to_line(file, middle)
        line = file.readline()
        if line and line < prefix:
            low = middle + 1
        else:
            high = middle
    return _to_line(file, low)


def _to_line(file: BinaryIO, offset: int) -> int:
    """Go to the first line that begins at an offset or after it."""
    file.seek(max(0, offset - 1))
    if offset:
        file.readline()
    return file.tell()
