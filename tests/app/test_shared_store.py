"""Several watchers on one store: each due visit is made once, politely, and dead watchers are replaced."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections import Counter
from contextlib import contextmanager, suppress
from dataclasses import replace
from typing import TYPE_CHECKING

import boto3
import pytest
from moto.server import ThreadedMotoServer
from sqlalchemy import select, update

from pagedrift.app.captures import page_of
from pagedrift.app.model.watch import Watch
from pagedrift.app.monitor import rebuild
from pagedrift.app.monitor.scheduler import Scheduler
from pagedrift.app.store import queue, watches
from pagedrift.app.store.store import Store, StoreError
from pagedrift.app.store.tables import VersionRow, VisitRow, WatchRow
from pagedrift.archive.locations import Place
from pagedrift.dates import EARLIEST

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from pagedrift.app.settings import Settings

HOST = "127.0.0.2"  # of this machine, but with the politeness that others get
# A site that takes its time and writes down when it was asked for what. Its first answers wait until several were
# asked for at once.
SERVER = """
import sys, threading, time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
log = open(sys.argv[1], "a", buffering=1)
together, arrived = int(sys.argv[3]), threading.Condition()
def meet():
    global together
    with arrived:
        together -= 1
        arrived.notify_all()
        arrived.wait_for(lambda: together <= 0)
class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    def do_GET(self):
        print(time.time(), self.path, file=log)
        time.sleep(float(sys.argv[2]))
        if self.path != "/robots.txt":
            meet()
        body = b"<title>Page</title><p>At %d" % time.time_ns()
        self.send_response(404 if self.path == "/robots.txt" else 200)
        self.send_header("Content-Type", "text/html")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)
    def log_message(self, *_): pass
server = ThreadingHTTPServer(("127.0.0.2", 0), Handler)
server.daemon_threads = True
server.handle_error = lambda *_: None
print(server.server_address[1], flush=True)
server.serve_forever()
"""


@contextmanager
def _serving(log: Path, seconds: float = 0.0, *, together: int = 1) -> Iterator[str]:
    command = [sys.executable, "-c", SERVER, str(log), str(seconds), str(together)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        yield f"http://{HOST}:{int(process.stdout.readline())}"
        process.kill()


def _forked(work: Callable[[], object]) -> int:
    child = os.fork()
    if child == 0:
        status = 1
        with suppress(BaseException):
            work()
            status = 0
        os._exit(status)
    return child


def _watch(settings: Settings, name: str) -> None:
    settings = replace(settings, writer=name)
    with Store(settings) as store, Scheduler(settings, store) as scheduler:
        scheduler.run_once()


@pytest.fixture
def shared(shared_settings: Settings) -> Settings:
    return replace(shared_settings, allow_private=(HOST,), threads=4)


@pytest.fixture
def bucket(monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    """A bucket of a real server that speaks S3."""
    server = ThreadedMotoServer(ip_address="127.0.0.1", port=0, verbose=False)
    server.start()
    monkeypatch.setenv("AWS_ENDPOINT_URL", f"http://127.0.0.1:{server.get_host_and_port()[1]}")
    monkeypatch.setenv("AWS_DEFAULT_REGION", "us-east-1")
    for name in ("AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY"):
        monkeypatch.setenv(name, "test")
    boto3.client("s3").create_bucket(Bucket="shared-pages")
    yield "s3://shared-pages/kept"
    server.stop()


def _filled(settings: Settings, url: str, count: int) -> None:
    with Store(settings) as store:
        watches.add_all(store, [Watch(f"{url}/{number}") for number in range(count)])


def _asked(log: Path) -> list[tuple[float, str]]:
    lines = (line.split() for line in log.read_text().splitlines())
    return sorted((float(moment), path) for moment, path in lines if path != "/robots.txt")


@pytest.mark.slow
def test_each_visit_is_made_by_one_of_three_processes(shared: Settings, tmp_path: Path) -> None:
    # Five at once are more than the threads of one process.
    with _serving(tmp_path / "log", 0.02, together=5) as url:
        _filled(shared, url, 60)
        children = [_forked(lambda name=name: _watch(shared, name)) for name in ("one", "two", "three")]
        assert [os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) for child in children] == [0, 0, 0]
    assert Counter(path for _, path in _asked(tmp_path / "log")) == {f"/{number}": 1 for number in range(60)}
    with Store(shared) as store, store.read() as session:
        rows = session.scalars(select(VersionRow)).all()
    assert len(rows) == len({row.watch_id for row in rows}) == 60
    assert len({row.filename for row in rows}) > 1, "one process did it all"
    for row in rows:
        assert page_of(shared.data, Place(row.filename, row.offset, row.length)).digest == row.digest


@pytest.mark.slow
def test_politeness_holds_across_processes(shared: Settings, tmp_path: Path) -> None:
    shared = replace(shared, delay=0.25)
    with _serving(tmp_path / "log") as url:
        _filled(shared, url, 12)
        begun = time.time()
        children = [_forked(lambda name=name: _watch(shared, name)) for name in ("one", "two", "three")]
        assert [os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) for child in children] == [0, 0, 0]
    asked = _asked(tmp_path / "log")
    assert len(asked) == 12
    seconds = asked[-1][0] - begun  # not since the first was logged, which may have been long after its turn
    assert seconds >= 11 * 0.25, f"twelve requests in {seconds:.2f} s"


@pytest.mark.slow
def test_the_visits_of_a_killed_process_are_taken_over_and_nothing_is_kept_twice(
    shared: Settings, tmp_path: Path
) -> None:
    log = tmp_path / "log"
    with _serving(tmp_path / "log", 0.05) as url:
        _filled(shared, url, 40)
        rounds = 3
        for number in range(rounds):
            with Store(shared) as store, store.begin() as session:
                session.execute(update(WatchRow).values(next_at=EARLIEST))
            enough = (len(_asked(log)) if number else 0) + 3 + 10 * number
            doomed = _forked(lambda: _watch(shared, "doomed"))
            while not log.exists() or len(_asked(log)) < enough:
                time.sleep(0.01)
            os.kill(doomed, signal.SIGKILL)
            os.waitpid(doomed, 0)
            with Store(shared) as store, store.begin() as session:  # its leases ran out, by the clock
                session.execute(update(WatchRow).where(WatchRow.lease.is_not(None)).values(leased_until=EARLIEST))
            assert os.waitstatus_to_exitcode(os.waitpid(_forked(lambda: _watch(shared, "heir")), 0)[1]) == 0
            with Store(shared) as store:
                assert queue.waiting(store)[0] == 0
    with Store(shared) as store:
        rebuild.catch_up(store, replace(shared, writer="doomed"))
        with store.read() as session:
            rows = session.scalars(select(VersionRow)).all()
            visits = Counter(session.scalars(select(VisitRow.watch_id)))
    assert min(visits.values()) >= rounds
    assert len({(row.filename, row.offset) for row in rows}) == len(rows)
    assert len({row.digest for row in rows}) == len(rows), "a version is kept twice"
    for row in rows:
        assert page_of(shared.data, Place(row.filename, row.offset, row.length)).digest == row.digest


def test_two_watchers_cannot_have_one_name(any_store: Store) -> None:
    settings = any_store.settings
    with Scheduler(settings, any_store), pytest.raises(StoreError, match="--writer"):
        Scheduler(replace(settings, data=settings.data / "elsewhere"), any_store)


def test_versions_are_kept_in_a_bucket_and_the_database_made_again_from_it(
    shared: Settings, bucket: str, tmp_path: Path
) -> None:
    shared = replace(shared, warcs=bucket)
    with _serving(tmp_path / "log") as url:
        _filled(shared, url, 5)
        for name in ("one", "two"):
            with Store(shared) as store, store.begin() as session:
                session.execute(update(WatchRow).values(next_at=EARLIEST))
            _watch(shared, name)
    with Store(shared) as store:
        with store.read() as session:
            before = sorted(session.scalars(select(VersionRow.digest)))
        assert len(before) == 10
        assert rebuild.rebuild(store, shared) == 10
        with store.read() as session:
            rows = session.scalars(select(VersionRow)).all()
    assert sorted(row.digest for row in rows) == before
    for row in rows:
        assert page_of(shared.archive, Place(row.filename, row.offset, row.length)).digest == row.digest
