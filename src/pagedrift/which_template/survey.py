"""Which fingerprints do the pages of many inputs have, with several inputs read at once?"""

from __future__ import annotations

import os
import sys
from array import array
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, field
from datetime import UTC, datetime
from functools import partial
from itertools import chain, groupby
from multiprocessing import get_context
from pathlib import PurePath
from typing import TYPE_CHECKING, Final

from pagedrift.archive.source import Source
from pagedrift.limits import DEFAULT_LIMITS
from pagedrift.page import PageVersion
from pagedrift.read_report import Account
from pagedrift.reading.inputs import Input, expand
from pagedrift.reading.stream import Reading
from pagedrift.which_template.fingerprint import Fingerprint, algorithm_named

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence
    from multiprocessing.context import BaseContext

    from pagedrift.archive.record import Glimpse
    from pagedrift.which_template.cluster import TemplateClusterer

    OnProgress = Callable[[Reading], None]

MAX_BATCH_FILES: Final = 1000  # files in one batch


@dataclass(slots=True)
class Rows:
    """One row for each page, in columns that take little room."""

    urls: list[str] = field(default_factory=list)
    times: array[float] = field(default_factory=lambda: array("d"))  # seconds; NaN where unknown
    digests: bytearray = field(default_factory=bytearray)  # 32 bytes each
    fingerprints: array[int] = field(default_factory=lambda: array("I"))  # their numbers in the survey

    def append(self, page: PageVersion, number: int) -> None:
        """Add the row of a page."""
        self.urls.append(page.url)
        self.times.append(page.captured_at.timestamp() if page.captured_at else float("nan"))
        self.digests += bytes.fromhex(page.digest)
        self.fingerprints.append(number)

    def extend(self, other: Rows, numbers: array[int]) -> None:
        """Add rows of another survey, whose fingerprints have these numbers here."""
        self.urls += other.urls
        self.times += other.times
        self.digests += other.digests
        self.fingerprints.extend(map(numbers.__getitem__, other.fingerprints))

    def __len__(self) -> int:
        return len(self.urls)

    def captured_at(self, row: int) -> datetime | None:
        """Give the time of a row."""
        seconds = self.times[row]
        return datetime.fromtimestamp(seconds, UTC) if seconds == seconds else None  # noqa: PLR0124 - NaN

    def digest(self, row: int) -> str:
        """Give the digest of a row."""
        return self.digests[32 * row : 32 * row + 32].hex()


@dataclass(slots=True, kw_only=True)
class Survey:
    """The different fingerprints of some pages, in the order they were first seen."""

    algorithm: str
    numbers: dict[bytes, int] = field(default_factory=dict)
    pages: array[int] = field(default_factory=lambda: array("Q"))  # with each fingerprint
    examples: list[str] = field(default_factory=list)  # the address of the first of them
    rows: Rows | None = None  # where each page is listed

    def see(self, pages: Iterable[PageVersion | Glimpse]) -> Survey:
        """Look through pages, or glimpses of them by the algorithm's own look."""
        references_of = algorithm_named(self.algorithm).references
        number_of, seen = self.numbers.get, self.pages
        for page in pages:
            references = references_of(page) if isinstance(page, PageVersion) else page.value
            number = number_of(references)
            if number is None:
                number = self._begin(references, page.url)
            seen[number] += 1
            if self.rows is not None and isinstance(page, PageVersion):
                self.rows.append(page, number)
        return self

    def _begin(self, references: bytes, example: str) -> int:
        """Give a new fingerprint its number."""
        number = self.numbers[references] = len(self.pages)
        self.pages.append(0)
        self.examples.append(example)
        return number

    def __iter__(self) -> Iterator[tuple[bytes, str, int]]:
        return zip(self.numbers, self.examples, self.pages, strict=True)

    def cluster(self, clusterer: TemplateClusterer) -> array[int]:
        """Add all to clusters; give for each fingerprint what `current` of the clusterer leads to its cluster."""
        return array(
            "I",
            (
                clusterer.add(Fingerprint(self.algorithm, references), example=example, pages=pages)
                for references, example, pages in self
            ),
        )


@dataclass(frozen=True, slots=True)
class Batch:
    """Inputs that are looked through together: an archive, or files of one folder."""

    name: str  # of the archive or the folder
    inputs: tuple[Input, ...]
    size: int  # in bytes


def batches(paths: Iterable[str], *, account: Account) -> Iterator[Batch]:
    """Divide what the paths name into batches."""
    found = chain.from_iterable(expand(path, limits=DEFAULT_LIMITS, account=account) for path in paths)
    for name, together in groupby(found, key=_name):
        inputs = list(together)
        for start in range(0, len(inputs), MAX_BATCH_FILES):
            part = tuple(inputs[start : start + MAX_BATCH_FILES])
            yield Batch(
                name[1], part, sum(len(each.body) if isinstance(each, PageVersion) else each.size for each in part)
            )


def _name(part: Input) -> tuple[int, str]:
    """Name the folder of a page, or the archive without its endings; archives stand alone."""
    if isinstance(part, Source):
        return id(part), PurePath(part.path).name.split(".warc")[0].removesuffix(".wacz")
    return 0, "-" if isinstance(part, PageVersion) else PurePath(os.path.abspath(part.path)).parent.name  # noqa: PTH100


def survey(
    batch: Batch,
    *,
    algorithm: str,
    rows: bool = False,
    quick: bool = False,
    on_progress: OnProgress | None = None,
) -> tuple[Survey, Account]:
    """Look through one batch; `on_progress` is called with the progress of reading.

    With `quick`, only the beginnings of records are unpacked where these are enough, and nothing is checked then.
    """
    account = Account()
    look = None if rows else algorithm_named(algorithm).look  # rows need digests of whole pages
    reading = Reading(
        list(batch.inputs),
        order="file",
        limits=DEFAULT_LIMITS,
        account=account,
        look=look,
        quick=quick and algorithm_named(algorithm).by_start,
        on_progress=on_progress,
    )
    found = Survey(algorithm=algorithm, rows=Rows() if rows else None)
    found.see(reading)
    return found, account


def surveys(
    all_batches: Sequence[Batch],
    *,
    algorithm: str,
    rows: bool = False,
    quick: bool = False,
    jobs: int = 1,
    on_progress: OnProgress | None = None,
) -> Iterator[tuple[Batch, Survey, Account]]:
    """Look through all batches, several at once by processes; the answers come in the order of the batches."""
    if jobs <= 1 or len(all_batches) <= 1:
        for batch in all_batches:
            yield batch, *survey(batch, algorithm=algorithm, rows=rows, quick=quick, on_progress=on_progress)
        return
    look = partial(survey, algorithm=algorithm, rows=rows, quick=quick)
    pool = ProcessPoolExecutor(jobs, mp_context=_context())
    try:
        waiting = [(batch, None if _is_piped(batch) else pool.submit(look, batch)) for batch in all_batches]
        for batch, under_way in waiting:
            yield batch, *(under_way.result() if under_way else look(batch))
    finally:
        pool.shutdown(cancel_futures=True)  # whoever stops early need not wait for the others


def _context() -> BaseContext:
    """Give the way to start processes: as copies of one that has loaded what they need, so that it is loaded once.

    Elsewhere than on Linux that takes a socket in a folder, whose name may be too long.
    """
    if sys.platform != "linux":
        return get_context("spawn")
    context = get_context("forkserver")
    context.set_forkserver_preload(["__main__", "pagedrift.which_template.survey", "pagedrift.archive.warc"])
    return context


def _is_piped(batch: Batch) -> bool:
    return any(isinstance(part, Source) and part.stream is not None for part in batch.inputs)
