"""Retries: visits with a passing failure, tried again a moment later before anything is recorded."""

from __future__ import annotations

import random
from typing import TYPE_CHECKING, Final

from pagedrift.capture.http import PASSING_STATUSES
from pagedrift.capture.throttle import LaterError

if TYPE_CHECKING:
    from pagedrift.app.model.task import Task
    from pagedrift.capture.http import Fetched, FetchError

MAX_RETRIES: Final = 2
RETRY_AFTER: Final = 1.0  # seconds before the first of them, twice as many before the next
MAX_RETRY_AFTER: Final = 60.0  # seconds that a server may ask for; beyond, its answer is written down


def check_answer(task: Task, fetched: Fetched) -> None:
    """Raise `LaterError` where an answer is an error that may be gone in a moment."""
    wait = max(_wait(task), fetched.retry_after or 0.0)
    if fetched.status in PASSING_STATUSES and task.tries < MAX_RETRIES and wait <= MAX_RETRY_AFTER:
        raise LaterError(wait, counts=True)


def check_failure(task: Task, error: FetchError) -> None:
    """Raise `LaterError` where a connection failed that may work in a moment; a server that is slow stays slow."""
    if error.kind == "network" and task.tries < MAX_RETRIES:
        raise LaterError(_wait(task), counts=True) from None


def _wait(task: Task) -> float:
    return RETRY_AFTER * float(2**task.tries) * random.uniform(0.75, 1.25)
