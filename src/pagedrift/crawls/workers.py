"""Processes that read crawls and compare pages side by side."""

from __future__ import annotations

import signal
import sqlite3
import time
from collections import deque
from concurrent.futures import ProcessPoolExecutor
from contextlib import closing, contextmanager
from functools import partial
from itertools import islice
from multiprocessing import active_children, get_context
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any, Final, TypeVar

from pagedrift.crawls.inventory import Crawl, InventoryReader, full_disk_explained, size_of
from pagedrift.read_report import Account

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence
    from typing import Self

    OnProgress = Callable[[str, int, int], None]  # what is done, how much of it, and out of how much

Given = TypeVar("Given")
Made = TypeVar("Made")
MIN_BYTES: Final = 50_000_000  # of both crawls: below, starting processes takes longer than reading
MIN_PAIRS: Final = 100  # the same for comparing
_BATCH: Final = 8  # pairs that a process is given at once
_AHEAD: Final = 4  # batches for each process that wait
_SECONDS_BETWEEN_REPORTS: Final = 0.2

_positions: Any = None  # in a worker: how far each side is read


class Workers:
    """A number of processes, started when there is enough to do, and ended with the work."""

    def __init__(self, processes: int) -> None:
        self._processes = processes
        self._read: Any = (0, 0)  # bytes of each side; shared with the processes once there are some
        self._pool: ProcessPoolExecutor | None = None

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        if self._pool is None:
            return
        if kind is not None:  # who gives up does not wait for what is under way
            for child in active_children():
                child.terminate()
        self._pool.shutdown(cancel_futures=True)

    def read_crawls(
        self, crawls: Sequence[Crawl], places: Sequence[str], on_progress: OnProgress
    ) -> Iterator[Account]:
        """Read the inventories of two crawls into databases at these places."""
        sizes = [size_of(crawl) for crawl in crawls]
        given = list(zip(crawls, places, strict=True))
        if self._processes == 1 or sum(sizes) < MIN_BYTES:
            yield from self._read_in_turn(given, sizes, on_progress)
            return
        running = [self._started().submit(_read_side, at, *each) for at, each in enumerate(given)]
        while not all(each.done() for each in running):
            on_progress("reading", self._read[0] + self._read[1], sum(sizes))
            time.sleep(_SECONDS_BETWEEN_REPORTS)
        yield from (each.result() for each in running)

    def _read_in_turn(
        self, given: Sequence[tuple[Crawl, str]], sizes: Sequence[int], on_progress: OnProgress
    ) -> Iterator[Account]:
        for at, (crawl, place) in enumerate(given):
            tell = partial(_told, on_progress, sum(sizes[:at]), sum(sizes))
            yield read_inventory(crawl, place, tell)

    def each(self, work: Callable[[Given], Made], given: Iterable[Given], *, expected: int) -> Iterator[Made]:
        """Do the work for each of the given; the answers come in order."""
        if self._processes == 1 or expected < MIN_PAIRS:
            yield from map(work, given)
            return
        waiting: deque[Any] = deque()
        source = iter(given)
        while batch := list(islice(source, _BATCH)):
            waiting.append(self._started().submit(_do, work, batch))
            if len(waiting) > _AHEAD * self._processes:
                yield from waiting.popleft().result()
        while waiting:
            yield from waiting.popleft().result()

    def _started(self) -> ProcessPoolExecutor:
        if self._pool is None:
            context = get_context("spawn")
            self._read = context.Array("Q", 2)
            self._pool = ProcessPoolExecutor(
                self._processes, mp_context=context, initializer=_begin, initargs=(self._read,)
            )
        return self._pool


def _told(on_progress: OnProgress, before: int, total: int, position: int) -> None:
    on_progress("reading", before + position, total)


def _begin(positions: Any) -> None:
    global _positions  # noqa: PLW0603 - what a process is given when it starts
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C comes to all processes; who started us decides
    _positions = positions


def _do(work: Callable[[Given], Made], batch: list[Given]) -> list[Made]:
    return [work(each) for each in batch]


def _read_side(side: int, crawl: Crawl, place: str) -> Account:
    def tell(position: int) -> None:
        _positions[side] = position

    return read_inventory(crawl, place, tell)


@contextmanager
def inventory_of(paths: Sequence[str], on_progress: OnProgress) -> Iterator[tuple[sqlite3.Connection, Account]]:
    """Read what some archives hold into a database that is gone afterwards, with the account of the reading."""
    crawl = Crawl(name=paths[0], paths=tuple(paths))
    total = size_of(crawl)
    with TemporaryDirectory(prefix="pagedrift-") as folder:
        place = str(Path(folder, "crawl.db"))
        account = read_inventory(crawl, place, lambda at: on_progress("reading", at, total))
        with closing(sqlite3.connect(place)) as database:
            yield database, account


def read_inventory(crawl: Crawl, place: str, on_progress: Callable[[int], None]) -> Account:
    """Read the inventory of a crawl into a database; give the account of what could not be read."""
    account = Account()
    with full_disk_explained(), closing(sqlite3.connect(place)) as database:
        database.execute("PRAGMA journal_mode = OFF")
        database.execute("PRAGMA synchronous = OFF")  # it is gone after the comparison
        InventoryReader(crawl, database, account, on_progress).read()
    account.under_way.clear()
    return account
