"""What does a document cost on Spark while the collection grows, and what would three billion pages need?

python -m benchmarks.scale [PAGES] prints the plan for so many pages, computed from what is measured there.
"""

from __future__ import annotations

import gzip
import os
import random
import re
import shutil
import sys
import tempfile
import threading
import time
from dataclasses import dataclass, field
from itertools import pairwise
from pathlib import Path
from typing import Any, Final, Self

from tests.builders import record

from benchmarks.measure import Table
from benchmarks.pages import data, made
from pagedrift import TemplateClusterer, read
from pagedrift.cli.spark import job_named
from pagedrift.collection import components
from pagedrift.collection.checkpoints import Scratch
from pagedrift.collection.session import session
from pagedrift.read_report import Account
from pagedrift.which_template import DEFAULT
from pagedrift.which_template import spark as jobs
from pagedrift.which_template.sketch import LENGTH
from pagedrift.which_template.spark import edges, labelled, numbered
from pagedrift.which_template.survey import batches, surveys

SIZES: Final = (1, 2, 4, 8)
ONCE: Final = 1200  # documents of the smallest collection
MANY: Final = 84  # times as many documents, where Spark is compared with the plain command
ARCHIVES: Final = 4  # in the smallest collection
JOBS: Final = ("fingerprint", "cluster", "changes", "redesigned")
KNOWN: Final = (1_000, 12_500, 25_000, 50_000, 100_000)  # fingerprints that are clustered
QUICK: Final = ("spark.sql.shuffle.partitions=4",)
BILLIONS: Final = 3_000_000_000
_NAME: Final = re.compile(rb"""(class|id)=(["']?)([A-Za-z])""")


@dataclass
class Measured:
    """What one job took over one collection."""

    documents: int
    cpu: float  # seconds of all processes
    seconds: float
    shuffled: int  # bytes
    stored: int  # bytes of its tables
    figures: dict[str, int] = field(default_factory=dict)


def growth(pages: int | None = None) -> list[str]:
    """Run each job over collections of 1, 2, 4 and 8 times as many documents, and the plain command beside it."""
    with tempfile.TemporaryDirectory() as scratch:
        with session("benchmarks", master="local[2]", settings=QUICK) as running:
            measured = _measured(running, Path(scratch))
        packed = sum(path.stat().st_size for path in Path(scratch, str(SIZES[-1])).glob("*.warc.gz"))
    table = Table(f"Cost of a document on Spark, CPU milliseconds, less that of a collection of one ({ONCE} × n)")
    for name in JOBS:
        one, *sizes = (measured[name][size] for size in (0, *SIZES))
        costs = [1000 * (each.cpu - one.cpu) / each.documents for each in sizes]
        told = "  ".join(f"{size}×: {cost:.2f}" for size, cost in zip(SIZES, costs, strict=True))
        table.row(f"{name} (one document: {one.cpu:.1f} s)", f"{costs[-1]:.2f}", told)
        table.promise(f"{name}, 8× over 2×", costs[-1] / costs[1], most=1.5)
    _compare(table, measured)
    if pages:
        _plan(pages, measured, packed)
    return table.broken


def against_plain(copies: int = MANY) -> list[str]:
    """Compare finding the templates of many pages by Spark with the plain command, start-up apart."""
    with (
        tempfile.TemporaryDirectory() as scratch,
        session("benchmarks", master="local[2]", settings=QUICK) as running,
    ):
        one, many = (_collection(Path(scratch, str(size)), size) for size in (0, copies))
        for _ in range(2):  # the first time Java is not warm
            shutil.rmtree(Path(scratch, "one"), ignore_errors=True)
            start = _run(running, "cluster", one, Path(scratch, "one"))
        spark = _run(running, "cluster", many, Path(scratch, "many"))
        plain = _plain(many)
    table = Table(f"Templates by Spark against the plain command ({plain.documents:,} pages)")
    table.row("Spark, start-up", f"{start.cpu:.1f} s")
    table.row("the plain command", f"{1000 * plain.cpu / plain.documents:.2f}", "milliseconds a page")
    table.promise("Spark over the plain command, start-up apart", (spark.cpu - start.cpu) / plain.cpu, most=1.5)
    same = spark.figures["templates"] == plain.figures["templates"]
    table.promise("as many templates", float(same), least=1)
    return table.broken


def clusters() -> list[str]:
    """Cluster made fingerprints, ever more of them, without a page to read: by the distributed steps alone."""
    components.MAX_DRIVER_LINKS = 0
    table = Table("Clustering on Spark, CPU milliseconds for one fingerprint more")
    started = session("benchmarks", master="local[2]", settings=QUICK)
    with tempfile.TemporaryDirectory() as scratch, started as running:
        spent = {size: _clustered(running, size, f"{scratch}/{number}") for number, size in enumerate(KNOWN)}
    sizes = list(spent)[1:]  # the first time Java is not warm
    costs = [1000 * (spent[after] - spent[before]) / (after - before) for before, after in pairwise(sizes)]
    for size, cost in zip(sizes[1:], costs, strict=True):
        table.row(f"up to {size:,}", f"{cost:.2f}", f"{spent[size]:.0f} s in all")
    first, last = (spent[size] / size for size in (sizes[1], sizes[-1]))
    table.promise(f"a fingerprint at {sizes[-1]:,} over one at {sizes[1]:,}, all in all", last / first, most=1.2)
    return table.broken


def _clustered(running: Any, size: int, folder: str) -> float:
    """Cluster so many made fingerprints, and give the CPU seconds."""
    scratch = Scratch(running, folder, "made")
    schema = "part int, row bigint, fingerprint binary, url string"
    rows = running.range(0, size, 1, 8).rdd.map(lambda row: _made_row(row.id))
    pages = scratch.keep(running.createDataFrame(rows, schema), "pages")
    with _ProcessorTime() as taken:
        known = scratch.keep(numbered(pages), "known")
        roots = components.components(edges(running, known, DEFAULT), scratch.keep)
        scratch.keep(labelled(known, roots), "labels")
    return taken.seconds


def _made_row(number: int) -> tuple[int, int, bytes, str]:
    """Make a page: twenty of each template, of which each has some other bytes."""
    chance = random.Random(number)
    taken = bytearray(random.Random(-1 - number // 20).randbytes(LENGTH))
    for _ in range(chance.randrange(24)):
        taken[chance.randrange(LENGTH)] = chance.randrange(256)
    return number % 64, number // 64, bytes(taken), f"https://made.example/{number}"


def _compare(table: Table, measured: dict[str, dict[int, Measured]]) -> None:
    """Say what Spark costs over the plain command, with all it takes and without."""
    plain, largest = measured["plain"][SIZES[-1]], SIZES[-1]
    both = measured["cluster"][largest].cpu + measured["fingerprint"][largest].cpu
    reading = measured["fingerprint"][largest].cpu - measured["fingerprint"][0].cpu
    table.row(
        "the plain command, cluster", f"{1000 * plain.cpu / plain.documents:.2f}", f"{plain.documents} documents"
    )
    table.row("Spark over the plain command, all in all", f"{both / plain.cpu:.1f}")
    table.row("the same, reading alone, start left out", f"{reading / plain.cpu:.2f}")
    found = [[measured[name][size].figures["templates"] for size in SIZES] for name in ("cluster", "plain")]
    table.promise("as many templates as the plain command", float(found[0] == found[1]), least=1)


def _plan(pages: int, measured: dict[str, dict[int, Measured]], packed: int) -> None:
    """Print what so many pages would need, by what one document more costs in the largest collection here."""
    largest = measured["fingerprint"][SIZES[-1]].documents
    each = packed / largest
    print(f"\n{pages:,} pages like these: {each / 1000:.1f} kB packed each, {pages * each / 1e12:.0f} TB in all")
    print(f"  {'job':<12} {'ms a page':>10} {'core hours':>11} {'shuffle a page':>15} {'in all':>9} {'tables':>9}")
    for name in JOBS:
        before, after = (measured[name][size] for size in SIZES[-2:])
        more = after.documents - before.documents
        cost, shuffled = (after.cpu - before.cpu) / more, (after.shuffled - before.shuffled) / more
        stored = (after.stored - before.stored) / more
        print(
            f"  {name:<12} {1000 * cost:>10.2f} {pages * cost / 3600:>11,.0f}"
            f" {shuffled:>13,.0f} B {pages * shuffled / 1e12:>6.2f} TB {pages * stored / 1e12:>6.2f} TB"
        )
    known = measured["cluster"][SIZES[-1]].figures["fingerprints"] / largest
    print(f"  there are {100 * known:.0f} different fingerprints in 100 pages here; clustering grows with these")


def _measured(running: Any, scratch: Path) -> dict[str, dict[int, Measured]]:
    """Measure every job over every size; size 0 is a collection of one document: what Spark itself takes."""
    found: dict[str, dict[int, Measured]] = {name: {} for name in (*JOBS, "plain")}
    components.MAX_DRIVER_LINKS = jobs.MAX_DRIVER_PAGES = 0  # as with billions: the driver does none of it
    for size in (0, 0, *SIZES):  # the first time Java is not warm
        manifest = _collection(scratch / str(size), size)
        answers = scratch / f"answers-{size}"
        shutil.rmtree(answers, ignore_errors=True)
        for name in JOBS:
            found[name][size] = _run(running, name, manifest, answers, "--together", "1")
        found["plain"][size] = _plain(manifest)
        shutil.rmtree(answers)
    return found


def _run(running: Any, name: str, manifest: Path, answers: Path, *options: str) -> Measured:
    """Run one job; those after the first find the fingerprints there."""
    start, shuffled = time.perf_counter(), _shuffled(running)
    with _ProcessorTime() as taken:
        outcome = job_named(name).run([str(manifest), "--to", str(answers), *options])
    took = time.perf_counter() - start
    own = set(outcome.tables) - ({"pages"} if name != "fingerprint" else set())
    stored = sum(path.stat().st_size for table in own for path in (answers / table).rglob("*.parquet"))
    return Measured(
        outcome.tally.pages, taken.seconds, took, _shuffled(running) - shuffled, stored, outcome.figures
    )


def _plain(manifest: Path) -> Measured:
    """Cluster as the plain command does, rows for a table included."""
    cpu, start, clusterer = time.process_time(), time.perf_counter(), TemplateClusterer()
    paths = [str(manifest.parent / line) for line in manifest.read_text().split()]
    for _, survey, _ in surveys(list(batches(paths, account=Account())), algorithm=clusterer.algorithm, rows=True):
        survey.cluster(clusterer)
    pages = sum(cluster.pages for cluster in clusterer.clusters())
    cpu = time.process_time() - cpu
    return Measured(pages, cpu, time.perf_counter() - start, 0, 0, {"templates": clusterer.count()})


def _shuffled(running: Any) -> int:
    executors = running.sparkContext._jsc.sc().statusStore().executorList(False)
    return sum(executors.apply(number).totalShuffleWrite() for number in range(executors.size()))


class _ProcessorTime:
    """The processor time, in seconds, that this process and all below it take while this is entered.

    They are looked at several times a second: Spark does not ask its processes what they took when they end.
    """

    def __enter__(self) -> Self:
        self._before = self._seen = _processor_times()
        self._ended = threading.Event()
        self._watch = threading.Thread(target=self._look, daemon=True)
        self._watch.start()
        return self

    def _look(self) -> None:
        while not self._ended.wait(0.2):
            self._seen = self._seen | _processor_times()

    def __exit__(self, *_: object) -> None:
        self._ended.set()
        self._watch.join()
        self.seconds = sum((self._seen | _processor_times()).values()) - sum(self._before.values())


def _processor_times() -> dict[tuple[int, str], float]:
    """Give the seconds of this process and of each below it, by its number and the time of its start."""
    parents, times = {}, {}
    for path in Path("/proc").glob("[0-9]*/stat"):
        try:
            fields = path.read_text().rpartition(")")[2].split()
        except OSError:
            continue
        process = int(path.parent.name)
        parents[process] = int(fields[1])
        times[process] = (process, fields[19]), (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")
    below = {os.getpid()}
    for process in sorted(parents):  # nearly always, one that was started later has a higher number
        if parents[process] in below:
            below.add(process)
    return dict(times[process] for process in below)


def _collection(folder: Path, size: int) -> Path:
    """Write a collection: documents of real sites, and for each time of them, the same sites with other names."""
    manifest = folder / "manifest"
    if manifest.exists():
        return manifest
    folder.mkdir()
    pages = _pages() if size else _pages()[:1]
    count = ARCHIVES if size else 1
    names = []
    for copy in range(max(1, size)):
        for number in range(count):
            names.append(f"{copy}-{number}.warc.gz")
            records = (_renamed(page, copy) for page in pages[number::count])
            (folder / names[-1]).write_bytes(b"".join(records))
    manifest.write_text("\n".join(names) + "\n")
    return manifest


def _pages() -> list[tuple[str, bytes, str]]:
    """Give documents of some sites, two versions of some: address, body and time."""
    folder = data()
    if folder is None:
        return [
            (f"https://made-{n % 7}.example/{n // 2}", made(n), f"2026-{1 + n % 12:02}-01T00:00:00Z")
            for n in range(ONCE)
        ]
    found = []
    for path in sorted(folder.glob("streams/*.warc.gz")):
        for page in read(path):
            when = page.captured_at.isoformat() if page.captured_at else "2026-01-01T00:00:00+00:00"
            found.append((page.url, page.body, when.replace("+00:00", "Z")))
    return random.Random(1).sample(found, ONCE)


def _renamed(page: tuple[str, bytes, str], copy: int) -> bytes:
    """Write a document of another site: the names of its classes and ids, and its host, begin otherwise."""
    url, body, when = page
    letters = bytes((97 + copy % 26,)) * 2
    named = _NAME.sub(rb"\1=\2" + letters + rb"\3", body) if copy else body
    written = record(url.replace("://", f"://{'x' * copy}"), named, date=when)
    return gzip.compress(written, 1, mtime=0)


if __name__ == "__main__":
    growth(int(float(sys.argv[1])) if len(sys.argv) > 1 else BILLIONS)
