"""How is an index stored in a file that opens at once and survives a kill?

A line that names the format; the version, the length and checksum of a header in JSON; the header; then arrays of
numbers as they stand in memory. The file is mapped, not read; it is written to a temporary name and then moved.
"""

from __future__ import annotations

import json
import mmap
import os
import struct
import sys
import zlib
from array import array
from typing import TYPE_CHECKING, Any, Final

from pagedrift.atomic_files import atomic_file
from pagedrift.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path
    from typing import BinaryIO

    Numbers = array[int] | memoryview[int]

MAGIC: Final = b"PAGEDRIFT INDEX\n"
VERSION: Final = 1
_SIZES: Final = struct.Struct("<III")  # version, length of the header, its checksum
_ALIGNED: Final = 64
AGAIN: Final = "learn it again, to a new file: pagedrift which-template learn INPUT... --to NEW"


def write(path: Path, facts: Mapping[str, Any], parts: Mapping[str, tuple[str, Numbers]]) -> None:
    """Write facts and arrays, each with its type, so that the file is the old one or the new one at any instant."""
    with atomic_file(path) as file:
        _fill(file, facts, parts)


def _fill(file: BinaryIO, facts: Mapping[str, Any], parts: Mapping[str, tuple[str, Numbers]]) -> None:
    offset = 0
    layout = {}
    for name, (kind, numbers) in parts.items():
        layout[name] = (kind, offset, len(numbers))
        offset += _padded(len(numbers) * array(kind).itemsize)
    header = json.dumps({**facts, "byte order": sys.byteorder, "size": offset, "parts": layout}).encode()
    start = MAGIC + _SIZES.pack(VERSION, len(header), zlib.crc32(header)) + header
    file.write(start.ljust(_padded(len(start)), b"\0"))
    for kind, numbers in parts.values():
        size = len(numbers) * array(kind).itemsize
        file.write(memoryview(numbers).cast("B") if size else b"")
        file.write(bytes(_padded(size) - size))


def _padded(size: int) -> int:
    return -(-size // _ALIGNED) * _ALIGNED


def read(path: Path) -> tuple[dict[str, Any], dict[str, Numbers]]:
    """Map a file: its facts, and its arrays, which may be written to without changing the file."""
    try:
        with path.open("rb") as file:
            facts, start = _header(file, path)
            size = os.fstat(file.fileno()).st_size
            if size != start + facts["size"]:
                raise InputError(f"{path} is cut short or damaged: {size:,} bytes; {AGAIN}")
            mapped = memoryview(mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_COPY))
    except OSError as error:
        raise InputError(f"{path} cannot be read ({error.strerror}); check its name, or {AGAIN}") from None
    parts: dict[str, Numbers] = {}
    for name, (kind, offset, count) in facts["parts"].items():
        end = start + offset + count * array(kind).itemsize
        parts[name] = mapped[start + offset : end].cast(kind) if count else array(kind)
    return facts, parts


def _header(file: BinaryIO, path: Path) -> tuple[dict[str, Any], int]:
    """Read the header and where the arrays start; refuse what this version cannot read."""
    fixed = file.read(len(MAGIC) + _SIZES.size)
    if not fixed.startswith(MAGIC):
        raise InputError(f"{path} is not an index of templates; {AGAIN}")
    if len(fixed) < len(MAGIC) + _SIZES.size:
        raise InputError(f"{path} is cut short; {AGAIN}")
    version, length, checksum = _SIZES.unpack(fixed[len(MAGIC) :])
    if version != VERSION:
        raise InputError(f"{path} is an index of version {version}, and only {VERSION} can be read; {AGAIN}")
    header = file.read(length)
    if len(header) < length or zlib.crc32(header) != checksum:
        raise InputError(f"{path} is cut short or damaged; {AGAIN}")
    facts = json.loads(header)
    if facts["byte order"] != sys.byteorder:
        raise InputError(f"{path} was written on a machine of another byte order; {AGAIN}")
    return facts, _padded(len(fixed) + length)
