"""The scheduler: takes due watches, hands them to workers, and does the housekeeping."""

from __future__ import annotations

import logging
import os
import secrets
import socket
import threading
import time
from collections import Counter, deque
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Final

from pagedrift.app.model.results import VisitResult
from pagedrift.app.monitor.followup import FollowUp, after_visit, settle
from pagedrift.app.monitor.housekeeping import Housekeeper
from pagedrift.app.monitor.lanes import Lanes
from pagedrift.app.monitor.requests import is_asked_alike
from pagedrift.app.monitor.sites import SiteVisitor
from pagedrift.app.monitor.visit import Visitor
from pagedrift.app.monitor.worker_pool import AnalysisPool
from pagedrift.app.settings import LOOPBACK
from pagedrift.app.store import queue, visits
from pagedrift.archive.writer import ArchiveWriter
from pagedrift.capture.browser import Browser, Window
from pagedrift.capture.http import Client, ClientConfig
from pagedrift.capture.throttle import LaterError
from pagedrift.capture.transport import GivenUpError, given_up
from pagedrift.errors import PagedriftError
from pagedrift.report import reasons

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Sequence

    from pagedrift.app.model.task import Task
    from pagedrift.app.monitor.lanes import LaneRoom, VisitUnderWay
    from pagedrift.app.settings import Settings
    from pagedrift.app.store.store import Store

IDLE: Final = 1.0  # seconds between two looks at what is due
GATHERING: Final = 0.25  # seconds until workers that became free meanwhile are sent out together
HEARTBEAT: Final = queue.LEASE.total_seconds() / 5
MINUTE: Final = 60.0
MAX_PATIENCE: Final = 120.0  # seconds that a run waits for a visit that was put back
MAX_LATER: Final = 3600.0  # seconds that a visit is put back at most
logger = logging.getLogger("pagedrift.watch")


@dataclass(frozen=True, slots=True, kw_only=True)
class SchedulerState:
    """How the scheduler is getting on."""

    running: bool
    due: int
    under_way: tuple[VisitUnderWay, ...]
    next_at: datetime | None
    visits: int  # since it started
    per_second: float  # over the last minute
    outcomes: dict[str, int]


class _StoppingError(Exception):
    """A visit that is given up because the scheduler stops."""


class Scheduler:
    """Visits what is due, with many workers; several schedulers may share a store."""

    def __init__(self, settings: Settings, store: Store, *, send_all: bool = False) -> None:
        self.settings = settings
        self._send_all = send_all  # when it stops, also what waits for more of its kind
        self.store = store
        self.owner = f"{settings.writer} {socket.gethostname()} {os.getpid()} {secrets.token_hex(4)}"[:64]
        self._stopping = threading.Event()
        with ExitStack() as held:
            self._make_sure = held.enter_context(store.only_one(settings.writer))
            queue.release(store, settings.writer)  # what one of our name held when it died is free again
            self.archive = held.enter_context(ArchiveWriter(settings.archive, writer=settings.writer))
            self.client = Client(
                allow_private=settings.allow_private,
                config=ClientConfig(
                    delay=settings.delay, retries=0
                ),  # a visit is tried again later, by another worker
                turns=queue.DatabaseThrottle(store, sleep=self._rest),
            )
            held.callback(self.client.close)
            self.analysis_pool = held.enter_context(AnalysisPool(settings.processes))
            self.browser = Browser(window=Window(dom=True))
            held.callback(self.browser.close)
            self._held = held.pop_all()  # where something of this fails, the rest is let go of
        self.lanes = Lanes(settings.threads, polite=settings.delay > 0)
        self.visitor = Visitor(
            settings,
            store,
            archive=self.archive,
            client=self.client,
            analysis_pool=self.analysis_pool,
            browser=self.browser,
            under_way=self.lanes.__len__,
        )
        self._put_back: set[str] = set()  # watches whose visit was begun and continues later
        self.sites = SiteVisitor(self.visitor, unfinished=self._put_back.add)
        self.housekeeper = Housekeeper(settings, store, self.archive)
        self.outcomes: Counter[str] = Counter()
        self._workers = ThreadPoolExecutor(self.lanes.most, thread_name_prefix="pagedrift-visit")
        self._lately: deque[float] = deque()
        self._lock = threading.Lock()
        self._beaten = time.monotonic()
        self._wake = threading.Event()
        self._threads: list[threading.Thread] = []

    def __enter__(self) -> Scheduler:
        return self

    def __exit__(self, *_: object) -> None:
        self.stop()

    def start(self) -> None:
        """Start checking, and continue until stopped."""
        self.housekeeper.catch_up()
        for work in (self._dispatch, self._keep_house):
            thread = threading.Thread(target=work, name=f"pagedrift{work.__name__}", daemon=True)
            thread.start()
            self._threads.append(thread)

    def stop(self) -> None:
        """Finish what is under way, give back the rest, and let go of everything."""
        self._stopping.set()
        self._wake.set()
        with self._held:  # also where the database is away
            for thread in self._threads:
                thread.join()
            self._workers.shutdown(cancel_futures=True)
            queue.release(self.store, self.owner)
            self.housekeeper.finish(send_all=self._send_all)

    def wake(self) -> None:
        """Look at once at what is due."""
        self._wake.set()

    def run_once(self, *, limit: int | None = None, seconds: float | None = None) -> int:
        """Check everything that is due now, once, and send alerts; return the number of checks."""
        self.housekeeper.catch_up()
        until = time.monotonic() + seconds if seconds is not None else None
        started, made = datetime.now(UTC), set[str]()
        while not self._stopping.is_set() and (until is None or time.monotonic() < until):
            again = frozenset(self._put_back)
            room = None if limit is None else limit - len(made) + len(again)
            sent = self._send_out(before=started, most=room, again=again) if room != 0 else []
            made.update(sent)
            self._beat()
            busy = len(self.lanes) > 0  # asked first: a visit is put back before it is over
            rests = not (sent or busy or self._put_back)
            if rests and (room == 0 or not queue.waiting(self.store, due_at=started)[0]):
                break
            if not sent:
                self._wake.wait(0.02 if busy else IDLE / 5)
                self._wake.clear()
        self._drain()
        self.housekeeper.tidy()
        return len(made)

    def state(self) -> SchedulerState:
        """Say how it is getting on."""
        due, _, next_at = queue.waiting(self.store)
        with self._lock:
            self._forget(time.monotonic())
            per_second = len(self._lately) / MINUTE
            outcomes = dict(self.outcomes)
        running = bool(self._threads) and not self._stopping.is_set()
        return SchedulerState(
            running=running,
            due=due,
            under_way=self.lanes.under_way(),
            next_at=next_at,
            visits=sum(outcomes.values()),
            per_second=per_second,
            outcomes=outcomes,
        )

    def _dispatch(self) -> None:
        while not self._stopping.is_set():
            try:
                self._beat()
                sent = self._send_out()
            except Exception:  # a database that is away comes back
                logger.exception("could not look up due checks; trying again")
                sent = []
            if sent:
                self._gather()
            else:
                self._wake.wait(IDLE)
                self._wake.clear()

    def _gather(self) -> None:
        """Wait for half of the workers, or a moment: to ask for ten visits costs little more than for one."""
        until = time.monotonic() + GATHERING
        while len(self.lanes) > self.lanes.workers // 2 and not self._stopping.is_set():
            if (left := until - time.monotonic()) <= 0:
                return
            self._wake.wait(left)
            self._wake.clear()

    def _send_out(
        self, *, before: datetime | None = None, most: int | None = None, again: frozenset[str] = frozenset()
    ) -> list[str]:
        """Send workers to what is due, as many as are free."""
        room = self.lanes.room()
        if room.any_host + room.quick_hosts == 0:
            self._wake.wait(0.05)
            self._wake.clear()
            return []
        sent: list[str] = []
        for free, hosts in ((room.any_host, None), (room.quick_hosts, self.lanes.quick_hosts())):
            at_most = free if most is None else min(free, most - len(sent))
            if at_most > 0:
                sent += self._claim(at_most, room, due_at=before, hosts=hosts, again=again)
        return sent

    def _claim(
        self,
        most: int,
        room: LaneRoom,
        *,
        due_at: datetime | None,
        hosts: Collection[str] | None,
        again: frozenset[str],
    ) -> list[str]:
        """Take what is due, and send a worker to each."""
        ids = queue.claim(
            self.store,
            self.owner,
            most=most,
            due_at=due_at,
            per_host=room.per_host,
            per_local_host=room.per_local_host,
            busy=self.lanes.busy_hosts(),
            hosts=hosts,
            # A visit may be settled, so that it is due again, and not yet over: nobody would make the next one.
            under_way=self.lanes.watches(),
            again=again,
        )
        self._put_back.difference_update(ids)
        waiting = self._tasks(ids)
        turns = self._turns(waiting.values())
        of_several = queue.pages_of_several(self.store, waiting)
        sent = list(ids)
        while waiting:
            which = next(iter(waiting))
            task = waiting.pop(which)
            if task.host in turns:
                turns.discard(task.host)
                task = replace(task, has_turn=True)
            along = self._going_along(task, waiting) if task.watch.url in of_several else []
            others = [each.watch.id for each in along]
            sent += [other for other in others if other not in waiting]
            for other in others:
                waiting.pop(other, None)
            self._put_back.difference_update(others)
            self.lanes.begin(which, task.watch.url, task.host, *others)
            self._workers.submit(self._visit, (task, *along))
        return sent

    def _turns(self, tasks: Iterable[Task]) -> set[str]:
        """Take the turns at the hosts of pages that are asked for at once; a browser takes its own."""
        hosts = {task.host for task in tasks if task.watch.kind == "page" and not task.options.browser}
        polite = {host for host in hosts - LOOPBACK if self.client.delay_of(host) > 0}
        return queue.take_turns(self.store, polite, self.client.delay_of) if polite else set()

    def _going_along(self, task: Task, waiting: Collection[str]) -> list[Task]:
        """Take the other watches of a page that are due, or nearly, and want it asked for in the same way."""
        if task.watch.kind != "page":
            return []
        near = queue.near_due(self.store, task.watch.id, under_way=self.lanes.watches(), taken=waiting)
        found = [each for each in self._tasks(near).values() if is_asked_alike(task.options, each.options)]
        if not found:
            return []
        taken = queue.join(self.store, self.owner, [each.watch.id for each in found])
        return [replace(each, lease=self.owner) for each in found if each.watch.id in taken]

    def _tasks(self, ids: Sequence[str]) -> dict[str, Task]:
        """Read what visits need; options that are not understood are trouble of that watch alone."""
        found = visits.tasks(self.store, ids)
        for which, task in found.items():
            if isinstance(task, PagedriftError):
                visits.refuse(self.store, which, str(task))
        ordered = ((which, found.get(which)) for which in ids)
        return {which: task for which, task in ordered if task and not isinstance(task, PagedriftError)}

    def _visit(self, tasks: tuple[Task, ...]) -> None:
        """Make one visit, for all watches of a page that are visited together."""
        task, results = tasks[0], tuple[VisitResult, ...]()
        given_up.set(lambda: self._is_given_up(tasks))
        try:
            results = self.visitor.visit_all(tasks) if task.watch.kind == "page" else (self.sites.visit(task),)
        except (_StoppingError, GivenUpError):  # its lease is given back when we stop; else the watch was removed
            pass
        except LaterError as later:
            for each in tasks:
                self._later(each, later)
        except Exception as error:
            results = tuple(self._failed(each, error) for each in tasks)
        self.lanes.end(task.watch.id, quick=bool(results) and results[0].outcome != "trouble")
        with self._lock:
            self.outcomes.update(result.outcome for result in results)
            self._lately.extend([time.monotonic()] * len(tasks))
            self._forget(time.monotonic())
        self._wake.set()

    def _is_given_up(self, tasks: tuple[Task, ...]) -> bool:
        """Return whether nobody waits for a visit anymore: we stop, or its watches were removed."""
        if self._stopping.is_set():
            return True
        try:
            return not any(visits.is_wanted(self.store, task.watch.id) for task in tasks)
        except Exception:  # a database that is away comes back
            return False

    def _later(self, task: Task, later: LaterError) -> None:
        """Give a visit back, to be made when its host may be asked; no worker waits for that."""
        at = datetime.now(UTC) + timedelta(seconds=min(later.seconds, MAX_LATER))
        try:
            if later.seconds <= MAX_PATIENCE:
                self._put_back.add(task.watch.id)
            queue.put_back(self.store, task.watch.id, task.lease, at=at, tries=task.tries + later.counts)
        except Exception:  # then the lease runs out, and it is due again
            logger.exception("could not reschedule a check: watch %s", task.watch.id)

    def _failed(self, task: Task, error: Exception) -> VisitResult:
        """Write trouble of our own on the watch, so that nobody waits for it in vain."""
        if isinstance(error, PagedriftError):
            reason = str(error)
        else:
            logger.exception("check failed: watch %s", task.watch.id)
            reason = reasons.visit_failed(type(error).__name__)
        result = VisitResult(watch=task.watch.id, at=datetime.now(UTC), outcome="trouble", reason=reason)
        try:
            settle(self.store, FollowUp(task=task, result=result, after=after_visit(task, result, 0.0)))
        except Exception:  # then the lease runs out, and it is due again
            logger.exception("trouble could not be written down: watch %s", task.watch.id)
        return result

    def _forget(self, now: float) -> None:
        while self._lately and self._lately[0] < now - MINUTE:
            self._lately.popleft()

    def _drain(self) -> None:
        while len(self.lanes):
            self._beat()
            time.sleep(0.02)

    def _beat(self) -> None:
        """Say now and then that we are still at it; not between other work, which may take long."""
        if time.monotonic() - self._beaten > HEARTBEAT:
            self._make_sure()
            queue.renew(self.store, self.owner, self.lanes.watches())
            self._beaten = time.monotonic()

    def _rest(self, seconds: float) -> None:
        """Wait for our turn at a host, unless we are to stop."""
        if self._stopping.wait(seconds):
            raise _StoppingError

    def _keep_house(self) -> None:
        while not self._stopping.wait(IDLE):
            try:
                self.housekeeper.tidy()
            except Exception:  # a database that is away comes back
                logger.exception("keeping house failed; trying again")
