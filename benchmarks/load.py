"""How many watches does one process look after? Visits, answers and memory under load, beside changedetection.io.

Both programs watch the same local pages, one after the other, as they come: with their own defaults for workers,
and an interval so short that there is always more to do than they can. Visits are counted by the server of the
pages. Memory is that of all processes of a program, what they share counted once (PSS).

    python -m benchmarks.load --watches 1000 --only changedetection.io
"""

from __future__ import annotations

import argparse
import http.client
import json
import os
import signal
import socket
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from abc import ABC, abstractmethod
from collections import Counter
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import urlencode

from benchmarks.load_site import CHANGING, address
from benchmarks.measure import Table

if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

COMPARED = 1_000  # watches of each program
MANY = 10_000  # watches of ours alone
PEER = Path(".venv/changedetection/bin/changedetection.io")
PATIENCE = 900.0  # seconds until each page was visited once, and then until it was visited again
START = 120.0  # seconds until a program answers
PULSE = 2.0  # seconds between two looks at memory and visits
PAUSE = 0.25  # seconds between two requests of the person who looks at the program meanwhile


@dataclass(frozen=True, slots=True)
class Sample:
    """How a program stood at one moment."""

    at: float
    visits: int
    pages: int
    megabytes: float
    processor: float  # seconds that all its processes worked


@dataclass(frozen=True, slots=True)
class Result:
    """What one program did."""

    first: float  # visits per second, while pages were new to it
    again: float  # the same, afterwards
    work: float  # milliseconds of processor time for a visit again; other programs on the machine do not change it
    megabytes: float  # at most
    course: tuple[float, float]  # megabytes in the first and in the last quarter of the visits again
    visits: int  # again
    answers: tuple[float, ...] = field(repr=False)  # seconds that its own web pages took meanwhile

    @property
    def growth(self) -> float:
        """How many times as much memory it takes at the end."""
        return self.course[1] / self.course[0]

    @property
    def p50(self) -> float:
        """Milliseconds for an answer, usually."""
        return 1000 * statistics.median(self.answers or (float("nan"),))

    @property
    def p99(self) -> float:
        """Milliseconds for an answer, at worst, but for one in a hundred."""
        found = sorted(self.answers or (float("nan"),))
        return 1000 * found[min(len(found) - 1, int(len(found) * 0.99))]


class Program(ABC):
    """A program that watches pages."""

    name: str

    def __init__(self, folder: Path, port: int, urls: list[str]) -> None:
        self.folder = folder
        self.port = port
        self.urls = urls
        self.log = folder / "log.txt"

    @abstractmethod
    def prepare(self) -> None:
        """Tell it what to watch, before it is measured."""

    @abstractmethod
    def command(self) -> list[str]:
        """Give the command that starts it."""

    @abstractmethod
    def looked_at(self) -> list[str]:
        """Name pages that people look at: the overview, and a watch."""

    def environment(self) -> dict[str, str]:
        """Give the settings that it reads from its environment."""
        return dict(os.environ)

    def get(self, path: str, **options: Any) -> bytes:
        """Ask its web server."""
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=60)
        try:
            connection.request("POST" if "body" in options else "GET", path, **options)
            answer = connection.getresponse()
            body = answer.read()
        finally:
            connection.close()
        if answer.status >= 400:
            raise OSError(f"{self.name} answered {path} with {answer.status}: {body[:200]!r}")
        return body

    @contextmanager
    def running(self, *more: str) -> Iterator[int]:
        """Run it, from when it answers; give the number of its process."""
        with self.log.open("ab") as log:
            process = subprocess.Popen([*self.command(), *more], env=self.environment(), stdout=log, stderr=log)
        try:
            self._await(process)
            yield process.pid
        finally:
            process.send_signal(signal.SIGTERM)
            try:
                process.wait(60)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()

    def _await(self, process: subprocess.Popen[bytes]) -> None:
        until = time.monotonic() + START
        while time.monotonic() < until and process.poll() is None:
            try:
                self.get("/")
            except OSError:
                time.sleep(0.2)
            else:
                return
        raise RuntimeError(f"{self.name} did not start: {self.log.read_text()[-2000:]}")


class Pagedrift(Program):
    """Ours, with everything that it does at a visit: versions kept, five answers, verdicts."""

    name = "pagedrift"

    def prepare(self) -> None:
        """Write the watches into its store."""
        from pagedrift.app.model.options import MIN_INTERVAL_SECONDS
        from pagedrift.app.model.watch import Watch
        from pagedrift.app.settings import Settings
        from pagedrift.app.store import watches
        from pagedrift.app.store.store import Store

        often = {"every": float(MIN_INTERVAL_SECONDS), "adaptive": False}
        with Store(Settings(self.folder / "data")) as store:
            self.added = watches.add_all(store, [Watch(url, options=often) for url in self.urls])

    def command(self) -> list[str]:
        """Serve as anybody would, with leave to visit this machine."""
        program = str(Path(sys.executable).with_name("pagedrift"))
        ports = ["--port", str(self.port), "--content-port", str(free_port())]
        where = ["--data", str(self.folder / "data"), *ports]
        return [program, "serve", *where, "--allow-private", "127.1.0.0/16"]

    def looked_at(self) -> list[str]:
        """Name the overview, and a watch."""
        return ["/", f"/watch/{self.added[len(self.added) // 2].id}"]


class ChangeDetection(Program):
    """The peer, as it comes from PyPI."""

    name = "changedetection.io"

    def command(self) -> list[str]:
        """Serve, quietly."""
        where = ["-d", str(self.folder / "data"), "-C", "-h", "127.0.0.1", "-p", str(self.port)]
        return [str(PEER), *where, "-l", "CRITICAL"]

    def environment(self) -> dict[str, str]:
        """Let it visit this machine, as often as it can, and not call home."""
        return {
            **os.environ,
            "ALLOW_IANA_RESTRICTED_ADDRESSES": "true",
            "MINIMUM_SECONDS_RECHECK_TIME": "0",
            "DISABLE_VERSION_CHECK": "yes",
        }

    def prepare(self) -> None:
        """Import the watches by its API while it is paused, and let it go on at its next start."""
        first, *others = self.urls
        with self.running("-P", "true", "-u", first):  # with a first watch it does not bring its own
            [settings] = (self.folder / "data").glob("changedetection.json")
            told = json.loads(settings.read_text())["settings"]["application"]
            self._headers = {"x-api-key": told["api_access_token"], "Content-Type": "text/plain"}
            often = {"time_between_check_use_default": "false", "time_between_check": '{"seconds": 1}'}
            body = "\n".join(others).encode()
            self.get(f"/api/v1/import?{urlencode(often)}", body=body, headers=self._headers)
            until = time.monotonic() + PATIENCE
            while len(self._listed()) < len(self.urls):
                if time.monotonic() > until:
                    raise RuntimeError(f"{self.name} imported {len(self._listed())} watches of {len(self.urls)}")
                time.sleep(1)
            self._watch = next(iter(self._listed()))

    def _listed(self) -> dict[str, Any]:
        try:
            listed: dict[str, Any] = json.loads(self.get("/api/v1/watch", headers=self._headers))
        except OSError:  # asked for its list while it imports, it may fail
            return {}
        return listed

    def looked_at(self) -> list[str]:
        """Name the overview, and a watch."""
        return ["/", f"/preview/{self._watch}"]


class Looker(threading.Thread):
    """A person who looks at the web pages of a program while it works."""

    def __init__(self, program: Program) -> None:
        super().__init__(daemon=True)
        self.program = program
        self.answers: list[float] = []
        self.failed: Counter[str] = Counter()
        self._enough = threading.Event()

    def run(self) -> None:
        """Look, until it is enough."""
        paths, seen = self.program.looked_at(), set[str]()
        while not self._enough.wait(PAUSE):
            for path in paths:
                start = time.perf_counter()
                try:
                    self.program.get(path)
                except OSError as error:
                    self.failed[str(error)] += path in seen  # some have no page of a watch before its first visit
                else:
                    seen.add(path)
                    self.answers.append(time.perf_counter() - start)

    def stop(self) -> tuple[float, ...]:
        """Stop, and give how long each answer took."""
        self._enough.set()
        self.join()
        for reason, number in (+self.failed).items():
            print(f"    ({number}× {reason})")
        return tuple(self.answers)


def below(pid: int) -> Iterator[Path]:
    """Give the folder of a process and of all below it, as the system keeps them."""
    ahead = [pid]
    while ahead:
        process = Path("/proc") / str(ahead.pop())
        try:
            ahead += [
                int(number) for task in process.glob("task/*/children") for number in task.read_text().split()
            ]
        except (FileNotFoundError, ProcessLookupError):  # it has ended
            continue
        yield process


def memory(process: Path) -> float:
    """Give the megabytes of a process, of what it shares its part."""
    try:
        told = (process / "smaps_rollup").read_text()
    except (FileNotFoundError, ProcessLookupError):
        return 0.0
    return next(int(line.split()[1]) / 1024 for line in told.splitlines() if line.startswith("Pss:"))


def processor(process: Path) -> float:
    """Give the seconds that a process worked, and those that it started and that have ended."""
    try:
        told = (process / "stat").read_text().rpartition(")")[2].split()
    except (FileNotFoundError, ProcessLookupError):
        return 0.0
    return sum(map(int, told[11:15])) / os.sysconf("SC_CLK_TCK")


@contextmanager
def site(pages: int, changing: float = CHANGING) -> Iterator[int]:
    """Serve the pages from a process of their own; give the port."""
    command = [sys.executable, "-m", "benchmarks.load_site", str(pages), str(changing)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        try:
            assert process.stdout is not None  # for the type checker
            yield int(process.stdout.readline())
        finally:
            process.kill()


def measured(kind: type[Program], watches: int, *, changing: float = CHANGING) -> Result:
    """Let a program visit all pages, and then all of them again, of which a share changed."""
    with tempfile.TemporaryDirectory() as folder, site(watches, changing) as port:
        urls = [address(number, port) for number in range(watches)]
        program = kind(Path(folder), free_port(), urls)
        program.prepare()
        with program.running() as pid:
            looker = Looker(program)
            looker.start()
            first = _watched(pid, port, lambda sample: sample.pages >= watches)
            visited = first[-1].visits
            again = _watched(pid, port, lambda sample: sample.visits >= visited + watches)
            answers = looker.stop()
    top = max(sample.megabytes for sample in (*first, *again))
    count = again[-1].visits - again[0].visits
    work = 1000 * (again[-1].processor - again[0].processor) / max(1, count)
    return Result(_rate(first), _rate(again), work, top, _course(again), count, answers)


def _watched(pid: int, port: int, enough: Any) -> list[Sample]:
    """Take samples until it is enough, or too long."""
    samples, until = [_sample(pid, port)], time.monotonic() + PATIENCE
    while not enough(samples[-1]) and time.monotonic() < until:
        time.sleep(PULSE)
        samples.append(_sample(pid, port))
        if sys.stdout.isatty():
            last = samples[-1]
            print(f"    {last.visits:,} visits, {last.megabytes:,.0f} MB", end="\r", flush=True)
    return samples


def _sample(pid: int, port: int) -> Sample:
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=60)
    connection.request("GET", "/told")
    told = json.loads(connection.getresponse().read())
    connection.close()
    processes = list(below(pid))
    return Sample(
        time.monotonic(),
        told["visits"],
        told["pages"],
        sum(map(memory, processes)),
        sum(map(processor, processes)),
    )


def _rate(samples: list[Sample]) -> float:
    """Give the visits per second from the first that saw one."""
    begun = [sample for sample in samples if sample.visits] or samples
    took = begun[-1].at - begun[0].at
    return (begun[-1].visits - begun[0].visits) / took if took else 0.0


def _course(samples: list[Sample]) -> tuple[float, float]:
    """Give the memory at the beginning and at the end: what a quarter of the samples has in the middle."""
    quarter = max(1, len(samples) // 4)
    some = (samples[:quarter], samples[-quarter:])
    first, last = (statistics.median(sample.megabytes for sample in each) for each in some)
    return first, last


def free_port() -> int:
    """Find a port that nobody uses."""
    with socket.socket() as tried:
        tried.bind(("127.0.0.1", 0))
        return int(tried.getsockname()[1])


def _rows(table: Table, name: str, result: Result) -> None:
    table.row(f"{name}: first visits", f"{result.first:.0f}/s")
    table.row(f"{name}: visits again", f"{result.again:.0f}/s", f"{result.work:.1f} ms of a processor for each")
    first, last = result.course
    course = f"from {first:.0f} to {last:.0f} MB over {result.visits:,} visits again"
    table.row(f"{name}: memory at most", f"{result.megabytes:.0f} MB", course)
    table.row(f"{name}: its own pages meanwhile", f"{result.p50:.0f} ms", f"99 of 100 within {result.p99:.0f} ms")


def compared() -> list[str]:
    """Compare with changedetection.io on the same pages."""
    table = Table(f"Watching {COMPARED:,} pages, against changedetection.io")
    if not PEER.exists():
        table.row("changedetection.io", "not here", "install it with: make .venv/changedetection/installed")
        return table.broken
    peer = measured(ChangeDetection, COMPARED)
    _rows(table, ChangeDetection.name, peer)
    ours = measured(Pagedrift, COMPARED)
    _rows(table, Pagedrift.name, ours)
    table.row("visits again in a second, ours to theirs", f"{ours.again / peer.again:.2f}×")
    table.row("processor time for a visit, ours to theirs", f"{ours.work / peer.work:.2f}×")
    table.promise("memory, ours to theirs", ours.megabytes / peer.megabytes, most=1.0)
    table.promise("slowest of 100 own pages, ours to theirs", ours.p99 / peer.p99, most=1.0)
    return table.broken


def unchanged() -> list[str]:
    """Compare what a visit costs that finds nothing new."""
    table = Table(f"Watching {COMPARED:,} pages that do not change, against changedetection.io")
    if not PEER.exists():
        table.row("changedetection.io", "not here", "install it with: make .venv/changedetection/installed")
        return table.broken
    peer, ours = (measured(kind, COMPARED, changing=0.0) for kind in (ChangeDetection, Pagedrift))
    for kind, result in ((ChangeDetection, peer), (Pagedrift, ours)):
        table.row(f"{kind.name}: a visit", f"{result.work:.1f} ms", f"of a processor; {result.again:.0f}/s")
    table.promise("processor time for a visit, ours to theirs", ours.work / peer.work, most=0.6)
    return table.broken


def alone() -> list[str]:
    """Let one process look after many watches, for as many visits as an hour of hourly ones has."""
    table = Table(f"Watching {MANY:,} pages")
    ours = measured(Pagedrift, MANY)
    _rows(table, Pagedrift.name, ours)
    table.promise("memory at the end, to that at the beginning", ours.growth, most=1.1)
    table.promise("99 of 100 own pages within milliseconds", ours.p99, most=300)
    return table.broken


def main() -> None:
    """Measure as asked for on the command line."""
    programs: dict[str, type[Program]] = {kind.name: kind for kind in (ChangeDetection, Pagedrift)}
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--watches", type=int, default=COMPARED)
    parser.add_argument("--only", choices=programs)
    asked = parser.parse_args()
    table = Table(f"Watching {asked.watches:,} pages")
    for name in [asked.only] if asked.only else programs:
        _rows(table, name, measured(programs[name], asked.watches))


if __name__ == "__main__":
    main()
