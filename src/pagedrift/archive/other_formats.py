"""Archives in other formats, read as WARC: those packed by zstd or lz4, and ARC files.

They are read from their beginning to their end, in flat memory; what is broken raises OSError.
"""

from __future__ import annotations

import gzip
import io
import zlib
from typing import IO, TYPE_CHECKING, Any, Final, Literal, cast

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pagedrift.archive.source import Readable

Packing = Literal["", "zstd", "lz4", "arc"]

_ZSTD: Final = b"\x28\xb5\x2f\xfd"
_DICTIONARY: Final = b"\x5d\x2a\x4d\x18"  # the frame before all others that holds it
_GZIP: Final = b"\x1f\x8b"
MAX_DICTIONARY_BYTES: Final = 16_000_000
MAX_WINDOW_BYTES: Final = 1 << 27  # that an unpacker keeps; what zstd --ultra asks for at most by itself
MAX_LINE_BYTES: Final = 1 << 16  # of the line before a record of an ARC file
_CHUNK: Final = 1 << 16
_FED: Final = 1 << 10  # bytes that are unpacked at once: four of zstd may become 128 kB
_AGAIN: Final = "get a complete copy of the archive"


def unpacked(file: Readable, packing: Packing) -> Readable:
    """Give the WARC that is in a file."""
    if packing == "lz4":
        return _Pieces(_of_lz4(file), file)
    opened = cast("IO[bytes]", io.BufferedReader(_Raw(file)))
    return _Pieces(_of_zstd(opened) if packing == "zstd" else _of_arc(opened), file)


class _Raw(io.RawIOBase):
    """What is asked of a file, for what asks for more."""

    def __init__(self, file: Readable) -> None:
        self._file = file

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        data = self._file.read(len(buffer))
        buffer[: len(data)] = data
        return len(data)


class _Pieces:
    """Pieces of bytes, as a file."""

    def __init__(self, pieces: Iterator[bytes], file: Readable) -> None:
        self._pieces, self._file = pieces, file
        self._rest = b""
        self._given = 0

    def read(self, size: int, /) -> bytes:
        self._rest = self._rest or next(self._pieces, b"")
        data, self._rest = self._rest[:size], self._rest[size:]
        self._given += len(data)
        return data

    def tell(self) -> int:
        return self._given

    def close(self) -> None:
        self._file.close()


def _of_zstd(file: IO[bytes]) -> Iterator[bytes]:
    """Unpack zstd frames; the dictionary may be in a first one (Internet Archive, "WARC Zstandard", section 4)."""
    import zstandard

    try:
        dictionary, data = _dictionary(file)
        known = zstandard.ZstdCompressionDict(dictionary) if dictionary else None
        unpacker = zstandard.ZstdDecompressor(dict_data=known, max_window_size=MAX_WINDOW_BYTES)
        frame: Any = None
        while data := data or file.read(_FED):
            frame = frame or unpacker.decompressobj()
            if piece := frame.decompress(data):
                yield piece
            data, frame = (frame.unused_data, None) if frame.eof else (b"", frame)
    except zstandard.ZstdError as error:
        raise OSError(f"{error}; {_AGAIN}") from None
    if frame is not None:
        raise OSError(f"the last frame is cut off; {_AGAIN}")


def _dictionary(file: IO[bytes]) -> tuple[bytes, bytes]:
    """Give the dictionary of a file, which may be packed itself, and what was read that is none."""
    import zstandard

    head = file.read(4)
    if head != _DICTIONARY:
        return b"", head
    size = int.from_bytes(file.read(4), "little")
    if size > MAX_DICTIONARY_BYTES:
        raise OSError(f"the dictionary has more than {MAX_DICTIONARY_BYTES:,} bytes; {_AGAIN}")
    data = file.read(size)
    if data.startswith(_ZSTD):
        unpacker = zstandard.ZstdDecompressor(max_window_size=MAX_WINDOW_BYTES)
        with unpacker.stream_reader(data) as reader:
            data = reader.read(MAX_DICTIONARY_BYTES + 1)
    if len(data) > MAX_DICTIONARY_BYTES:
        raise OSError(f"the dictionary has more than {MAX_DICTIONARY_BYTES:,} bytes; {_AGAIN}")
    return data, b""


def _of_lz4(file: Readable) -> Iterator[bytes]:
    """Unpack lz4 frames, a little at a time: at damage the piece that was asked for is lost."""
    from fastwarc.stream_io import Lz4Reader

    reader = Lz4Reader(cast("Any", file))
    while piece := reader.read(_FED):
        yield bytes(piece)


def _of_arc(file: IO[bytes]) -> Iterator[bytes]:
    """Write the records of an ARC file as those of a WARC."""
    from warcio.recordloader import ARC2WARCHeadersParser
    from warcio.statusandheaders import StatusAndHeadersParserException

    packed = cast("io.BufferedReader", file).peek(2).startswith(_GZIP)
    lines = cast("IO[bytes]", gzip.GzipFile(fileobj=file)) if packed else file
    try:
        while line := lines.readline(MAX_LINE_BYTES):
            if not line.strip():
                continue
            length = _length(line)
            if line.startswith(b"filedesc:"):
                yield from _skip(lines, length)
                continue
            yield ARC2WARCHeadersParser().parse(None, line).to_bytes()
            yield from _pieces(lines, length)
            yield b"\r\n\r\n"
    except (EOFError, zlib.error, ValueError, StatusAndHeadersParserException) as error:
        raise OSError(f"no ARC record starts here ({error}); {_AGAIN}") from None


def _length(line: bytes) -> int:
    """Read the number of bytes that follow the line before a record."""
    if not line.endswith(b"\n"):
        raise ValueError("the line is cut off or too long")
    length = int(line.split()[-1])
    if length < 0:
        raise ValueError("a length below 0")
    return length


def _pieces(file: IO[bytes], length: int) -> Iterator[bytes]:
    while length and (piece := file.read(min(length, _CHUNK))):
        length -= len(piece)
        yield piece


def _skip(file: IO[bytes], length: int) -> Iterator[bytes]:
    """Pass over bytes, and give none."""
    for _ in _pieces(file, length):
        yield from ()
