"""What do hostile pages cost the one who watches them?"""

from __future__ import annotations

import gzip
import json
import random
import socket
import subprocess
import sys
import tempfile
import threading
import time
from contextlib import AbstractContextManager, contextmanager, nullcontext
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import TYPE_CHECKING

from benchmarks.measure import Table

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

SERVER = 250  # megabytes of the server's process while sixteen such pages are visited at once
LARGE_SECONDS = 3.0  # of processor time for the answers about a page of 20 MB with one changed paragraph, and
LARGE_MEMORY = 600  # megabytes
PAGES = 16
SIZE = 63_000_000  # bytes of a page, unpacked
WIRE = 420_000  # bytes that come, so that no page is refused for its ratio
EVERY = 5  # seconds between two visits of a page that behaves
SPELL = 60  # seconds for which they are counted
SILENT = 40
EXPENSIVE = 8
ELEMENTS = 60_000
TAGS = ("div", "p", "b", "i", "ul", "li")
RATE = 0.8  # of the visits that it has alone
KINDS = {"NULs": b"\0", "paragraphs in UTF-16": "<p>a".encode("utf-16-le")}


def visits() -> list[str]:
    """Visit sixteen pages of 63 MB behind 420 kB at once, new and changed."""
    table = Table("Sixteen hostile pages at once: megabytes of the server's process")
    for kind in KINDS:
        found = measured(kind)
        table.row(f"{kind}, before", f"{found['before']}")
        table.promise(kind, found["most"], most=SERVER)
    return table.broken


def large() -> list[str]:
    """Work out the answers about a page of 20 MB of which one paragraph changed."""
    table = Table("A page of 20 MB with one changed paragraph, all answers")
    ran = subprocess.run(
        [sys.executable, "-m", "benchmarks.hostile", "large"], check=True, stdout=subprocess.PIPE, text=True
    )
    found = json.loads(ran.stdout.splitlines()[-1])
    table.promise("seconds of processor time", found["seconds"], most=LARGE_SECONDS)
    table.promise("megabytes", found["megabytes"], most=LARGE_MEMORY)
    return table.broken


def answer_large() -> dict[str, float]:
    """Compare two large pages in this process."""
    from tests.app.monitor.test_excerpts import changed_in_one_place

    from pagedrift import PageVersion
    from pagedrift.app.model.options import WatchOptions
    from pagedrift.app.monitor.analysis import analyse

    old, new = (PageVersion("https://city.example/", body) for body in changed_in_one_place(20_000_000))
    started = time.process_time()
    analyse(old, new, WatchOptions())
    return {"seconds": time.process_time() - started, "megabytes": megabytes()}


def measured(kind: str, *, pages: int = PAGES) -> dict[str, int]:
    """Visit hostile pages in a process of its own, which never has one of them in its memory to begin with."""
    with tempfile.TemporaryDirectory() as folder:
        for number in range(2):
            start = b"\xff\xfe" * kind.endswith("UTF-16")
            body = start + KINDS[kind] * (SIZE // len(KINDS[kind]) - number)
            made = gzip.compress(body, 1)
            (Path(folder) / f"{number}.gz").write_bytes(made + b"\0" * max(0, WIRE - len(made)))
        command = [sys.executable, "-m", "benchmarks.hostile", folder, str(pages)]
        ran = subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True)
    found: dict[str, int] = json.loads(ran.stdout.splitlines()[-1])
    return found


def visit_all(folder: Path, pages: int) -> dict[str, int]:
    """Watch some pages, visit them all twice, changed in between, and say what the process took at most."""
    from sqlalchemy import update
    from tests.server import HTML, serving

    from pagedrift.app.model.watch import Watch
    from pagedrift.app.monitor.scheduler import Scheduler
    from pagedrift.app.settings import Settings
    from pagedrift.app.store import watches
    from pagedrift.app.store.store import Store
    from pagedrift.app.store.tables import WatchRow
    from pagedrift.dates import EARLIEST

    # One host has half of the workers at most.
    settings = Settings(folder / "data", allow_private=("127.0.0.1",), delay=0.0, threads=2 * pages)
    with serving() as site, Store(settings) as store, Scheduler(settings, store) as scheduler:
        watches.add_all(store, [Watch(f"{site.url}/{number}") for number in range(pages)])
        before = megabytes()
        for version in range(2):
            body = (folder / f"{version}.gz").read_bytes()
            for number in range(pages):
                site.pages[f"/{number}"] = (200, {**HTML, "Content-Encoding": "gzip"}, body)
            with store.begin() as session:
                session.execute(update(WatchRow).values(next_at=EARLIEST))
            scheduler.run_once()
        return {"before": before, "most": megabytes(), **scheduler.outcomes}


def rates() -> list[str]:
    """Visit a well-behaved page every five seconds, alone, beside hosts that never answer, and expensive ones."""
    table = Table(f"A page that is due every {EVERY} s: visits in {SPELL} s, and of those it has alone")
    alone = visited()
    table.row("alone", f"{alone}")
    for name, attack in {
        f"next to {SILENT} hosts that never answer": silent_hosts,
        f"next to {EXPENSIVE} hosts with {ELEMENTS:,} other elements at each visit": expensive_hosts,
    }.items():
        found = visited(attack)
        table.row(name, f"{found}")
        table.promise(f"{name}, of those alone", found / alone, least=RATE)
    return table.broken


def visited(attack: Callable[[], AbstractContextManager[list[str]]] = nullcontext) -> int:
    """Count the visits of one page in a while, beside watches of other hosts that are due as often."""
    from tests.server import serving

    from pagedrift.app.model.watch import Watch
    from pagedrift.app.monitor.scheduler import Scheduler
    from pagedrift.app.settings import Settings
    from pagedrift.app.store import watches
    from pagedrift.app.store.store import Store

    often = {"every": EVERY, "adaptive": False, "resources": False}
    with tempfile.TemporaryDirectory() as folder, serving() as site, attack() as urls:
        site.pages["/"] = b"<title>Fees</title><h1>Fees</h1><p>A permit costs 24 a year, whoever asks for it."
        settings = Settings(Path(folder), allow_private=("127.0.0.0/8",))
        with Store(settings) as store, Scheduler(settings, store) as scheduler:
            watches.add(store, Watch(f"{site.url}/", options=often))
            scheduler.run_once()
            watches.add_all(store, [Watch(url, options=often) for url in urls or ()])
            before = site.paths.count("/")
            scheduler.start()
            time.sleep(SPELL)
            return site.paths.count("/") - before


@contextmanager
def silent_hosts() -> Iterator[list[str]]:
    """Give addresses of hosts that take connections and never say anything."""
    with socket.create_server(("0.0.0.0", 0), backlog=4 * SILENT) as server:
        yield [f"http://127.1.0.{number}:{server.getsockname()[1]}/" for number in range(1, SILENT + 1)]


@contextmanager
def expensive_hosts() -> Iterator[list[str]]:
    """Give addresses of hosts whose page is another one at each visit."""
    server = ThreadingHTTPServer(("0.0.0.0", 0), _Expensive)
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    yield [f"http://127.2.0.{number}:{server.server_address[1]}/" for number in range(1, EXPENSIVE + 1)]
    server.shutdown()
    thread.join()
    server.server_close()


class _Expensive(BaseHTTPRequestHandler):
    def do_GET(self) -> None:
        chance = random.Random()
        body = "".join(
            f"<{chance.choice(TAGS)} class=c{chance.randrange(99)}>{chance.randrange(9999)}"
            for _ in range(ELEMENTS)
        )
        self.send_response(200)
        self.send_header("Content-Type", "text/html")
        self.end_headers()
        self.wfile.write(body.encode())

    def log_message(self, *_: object) -> None:
        pass


def megabytes() -> int:
    """Give the memory that this process had at most; not that of the one that started it, as getrusage does."""
    told = next(line for line in Path("/proc/self/status").read_text().splitlines() if line.startswith("VmHWM"))
    return int(told.split()[1]) * 1024 // 1_000_000


if __name__ == "__main__":
    print(json.dumps(answer_large() if sys.argv[1] == "large" else visit_all(Path(sys.argv[1]), int(sys.argv[2]))))
