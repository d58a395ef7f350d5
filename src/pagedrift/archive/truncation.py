"""Truncation of a WARC after its last whole capture; the damaged rest is saved in a file of its own."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, BinaryIO, Final

from pagedrift.archive.record_scan import Torn, whole_until

if TYPE_CHECKING:
    from pathlib import Path

_CHUNK: Final = 1 << 20


def mend(path: Path, *, start: int, aside: Path) -> int:
    """Cut a WARC off behind its last whole capture, put the rest aside, and say how many bytes that were."""
    with path.open("r+b") as file:
        end, size = whole_until(file, start), file.seek(0, os.SEEK_END)
        if end == size:
            return 0
        put_aside(file, path.name, Torn(end, size - end), aside)
        file.truncate(end)
        os.fsync(file.fileno())
    return size - end


def put_aside(file: BinaryIO, name: str, torn: Torn, aside: Path) -> None:
    """Copy bytes that are not whole capture into a file of their own, on disk."""
    aside.mkdir(exist_ok=True)
    file.seek(torn.offset)
    rest = torn.length
    with (aside / f"{name}.{torn.offset}").open("wb") as kept:
        found = f"# cut off at byte {torn.offset} of {name}; the bytes follow\n"  # so no archive itself
        kept.write(found.encode())
        while rest and (data := file.read(min(_CHUNK, rest))):
            kept.write(data)
            rest -= len(data)
        kept.flush()
        os.fsync(kept.fileno())
