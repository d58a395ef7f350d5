"""How much does it cost to read pages and their tags out of a WARC?"""

from __future__ import annotations

import tempfile
from pathlib import Path

from fastwarc.warc import ArchiveIterator

from benchmarks.measure import Table, seconds
from benchmarks.pages import archives
from pagedrift import read


def reading() -> list[str]:
    """Compare with FastWARC reading the same payloads."""
    with tempfile.TemporaryDirectory() as scratch:
        paths = archives(Path(scratch))
        table = Table(f"Reading WARCs ({len(paths)} files, {sum(p.stat().st_size for p in paths) / 1e6:.0f} MB)")
        alone = seconds(_fastwarc, paths)
        iterated = seconds(_iterate, paths)
        pages = seconds(_pages, paths)
        tags = seconds(_tags, paths)
        table.row("FastWARC, payloads left unread", f"{iterated / alone:.2f}×")
        table.row("FastWARC, payloads read", "1.00×")
        table.row("pagedrift, page versions", f"{pages / alone:.2f}×")
        table.promise("pagedrift, page versions and their tags", tags / alone, most=1.3)
        return table.broken


def _iterate(path: Path) -> None:
    for _ in ArchiveIterator(str(path)):
        pass


def _fastwarc(path: Path) -> None:
    for record in ArchiveIterator(str(path)):
        record.reader.read()


def _pages(path: Path) -> None:
    for _ in read(path):
        pass


def _tags(path: Path) -> None:
    for page in read(path):
        _ = page.tags
