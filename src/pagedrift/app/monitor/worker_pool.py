"""Pool of worker processes that analyse pages, so that a hostile page cannot delay the others."""

from __future__ import annotations

import logging
import signal
import threading
import time
from typing import TYPE_CHECKING, Any, Final, TypeVar

from pagedrift.app.monitor.worker_process import MAX_MEMORY as MAX_MEMORY  # noqa: PLC0414 - for those above
from pagedrift.app.monitor.worker_process import WorkerEndedError, WorkerProcess
from pagedrift.errors import LimitError, PagedriftError

if TYPE_CHECKING:
    from collections.abc import Callable
    from types import TracebackType

Result = TypeVar("Result")
MAX_SECONDS: Final = 60.0  # for the answers about one pair
CPU_SECONDS: Final = 60  # of processor time for them
QUICK_CPU_SECONDS: Final = 5  # of processor time in the quick lane; what takes more begins again in the slow one
EXPENSIVE: Final = 2.0  # seconds of processor time after which the pages of a host go to the slow lane
MAX_UNKNOWN: Final = 250_000  # bytes of a page of a host that nobody knows; those above go to the slow lane, too
MAX_HOSTS: Final = 10_000  # whose cost is remembered
LARGE: Final = 4_000_000  # bytes of a page: those above are worked on one at a time, each in a fresh process
SECONDS_TO_FINISH: Final = 5.0  # for what is under way at the end
TASKS: Final = 1_000  # after which a process is replaced, so that its memory stays small
PATIENCE: Final = 3.0  # seconds that a check waits for a process before another one is started
MAX_REST_SECONDS: Final = 30.0  # after which a process that nobody needs is ended


logger = logging.getLogger("pagedrift.watch")


class AnalysisError(PagedriftError):
    """Two versions that could not be compared."""


class _SlowError(Exception):
    """Work that takes too long for the quick lane."""


class AnalysisPool:
    """Processes that do one piece of work at a time; one that takes too long or too much is ended and replaced.

    There are three lanes. Pages of hosts that were expensive before, and not small ones of hosts that nobody knows,
    have one process for all of them, and so have large pages: whatever they cost, others do not wait for them.

    >>> with AnalysisPool(processes=0) as analysis_pool:
    ...     analysis_pool.run(max, 1, 2)
    2
    """

    def __init__(self, processes: int = 1, *, seconds: float = MAX_SECONDS, patience: float = PATIENCE) -> None:
        self.seconds = seconds
        self._quick = _Lane(processes, tasks=TASKS, patience=patience) if processes else None
        self._slow = _Lane(1, tasks=TASKS)
        self._large = _Lane(1, tasks=1)  # a process that had a large page in it keeps its memory
        self._lock = threading.Lock()
        self._costs: dict[str, float] = {}  # seconds of processor time that a page of a host took last

    def __enter__(self) -> AnalysisPool:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """End the processes: at once where they rest, soon where they work."""
        until = time.monotonic() + SECONDS_TO_FINISH
        for lane in filter(None, (self._quick, self._slow, self._large)):
            lane.close(until)

    def run(self, work: Callable[..., Result], *given: Any, **named: Any) -> Result:
        """Have a function called in another process, and wait for what it gives."""
        return self._run(self._quick, CPU_SECONDS, work, *given, **named)[0]

    def run_on_page(
        self, size: int, work: Callable[..., Result], *given: Any, host: str = "", **named: Any
    ) -> Result:
        """Have a function called that looks at a page of a number of bytes, in the lane that its host deserves."""
        lane = self._lane(size, host)
        cost = float(CPU_SECONDS)  # of what is ended
        try:
            try:
                limit = QUICK_CPU_SECONDS if lane is self._quick else CPU_SECONDS
                answer, cost = self._run(lane, limit, work, *given, **named)
            except _SlowError:
                answer, cost = self._run(self._slow, CPU_SECONDS, work, *given, **named)
        finally:
            self._remember(host, cost)
        return answer

    def cost_of(self, host: str) -> float:
        """Give the seconds of processor time that the last page of a host took."""
        return self._costs.get(host, 0.0)

    def _remember(self, host: str, cost: float) -> None:
        with self._lock:
            self._costs.pop(host, None)
            self._costs[host] = cost
            if len(self._costs) > MAX_HOSTS:
                del self._costs[next(iter(self._costs))]

    def _lane(self, size: int, host: str) -> _Lane | None:
        if self._quick is None or size > LARGE:
            return self._quick and self._large
        cost = self._costs.get(host)
        is_slow = size > MAX_UNKNOWN if cost is None else cost > EXPENSIVE
        return self._slow if is_slow else self._quick

    def _run(
        self, lane: _Lane | None, limit: int, work: Callable[..., Result], *given: Any, **named: Any
    ) -> tuple[Result, float]:
        try:
            if lane is None:
                return work(*given, **named), 0.0
            return self._asked(lane, limit, work, *given, **named)
        except (PagedriftError, _SlowError):
            raise
        except MemoryError:
            raise _too_much("memory") from None
        except Exception as error:  # a bug must not cost a version
            logger.exception("versions could not be compared")
            reason = f"the versions could not be compared ({type(error).__name__}); see the log, and report it"
            raise AnalysisError(reason) from None

    def _asked(
        self, lane: _Lane, limit: int, work: Callable[..., Result], *given: Any, **named: Any
    ) -> tuple[Result, float]:
        worker = lane.take()
        is_usable = False
        try:
            answer: tuple[Result, float] = worker.ask(self.seconds, limit, work, *given, **named)
            is_usable = True
        except TimeoutError:
            raise LimitError(
                f"the versions were not compared within {self.seconds:g} seconds; leave parts of the page out"
            ) from None
        except WorkerEndedError as error:
            out_of_time = error.signal == signal.SIGXCPU
            if out_of_time and limit < CPU_SECONDS:
                raise _SlowError from None
            raise _too_much("time" if out_of_time else "memory") from None
        except Exception:  # of the work itself
            is_usable = True
            raise
        finally:
            lane.give_back(worker, is_usable=is_usable)
            for each in filter(None, (self._quick, self._slow)):
                each.end_resting()
        return answer


class _Lane:
    """A few processes, started when they are needed; the one that worked last goes first."""

    def __init__(self, processes: int, *, tasks: int, patience: float = PATIENCE) -> None:
        self._most = processes
        self._patience = patience
        self._tasks = tasks
        self._resting: list[WorkerProcess] = []
        self._working: set[WorkerProcess] = set()
        self._free = threading.Condition()
        self._is_closed = False

    def take(self) -> WorkerProcess:
        """Give a process that rests; while all work, wait for one a moment, and then start another."""
        with self._free:
            if self._working and not self._resting:
                self._free.wait_for(lambda: self._resting, self._patience)
            self._free.wait_for(lambda: self._resting or len(self._working) < self._most)
            if self._is_closed:
                raise AnalysisError("the versions were not compared, as the application is stopping")
            while self._resting:
                worker = self._resting.pop()
                if worker.is_alive:
                    break
                worker.close()
            else:
                worker = WorkerProcess()
            self._working.add(worker)
        return worker

    def give_back(self, worker: WorkerProcess, *, is_usable: bool) -> None:
        """Let a process rest, or end it where it is of no use or has done enough."""
        with self._free:
            self._working.discard(worker)
            if is_usable and worker.tasks < self._tasks and not self._is_closed:
                self._resting.append(worker)
            else:
                if not is_usable:
                    worker.kill()
                worker.close()
            self._free.notify_all()

    def end_resting(self) -> None:
        """End processes that nobody needed for a while."""
        now = time.monotonic()
        with self._free:
            while self._resting and now - self._resting[0].rests_since > MAX_REST_SECONDS:
                self._resting.pop(0).close()

    def close(self, until: float) -> None:
        """End all: those that work, at a time at the latest."""
        with self._free:
            self._is_closed = True
            while self._resting:
                self._resting.pop().close()
            self._free.wait_for(lambda: not self._working, max(0.01, until - time.monotonic()))
            for worker in self._working:
                worker.kill()


def _too_much(what: str) -> AnalysisError:
    return AnalysisError(f"comparing the versions took too much {what}; leave parts of the page out")
