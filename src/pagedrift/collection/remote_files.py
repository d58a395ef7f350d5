"""Remote files, read at any offset with few requests and without a local copy."""

from __future__ import annotations

import io
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from collections.abc import Callable

FIRST: Final = 1 << 16  # bytes of the first request: a record of a WARC or the footer of a Parquet file
MAX_READ_BYTES: Final = 1 << 23


class Ranged(io.RawIOBase):
    r"""A file of which each stretch is asked for when it is read; twice as much each time while it is read on.

    >>> data = bytes(range(200))
    >>> file = Ranged(lambda start, stop: data[start:stop], at=100, stop=200)
    >>> file.read(2), file.seek(-1, 2), file.read(5)
    (b'de', 199, b'\xc7')
    """

    def __init__(self, fetch: Callable[[int, int], bytes], *, at: int = 0, stop: int | None = None) -> None:
        super().__init__()
        self._fetch = fetch
        self._at = at
        self._stop = stop
        self._ahead = FIRST if stop is None else max(1, min(MAX_READ_BYTES, stop - at))
        self._held, self._start = b"", at

    def readable(self) -> bool:
        """Say that it can be read."""
        return True

    def seekable(self) -> bool:
        """Say that it can be read anywhere."""
        return True

    def tell(self) -> int:
        """Say where it is read next."""
        return self._at

    def seek(self, offset: int, whence: int = io.SEEK_SET) -> int:
        """Go elsewhere; from the end only where its length is known."""
        if whence == io.SEEK_END and self._stop is None:
            raise io.UnsupportedOperation("the length of this file is not known")
        base = {io.SEEK_SET: 0, io.SEEK_CUR: self._at, io.SEEK_END: self._stop or 0}[whence]
        self._at = base + offset
        self._ahead = FIRST
        return self._at

    def read(self, size: int = -1) -> bytes:
        """Give up to a number of bytes, fewer at the end only."""
        pieces = []
        while size:
            piece = self._piece(size)
            if not piece:
                break
            pieces.append(piece)
            size -= len(piece) if size > 0 else 0
        return b"".join(pieces)

    def readinto(self, buffer: Any) -> int:
        """Fill a buffer."""
        piece = self.read(len(buffer))
        buffer[: len(piece)] = piece
        return len(piece)

    def _piece(self, size: int) -> bytes:
        """Give some of the bytes from here on, from what is held or by one more request."""
        inside = self._at - self._start
        if not 0 <= inside < len(self._held):
            wanted = max(self._ahead, size)
            stop = self._at + wanted if self._stop is None else min(self._stop, self._at + wanted)
            self._held = self._fetch(self._at, stop) if stop > self._at else b""
            if len(self._held) < stop - self._at:  # a short answer is the end
                self._stop = self._at + len(self._held)
            self._start, inside = self._at, 0
            self._ahead = min(MAX_READ_BYTES, 2 * self._ahead)
        piece = self._held[inside : inside + size if size > 0 else None]
        self._at += len(piece)
        return piece
