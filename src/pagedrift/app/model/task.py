"""Tasks: a watch that is due with everything its visit needs, and how it stands afterwards."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from datetime import datetime

    from pagedrift.app.model.options import WatchOptions
    from pagedrift.app.model.results import StoredVersion
    from pagedrift.app.model.watch import Watch


@dataclass(frozen=True, slots=True, kw_only=True)
class Task:
    """A watch that is due, and everything its visit needs."""

    watch: Watch
    options: WatchOptions
    newest: StoredVersion | None
    visited_at: datetime | None
    failures: int
    misses: int  # visits in a row that did not find the page
    tries: int  # of this visit before, which failed in a way that may pass
    rate: dict[str, Any]
    memory: dict[str, Any]
    host: str
    price: float | None = None  # of a visit, among all that are adaptive
    lease: str | None = None  # under which it is made
    revision: int = 1  # of what the user set
    has_turn: bool = False  # at its host, where a request may be sent at once


@dataclass(frozen=True, slots=True, kw_only=True)
class AfterVisit:
    """How a watch stands after a visit, and when it is due again."""

    next_at: datetime
    state: str
    trouble: str = ""
    failures: int = 0
    rate: dict[str, Any] | None = None
    memory: dict[str, Any] | None = None  # what is new of it
    past: tuple[str, dict[str, Any]] | None = None  # of the page: of what is wanted of it, and what is known
    moves: bool = False  # whether the next version is compared with the one that was found
