"""Decompression of gzip and other content codings, within limits on size."""

from __future__ import annotations

import io
import time
import zlib
from typing import TYPE_CHECKING, Final

from pagedrift.errors import InputError, LimitError
from pagedrift.limits import allow

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from pagedrift.limits import Limits

MAX_MEMBERS: Final = 10_000  # of one gzip file, or frames of zstd: bgzip writes one for each 64 kB
MAX_CODINGS: Final = 4  # of one body, each inside the next
MAX_ZSTD_WINDOW: Final = 8 << 20  # bytes that it may look back, RFC 9659
_SLICE: Final = 1 << 16  # bytes fed at once: what a member leaves over is copied, and never more than this
_STEP: Final = 1_000_000  # bytes unpacked between two looks at the limits
_ZSTD_STEP: Final = 512  # bytes fed at once: each four of them can unpack to 128 kB
_GZIP: Final = b"\x1f\x8b"
_ZSTD: Final = b"\x28\xb5\x2f\xfd"
_FETCH: Final = "fetch the page again"


def unpack(data: bytes, coding: str, *, limits: Limits) -> bytes:
    """Undo one content coding; raise InputError where it is damaged, LimitError where it is a bomb.

    >>> from pagedrift.limits import DEFAULT_LIMITS
    >>> unpack(zlib.compress(b"<p>Hello"), "deflate", limits=DEFAULT_LIMITS)
    b'<p>Hello'
    """
    return unpack_all(data, (coding,), limits=limits)


def unpack_all(data: bytes, codings: Sequence[str], *, limits: Limits) -> bytes:
    """Undo content codings, the last one first, as they were put on."""
    if not codings or not data:
        return data
    whole = io.BytesIO()  # which gives its bytes out without copying them
    for piece in pieces(data, codings, limits=limits):
        whole.write(piece)
    return whole.getvalue()


def pieces(
    data: bytes, codings: Sequence[str], *, limits: Limits, seconds: float = float("inf")
) -> Iterator[bytes]:
    """Unpack piece by piece, and hold none: for those who only count, or look at the start.

    >>> from pagedrift.limits import DEFAULT_LIMITS
    >>> sum(map(len, pieces(zlib.compress(bytes(9_000_000)), ("deflate",), limits=DEFAULT_LIMITS)))
    9000000
    """
    if len(codings) > MAX_CODINGS:
        raise LimitError(f"packed {len(codings)} times over, which only attacks are; leave it out")
    until = time.monotonic() + seconds
    found: Iterator[bytes] = (data[at : at + _SLICE] for at in range(0, len(data), _SLICE))
    for coding in reversed(codings if data else ()):
        found = _within(CODINGS[coding](found), coding, len(data), limits, until)
    return found


def _within(unpacked: Iterable[bytes], coding: str, packed: int, limits: Limits, until: float) -> Iterator[bytes]:
    """Pass on what was unpacked, as far as the limits allow."""
    size = 0
    try:
        for piece in unpacked:
            size += len(piece)
            if size > limits.body:
                raise LimitError(f"more than {limits.body:,} bytes when unpacked; " + allow("body"))
            if size > limits.ratio_from and size > limits.ratio * packed:
                raise LimitError(f"unpacks more than {limits.ratio}-fold; " + allow("ratio"))
            if time.monotonic() > until:
                raise LimitError("it could not be unpacked in the time for one check; leave it out")
            yield piece
    except zlib.error:
        raise InputError(f"the {coding} data is damaged; {_FETCH}") from None


def _gunzip(packed: Iterable[bytes]) -> Iterator[bytes]:
    """Unpack one gzip member after the other; what follows the last one is ignored, as browsers do."""
    inflater, members, rest = zlib.decompressobj(31), 1, b""
    for data in packed:
        rest += data
        while rest:
            if inflater.eof:
                if len(rest) < len(_GZIP):
                    break  # the other half of the mark may be in the next slice
                if not rest.startswith(_GZIP):
                    return
                inflater, members = zlib.decompressobj(31), members + 1
                _check_members(members, "gzip")
            yield from _inflate(inflater, rest)
            rest = inflater.unused_data
    if not inflater.eof:
        raise InputError(f"the gzip data ends too early; {_FETCH}")


def _check_members(members: int, coding: str) -> None:
    if members > MAX_MEMBERS:
        raise LimitError(
            f"the {coding} data has more than {MAX_MEMBERS:,} parts, which only attacks have; leave it out"
        )


def _deflated(packed: Iterable[bytes]) -> Iterator[bytes]:
    """Unpack `deflate`, which servers send with the zlib header the standard asks for, or without."""
    inflater = None
    for data in packed:
        if inflater is None:
            zlib_header = len(data) > 1 and data[0] & 15 == 8 and not (data[0] << 8 | data[1]) % 31  # noqa: PLR2004 - RFC 1950
            inflater = zlib.decompressobj(15 if zlib_header else -15)
        yield from _inflate(inflater, data)
        if inflater.eof:
            return
    raise InputError(f"the deflate data ends too early; {_FETCH}")


def _inflate(inflater: zlib._Decompress, data: bytes) -> Iterator[bytes]:
    """Unpack one slice in steps, or as much of it as belongs to the stream."""
    while not inflater.eof:
        piece = inflater.decompress(data, _STEP)
        data = inflater.unconsumed_tail
        yield piece
        if not data and len(piece) < _STEP:
            return


def _unbrotli(packed: Iterable[bytes]) -> Iterator[bytes]:
    """Unpack `br` in steps."""
    import brotli

    decoder = brotli.Decompressor()
    try:
        for data in packed:
            piece = decoder.process(data, output_buffer_limit=_STEP)
            while piece or decoder.is_finished():
                yield piece
                if decoder.is_finished():
                    return
                piece = decoder.process(b"", output_buffer_limit=_STEP)  # it also has some where it would take more
    except brotli.error:
        raise InputError(f"the br data is damaged; {_FETCH}") from None
    raise InputError(f"the br data ends too early; {_FETCH}")


def _unzstd(packed: Iterable[bytes]) -> Iterator[bytes]:
    """Unpack `zstd` in steps, one frame after the other; what follows the last one is ignored."""
    import zstandard

    unpacker = zstandard.ZstdDecompressor(max_window_size=MAX_ZSTD_WINDOW)
    frame, frames, rest = unpacker.decompressobj(), 1, b""
    try:
        for data in _cut(packed, _ZSTD_STEP):
            rest += data
            while rest:
                if frame.eof:
                    if len(rest) < len(_ZSTD):
                        break
                    if not rest.startswith(_ZSTD):
                        return
                    frame, frames = unpacker.decompressobj(), frames + 1
                    _check_members(frames, "zstd")
                yield frame.decompress(rest)
                rest = frame.unused_data
    except zstandard.ZstdError:
        raise InputError(f"the zstd data is damaged; {_FETCH}") from None
    if not frame.eof:
        raise InputError(f"the zstd data ends too early; {_FETCH}")


def _cut(packed: Iterable[bytes], size: int) -> Iterator[bytes]:
    return (data[at : at + size] for data in packed for at in range(0, len(data), size))


CODINGS: dict[str, Callable[[Iterable[bytes]], Iterator[bytes]]] = {
    "gzip": _gunzip,
    "x-gzip": _gunzip,
    "deflate": _deflated,
    "br": _unbrotli,
    "zstd": _unzstd,
}
