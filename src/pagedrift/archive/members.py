"""The gzip members of a WARC, each unpacked at once and checked: how nearly all archives are packed."""

from __future__ import annotations

import struct
import zlib
from contextlib import closing
from typing import TYPE_CHECKING, Any, Final

from pagedrift._kernels import member_end, member_size

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pagedrift.archive.source import Source

MAX_MEMBER_BYTES: Final = 32_000_000  # unpacked; larger ones are read piece by piece, by others
_trailer = struct.Struct("<II").pack  # of checksum and size, RFC 1952
_CHUNK: Final = 1 << 20
_MAX_CHUNK: Final = 1 << 24


def _unpack_by_zlib(data: Any) -> bytearray:
    """Unpack one gzip member, as `deflate` does; raise an error where it is not whole."""
    inflater = zlib.decompressobj(31)
    unpacked = inflater.decompress(data, MAX_MEMBER_BYTES)
    if not inflater.eof:
        raise ValueError("a part of a gzip member")
    return bytearray(unpacked)


try:
    from deflate import DeflateError, crc32
    from deflate import gzip_decompress as unpack_member
except ImportError:  # where it has no wheel and cannot be compiled: the same, in about three times the time
    DeflateError, unpack_member, crc32 = zlib.error, _unpack_by_zlib, zlib.crc32


class GzipMembers:
    """The gzip members of a source from an offset on, up to one that is damaged or too large.

    Where a member ends is found by how the next one begins, and by its own size and checksum: what unpacks to the
    size and the checksum that stand before the next one is whole.
    """

    def __init__(self, source: Source, offset: int) -> None:
        self._source = source
        self.offset = offset  # behind the last one that was given
        self.ended = False  # all were given, and nothing follows

    def __iter__(self) -> Iterator[tuple[int, bytearray]]:
        """Give each member with its offset."""
        size = _CHUNK
        while size <= _MAX_CHUNK:
            with closing(self._source.open(self.offset)) as file:
                data = file.read(size)
            start, at, end = self.offset, 0, self._end(data, 0, size)
            view = memoryview(data)
            while end:
                try:
                    unpacked = unpack_member(view[at:end])
                except (DeflateError, ValueError, MemoryError):
                    return
                # What follows a member is not looked at when it is unpacked: only what ends here has this trailer.
                if not unpacked or data[end - 8 : end] != _trailer(crc32(unpacked), len(unpacked)):
                    return
                self.offset = start + end
                yield start + at, unpacked
                at, end = end, self._end(data, end, size)
            if len(data) < size:
                self.ended = at == len(data)
                return
            size = 2 * size if not at else _CHUNK

    @staticmethod
    def _end(data: bytes, start: int, size: int) -> int:
        """Find the end of a member in a chunk; 0 where it is not in it as a whole, or too large."""
        end = member_end(data, start, MAX_MEMBER_BYTES)
        if end > 0:
            return end
        is_last = start < len(data) < size and member_size(data, start, len(data)) <= MAX_MEMBER_BYTES
        return len(data) if is_last else 0
