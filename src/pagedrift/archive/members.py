"""The gzip members of a WARC, each unpacked at once and checked: how nearly all archives are packed."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import closing
from typing import TYPE_CHECKING, Any, Final

from pagedrift._kernels import member_end, member_size, unpack_member

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pagedrift.archive.source import Source

# the members, packed data, from where on to where, and whether nothing follows
Ahead = Callable[["GzipMembers", bytearray, int, int, bool], tuple[list[tuple[int, Any]], tuple[int, int] | None]]
MAX_MEMBER_BYTES: Final = 32_000_000  # unpacked; larger ones are read piece by piece, by others
_ROOM: Final = 1 << 18  # for what is unpacked, at first
_CHUNK: Final = 1 << 19  # stays in the cache of a processor until it is unpacked
_MAX_CHUNK: Final = 1 << 24


class GzipMembers:
    """The gzip members of a source from an offset on, up to one that is damaged or too large.

    Each is unpacked into the same room, which is faster than to make room for each: so it must be used before the
    next is asked for. What unpacks to its own checksum and size, with another one or nothing behind it, is whole.
    `ahead` may look at some members before, from an offset of packed data on: it gives where each ends and what is
    to be given in place of it, and whether and how the next one was unpacked into the room.
    """

    def __init__(self, source: Source, offset: int, *, ahead: Ahead | None = None) -> None:
        self._source = source
        self._ahead = ahead
        self.room = bytearray(_ROOM)
        self.offset = offset  # behind the last one that was given
        self.ended = False  # all were given, and nothing follows

    def __iter__(self) -> Iterator[tuple[int, Any]]:
        """Give the offset of each member, and the number of its bytes in the room, or what was found ahead."""
        data, filled, ahead = bytearray(_CHUNK), 0, self._ahead
        with closing(self._source.open(self.offset)) as file:
            while len(data) <= _MAX_CHUNK:
                filled = _fill(file, data, filled)
                is_last, start, at = filled < len(data), self.offset, 0
                while at < filled:
                    seen, unpacked = ahead(self, data, at, filled, is_last) if ahead else ((), None)
                    for end, each in seen:
                        self.offset = start + end
                        yield start + at, each
                        at = end
                    if seen and at == filled:
                        break
                    found, end = unpacked or unpack_member(data, at, filled, self.room) or (0, 0)
                    if found < 0:
                        found, end = self._unpack_large(data, at, filled)
                    if not found:
                        break
                    self.offset = start + end
                    yield start + at, found
                    at = end
                if is_last or self.end_of(data, at, filled, is_last):
                    self.ended = is_last and at == filled
                    return
                filled -= at
                if at:
                    data[:filled] = data[at:]
                else:
                    data += bytes(len(data))

    def _unpack_large(self, data: bytearray, at: int, filled: int) -> tuple[int, int]:
        """Unpack a member that needs more room: its size, and where it ends; zeros where it is not whole."""
        found = -1
        while found < 0 and len(self.room) <= MAX_MEMBER_BYTES:
            self.room = bytearray(min(4 * len(self.room), MAX_MEMBER_BYTES + 1))
            found, end = unpack_member(data, at, filled, self.room) or (0, 0)
        return (found, end) if found > 0 else (0, 0)

    @staticmethod
    def end_of(data: bytearray, start: int, filled: int, is_last: bool) -> int:
        """Find the end of a packed member; 0 if it may continue behind a chunk, or is too large."""
        end = member_end(data, start, filled, MAX_MEMBER_BYTES)
        if end >= 0:
            return end
        is_last = is_last and start < filled and member_size(data, start, filled) <= MAX_MEMBER_BYTES
        return filled if is_last else 0


def _fill(file: Any, data: bytearray, filled: int) -> int:
    """Read until there is no room behind what is there, or until the end of the file; say how much is there."""
    if hasattr(file, "readinto"):  # no bytes in between, for which the system would have to make room
        with memoryview(data) as room:
            while filled < len(data) and (more := file.readinto(room[filled:])):
                filled += more
        return filled
    while filled < len(data) and (read := file.read(len(data) - filled)):
        data[filled : filled + len(read)] = read
        filled += len(read)
    return filled
