"""What do packed bytes hold, within the limits?"""

from __future__ import annotations

import zlib
from typing import TYPE_CHECKING

from pagedrift.errors import InputError, LimitError
from pagedrift.limits import allow

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from pagedrift.limits import Limits

_STEP = 4_000_000  # bytes unpacked between two looks at the limits
_ZSTD_STEP = 512  # bytes fed at once: each four of them can unpack to 128 kB
_ZSTD = b"\x28\xb5\x2f\xfd"
_FETCH = "fetch the page again"


def unpack(data: bytes, coding: str, *, limits: Limits) -> bytes:
    """Undo one content coding; raise InputError where it is damaged, LimitError where it is a bomb.

    >>> from pagedrift.limits import DEFAULT_LIMITS
    >>> unpack(zlib.compress(b"<p>Hello"), "deflate", limits=DEFAULT_LIMITS)
    b'<p>Hello'
    """
    pieces, size = [], 0
    try:
        for piece in CODINGS[coding](data):
            size += len(piece)
            if size > limits.body:
                raise LimitError(f"more than {limits.body:,} bytes when unpacked; " + allow("body"))
            if size > limits.ratio_from and size > limits.ratio * len(data):
                raise LimitError(f"unpacks more than {limits.ratio}-fold; " + allow("ratio"))
            pieces.append(piece)
    except zlib.error:
        raise InputError(f"the {coding} data is damaged; {_FETCH}") from None
    return b"".join(pieces)


def _gunzip(data: bytes) -> Iterator[bytes]:
    """Unpack one gzip member after the other; what follows the last one is ignored, as browsers do."""
    while True:
        inflater = zlib.decompressobj(31)
        yield from _inflate(inflater, data, "gzip")
        data = inflater.unused_data
        if not data.startswith(b"\x1f\x8b"):
            return


def _deflated(data: bytes) -> Iterator[bytes]:
    """Unpack `deflate`, which servers send with the zlib header the standard asks for, or without."""
    zlib_header = len(data) > 1 and data[0] & 15 == 8 and not (data[0] << 8 | data[1]) % 31  # noqa: PLR2004 - RFC 1950
    return _inflate(zlib.decompressobj(15 if zlib_header else -15), data, "deflate")


def _inflate(inflater: zlib._Decompress, data: bytes, coding: str) -> Iterator[bytes]:
    """Unpack in steps, to the end of the stream."""
    while not inflater.eof:
        piece = inflater.decompress(data, _STEP)
        data = inflater.unconsumed_tail
        if not piece and not data and not inflater.eof:
            raise InputError(f"the {coding} data ends too early; {_FETCH}")
        yield piece


def _unbrotli(data: bytes) -> Iterator[bytes]:
    """Unpack `br` in steps."""
    import brotli

    decoder = brotli.Decompressor()
    try:
        yield decoder.process(data, output_buffer_limit=_STEP)
        while not decoder.is_finished():
            piece = decoder.process(b"", output_buffer_limit=_STEP)
            if not piece and not decoder.is_finished():
                raise InputError(f"the br data ends too early; {_FETCH}")
            yield piece
    except brotli.error:
        raise InputError(f"the br data is damaged; {_FETCH}") from None


def _unzstd(data: bytes) -> Iterator[bytes]:
    """Unpack `zstd` in steps, one frame after the other."""
    import zstandard

    frame, at = zstandard.ZstdDecompressor().decompressobj(), 0
    try:
        while not frame.eof or data.startswith(_ZSTD, at):
            if frame.eof:
                frame = zstandard.ZstdDecompressor().decompressobj()
            step = data[at : at + _ZSTD_STEP]
            if not step:
                raise InputError(f"the zstd data ends too early; {_FETCH}")
            yield frame.decompress(step)
            at += len(step) - len(frame.unused_data)
    except zstandard.ZstdError:
        raise InputError(f"the zstd data is damaged; {_FETCH}") from None


CODINGS: dict[str, Callable[[bytes], Iterator[bytes]]] = {
    "gzip": _gunzip,
    "x-gzip": _gunzip,
    "deflate": _deflated,
    "br": _unbrotli,
    "zstd": _unzstd,
}
