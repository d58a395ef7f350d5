"""One crawl against another by Spark: archives are read and pages compared on many machines.

Everything else, such as which address of one crawl meets which of the other, is done by the machine that asked, in
the same database on its disk and by the same code as `pagedrift compare`; so the answers are the same.
"""

from __future__ import annotations

import sqlite3
from contextlib import closing
from functools import partial
from itertools import islice
from typing import TYPE_CHECKING, Any, Final

from pagedrift.archive.source import Source
from pagedrift.archive.warc import Shelf
from pagedrift.collection import locations, manifest, parts
from pagedrift.collection.job import CollectionJob, Outcome
from pagedrift.crawls import summary
from pagedrift.crawls.comparison import compared
from pagedrift.crawls.inventory import Crawl, archive_rows, create_indexes, create_table, entry_of, insert_rows
from pagedrift.crawls.summary import COMPARISON
from pagedrift.crawls.workers import Workers
from pagedrift.errors import InputError, PagedriftError
from pagedrift.limits import DEFAULT_LIMITS
from pagedrift.read_report import Account, Problem
from pagedrift.reading.inputs import expand

if TYPE_CHECKING:
    import argparse
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from pagedrift.collection.manifest import Part
    from pagedrift.crawls.workers import Given, Made, OnProgress

_BATCH: Final = 16  # pairs of pages that a task compares
_WAVE: Final = 4_000  # pairs that are sent out at once
_PROBLEMS: Final = 50  # of a part that are named


class CompareJob(CollectionJob):
    """Compare two crawls."""

    name = "compare"
    output = "comparison"
    output_schema = COMPARISON
    question = "Compare the crawl that MANIFEST lists with a newer one, address by address."
    needed = " --against newer.paths.gz"

    def add_arguments(self, parser: argparse.ArgumentParser) -> None:
        """Ask for the newer crawl."""
        parser.add_argument("--against", metavar="MANIFEST", required=True, help="the newer crawl, listed alike")

    def prepare(self) -> None:
        """Look at both manifests."""
        super().prepare()
        args = self.args
        self.newer = manifest.parts_of(args.against, base=args.base, together=args.together, where=args.where)
        if any(part.index for part in (*self.work, *self.newer)):
            raise InputError("crawls are compared by their archives; list WARC or WACZ files, not an index")

    def __getstate__(self) -> dict[str, Any]:
        return super().__getstate__() | {"newer": []}

    def run_job(self, running: Any) -> Outcome:
        """Compare, and write one row for each address."""
        old, new = (Crawl(name=name, paths=(name,)) for name in (self.args.manifest, self.args.against))
        workers = SparkWorkers(running.sparkContext, {old.name: self.work, new.name: self.newer})
        show = self.show or (lambda *_: None)
        outcome = Outcome(name=self.name, parts=len(self.work) + len(self.newer))
        folder = f"{self.args.to}/{self.output}"
        with compared(old, new, workers, show) as found:
            rows = map(summary.table_row, found)
            parts.write_part(parts.place_of(folder, 0), "", COMPARISON, rows, outcome.tally)
            for problem in found.account.problems:
                outcome.tally.report(str(problem))
            outcome.tally.damaged = found.account.counts.damaged
            outcome.tally.pages, outcome.tally.archives = workers.captures, workers.archives
            outcome.figures |= {str(state): count for state, count in found.counts.most_common()}
        outcome.tables[self.output] = folder
        return outcome


class SparkWorkers(Workers):
    """Workers on the machines of a cluster."""

    def __init__(self, context: Any, work: dict[str, list[Part]]) -> None:
        super().__init__(1)
        self._spark = context
        self._work = work
        self.captures = 0
        self.archives = 0

    def read_crawls(
        self, crawls: Sequence[Crawl], places: Sequence[str], on_progress: OnProgress
    ) -> Iterator[Account]:
        """Read the inventories, a task for each part."""
        for crawl, place in zip(crawls, places, strict=True):
            account = Account()
            work = self._work[crawl.name]
            done = self._spark.parallelize(work, len(work)).flatMap(partial(part_rows, crawl=crawl))
            with closing(sqlite3.connect(place)) as database:
                create_table(database)
                rows = self._counted(done.toLocalIterator(prefetchPartitions=True), account)
                insert_rows(database, rows, partial(on_progress, f"reading {crawl.name}", 0, 0))
                create_indexes(database)
            self.archives += sum(len(part.archives) for part in work)
            yield account

    def _counted(self, rows: Iterable[tuple[Any, ...] | Account], account: Account) -> Iterator[tuple[Any, ...]]:
        for row in rows:
            if isinstance(row, Account):
                account.add(row)
            else:
                self.captures += 1
                yield row

    def each(self, work: Callable[[Given], Made], given: Iterable[Given], *, expected: int) -> Iterator[Made]:  # noqa: ARG002
        """Do the work in tasks; the answers come in order."""
        source = iter(given)
        while wave := list(islice(source, _WAVE)):
            slices = -(-len(wave) // _BATCH)
            yield from self._spark.parallelize(wave, slices).map(work).collect()


def part_rows(part: Part, crawl: Crawl) -> Iterator[tuple[Any, ...] | Account]:
    """Give the rows of the archives of a part, and at the end the account of what could not be read."""
    account = Account()
    shelf = Shelf(account=account, take=entry_of)
    for archive in part.archives:
        try:
            with locations.copied(archive) as path:
                for source in expand(path, limits=DEFAULT_LIMITS, account=account):
                    if isinstance(source, Source):
                        name = archive if source.path == path else source.path
                        yield from archive_rows(source=source, name=name, shelf=shelf, crawl=crawl)
        except PagedriftError as error:
            account.report(Problem(archive, 0, str(error)))
    account.under_way.clear()
    del account.problems[_PROBLEMS:]
    yield account
