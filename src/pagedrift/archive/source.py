"""Where do the bytes of one WARC stand, and how are they read from any offset?"""

from __future__ import annotations

import io
import zipfile
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO


@dataclass(frozen=True, slots=True)
class Source:
    """A WARC file, a WARC stored in a larger file, or a stream that passes once.

    >>> Source("crawl.wacz", 1000, start=57, member="archive/data.warc.gz").name
    'crawl.wacz/archive/data.warc.gz'
    """

    path: str
    size: int
    start: int = 0  # offset of the first byte in the file
    member: str = ""  # its name in a ZIP
    deflated: bool = False  # ... where it was packed once more
    stream: BinaryIO | None = None  # a pipe

    @property
    def name(self) -> str:
        """Name it in problems."""
        return f"{self.path}/{self.member}" if self.member else self.path

    @property
    def rereadable(self) -> bool:
        """Tell whether it can be opened at any offset, at no cost."""
        return self.stream is None and not self.deflated

    def open(self, offset: int = 0) -> BinaryIO | Part:
        """Open it at an offset."""
        if self.stream is not None:
            return self.stream
        if self.deflated:
            with zipfile.ZipFile(self.path) as package:
                return package.open(self.member)  # type: ignore[return-value]
        file = open(self.path, "rb", buffering=0)  # noqa: PTH123, SIM115 - FastWARC buffers; the reader closes it
        file.seek(self.start + offset)
        return Part(file, self.start, self.size) if self.member else file


class Part:
    """A stretch of a file, as a file."""

    def __init__(self, file: io.FileIO, start: int, size: int) -> None:
        self._file = file
        self._start = start
        self._end = start + size

    def read(self, size: int = -1, /) -> bytes:
        """Give the next bytes of the stretch."""
        left = max(0, self._end - self._file.tell())
        return self._file.read(left if size < 0 else min(size, left)) or b""

    def tell(self) -> int:
        """Say how many bytes of the stretch were read."""
        return self._file.tell() - self._start

    def close(self) -> None:
        """Close the file."""
        self._file.close()


class Rejoined:
    """A stream whose first bytes were already taken, to look at them."""

    def __init__(self, head: bytes, stream: BinaryIO) -> None:
        self._head = head
        self._stream = stream
        self._position = 0

    def read(self, size: int = -1, /) -> bytes:
        """Give the next bytes."""
        data, self._head = (self._head, b"") if self._head else (self._stream.read(size), b"")
        self._position += len(data)
        return data

    def tell(self) -> int:
        """Say how many bytes were given."""
        return self._position

    def close(self) -> None:
        """Leave the stream open: it is not ours."""


def whole_file(path: Path) -> Source:
    """Take a file as one WARC."""
    return Source(str(path), path.stat().st_size)
