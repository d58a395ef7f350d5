"""Pool of worker processes that analyse pages, so that a hostile page cannot delay the others."""

from __future__ import annotations

import logging
import math
import signal
import threading
import time
from contextlib import suppress
from typing import TYPE_CHECKING, Any, Final, TypeVar

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
MAX_MEMORY: Final = 3_000_000_000  # bytes that a process may map; most of them are libraries and are never touched
LARGE: Final = 4_000_000  # bytes of a page: those above are worked on one at a time, each in a fresh process
SECONDS_TO_FINISH: Final = 5.0  # for what is under way at the end
TASKS: Final = 1_000  # after which a process is replaced, so that its memory stays small


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

    def __init__(self, processes: int = 1, *, seconds: float = MAX_SECONDS) -> None:
        self.seconds = seconds
        self._pool: Any = _pool(processes, tasks=TASKS) if processes else None
        self._slow: Any = None  # made when it is needed
        self._large: Any = None  # the same
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
        with self._lock:
            pools = [pool for pool in (self._pool, self._slow, self._large) if pool is not None]
        for pool in pools:
            pool.close()
        until = time.monotonic() + SECONDS_TO_FINISH
        for pool in pools:
            try:
                pool.join(max(0.01, until - time.monotonic()))
            except TimeoutError:
                pool.stop()
                pool.join()

    def run(self, work: Callable[..., Result], *given: Any, **named: Any) -> Result:
        """Have a function called in another process, and wait for what it gives."""
        return self._run(self._pool, CPU_SECONDS, work, *given, **named)[0]

    def run_on_page(
        self, size: int, work: Callable[..., Result], *given: Any, host: str = "", **named: Any
    ) -> Result:
        """Have a function called that looks at a page of a number of bytes, in the lane that its host deserves."""
        lane = self._lane(size, host)
        cost = float(CPU_SECONDS)  # of what is ended
        try:
            try:
                limit = QUICK_CPU_SECONDS if lane is self._pool else CPU_SECONDS
                answer, cost = self._run(lane, limit, work, *given, **named)
            except _SlowError:
                answer, cost = self._run(self._slow_lane(), CPU_SECONDS, work, *given, **named)
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

    def _lane(self, size: int, host: str) -> Any:
        if self._pool is None:
            return None
        if size > LARGE:
            with self._lock:
                # A process that had a large page in it keeps its memory, so that it does one only.
                self._large = self._large or _pool(1, tasks=1)
                return self._large
        cost = self._costs.get(host)
        is_slow = size > MAX_UNKNOWN if cost is None else cost > EXPENSIVE
        return self._slow_lane() if is_slow else self._pool

    def _slow_lane(self) -> Any:
        with self._lock:
            self._slow = self._slow or _pool(1, tasks=TASKS)
            return self._slow

    def _run(
        self, pool: Any, limit: int, work: Callable[..., Result], *given: Any, **named: Any
    ) -> tuple[Result, float]:
        try:
            if pool is None:
                return work(*given, **named), 0.0
            return self._scheduled(pool, limit, work, *given, **named)
        except (PagedriftError, _SlowError):
            raise
        except MemoryError:
            raise _too_much("memory") from None
        except Exception as error:  # a bug must not cost a version
            logger.exception("versions could not be compared")
            reason = f"the versions could not be compared ({type(error).__name__}); see the log, and report it"
            raise AnalysisError(reason) from None

    def _scheduled(
        self, pool: Any, limit: int, work: Callable[..., Result], *given: Any, **named: Any
    ) -> tuple[Result, float]:
        from pebble import ProcessExpired

        task = pool.schedule(_limited, args=(limit, work, *given), kwargs=named, timeout=self.seconds)
        try:
            answer: tuple[Result, float] = task.result()
        except TimeoutError:
            raise LimitError(
                f"the versions were not compared within {self.seconds:g} seconds; leave parts of the page out"
            ) from None
        except ProcessExpired as error:
            out_of_time = -(error.exitcode or 0) == signal.SIGXCPU
            if out_of_time and limit < CPU_SECONDS:
                raise _SlowError from None
            raise _too_much("time" if out_of_time else "memory") from None
        return answer


def _pool(processes: int, *, tasks: int) -> Any:
    from multiprocessing import get_context

    from pebble import ProcessPool

    # A process that is forked off one with threads may hang forever.
    return ProcessPool(max_workers=processes, max_tasks=tasks, initializer=_begin, context=get_context("spawn"))


def _too_much(what: str) -> AnalysisError:
    return AnalysisError(f"comparing the versions took too much {what}; leave parts of the page out")


def _begin() -> None:
    """Let who started us decide when to end, and take no more memory than we may."""
    for number in (signal.SIGINT, signal.SIGTERM):  # a signal to the whole group, such as Ctrl-C, comes here too
        signal.signal(number, signal.SIG_IGN)
    with suppress(ImportError, ValueError, OSError):  # Windows has no such limits, macOS not all of them
        import resource

        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
        resource.setrlimit(resource.RLIMIT_AS, (MAX_MEMORY, MAX_MEMORY))


def _limited(limit: int, work: Callable[..., Result], *given: Any, **named: Any) -> tuple[Result, float]:
    """Do one piece of work within its share of processor time; the system ends us where it takes more."""
    started = time.process_time()
    with suppress(ImportError, ValueError, OSError):
        import resource

        until = math.ceil(started) + limit
        resource.setrlimit(resource.RLIMIT_CPU, (until, resource.getrlimit(resource.RLIMIT_CPU)[1]))
    return work(*given, **named), time.process_time() - started
