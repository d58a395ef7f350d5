"""Worker processes load little, end when they should, and say how."""

from __future__ import annotations

import gc
import os
import pickle
import signal
import subprocess
import sys
import time
from contextlib import suppress
from datetime import UTC, datetime
from typing import TYPE_CHECKING

import pytest

from pagedrift.app.model.option_values import plain
from pagedrift.app.model.options import WatchOptions
from pagedrift.app.monitor import worker_process
from pagedrift.app.monitor.examination import ExaminationJob, examine
from pagedrift.app.monitor.worker_pool import AnalysisPool
from pagedrift.app.monitor.worker_process import WorkerEndedError, WorkerProcess
from pagedrift.http_exchange import Exchange

if TYPE_CHECKING:
    from collections.abc import Callable


def fail() -> None:
    """Fail as code with a mistake does."""
    raise KeyError("mistake")


def _is_running(pid: int) -> bool:
    with suppress(ProcessLookupError):
        os.kill(pid, 0)
        return True
    return False


def test_one_process_does_many_tasks_and_has_loaded_only_what_they_need() -> None:
    with AnalysisPool(1) as pool:
        assert pool.run(os.getpid) == pool.run(os.getpid) != os.getpid()
        answer = Exchange("https://city.example/", 200, body=b"<title>Fees</title>", captured_at=datetime.now(UTC))
        job = ExaminationJob(asked=answer.url, status=200, options=plain(WatchOptions()), answer=answer)
        assert pool.run(examine, job).title == "Fees"
        loaded = pool.run(eval, "set(__import__('sys').modules)")
    assert not loaded & {"pydantic", "sqlalchemy", "fastapi", "httpx", "multiprocessing.resource_tracker"}


def test_plain_options_hold_what_the_options_hold() -> None:
    options = WatchOptions(every=60.0, include=("main",))
    assert vars(pickle.loads(pickle.dumps(plain(options)))) == dict(options)


def test_a_process_that_was_killed_while_it_rested_is_replaced() -> None:
    with AnalysisPool(1) as pool:
        first = pool.run(os.getpid)
        os.kill(first, signal.SIGKILL)
        [worker] = pool._quick._resting
        while worker.is_alive:
            time.sleep(0.01)
        assert pool.run(os.getpid) != first


def test_the_process_of_a_pool_that_was_dropped_ends() -> None:
    pool = AnalysisPool(1)
    pid = pool.run(os.getpid)
    del pool
    gc.collect()
    assert not _is_running(pid)


def test_when_the_server_is_killed_its_processes_end() -> None:
    script = """
import os, signal
from pagedrift.app.monitor.worker_pool import AnalysisPool
pool = AnalysisPool(1)
print(pool.run(os.getpid), flush=True)
os.kill(os.getpid(), signal.SIGKILL)
"""
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=False, timeout=300)
    assert done.returncode == -signal.SIGKILL
    while _is_running(int(done.stdout)):
        time.sleep(0.01)


@pytest.mark.parametrize("start", [worker_process._started, worker_process._spawned])
def test_what_the_work_raises_comes_back_and_the_process_stays(
    start: Callable[[], object], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(worker_process, "_started", start)
    worker = WorkerProcess()
    with pytest.raises(KeyError, match="mistake"):
        worker.ask(60, 60, fail)
    assert worker.ask(60, 60, os.getpid)[0] != os.getpid()
    worker.kill()
    with pytest.raises(WorkerEndedError) as ended:
        worker.ask(60, 60, os.getpid)
    assert ended.value.signal == signal.SIGKILL
    worker.close()
