"""Where does the last whole record of a WARC end, and what becomes of what was cut off behind it?"""

from __future__ import annotations

import os
import zlib
from typing import TYPE_CHECKING, BinaryIO, Final

if TYPE_CHECKING:
    from pathlib import Path

_CHUNK: Final = 1 << 20
_GZIP: Final = 16 + zlib.MAX_WBITS


def whole_until(file: BinaryIO, start: int = 0) -> int:
    """Give the end of the last whole gzip member at or after a start; checksums are looked at."""
    file.seek(start)
    end, data = start, b""
    while True:
        member, used = zlib.decompressobj(_GZIP), 0
        while not member.eof:
            data = data or file.read(_CHUNK)
            if not data:
                return end
            try:
                member.decompress(data)
            except zlib.error:
                return end
            used += len(data) - len(member.unused_data)
            data = member.unused_data
        end += used


def mend(path: Path, *, start: int, aside: Path) -> int:
    """Cut a WARC off behind its last whole record, put the rest aside, and say how many bytes that were."""
    with path.open("r+b") as file:
        end, size = whole_until(file, start), file.seek(0, os.SEEK_END)
        if end == size:
            return 0
        file.seek(end)
        aside.mkdir(exist_ok=True)
        with (aside / f"{path.name}.{end}").open("wb") as kept:
            kept.write(
                f"# cut off at byte {end} of {path.name}; the bytes follow\n".encode()
            )  # so no archive itself
            while data := file.read(_CHUNK):
                kept.write(data)
            kept.flush()
            os.fsync(kept.fileno())
        file.truncate(end)
        os.fsync(file.fileno())
    return size - end
