"""What does it cost to compare two crawls in which nothing changed, and to decide about one capture?"""

from __future__ import annotations

import io
import tempfile
import time
from itertools import cycle, islice
from pathlib import Path
from statistics import median

from warcio.statusandheaders import StatusAndHeaders
from warcio.warcwriter import WARCWriter

from benchmarks.measure import Table, seconds
from benchmarks.pages import bodies, pairs
from pagedrift import PageVersion, compare, read
from pagedrift.crawls.gate_state import GateState
from pagedrift.crawls.keeping import KeepLevel

PAGES = 10_000  # on each side
NEAR_50_KB = (40_000, 60_000)


def unchanged() -> list[str]:
    """Compare two crawls of the same pages with reading both archives."""
    table = Table(f"Two crawls of {PAGES:,} pages in which nothing changed, one process")
    with tempfile.TemporaryDirectory() as folder:
        old, new = (_crawl(Path(folder, f"{month}.warc.gz"), month) for month in ("10", "11"))
        reading = seconds(_read, [old, new], rounds=2)
        comparing = seconds(lambda pair: compare(*pair, processes=1).close(), [(old, new)], rounds=2)
    table.row("reading both archives", "1.00×")
    table.promise("comparing them, over reading them", comparing / reading, most=3.0)
    return table.broken


def gate() -> list[str]:
    """Time decisions about second captures of real pages of about 50 KB."""
    found = [pair for pair in pairs().values() if NEAR_50_KB[0] <= len(pair[1]) <= NEAR_50_KB[1]]
    table = Table(f"One decision of the gate ({len(found)} pages of about 50 KB)")
    times = []
    with tempfile.TemporaryDirectory() as folder:
        state = GateState(Path(folder, "gate.db"), KeepLevel.CHANGED)
        for number, (old, new) in enumerate(found):
            url = f"https://made.example/{number}"
            state.decide(PageVersion(url, old))
            started = time.process_time()
            state.decide(PageVersion(url, new))
            times.append(1000 * (time.process_time() - started))
    table.promise("milliseconds, median", median(times), most=20.0)
    return table.broken


def _crawl(path: Path, month: str) -> Path:
    head = [("Content-Type", "text/html; charset=utf-8")]
    with path.open("wb") as file:
        writer = WARCWriter(file, gzip=True)
        for number, body in enumerate(islice(cycle(bodies()), PAGES)):
            http = StatusAndHeaders("200 OK", head, protocol="HTTP/1.1")
            date = {"WARC-Date": f"2026-{month}-01T00:00:00Z"}
            url = f"https://made.example/{number}"
            record = writer.create_warc_record(
                url, "response", payload=io.BytesIO(body), http_headers=http, warc_headers_dict=date
            )
            writer.write_record(record)
    return path


def _read(path: Path) -> None:
    for _ in read(path, order="file"):
        pass


if __name__ == "__main__":
    unchanged()
    gate()
