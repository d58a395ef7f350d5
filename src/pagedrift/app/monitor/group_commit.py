"""Group commit: what visits found that end at about the same time is kept and recorded together."""

from __future__ import annotations

import threading
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Final

from pagedrift.app.monitor.followup import FollowUp, settle, settle_unchanged
from pagedrift.archive.locations import ArchiveError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from pagedrift.app.store.store import Store
    from pagedrift.archive.writer import ArchiveWriter, Capture, Packed

MAX_WAIT_SECONDS: Final = 0.05  # for visits that end soon: twenty transactions a second cost little


@dataclass(slots=True, kw_only=True)
class _FinishedVisit:
    follow_ups: Sequence[FollowUp]
    packed: Sequence[Packed]
    is_written: threading.Event = field(default_factory=threading.Event)
    is_recorded: bool = False
    error: Exception | None = None


class GroupCommit:
    """Writes down what visits found: first the bytes of all that wait, then their rows. Threads share it.

    The first that comes waits a moment for others, as long as more visits are under way than have come, and
    writes for all of them. Visits that found something new are recorded each by itself.
    """

    def __init__(self, store: Store, archive: ArchiveWriter, *, under_way: Callable[[], int] = lambda: 0) -> None:
        self._store = store
        self._archive = archive
        self._under_way = under_way
        self._arrival = threading.Condition()
        self._waiting: list[_FinishedVisit] = []
        self._ending = 0  # visits that are being written down
        self._writing = threading.Lock()

    def settle(self, follow_ups: Iterable[FollowUp], captures: Iterable[Capture] = ()) -> None:
        """Keep captures, of which the last is the page's own, and record a visit; both are done when this returns.

        Where a capture cannot be written, nothing is recorded.
        """
        packed = [self._archive.pack(capture) for capture in captures]
        visit = _FinishedVisit(follow_ups=list(follow_ups), packed=packed)
        with self._arrival:
            self._waiting.append(visit)
            is_first = len(self._waiting) == 1
            if self._is_complete():
                self._arrival.notify()
        if is_first:
            self._write_group()
        visit.is_written.wait()
        if visit.error is not None:
            raise visit.error
        if not visit.is_recorded:
            settle(self._store, *visit.follow_ups)

    def _is_complete(self) -> bool:
        return len(self._waiting) + self._ending >= self._under_way()

    def _write_group(self) -> None:
        with self._arrival:
            self._arrival.wait_for(self._is_complete, MAX_WAIT_SECONDS)
            group, self._waiting = self._waiting, []
            self._ending += len(group)
        try:
            with self._writing:
                self._keep(group)
                self._record(group)
        finally:
            with self._arrival:
                self._ending -= len(group)
            for visit in group:
                visit.is_written.set()

    def _keep(self, group: Sequence[_FinishedVisit]) -> None:
        """Write the bytes of a group with one flush; each visit learns where its page is, or what went wrong."""
        try:
            kept = iter(self._archive.write([each for visit in group for each in visit.packed]))
        except Exception as error:
            for visit in group:
                visit.error = error if visit.packed else None
            return
        for visit in group:
            for found in [next(kept) for _ in visit.packed]:
                if isinstance(found, ArchiveError):
                    visit.error = visit.error or found
                else:
                    place = found.place
            if visit.packed and visit.error is None:
                visit.follow_ups = [
                    replace(each, place=place) if each.result.kept else each for each in visit.follow_ups
                ]

    def _record(self, group: Sequence[_FinishedVisit]) -> None:
        """Record the visits that found nothing new in one transaction; where that fails, each does so by itself."""
        unchanged = [
            visit for visit in group if visit.error is None and all(each.is_plain for each in visit.follow_ups)
        ]
        try:
            settle_unchanged(self._store, [each for visit in unchanged for each in visit.follow_ups])
        except Exception:  # such as a database that is away: they learn it themselves
            return
        for visit in unchanged:
            visit.is_recorded = True
