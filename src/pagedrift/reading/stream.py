"""The stream of page versions that paths hold, with a report of what went wrong."""

from __future__ import annotations

import os
import time
from dataclasses import dataclass
from itertools import chain
from typing import TYPE_CHECKING, Literal, cast

from pagedrift.archive.source import Source
from pagedrift.capture import files
from pagedrift.errors import InputError, PagedriftError
from pagedrift.limits import DEFAULT_LIMITS, Limits
from pagedrift.page import PageVersion
from pagedrift.read_report import Account, Problem, ReadingCounts
from pagedrift.reading.inputs import File, Input, expand
from pagedrift.reading.order import in_time_order, merge

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator
    from datetime import datetime

    from pagedrift.archive.record import Look
    from pagedrift.archive.warc import Shelf

Order = Literal["time", "file"]
PathLike = str | os.PathLike[str]

WINDOW_VERSIONS = 256  # versions that wait for an earlier one, shared by the archives read side by side
WINDOW_BYTES = 32_000_000  # ... and their bodies
SECONDS_BETWEEN_REPORTS = 0.1  # of progress
SIDE_BY_SIDE = 64  # archives open at once, in the order of their names; the next is opened when one ends


def read(
    paths: PathLike | Iterable[PathLike],
    *,
    order: Order = "time",
    limits: Limits = DEFAULT_LIMITS,
    documents: bool = False,
    on_progress: Callable[[Reading], None] | None = None,
) -> Reading:
    """Read page versions from files, directories, WARCs, WACZs or `-`, in one pass and constant memory.

    `order="time"` sorts by time of capture: equal times keep their order, versions without a time come first.
    It looks ahead by 256 versions or 32 MB, and by 0.5 MB only while all come in order; what comes later than
    that is given at once and counted as late. `order="file"` gives versions as they stand. With `documents`, PDF,
    JSON, XML, CSV and plain text of archives are read like pages. `on_progress` is called with the reading from
    time to time, and when it ended.

    >>> import tempfile, pathlib
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     _ = pathlib.Path(folder, "fees.html").write_bytes(b"<p>A permit costs $120")
    ...     [version.body for version in read(folder)]
    [b'<p>A permit costs $120']
    """
    if order not in ("time", "file"):
        raise InputError(f"unknown order {order!r}; choose one of: time, file")
    account = Account()
    given = [paths] if isinstance(paths, (str, os.PathLike)) else paths
    inputs = [found for path in given for found in expand(os.fspath(path), limits=limits, account=account)]
    return Reading(
        inputs, order=order, limits=limits, account=account, documents=documents, on_progress=on_progress
    )


class Reading:
    """An iterator of page versions that knows how far it is and what went wrong."""

    def __init__(
        self,
        inputs: list[Input],
        *,
        order: Order,
        limits: Limits,
        account: Account,
        look: Look | None = None,
        quick: bool = False,
        documents: bool = False,
        on_progress: Callable[[Reading], None] | None = None,
    ) -> None:
        self.total = sum(len(part.body) if isinstance(part, PageVersion) else part.size for part in inputs)
        self.holds_archives = any(isinstance(part, Source) for part in inputs)
        self._account = account
        self._limits = limits
        self._look = look  # archives give a Glimpse then, where a look at the beginning of a page was enough
        self._quick = quick  # of archives no more is unpacked than that look takes, and nothing is checked then
        self._documents = documents
        self._shelf: Shelf | None = None
        self.ended = False
        versions = self._by_time(inputs) if order == "time" else self._as_they_stand(inputs)
        self._versions = versions if on_progress is None else self._reported(versions, on_progress)

    def __iter__(self) -> Iterator[PageVersion]:
        return self._versions

    def __next__(self) -> PageVersion:
        return next(self._versions)

    @property
    def counts(self) -> ReadingCounts:
        """How many versions were given so far, and how much was left out."""
        return self._account.counts

    @property
    def problems(self) -> list[Problem]:
        """What could not be read so far: the first thousand; `counts.damaged` counts them all."""
        return self._account.problems

    @property
    def position(self) -> int:
        """How many bytes of the inputs were read so far, out of `total`."""
        return self._account.finished + sum(part.offset for part in self._account.under_way)

    def _reported(
        self, versions: Iterator[PageVersion], on_progress: Callable[[Reading], None]
    ) -> Iterator[PageVersion]:
        next_report = time.monotonic()
        for version in versions:
            if time.monotonic() >= next_report:
                on_progress(self)
                next_report = time.monotonic() + SECONDS_BETWEEN_REPORTS
            yield version
        self.ended = True
        on_progress(self)

    def _as_they_stand(self, inputs: list[Input]) -> Iterator[PageVersion]:
        counts = self.counts
        for version in chain.from_iterable(map(self._open, inputs)):
            counts.versions += 1
            yield version

    def _by_time(self, inputs: list[Input]) -> Iterator[PageVersion]:
        """Sort the files by their times, which are known, and each archive by a window; merge them all."""
        archives = [part for part in inputs if isinstance(part, Source)]
        if len(inputs) == len(archives) == 1:
            return in_time_order(self._open(archives[0]), self.counts, most=WINDOW_VERSIONS, heaviest=WINDOW_BYTES)
        piped = [part for part in inputs if isinstance(part, PageVersion)]
        changed = sorted((part for part in inputs if isinstance(part, File)), key=lambda file: file.changed)
        share = max(1, min(len(archives), SIDE_BY_SIDE))
        window = {"most": max(8, WINDOW_VERSIONS // share), "heaviest": WINDOW_BYTES // share}
        singles: list[Input] = [*piped, *changed]
        pages = chain.from_iterable(map(self._open, singles))
        sorted_archives = [in_time_order(self._open(part), ReadingCounts(), **window) for part in archives]
        return merge([pages, *sorted_archives], self.counts, side_by_side=SIDE_BY_SIDE)

    def _open(self, part: Input) -> Iterator[PageVersion]:
        if isinstance(part, Source):
            return cast("Iterator[PageVersion]", self._archives().versions(part))  # whoever looks knows of glimpses
        return iter((part,)) if isinstance(part, PageVersion) else self._page(part)

    def _archives(self) -> Shelf:
        """Load the archive reader when the first archive is to be read."""
        if self._shelf is None:
            from pagedrift.archive.record import page_or_document_of
            from pagedrift.archive.warc import Shelf

            take = page_or_document_of if self._documents else None
            self._shelf = Shelf(
                account=self._account, limits=self._limits, look=self._look, take=take, quick=self._quick
            )
        return self._shelf

    def _page(self, file: File) -> Iterator[PageVersion]:
        try:
            yield files.read_page(file.path, limits=self._limits)
        except PagedriftError as error:
            if file.named:
                raise
            self._account.report(Problem(file.path, 0, str(error)))
        self._account.finished += file.size


@dataclass(frozen=True, slots=True)
class PageSummary:
    """How many versions of one page there are, and of which time."""

    url: str
    versions: int
    first: datetime | None
    last: datetime | None


def summarise(versions: Iterable[PageVersion]) -> list[PageSummary]:
    """Count the versions of each page, sorted by address.

    >>> summarise([PageVersion("https://city.example/", b"<p>1"), PageVersion("https://city.example/", b"<p>2")])
    [PageSummary(url='https://city.example/', versions=2, first=None, last=None)]
    """
    pages: dict[str, PageSummary] = {}
    for version in versions:
        moment = version.captured_at
        seen = pages.get(version.url) or PageSummary(version.url, 0, moment, moment)
        times = [time for time in (seen.first, moment, seen.last) if time]
        first, last = (min(times), max(times)) if times else (None, None)
        pages[version.url] = PageSummary(version.url, seen.versions + 1, first, last)
    return [pages[url] for url in sorted(pages)]
