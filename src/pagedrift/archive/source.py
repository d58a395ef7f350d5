"""Sources of WARC bytes: a file, a member of a ZIP, or a stream, read from any offset where possible."""

from __future__ import annotations

import os
from contextlib import closing, contextmanager
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Protocol, cast

if TYPE_CHECKING:
    from collections.abc import Iterator
    from io import FileIO

    from pagedrift.archive.other_formats import Packing


class Readable(Protocol):
    """What is asked of an open file."""

    def read(self, size: int, /) -> bytes:
        """Give up to a number of bytes, none at the end."""

    def tell(self) -> int:
        """Say how many bytes were read."""

    def close(self) -> None:
        """Let go of the file."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Source:
    """A WARC file, a WARC inside a ZIP, or a stream that passes once.

    >>> Source(path="crawl.wacz", size=1000, start=57, member="archive/data.warc.gz").name
    'crawl.wacz/archive/data.warc.gz'
    """

    path: str
    size: int
    start: int = 0  # offset of its first byte in the file
    member: str = ""  # its name in the ZIP
    deflated: bool = False  # packed by the ZIP
    stream: Readable | None = None
    packing: Packing = ""  # of the whole, other than by gzip

    @property
    def name(self) -> str:
        """Name it in problems."""
        return f"{self.path}/{self.member}" if self.member else self.path

    @property
    def rereadable(self) -> bool:
        """Return whether it can be opened at any offset without reading what comes before."""
        return self.stream is None and not self.deflated and not self.packing

    @contextmanager
    def for_fastwarc(self) -> Iterator[Any]:
        """Give FastWARC the path where it can read the file by itself, which is faster."""
        if not self.member and self.path.isascii():
            yield os.path.abspath(self.path)  # noqa: PTH100 - never to be taken for the address of a server
        else:
            with closing(self.open()) as file:
                yield file

    def open(self, offset: int = 0) -> Readable:
        """Open it, at an offset where that is possible."""
        if self.packing:
            from pagedrift.archive.other_formats import unpacked

            return unpacked(replace(self, packing="").open(), self.packing)
        if self.stream is not None:
            return self.stream
        if self.deflated:
            import zipfile

            try:
                with zipfile.ZipFile(self.path) as package:
                    return package.open(self.member)
            except (zipfile.BadZipFile, NotImplementedError, RuntimeError) as error:
                raise OSError(f"{error}; get a complete copy of the WACZ") from None
        file = open(self.path, "rb", buffering=0)  # noqa: PTH123, SIM115 - FastWARC buffers, and the caller closes
        file.seek(self.start + offset)
        return _Part(file, self.start, self.size) if self.member else cast("Readable", file)


class _Part:
    """A stretch of a file, as a file."""

    def __init__(self, file: FileIO, start: int, size: int) -> None:
        self._file = file
        self._start = start
        self._size = size

    def read(self, size: int, /) -> bytes:
        return self._file.read(max(0, min(size, self._size - self.tell()))) or b""

    def tell(self) -> int:
        return self._file.tell() - self._start

    def close(self) -> None:
        self._file.close()
