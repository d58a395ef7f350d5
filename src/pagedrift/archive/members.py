"""The gzip members of a WARC, each unpacked at once and checked: how nearly all archives are packed."""

from __future__ import annotations

from contextlib import closing
from typing import TYPE_CHECKING, Any, Final

from pagedrift._kernels import member_end, member_size, unpack_member

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from pagedrift.archive.source import Source

MAX_MEMBER_BYTES: Final = 32_000_000  # unpacked; larger ones are read piece by piece, by others
_ROOM: Final = 1 << 18  # for what is unpacked, at first
_CHUNK: Final = 1 << 19  # stays in the cache of a processor until it is unpacked
_MAX_CHUNK: Final = 1 << 24


class GzipMembers:
    """The gzip members of a source from an offset on, up to one that is damaged or too large.

    Each is unpacked into the same room, which is faster than to make room for each: so it must be used before the
    next is asked for. What unpacks to its own checksum and size, with another one or nothing behind it, is whole.
    Where a glance at a packed member, at its bytes between two offsets, gives anything, that is given, and
    the member is neither unpacked nor checked.
    """

    def __init__(
        self, source: Source, offset: int, *, glance: Callable[[bytearray, int, int], object] | None = None
    ) -> None:
        self._source = source
        self._glance = glance
        self.room = bytearray(_ROOM)
        self.offset = offset  # behind the last one that was given
        self.ended = False  # all were given, and nothing follows

    def __iter__(self) -> Iterator[tuple[int, Any]]:
        """Give the offset of each member, and the number of its bytes in the room, or what the glance gave."""
        data, filled, glance = bytearray(_CHUNK), 0, self._glance
        with closing(self._source.open(self.offset)) as file:
            while len(data) <= _MAX_CHUNK:
                filled = _fill(file, data, filled)
                is_last, start, at = filled < len(data), self.offset, 0
                while at < filled:
                    found, end = self._glance_at(data, at, filled, is_last) if glance else (None, 0)
                    if found is None:
                        found, end = unpack_member(data, at, filled, self.room) or (0, 0)
                        if found < 0:
                            found, end = self._unpack_large(data, at, filled)
                        if not found:
                            break
                    self.offset = start + end
                    yield start + at, found
                    at = end
                if is_last or self._end(data, at, filled, is_last):
                    self.ended = is_last and at == filled
                    return
                filled -= at
                if at:
                    data[:filled] = data[at:]
                else:
                    data += bytes(len(data))

    def _glance_at(self, data: bytearray, at: int, filled: int, is_last: bool) -> tuple[Any, int]:
        """Glance at a packed member, and say where it ends; None where it must be unpacked."""
        assert self._glance
        end = self._end(data, at, filled, is_last)
        return self._glance(data, at, end) if end else None, end

    def _unpack_large(self, data: bytearray, at: int, filled: int) -> tuple[int, int]:
        """Unpack a member that needs more room: its size, and where it ends; zeros where it is not whole."""
        found = -1
        while found < 0 and len(self.room) <= MAX_MEMBER_BYTES:
            self.room = bytearray(min(4 * len(self.room), MAX_MEMBER_BYTES + 1))
            found, end = unpack_member(data, at, filled, self.room) or (0, 0)
        return (found, end) if found > 0 else (0, 0)

    @staticmethod
    def _end(data: bytearray, start: int, filled: int, is_last: bool) -> int:
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
