"""Recovery of intact records from a WARC that is damaged or can be read only once."""

from __future__ import annotations

import re
import zlib
from collections import deque
from typing import TYPE_CHECKING, BinaryIO
from zipfile import BadZipFile

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pagedrift.archive.source import Readable

CUT = "the record is cut off or its length is wrong; get a complete copy of the archive"
GARBAGE = "no record starts here; get a complete copy of the archive"
TORN = "the gzip member is damaged or cut off; get a complete copy of the archive"
UNREADABLE = "the file cannot be read further; get a complete copy of the archive"

_CHUNK = 1 << 16
_MAGIC = b"\x1f\x8b\x08"
_PEEK = 1 << 10  # packed bytes that surely hold the first letters of a record
_MAX_REWIND_BYTES = 8_000_000  # packed bytes to go back to when a member turns out to be damaged
_REWORK = 8  # how often, on average, a byte may be unpacked in vain: keeps hostile files linear
_MAX_GARBAGE_BYTES = 1 << 20  # of garbage after which it can still be decided whether a file is packed
_HEADER = 1 << 16  # bytes of the WARC header of one record
_START = re.compile(rb"WARC/\d\.\d+\r?\n")
_CANDIDATE = re.compile(rb"WARC/\d\.\d+\r?\n[\w-]+:")
_STRADDLE = 64  # bytes of a candidate that may stand at the end of what was searched
_LENGTH = re.compile(rb"\ncontent-length:[ \t]*(\d{1,18})[ \t]*\r?\n", re.IGNORECASE)
_NEWLINES = re.compile(rb"[\r\n]*")
_ENDING = re.compile(rb"\r\n\r\n|[\r\n]*(?:WARC/|\Z)")
_BEYOND = 16  # bytes to look at after a record


def records(file: Readable, *, offset: int = 0, largest: int) -> Iterator[tuple[int, bytes | str]]:
    r"""Give the offset of each record and its bytes, or the reason why there is none, in one pass.

    A record is whole if it has the length it claims and something sensible follows; of one with more than
    `largest` bytes only the beginning is given.

    >>> import io
    >>> whole = b"WARC/1.0\r\nContent-Length: 2\r\n\r\nHi\r\n\r\n"
    >>> [(at, len(found)) for at, found in records(io.BytesIO(whole + whole), largest=100)]
    [(0, 33), (37, 33)]
    """
    stretch = _open(file, offset)
    while True:
        found: bytes | str = b""
        for at, found in _Window(stretch).records(largest):
            yield at, found
        if stretch.lost and not isinstance(found, str):
            yield stretch.offset, TORN if stretch.torn else GARBAGE
        if not stretch.resume():
            break
    if stretch.failed:
        yield stretch.end, UNREADABLE


def opens_record(head: bytes) -> bool:
    """Return whether a record starts with these bytes, packed or not."""
    if not head.startswith(_MAGIC):
        return head.startswith(b"WARC/")
    try:
        return zlib.decompressobj(31).decompress(head, 5) == b"WARC/"
    except zlib.error:
        return False


def next_record(file: BinaryIO, offset: int) -> int:
    """Find where the next gzip member that opens a record starts, or where the file ends."""
    file.seek(offset)
    data = b""
    while chunk := file.read(_CHUNK):
        data += chunk
        found = data.find(_MAGIC)
        while found >= 0:
            if len(data) - found < _PEEK:
                data += file.read(_CHUNK)
            if opens_record(data[found : found + _PEEK]):
                return offset + found
            found = data.find(_MAGIC, found + 1)
        passed = max(0, len(data) - len(_MAGIC) + 1)
        offset, data = offset + passed, data[passed:]
    return offset + len(data)


def _open(file: Readable, offset: int) -> _Plain:
    """Begin with the stretch at an offset; a file is packed if a gzip member comes before any plain record."""
    plain = _Plain(file, offset)
    while plain.more() and len(plain.data) < _MAX_GARBAGE_BYTES:
        packed, record = plain.data.find(_MAGIC), _CANDIDATE.search(plain.data)
        if packed >= 0 and not (record and record.start() < packed):
            return _Packed(file, offset, plain)
        if record:
            break
    return plain


class _Plain:
    """The bytes of a file as they are."""

    packed = False
    lost = False  # the stretch ended because of damage
    torn = False  # ... in the middle of a gzip member

    def __init__(self, file: Readable, offset: int) -> None:
        self.file = file
        self.data = bytearray()
        self.offset = self.end = offset  # of the first byte in `data`, and after the last byte read
        self.failed = False

    def more(self) -> bool:
        """Read another chunk of the file."""
        try:
            chunk = self.file.read(_CHUNK)
        except (OSError, EOFError, BadZipFile, zlib.error):
            self.failed = True
            return False
        self.end += len(chunk)
        self.data += chunk
        return bool(chunk)

    def drop(self, size: int) -> None:
        """Forget the first bytes of what was read."""
        del self.data[:size]
        self.offset += size

    def read(self) -> tuple[int, bytes]:
        """Give the next bytes of the stretch and where they stand in the file."""
        if not self.data:
            self.more()
        offset, piece = self.offset, bytes(self.data)
        self.drop(len(piece))
        return offset, piece

    def resume(self) -> bool:
        """Go on to the next stretch, if damage ended this one."""
        return False


class _Packed(_Plain):
    """The bytes in the gzip members of a file, which may break off at any point."""

    packed = True

    def __init__(self, file: Readable, offset: int, begun: _Plain) -> None:
        super().__init__(file, offset)
        self.data, self.end, self.failed = begun.data, begun.end, begun.failed
        self.fed = 0  # bytes of `data` that the inflater has consumed
        self.wasted = 0
        self.inflater: zlib._Decompress | None = None

    def read(self) -> tuple[int, bytes]:
        """Give the next unpacked bytes and where their member starts; none where the stretch ends."""
        piece = b""
        while not piece and (self.inflater or self._begin_member()):
            piece = self._inflate()
        return self.offset, piece

    def _begin_member(self) -> bool:
        """Look for a member right after the last one; anything else ends the stretch."""
        if self.lost:
            return False
        self.drop(self.fed)
        self.fed = 0
        while len(self.data) < len(_MAGIC) and self.more():
            pass
        self.lost = bool(self.data) and not self.data.startswith(_MAGIC)
        if self.data and not self.lost:
            self.inflater = zlib.decompressobj(31)
        return self.inflater is not None

    def _inflate(self) -> bytes:
        """Unpack some more of the member; read more of the file where it gives nothing."""
        assert self.inflater is not None
        try:
            piece = self.inflater.decompress(self.data[self.fed :], _CHUNK)
        except zlib.error:
            return self._tear()
        rest = self.inflater.unused_data if self.inflater.eof else self.inflater.unconsumed_tail
        self.fed = len(self.data) - len(rest)
        if self.inflater.eof:
            self.inflater = None
        elif not piece and not self.more():
            return self._tear()
        if self.fed > _MAX_REWIND_BYTES:
            self.drop(self.fed)
            self.fed = 0
        return piece

    def _tear(self) -> bytes:
        """End the stretch in the middle of a member."""
        self.inflater, self.torn, self.lost = None, True, True
        return b""

    def resume(self) -> bool:
        """Find the next member that holds the start of a record."""
        if not self.lost:
            return False
        self.wasted += self.fed
        start = 1 if self.wasted < _REWORK * self.end else max(1, self.fed)
        while (found := self.data.find(_MAGIC, start)) >= 0 or self._slide():
            while found >= 0 and len(self.data) < found + _PEEK and self.more():
                pass
            if found >= 0 and opens_record(bytes(self.data[found : found + _PEEK])):
                self.drop(found)
                self.fed, self.lost, self.torn = 0, False, False
                return True
            start = found + 1
        return False

    def _slide(self) -> bool:
        """Replace what was searched by the next chunk, but for a magic number that may straddle them."""
        self.drop(max(0, len(self.data) - len(_MAGIC) + 1))
        return self.more()


class _Window:
    """A view of one stretch that moves from record to record."""

    def __init__(self, stretch: _Plain) -> None:
        self.stretch = stretch
        self.data = bytearray()
        self.at = 0  # the cursor, in `data`
        self.marks: deque[tuple[int, int]] = deque()  # where in `data` bytes of which file offset start

    def records(self, largest: int) -> Iterator[tuple[int, bytes | str]]:
        """Give every record of the stretch, or the reason where there is none."""
        while self._fill(1):
            newlines = _NEWLINES.match(self.data, self.at)
            if newlines and newlines[0]:
                self.at = newlines.end()
                continue
            offset = self._offset()
            yield offset, self._record(largest)

    def _record(self, largest: int) -> bytes | str:
        """Take the record at the cursor and move behind it, or else to the next candidate."""
        self._fill(2 * _HEADER)
        if not _START.match(self.data, self.at):
            return self._give_up(GARBAGE)
        header = self._header()
        length = _LENGTH.search(self.data, self.at, self.at + header)
        if length is None or _CANDIDATE.search(self.data, self.at + 1, self.at + header):
            return self._give_up(CUT)
        size = header + int(length[1])
        if size - header > largest:
            beginning = bytes(self.data[self.at : self.at + header + _HEADER])
            self._search(header)
            return beginning
        if not self._ends_after(size):
            return self._give_up(CUT)
        record = bytes(self.data[self.at : self.at + size])
        self.at += size
        return record

    def _header(self) -> int:
        """Measure the header at the cursor, its blank line included; 0 where it does not end."""
        limit = self.at + _HEADER
        found = ((self.data.find(blank, self.at, limit), len(blank)) for blank in (b"\n\r\n", b"\n\n"))
        return min((at + size - self.at for at, size in found if at >= 0), default=0)

    def _ends_after(self, size: int) -> bool:
        """Return whether something sensible follows a number of bytes: another record, blank lines or the end."""
        filled = self._fill(size + _BEYOND)
        end = self.at + size
        ending = _ENDING.match(self.data, end) if end <= len(self.data) else None
        return ending is not None and (filled or ending[0].endswith(b"WARC/") or not self._torn_before(end))

    def _torn_before(self, end: int) -> bool:
        """Return whether a member that broke off, its checksum unseen, holds some of the bytes up to there."""
        return self.stretch.torn and any(at < end and o == self.stretch.offset for at, o in self.marks)

    def _give_up(self, reason: str) -> str:
        self._search(1)
        return reason

    def _search(self, skip: int) -> None:
        """Move the cursor to the next place where a record may start."""
        self.at += skip
        while not (found := _CANDIDATE.search(self.data, self.at)):
            self.at = max(self.at, len(self.data) - _STRADDLE)
            if not self._fill(len(self.data) - self.at + 1):
                self.at = len(self.data)
                return
        self.at = found.start()

    def _fill(self, size: int) -> bool:
        """Hold at least a number of bytes from the cursor on; False where the stretch ends before."""
        while len(self.data) - self.at < size:
            offset, piece = self.stretch.read()
            if not piece:
                return False
            if self.at > _CHUNK and self.at > len(self.data) // 2:  # seldom enough to stay linear
                del self.data[: self.at]
                self.marks = deque((start - self.at, offset) for start, offset in self.marks)
                self.at = 0
            self.marks.append((len(self.data), offset))
            self.data += piece
        return True

    def _offset(self) -> int:
        """Give the place of the cursor in the file; in a packed one, of the member it is in."""
        while len(self.marks) > 1 and self.marks[1][0] <= self.at:
            self.marks.popleft()
        start, offset = self.marks[0]
        return offset if self.stretch.packed else offset + self.at - start
