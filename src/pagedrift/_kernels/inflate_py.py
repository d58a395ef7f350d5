r"""The beginning of a gzip member, without the rest of it (readable twin).

The native twin asks libdeflate, which is several times as fast and was made to unpack members as a whole: it stops
where its room ends, and does not say how much it wrote. So that twin may give fewer bytes, never others.
"""

from __future__ import annotations

import zlib


def unpack_start(data: bytes, start: int, end: int, most: int) -> bytes | None:
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
