"""What does it cost to keep a capture, alone and at the same time, in a small folder and in one of a million?"""

from __future__ import annotations

import json
import os
import tempfile
import threading
import time
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from itertools import count, islice
from typing import TYPE_CHECKING

from benchmarks.measure import Table
from pagedrift.archive.reader import page_at
from pagedrift.archive.writer import ArchiveWriter, Capture
from pagedrift.http_exchange import Exchange

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

_NOON = datetime(2026, 11, 15, 12, tzinfo=UTC)
_PAGE = b"<!doctype html><title>Fees</title>" + b"<p>A permit costs $120 and takes a week.</p>" * 250
_HTML = (("Content-Type", "text/html"),)
_THREADS = 16
_FILLED = 1_000_000  # captures
_numbers = count()


def _capture(url: str = "") -> Exchange:
    number = next(_numbers)
    moment = _NOON + timedelta(seconds=number)
    address = url or f"https://city.example/{number}"
    return Exchange(url=address, status=200, headers=_HTML, body=_PAGE + b"%d" % number, captured_at=moment)


def together() -> list[str]:
    """Compare threads that share flushes, and several captures at once, with one capture after the other."""
    table = Table(
        "Keeping captures, flushed to the disk (captures per second, one thread after the other is 1.00×)"
    )
    with _archive() as archive:
        alone = max(_rate(archive, threads=1) for _ in range(3))
        shared = max(_rate(archive, threads=_THREADS) for _ in range(3))
        at_once = max(_rate_at_once(archive) for _ in range(3))
        flushes = max(_flushes(archive.folder) for _ in range(3))
    table.row("flushes of the disk alone", f"{flushes / alone:.2f}×")
    table.row("append, one thread", "1.00×")
    table.row("append_all, 16 at once", f"{at_once / alone:.2f}×")
    table.promise("append, 16 threads: time of one capture", alone / shared, most=0.6)
    return table.broken


def growth() -> list[str]:
    """Compare a folder of a million captures, half of them of one address, with an empty one; the disk left out."""
    table = Table(f"Keeping a capture among {_FILLED:,} (an empty folder is 1.00×; flushes left out)")
    with _archive() as small, _archive() as large, _without_flushes():
        begun = time.perf_counter()
        _fill(large)
        table.row("listing that many: microseconds each", f"{(time.perf_counter() - begun) / _FILLED * 1e6:.1f}")
        for name, repeats, url in (
            ("what is repeated is said", None, ""),
            ("what is repeated is looked up", ..., ""),
            ("the same, of the address of 500,000", ..., "https://city.example/often"),
        ):
            ask = _keeping(repeats, url)
            table.promise(name, min(map(ask, [large] * 3)) / min(map(ask, [small] * 3)), most=6)
        place = large.append(_capture()).place
        table.row("page_at: microseconds", f"{min(_asked(large, place) for _ in range(5)) * 1e6:.0f}")
    return table.broken


@contextmanager
def _archive() -> Iterator[ArchiveWriter]:
    with tempfile.TemporaryDirectory() as folder, ArchiveWriter(folder) as archive:
        archive.append(_capture())
        yield archive


def _rate(archive: ArchiveWriter, *, threads: int, each: int = 25) -> float:
    def keep() -> None:
        for _ in range(each):
            archive.append(_capture(), repeats=None)

    workers = [threading.Thread(target=keep) for _ in range(threads)]
    begun = time.perf_counter()
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
    return threads * each / (time.perf_counter() - begun)


def _rate_at_once(archive: ArchiveWriter, times: int = 5) -> float:
    begun = time.perf_counter()
    for _ in range(times):
        archive.append_all(Capture(_capture(), repeats=None) for _ in range(_THREADS))
    return times * _THREADS / (time.perf_counter() - begun)


def _flushes(folder: Path, times: int = 25) -> float:
    begun = time.perf_counter()
    with (folder / "flushed").open("wb", buffering=0) as file:
        for _ in range(times):
            file.write(_PAGE[:400])
            os.fsync(file.fileno())
    return times / (time.perf_counter() - begun)


@contextmanager
def _without_flushes() -> Iterator[None]:
    real, os.fsync = os.fsync, lambda _: None
    try:
        yield
    finally:
        os.fsync = real


def _fill(archive: ArchiveWriter) -> None:
    """List captures as if they had been kept; their bytes do not matter here."""
    lines = _lines()
    while some := list(islice(lines, 2_000)):
        archive._index.add(some, {})
        archive._index.tidy()


def _lines() -> Iterator[bytes]:
    for number in range(_FILLED):
        url = "https://city.example/often" if number % 2 else f"https://city.example/page/{number * 7919 % _FILLED}"
        about = {
            "url": url,
            "mime": "text/html",
            "status": "200",
            "digest": f"sha1:{number:032}",
            "length": "4000",
            "offset": str(number * 4000),
            "filename": "pagedrift-main-000000-20261115120000.warc.gz",
        }
        moment = _NOON - timedelta(seconds=_FILLED - number)
        key = url.replace("https://city.example", "example,city)")
        yield f"{key} {moment:%Y%m%d%H%M%S} {json.dumps(about)}\n".encode()


def _keeping(repeats: object, url: str, times: int = 100) -> Callable[[ArchiveWriter], float]:
    def keep(archive: ArchiveWriter) -> float:
        begun = time.perf_counter()
        for _ in range(times):
            archive.append(_capture(url), repeats=repeats)  # type: ignore[arg-type]
        return (time.perf_counter() - begun) / times

    return keep


def _asked(archive: ArchiveWriter, place: object, times: int = 50) -> float:
    begun = time.perf_counter()
    for _ in range(times):
        page_at(archive.folder, place)  # type: ignore[arg-type]
    return (time.perf_counter() - begun) / times
