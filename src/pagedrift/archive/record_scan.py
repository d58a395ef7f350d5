"""A scan of WARCs that Pagedrift wrote: their captures, record by record, and their damaged bytes."""

from __future__ import annotations

import io
import re
import zlib
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, BinaryIO, Final, NamedTuple

from pagedrift.archive.fastwarc_compat import MAX_HEADER_BYTES, warc_records
from pagedrift.archive.record_format import PART
from pagedrift.archive.recovery import next_record

if TYPE_CHECKING:
    from collections.abc import Iterator

_CHUNK: Final = 1 << 18
_FIRST: Final = 1 << 15  # most records are small
_GZIP: Final = 16 + zlib.MAX_WBITS
_MAX_KEPT_BYTES: Final = MAX_HEADER_BYTES + (1 << 16)  # unpacked bytes of a record that show what it is
_JSON: Final = 1 << 26  # of notes, which are wanted whole
_PART: Final = re.compile(r"(\d+)/(\d+); main=(\d+)")


class Torn(NamedTuple):
    """Bytes that are not whole capture."""

    offset: int
    length: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Record:
    """One record: where it stands, what it says, and its first bytes."""

    offset: int
    length: int  # packed
    kind: str
    fields: Any  # of its WARC header
    http: Any  # the headers of its HTTP message, if any
    head: bytes

    @property
    def end(self) -> int:
        """Where the next one stands."""
        return self.offset + self.length


@dataclass(frozen=True, slots=True)
class Group:
    """The records of one capture."""

    records: tuple[Record, ...]
    at: int  # which one is the main record

    @property
    def main(self) -> Record:
        """The record that the others belong to."""
        return self.records[self.at]

    @property
    def offset(self) -> int:
        """Where its first record starts, which may be a redirect."""
        return self.records[0].offset

    @property
    def end(self) -> int:
        """Where the next capture starts."""
        return self.records[-1].end


def groups(file: BinaryIO, start: int = 0) -> Iterator[Group | Torn]:
    """Give the captures from an offset on, and the stretches between them that are damaged."""
    torn: Torn | None = None
    for found in _groups(file, start):
        if torn and isinstance(found, Torn):
            torn = Torn(torn.offset, torn.length + found.length)
            continue
        if torn:
            yield torn
        torn = found if isinstance(found, Torn) else None
        if isinstance(found, Group):
            yield found
    if torn:
        yield torn


def _groups(file: BinaryIO, start: int) -> Iterator[Group | Torn]:
    waiting: list[Record] = []
    for record in _records(file, start):
        if waiting and not _continues(waiting, record):
            yield _close(waiting)
            waiting = []
        if isinstance(record, Torn):
            yield record
            continue
        waiting.append(record)
        _, count, _ = _part(record)
        if count and len(waiting) == count:
            yield _close(waiting)
            waiting = []
    if waiting:
        yield _close(waiting)


def whole_until(file: BinaryIO, start: int = 0) -> int:
    """Give the end of the last whole capture behind a start, or the start."""
    return max((found.end for found in groups(file, start) if isinstance(found, Group)), default=start)


def readable_until(file: BinaryIO, start: int = 0) -> int:
    """Give the end of the last whole record behind a start, or the start."""
    return max((record.end for record in _records(file, start) if isinstance(record, Record)), default=start)


def record_at(file: BinaryIO, offset: int) -> Record | None:
    """Read what the record at an offset says."""
    found = next(_records(file, offset), None)
    return found if isinstance(found, Record) and found.offset == offset else None


def end_of(file: BinaryIO, offset: int) -> int:
    """Say where the last record ends that belongs to the main record at an offset."""
    return max((record.end for record in belonging(file, offset)), default=offset)


def belonging(file: BinaryIO, offset: int) -> Iterator[Record]:
    """Give the main record at an offset and those that belong to it; a redirect to it stands alone."""
    first: Record | None = None
    for record in _records(file, offset):
        if isinstance(record, Torn) or (first and not _belongs(first, record)):
            return
        yield record
        first = first or record
        number, count, main = _part(record)
        if count and (number == count or number < main):
            return


def _belongs(first: Record, record: Record) -> bool:
    return bool(_part(record)[1]) or _continues([first], record)


def _continues(waiting: list[Record], record: Record | Torn) -> bool:
    """Return whether a record belongs to those before it: as it says itself, or as older files say."""
    if isinstance(record, Torn):
        return False
    number, count, _ = _part(record)
    if count:
        return (number, count) == (len(waiting) + 1, _part(waiting[0])[1])
    main = waiting[0].fields.get("WARC-Record-ID")
    return not _part(waiting[0])[1] and record.fields.get("WARC-Concurrent-To") == main


def _close(waiting: list[Record]) -> Group | Torn:
    number, count, main = _part(waiting[0])
    if count and (len(waiting) != count or number != 1 or not 1 <= main <= count):
        return Torn(waiting[0].offset, waiting[-1].end - waiting[0].offset)
    return Group(tuple(waiting), max(0, main - 1))


def _part(record: Record) -> tuple[int, int, int]:
    """Say which of how many records of a capture it is, and which is the main one; zeros where it does not say."""
    found = _PART.fullmatch(record.fields.get(PART) or "")
    return (int(found[1]), int(found[2]), int(found[3])) if found else (0, 0, 0)


def _records(file: BinaryIO, start: int) -> Iterator[Record | Torn]:
    """Give the records, each a gzip member, and what is none."""
    at, data = start, b""
    file.seek(start)
    while data := data or file.read(_CHUNK):
        found = _member(file, data)
        record = _parsed(at, found[1], found[0]) if found else None
        if record is None:
            end = next_record(file, at + 1)
            yield Torn(at, end - at)
            at, data = file.seek(end), b""
        else:
            assert found is not None
            yield record
            at, data = record.end, found[2]


def whole_records(file: BinaryIO, offset: int, *, most: int) -> Iterator[tuple[int, Any]]:
    """Give records from an offset on, up to a number of bytes of each, and where each ends; damage ends it.

    FastWARC alone may pass over damage in silence: here each checksum is looked at first.
    """
    file.seek(offset)
    data = file.read(_FIRST)
    while data and (found := _member(file, data, most)):
        head, length, data = found
        try:
            record = next(warc_records(io.BytesIO(head)))
        except (OSError, StopIteration):
            return
        offset += length
        yield offset, record
        data = data or file.read(_CHUNK)


def _member(file: BinaryIO, data: bytes, most: int = _MAX_KEPT_BYTES) -> tuple[bytes, int, bytes] | None:
    """Unpack one gzip member: its first bytes, its packed length, and what was read behind it."""
    inflater, used, head = zlib.decompressobj(_GZIP), 0, bytearray()
    try:
        while not inflater.eof:
            data = data or file.read(_CHUNK)
            if not data:
                return None
            piece = inflater.decompress(data, _CHUNK)
            if not head and most < _JSON and b"\r\nContent-Type: application/json\r\n" in piece:
                most = _JSON
            head += piece[: max(0, most - len(head))]
            rest = inflater.unused_data if inflater.eof else inflater.unconsumed_tail
            used += len(data) - len(rest)
            data = rest
    except zlib.error:
        return None
    return bytes(head), used, data


def _parsed(offset: int, length: int, head: bytes) -> Record | None:
    if not head.startswith(b"WARC/"):
        return None
    try:
        record = next(warc_records(io.BytesIO(head)))
    except (OSError, StopIteration):
        return None
    return Record(
        offset=offset,
        length=length,
        kind=str(record.record_type),
        fields=record.headers,
        http=record.http_headers,
        head=head,
    )
