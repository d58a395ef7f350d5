"""How much does it cost to read pages and their tags out of a WARC?"""

from __future__ import annotations

import tempfile
import zlib
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING

from fastwarc.warc import ArchiveIterator

from benchmarks.measure import Table, spent
from benchmarks.pages import archives
from pagedrift import read
from pagedrift._kernels import unpack_member

if TYPE_CHECKING:
    from collections.abc import Iterator


ROOM = bytearray(1 << 22)


def reading() -> list[str]:
    """Compare with FastWARC reading the same payloads."""
    with tempfile.TemporaryDirectory() as scratch:
        paths = archives(Path(scratch))
        table = Table(f"Reading WARCs ({len(paths)} files, {sum(p.stat().st_size for p in paths) / 1e6:.0f} MB)")
        runs = (_fastwarc, _iterate, _pages, _brackets, _tags)
        alone, iterated, pages, brackets, tags = (spent(run, paths) for run in runs)
        table.row("FastWARC, payloads left unread", f"{iterated / alone:.2f}×")
        table.row("FastWARC, payloads read", "1.00×")
        table.promise("page versions, over FastWARC reading payloads", pages / alone, most=0.85)
        table.row("page versions, and how many < they have", f"{brackets / alone:.2f}×", "by memchr, one by one")
        table.promise("page versions and their tags, over FastWARC reading payloads", tags / alone, most=1.1)
        return table.broken


def inflaters() -> list[str]:
    """Compare what unpacks the gzip members of archives, with all else left out."""
    with tempfile.TemporaryDirectory() as scratch:
        packed = [member for path in archives(Path(scratch)) for member in packed_members(path)]
    table = Table(f"Unpacking gzip members ({len(packed)} members, {sum(map(len, packed)) / 1e6:.0f} MB packed)")
    ours = spent(unpack, packed)
    by_zlib = spent(lambda data: zlib.decompressobj(31).decompress(data), packed)
    for name, module in {"isal": "isal.isal_zlib", "zlib-ng": "zlib_ng.zlib_ng"}.items():
        if find_spec(name.replace("-", "_")):
            inflater = import_module(module)
            took = spent(lambda data, using=inflater: using.decompressobj(31).decompress(data), packed)
            table.row(name, f"{took / ours:.2f}×", "the time of ours")
    table.promise("zlib, over what unpacks archives", by_zlib / ours, least=2)
    return table.broken


def unpack(packed: bytes) -> None:
    """Unpack a member as archives are unpacked, into the same room as the last one."""
    assert unpack_member(packed, 0, len(packed), ROOM) > (0, 0)


def packed_members(path: Path) -> Iterator[bytes]:
    """Give the gzip members of an archive."""
    data, at = path.read_bytes(), 0
    while at < len(data):
        inflater = zlib.decompressobj(31)
        inflater.decompress(data[at:])
        yield data[at : (at := len(data) - len(inflater.unused_data))]


def _iterate(path: Path) -> None:
    for _ in ArchiveIterator(str(path)):
        pass


def _fastwarc(path: Path) -> None:
    for record in ArchiveIterator(str(path)):
        record.reader.read()


def _pages(path: Path) -> None:
    for _ in read(path):
        pass


def _brackets(path: Path) -> None:
    for page in read(path):
        page.body.count(b"<")


def _tags(path: Path) -> None:
    for page in read(path):
        _ = page.tags
