r"""The beginning of a gzip member, without the rest of it (readable twin).

The native twin asks libdeflate, which is several times as fast and was made to unpack members as a whole: it stops
where its room ends, and does not say how much it wrote. So that twin may give fewer bytes, never others.
"""

from __future__ import annotations

import zlib
from typing import Final

try:
    from deflate import DeflateError, gzip_decompress
except ImportError:  # where it has no wheel and cannot be compiled
    DeflateError = gzip_decompress = None

_MAGIC: Final = b"\x1f\x8b\x08"
_LEAST_MEMBER_BYTES: Final = 18  # ten of header and eight of trailer, RFC 1952


def unpack_member(data: bytes | bytearray, start: int, end: int, room: bytearray) -> tuple[int, int] | None:
    r"""Unpack the first member between two offsets into some room, with a NUL behind it.

    Returns how long it is and where it ends; a length of -1 where it needs more room. None where no whole member is
    there, where its checksum is another, or where something follows that cannot be another member.

    >>> import gzip
    >>> packed, room = gzip.compress(b"WARC/1.0\r\n"), bytearray(20)
    >>> unpack_member(packed + packed, 0, 2 * len(packed), room) == (10, len(packed)), bytes(room[:11])
    (True, b'WARC/1.0\r\n\x00')
    """
    inflater = zlib.decompressobj(31)
    try:
        unpacked = inflater.decompress(memoryview(data)[start:end], len(room))
    except zlib.error:
        return None
    if len(unpacked) >= len(room):
        return -1, start
    if not inflater.eof or not _MAGIC.startswith(inflater.unused_data[: len(_MAGIC)]):
        return None
    room[: len(unpacked) + 1] = unpacked + b"\0"
    return len(unpacked), end - len(inflater.unused_data)


def unpack_by_binding(data: bytes | bytearray, start: int, end: int, room: bytearray) -> tuple[int, int] | None:
    """Unpack a member by the binding of libdeflate where that shows no other functions; by zlib where it cannot.

    The binding does not say where a member ends: before the next one, if checksum and size stand there.
    """
    after = data.find(_MAGIC, start + _LEAST_MEMBER_BYTES, end)
    after = end if after < 0 else after
    size = int.from_bytes(data[after - 4 : after], "little")
    if gzip_decompress is None or after - start < _LEAST_MEMBER_BYTES or not 0 < size < len(room):
        return unpack_member(data, start, end, room)
    try:
        unpacked = gzip_decompress(memoryview(data)[start:after])
    except (DeflateError, ValueError, MemoryError):
        return unpack_member(data, start, end, room)
    if len(unpacked) != size or zlib.crc32(unpacked) != int.from_bytes(data[after - 8 : after - 4], "little"):
        return unpack_member(data, start, end, room)
    room[: size + 1] = unpacked + b"\0"
    return size, after


def unpack_start(data: bytes | bytearray, start: int, end: int, most: int) -> bytes | None:
    r"""Unpack up to a number of bytes of the member between two offsets; None where it cannot be read.

    The checksum is at the end of a member: where only its beginning is unpacked, nothing is checked.

    >>> import gzip
    >>> packed = gzip.compress(b"WARC/1.0\r\n" * 100)
    >>> unpack_start(packed, 0, len(packed), 8)
    b'WARC/1.0'
    """
    try:
        return zlib.decompressobj(31).decompress(memoryview(data)[start:end], most)
    except zlib.error:
        return None
