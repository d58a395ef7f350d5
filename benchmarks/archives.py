"""How much does it cost to read pages and their tags out of a WARC?"""

from __future__ import annotations

import tempfile
from pathlib import Path

from fastwarc.warc import ArchiveIterator

from benchmarks.measure import Table, spent
from benchmarks.pages import archives
from pagedrift import read


def reading() -> list[str]:
    """Compare with FastWARC reading the same payloads."""
    with tempfile.TemporaryDirectory() as scratch:
        paths = archives(Path(scratch))
        table = Table(f"Reading WARCs ({len(paths)} files, {sum(p.stat().st_size for p in paths) / 1e6:.0f} MB)")
        alone, iterated, pages, tags = (spent(run, paths) for run in (_fastwarc, _iterate, _pages, _tags))
        table.row("FastWARC, payloads left unread", f"{iterated / alone:.2f}×")
        table.row("FastWARC, payloads read", "1.00×")
        table.promise("page versions, over FastWARC reading payloads", pages / alone, most=0.85)
        table.promise("page versions and their tags, over FastWARC reading payloads", tags / alone, most=1.1)
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
