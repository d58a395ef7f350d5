"""Trials of browser steps for people who record them: each opens the page again and takes all steps so far.

Nothing is left of a trial but what it answers, so that there is no session to keep, to guard or to forget.
"""

from __future__ import annotations

import threading
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from pagedrift.app.monitor.page_parts import target_selectors
from pagedrift.app.monitor.requests import request_options_of
from pagedrift.app.store import queue
from pagedrift.app.store.watches import host_of
from pagedrift.capture.browser import Browser
from pagedrift.capture.http import Client, ClientConfig
from pagedrift.capture.steps import parse_step
from pagedrift.capture.throttle import LaterError
from pagedrift.errors import PagedriftError, UnavailableError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from pagedrift.app.model.options import WatchOptions
    from pagedrift.app.monitor.worker_pool import AnalysisPool
    from pagedrift.app.settings import Settings
    from pagedrift.app.store.store import Store
    from pagedrift.capture.step_trial import StepTarget, StepTrial

MAX_WAITING: Final = 4  # trials at once: one under way, and those that wait for it
MAX_WAIT_SECONDS: Final = 20.0  # for the trials of others
IDLE_SECONDS: Final = 120.0  # after which the browser is ended


@dataclass(frozen=True, slots=True)
class RecordedTrial:
    """What steps led to, and how the elements of the page are selected."""

    trial: StepTrial
    selectors: dict[int, str]  # by the number of a target

    @property
    def targets(self) -> tuple[tuple[StepTarget, str], ...]:
        """The elements that a next step may be about, each with its selector."""
        numbered = self.selectors
        return tuple((each, numbered[each.number]) for each in self.trial.targets if each.number in numbered)


class StepTrials:
    """A browser in which people try steps, one after the other: opened when it is needed, and ended when it is not.

    It is another one than that of visits, so that nobody waits for the other, under the same rules.
    """

    def __init__(self, settings: Settings, store: Store, analysis_pool: AnalysisPool | None = None) -> None:
        self._analysis_pool = analysis_pool
        self._client = Client(
            allow_private=settings.allow_private,
            config=ClientConfig(delay=settings.delay, retries=0),
            turns=queue.DatabaseThrottle(store),
        )
        self._browser = Browser()
        self._places = threading.BoundedSemaphore(MAX_WAITING)
        self._turn = threading.Lock()
        self._idle: threading.Timer | None = None

    def close(self) -> None:
        """End the browser."""
        if self._idle is not None:
            self._idle.cancel()
        self._browser.close()
        self._client.close()

    def run(
        self, url: str, steps: Sequence[str], options: WatchOptions, *, each_picture: bool = False
    ) -> RecordedTrial:
        """Open a page as a watch would, take steps, and say what came of them."""
        parsed, request_options = tuple(map(parse_step, steps)), request_options_of(options)
        if not self._places.acquire(blocking=False):
            raise _busy()
        try:
            if not self._turn.acquire(timeout=MAX_WAIT_SECONDS):
                raise _busy()
            try:
                trial = self._browser.try_steps(
                    url,
                    parsed,
                    client=self._client,
                    secrets=dict(options.secrets),
                    request_options=request_options,
                    each_picture=each_picture,
                )
            except LaterError as later:
                wait = f"try again in {later.seconds:.0f} seconds"
                raise UnavailableError(f"this host was asked for other pages just now; {wait}") from None
            finally:
                self._end_soon()
                self._turn.release()
        finally:
            self._places.release()
        return RecordedTrial(trial, self._selectors(url, trial))

    def _selectors(self, url: str, trial: StepTrial) -> dict[int, str]:
        """Have selectors written in another process; a page that takes too much of it can still be looked at."""
        work = (target_selectors, trial.html, trial.attribute)
        try:
            if self._analysis_pool is None:
                return target_selectors(*work[1:])
            return self._analysis_pool.run_on_page(len(trial.html), *work, host=host_of(url))
        except PagedriftError:
            return {}

    def _end_soon(self) -> None:
        """End the browser once nobody tried anything for some time; the next trial opens another."""
        if self._idle is not None:
            self._idle.cancel()
        self._idle = threading.Timer(IDLE_SECONDS, self._end)
        self._idle.daemon = True
        self._idle.start()

    def _end(self) -> None:
        if self._turn.acquire(blocking=False):
            try:
                self._browser.close()
            finally:
                self._turn.release()


def _busy() -> UnavailableError:
    return UnavailableError("others are trying steps just now; try again in a minute")
