"""Who works out the answers, so that no page, however hostile, holds up the others?"""

from __future__ import annotations

import logging
import signal
from typing import TYPE_CHECKING, Any, Final, TypeVar

from pagedrift.errors import LimitError, PagedriftError
from pagedrift.extras import need

if TYPE_CHECKING:
    from collections.abc import Callable
    from types import TracebackType

Result = TypeVar("Result")
SECONDS: Final = 60.0  # for the answers about one pair
PATIENCE: Final = 5.0  # for what is under way at the end
TASKS: Final = 1_000  # after which a process is replaced, so that its memory stays small


logger = logging.getLogger("pagedrift.watch")


class AnalystError(PagedriftError):
    """Two versions that could not be compared."""


class Analyst:
    """Processes that do one piece of work at a time; one that takes too long is ended and replaced.

    >>> with Analyst(processes=0) as analyst:
    ...     analyst.ask(max, 1, 2)
    2
    """

    def __init__(self, processes: int = 1, *, seconds: float = SECONDS) -> None:
        self.seconds = seconds
        self._pool: Any = None
        if processes:
            from multiprocessing import get_context

            pool = need("web", "pebble").ProcessPool
            # A process that is forked off one with threads may hang for ever.
            self._pool = pool(
                max_workers=processes,
                max_tasks=TASKS,
                initializer=_leave_signals_alone,
                context=get_context("spawn"),
            )

    def __enter__(self) -> Analyst:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """End the processes: at once where they rest, soon where they work."""
        if self._pool is not None:
            self._pool.close()
            try:
                self._pool.join(PATIENCE)
            except TimeoutError:
                self._pool.stop()
                self._pool.join()

    def ask(self, work: Callable[..., Result], *given: Any, **named: Any) -> Result:
        """Have a function called in another process, and wait for what it gives."""
        try:
            return self._ask(work, *given, **named)
        except PagedriftError:
            raise
        except Exception as error:  # a mistake of ours must not cost a version
            logger.exception("versions could not be compared")
            reason = f"the versions could not be compared ({type(error).__name__}); see the log, and report it"
            raise AnalystError(reason) from None

    def _ask(self, work: Callable[..., Result], *given: Any, **named: Any) -> Result:
        if self._pool is None:
            return work(*given, **named)
        expired = need("web", "pebble").ProcessExpired
        task = self._pool.schedule(work, args=given, kwargs=named, timeout=self.seconds)
        try:
            answer: Result = task.result()
        except TimeoutError:
            raise LimitError(
                f"the versions were not compared within {self.seconds:g} seconds; leave parts of the page out"
            ) from None
        except expired:
            raise LimitError("comparing the versions took too much memory; leave parts of the page out") from None
        return answer


def _leave_signals_alone() -> None:
    """Let who started us decide when to end: a signal to the whole group, such as Ctrl-C, comes here too."""
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, signal.SIG_IGN)
