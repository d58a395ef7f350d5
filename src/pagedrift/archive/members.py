"""The gzip members of a WARC, each unpacked at once and checked: how nearly all archives are packed."""

from __future__ import annotations

import struct
import zlib
from contextlib import closing
from typing import TYPE_CHECKING, Any, Final

from pagedrift._kernels import is_only_size, member_end, member_size

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from pagedrift.archive.source import Source

MAX_MEMBER_BYTES: Final = 32_000_000  # unpacked; larger ones are read piece by piece, by others
_trailer = struct.Struct("<II").pack  # of checksum and size, RFC 1952
_CHUNK: Final = 1 << 18  # stays in the cache of a processor until it is unpacked
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


def _ends(data: bytes, start: int, end: int, unpacked: bytearray) -> bool:
    """Return whether the member that was unpacked, and whose checksum was compared, ends here.

    What follows a member is not looked at when it is unpacked. Its size stands at its end: where that is found in
    one place only, there is the end; elsewhere, checksum and size together decide.
    """
    size = len(unpacked)
    if member_size(data, start, end) != size:
        return False
    return is_only_size(data, start, end) or data[end - 8 : end] == _trailer(crc32(unpacked), size)


class GzipMembers:
    """The gzip members of a source from an offset on, up to one that is damaged or too large.

    Where a member ends is found by how the next one begins, and by its own size: what unpacks to the size that
    stands before the next one, and to its own checksum, is whole. Where a glance at a packed member, at its bytes
    between two offsets, gives anything, that is given, and the member is neither unpacked nor checked.
    """

    def __init__(
        self, source: Source, offset: int, *, glance: Callable[[bytes, int, int], object] | None = None
    ) -> None:
        self._source = source
        self._glance = glance
        self.offset = offset  # behind the last one that was given
        self.ended = False  # all were given, and nothing follows

    def __iter__(self) -> Iterator[tuple[int, Any]]:
        """Give each member with its offset."""
        size, glance = _CHUNK, self._glance
        while size <= _MAX_CHUNK:
            with closing(self._source.open(self.offset)) as file:
                data = file.read(size)
            start, at, end = self.offset, 0, member_end(data, 0, MAX_MEMBER_BYTES)
            if end < 0:
                end = self._last_end(data, 0, size)
            view = memoryview(data)
            while end:
                found = glance(data, at, end) if glance else None
                if found is None:
                    try:
                        found = unpack_member(view[at:end])
                    except (DeflateError, ValueError, MemoryError):
                        return
                    if not found or not _ends(data, at, end, found):
                        return
                self.offset = start + end
                yield start + at, found
                at, end = end, member_end(data, end, MAX_MEMBER_BYTES)
                if end < 0:
                    end = self._last_end(data, at, size)
            if len(data) < size:
                self.ended = at == len(data)
                return
            size = 2 * size if not at else _CHUNK

    @staticmethod
    def _last_end(data: bytes, start: int, size: int) -> int:
        """Find the end of a member that none follows in a chunk; 0 if it continues behind it, or is too large."""
        is_last = start < len(data) < size and member_size(data, start, len(data)) <= MAX_MEMBER_BYTES
        return len(data) if is_last else 0
