"""A process that is killed at any instant loses nothing it has acknowledged."""

from __future__ import annotations

import os
import random
import select
import signal
import subprocess
import sys
import time
from contextlib import suppress
from typing import TYPE_CHECKING

import pytest
from sqlalchemy import func, update
from sqlalchemy import select as chosen

from pagedrift.app.captures import page_of
from pagedrift.app.model.watch import Watch
from pagedrift.app.monitor import rebuild
from pagedrift.app.monitor.scheduler import Scheduler
from pagedrift.app.store import watches
from pagedrift.app.store.store import Store
from pagedrift.app.store.tables import ChangeRow, VersionRow, VisitRow, WatchRow
from pagedrift.archive.locations import Place
from pagedrift.archive.reader import stored
from pagedrift.dates import EARLIEST

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pagedrift.app.settings import Settings

KILLS = 200
WATCHES = 6
# A site of which every page is another one at every request.
SERVER = """
import itertools, sys
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
numbers = itertools.count()
class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    def do_GET(self):
        body = b"<title>Page</title><h1>News</h1><p>Number %d</p>" % next(numbers)
        self.send_response(404 if self.path == "/robots.txt" else 200)
        self.send_header("Content-Type", "text/html")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)
    def log_message(self, *_): pass
server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
server.daemon_threads = True
server.handle_error = lambda *_: None
print(server.server_address[1], flush=True)
server.serve_forever()
"""


@pytest.fixture
def changing() -> Iterator[str]:
    with subprocess.Popen([sys.executable, "-c", SERVER], stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        yield f"http://127.0.0.1:{int(process.stdout.readline())}"
        process.kill()


def _work(settings: Settings, told: int) -> None:
    """Visit everything again and again; say of each version that the database has it."""
    with Store(settings) as store, Scheduler(settings, store) as scheduler:
        last = 0
        while True:
            with store.begin() as session:
                session.execute(update(WatchRow).values(next_at=EARLIEST))
            scheduler.run_once()
            with store.read() as session:
                for number, digest in session.execute(
                    chosen(VersionRow.id, VersionRow.digest).where(VersionRow.id > last).order_by(VersionRow.id)
                ):
                    os.write(told, f"{digest}\n".encode())
                    last = number


def _killed(settings: Settings, seconds: float, *, at_work: bool) -> list[str]:
    """Let a child work for a while, kill it, and give what it acknowledged; one at work has done so."""
    out, into = os.pipe()
    child = os.fork()
    if child == 0:
        with suppress(BaseException):
            os.close(out)
            _work(settings, into)
        os._exit(1)
    os.close(into)
    if at_work:
        select.select([out], [], [], 600)
    time.sleep(seconds)
    os.kill(child, signal.SIGKILL)
    with os.fdopen(out) as pipe:
        lines = pipe.read().splitlines()
    _, status = os.waitpid(child, 0)
    assert os.WIFSIGNALED(status), "the child ended by itself"
    return lines


@pytest.mark.slow
def test_what_was_acknowledged_before_a_kill_is_there_afterwards(settings: Settings, changing: str) -> None:
    with Store(settings) as store:
        for number in range(WATCHES):
            watches.add(store, Watch(f"{changing}/{number}", options={"notify_on": "anything"}))
        with Scheduler(settings, store) as scheduler:
            scheduler.run_once()  # loads what is loaded at first use, so that the children come to work quickly
    chance, told = random.Random(7), set[str]()
    for number in range(KILLS):
        told |= set(_killed(settings, chance.uniform(0.02, 0.3), at_work=number % 4 == 0))
        if number % 20 == 19:
            with Store(settings) as store:
                rebuild.catch_up(store, settings)
                assert len(watches.every(store)) == WATCHES
                assert told <= _digests(store)
    assert len(told) >= KILLS / 4, "too little was done to say anything"
    _check(settings, told)


def _digests(store: Store) -> set[str]:
    with store.read() as session:
        return set(session.scalars(chosen(VersionRow.digest)))


def _check(settings: Settings, told: set[str]) -> None:
    """All versions are readable and listed once, and the archive alone is enough to make the database again."""
    with Store(settings) as store:
        rebuild.catch_up(store, settings)
        with store.read() as session:
            rows = session.scalars(chosen(VersionRow)).all()
            assert session.scalar(chosen(func.count()).select_from(VisitRow)) >= len(rows)
            changes = session.scalar(chosen(func.count()).select_from(ChangeRow))
        places = {(row.filename, row.offset) for row in rows}
        assert len(places) == len(rows)
        assert places == {each.place[:2] for each in stored(settings.data) if each.kind == "capture"}
        for row in rows:
            assert page_of(settings.data, Place(row.filename, row.offset, row.length)).digest == row.digest
        known = {row.digest for row in rows}
        assert told <= known
        with Scheduler(settings, store) as scheduler:
            scheduler.housekeeper.tidy()
        assert rebuild.rebuild(store, settings) == len(rows)
        assert _digests(store) == known
        assert len(watches.every(store)) == WATCHES
        with store.read() as session:
            assert session.scalar(chosen(func.count()).select_from(ChangeRow)) == changes
