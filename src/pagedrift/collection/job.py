"""What does every job over a collection share: its arguments, its session, its counters, and its parts?

The shape is that of Common Crawl's public examples for PySpark, so that whoever wrote such a job feels at home: a
class with a `name` and an `output_schema`; `run` parses the arguments, starts a session and calls `run_job`; the
work is one generator per record; counters are accumulators. Other than there, each part of the answer is written by
the task that made it: what is finished stays finished when the rest fails.
"""

from __future__ import annotations

import argparse
import hashlib
import json
from dataclasses import dataclass, field
from functools import partial
from itertools import groupby
from operator import itemgetter
from typing import TYPE_CHECKING, Any, ClassVar

from pagedrift.collection import manifest, parts, places
from pagedrift.collection.session import explained, session, watched
from pagedrift.collection.tables import read_marker, write_marker
from pagedrift.collection.tally import Tally
from pagedrift.errors import InputError, PagedriftError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from pagedrift.collection.captures import Capture
    from pagedrift.collection.manifest import Part
    from pagedrift.collection.parts import Column, Row
    from pagedrift.collection.session import Show

    Process = Callable[[Iterator[dict[str, Any]], Tally], Iterator[Row]]


@dataclass(slots=True)
class Outcome:
    """What a job did, and where its answers lie."""

    name: str
    tables: dict[str, str] = field(default_factory=dict)  # by name: the folder
    tally: Tally = field(default_factory=Tally)
    parts: int = 0
    reused: int = 0  # parts that were finished before
    figures: dict[str, int] = field(default_factory=dict)  # what the job found, in its own words
    identities: list[str] = field(default_factory=list)  # of the parts that were read

    def identity(self, *options: str) -> str:
        """Give what is another one for another collection, or other work on it."""
        return hashlib.sha256(json.dumps([parts.FORMAT, self.identities, options]).encode()).hexdigest()


class Job:
    """A question that is asked of a collection; each job is a class below this one."""

    name: ClassVar[str] = "job"
    output: ClassVar[str] = "rows"  # the folder of its table
    output_schema: ClassVar[tuple[Column, ...]] = ()
    question: ClassVar[str] = ""  # what --help says

    def __init__(self, *, show: Show | None = None) -> None:
        self.args = argparse.Namespace()
        self.show = show
        self.work: list[Part] = []
        self.pages_done: Any = None
        self.problems_seen: Any = None

    def __getstate__(self) -> dict[str, Any]:
        """Leave at home what tasks do not need."""
        return self.__dict__ | {"show": None, "work": []}

    def parse_arguments(self, arguments: Sequence[str] | None = None) -> argparse.Namespace:
        """Read the command line."""
        parser = argparse.ArgumentParser(
            prog=f"pagedrift spark {self.name}",
            description=self.question,
            epilog=f"Example: pagedrift spark {self.name} warc.paths.gz --base s3://commoncrawl/ --to answers",
        )
        add = parser.add_argument
        add(
            "manifest",
            metavar="MANIFEST",
            help="list of WARC or WACZ files, a columnar index in Parquet, or a folder",
        )
        add(
            "--to",
            required=True,
            metavar="DIR",
            help="where the tables go: a folder that all machines see, or s3://…",
        )
        add(
            "--base",
            default="",
            metavar="PLACE",
            help="what relative names are relative to, such as s3://commoncrawl/",
        )
        add("--master", metavar="URL", help="which Spark: local[*] (default), spark://HOST:7077, yarn, k8s://…")
        add("--conf", action="append", default=[], metavar="KEY=VALUE", help="a setting of Spark; repeat for more")
        add(
            "--together",
            type=_positive,
            default=1,
            metavar="N",
            help="how many archives make one part (default: 1)",
        )
        add(
            "--where",
            action="append",
            default=[],
            metavar="COLUMN=VALUE",
            help="only such rows of a columnar index",
        )
        add("--json", action="store_true", help="print the figures as one JSON object")
        self.add_arguments(parser)
        return parser.parse_args(arguments)

    def add_arguments(self, parser: argparse.ArgumentParser) -> None:
        """Let a job add arguments of its own."""

    def run(self, arguments: Sequence[str] | None = None) -> Outcome:
        """Do the job, and tell what became of everything."""
        self.args = self.parse_arguments(arguments)
        self.args.to = places.resolve("", self.args.to).rstrip("/")
        self.prepare()
        with session(f"pagedrift {self.name}", master=self.args.master, settings=self.args.conf) as running:
            self.init_accumulators(running)
            with explained():
                outcome = self.run_job(running)
        if not outcome.tally.pages:
            first = outcome.tally.problems[:1] or ["they hold no page"]
            raise InputError(
                f"nothing could be read of what {self.args.manifest} lists; the first problem: {first[0]}"
            )
        return outcome

    def prepare(self) -> None:
        """Look at what was given, and refuse what cannot be done, before Spark is started."""
        args = self.args
        self.work = manifest.parts_of(args.manifest, base=args.base, together=args.together, where=args.where)

    def init_accumulators(self, running: Any) -> None:
        """Set up the counters."""
        self.pages_done = running.sparkContext.accumulator(0)
        self.problems_seen = running.sparkContext.accumulator(0)

    def run_job(self, running: Any) -> Outcome:
        """Do the work; each job has its own."""
        raise NotImplementedError

    def process_record(self, capture: Capture) -> Iterator[Row]:
        """Give the rows of one page version: the work itself, a pure function."""
        raise NotImplementedError

    def process_part(self, part: Part, tally: Tally) -> Iterator[Row]:
        """Give the rows of all page versions of a part; what fails is counted, and never ends it."""
        from pagedrift.collection.captures import captures

        for capture in captures(part, tally):
            tally.pages += 1
            try:
                yield from self.process_record(capture)
            except Exception as error:  # one page of billions must not end the job
                tally.report(f"{capture.archive}, byte {capture.offset}: {failure(error)}")

    def run_parts(self, running: Any, folder: str, options: tuple[str, ...]) -> Outcome:
        """Do every part that is not finished, each in a task of its own."""
        work = self.work
        _refuse_strangers(folder, len(work))
        tasks = running.sparkContext.parallelize(work, len(work))
        do = partial(_do_part, self, folder=folder, options=(self.name, parts.FORMAT, *options))
        with watched(running, f"reading {self.args.manifest}", self._shown if self.show else None):
            done = tasks.map(do).collect()
        _check_seen(folder, work)
        outcome = Outcome(self.name, {self.output: folder}, parts=len(work))
        for tally, was_there, identity in done:
            outcome.tally.add(tally)
            outcome.reused += was_there
            outcome.identities.append(identity)
        return outcome

    def write_table(self, running: Any, frame: Any, table: Table) -> tuple[Tally, int]:
        """Write the rows of a frame, which have a column `part`; give the tally and how many parts were there."""
        folder = f"{self.args.to}/{table.name}"
        if (known := read_marker(folder, table.identity)) is not None:
            return known, table.parts
        _refuse_strangers(folder, table.parts)
        look = partial(_was_done, folder=folder, identity=table.identity)
        numbers = running.sparkContext.parallelize(range(table.parts), min(table.parts, 200))
        done = dict(numbers.flatMap(look).collect())
        left = frame.where(~frame["part"].isin(list(done))) if done else frame
        sorted_left = left.repartition(table.parts, "part").sortWithinPartitions("part", *table.order)
        with watched(running, f"writing {folder}", self._shown if self.show else None):
            write = partial(_write_parts, folder=folder, table=table)
            written = dict(sorted_left.rdd.mapPartitions(write).collect())
            # Parts without a row are written, too: what lay there before may be of other work.
            empty = running.sparkContext.parallelize(sorted({*range(table.parts)} - {*done, *written}))
            empty.foreach(partial(_write_empty, folder=folder, table=table))
        tally = Tally()
        for each in (*done.values(), *written.values()):
            tally.add(each)
        write_marker(folder, table.identity, tally)
        return tally, len(done)

    def _shown(self, what: str, done: int, total: int) -> None:
        if self.show:
            self.show(
                f"{what}: {self.pages_done.value:,} pages, {self.problems_seen.value:,} problems", done, total
            )


@dataclass(frozen=True, slots=True)
class Table:
    """A table that is made from another one: what is in it, and how its rows come about."""

    name: str
    columns: tuple[Column, ...]
    identity: str
    parts: int
    order: tuple[str, ...]  # of the rows in a part
    process: Process


def as_they_are(columns: Iterable[Column]) -> Process:
    """Give rows out of a frame that has these columns."""
    return partial(_picked, tuple(column.name for column in columns))


def _picked(names: tuple[str, ...], rows: Iterator[dict[str, Any]], tally: Tally) -> Iterator[Row]:  # noqa: ARG001
    yield from (tuple(row[name] for name in names) for row in rows)


def failure(error: Exception) -> str:
    """Say what was wrong with one page."""
    if isinstance(error, PagedriftError):
        return str(error)
    return f"{type(error).__name__}: {error}; please report the page"


def _do_part(job: Job, part: Part, *, folder: str, options: tuple[str, ...]) -> tuple[Tally, bool, str]:
    """Do one part in a task, unless it is finished; one of which something could not be reached is done again."""
    identity = part.identity(*options, *_sizes(part))
    known = parts.finished(folder, part.number, identity)
    tally = Tally() if known is None or known.unreadable else known
    if tally is not known:
        rows = job.process_part(part, tally)
        parts.write_part(parts.place_of(folder, part.number), identity, job.output_schema, rows, tally)
    job.pages_done.add(tally.pages)
    job.problems_seen.add(tally.damaged)
    return tally, tally is known, identity


def _sizes(part: Part) -> list[str]:
    """Give the sizes of archives: one that has grown is another one."""
    sizes = []
    for archive in part.archives:
        try:
            sizes.append(str(places.store_of(archive).size(archive)))
        except PagedriftError:
            sizes.append("missing")
    return sizes


def _was_done(number: int, *, folder: str, identity: str) -> list[tuple[int, Tally]]:
    tally = parts.finished(folder, number, identity)
    return [] if tally is None else [(number, tally)]


def _write_empty(number: int, *, folder: str, table: Table) -> None:
    parts.write_part(parts.place_of(folder, number), table.identity, table.columns, (), Tally())


def _write_parts(rows: Iterator[Any], *, folder: str, table: Table) -> Iterator[tuple[int, Tally]]:
    """Write what one task has: the rows of one part, or of several, one after the other."""
    for number, some in groupby((row.asDict() for row in rows), key=itemgetter("part")):
        tally = Tally()
        found = table.process(some, tally)
        yield number, parts.write_part(parts.place_of(folder, number), table.identity, table.columns, found, tally)


def _check_seen(folder: str, work: list[Part]) -> None:
    """Make sure that what the machines wrote is seen here."""
    there = set(map(parts.number_of, places.store_of(folder).files(folder)))
    if lost := [part.number for part in work if part.number not in there]:
        raise InputError(
            f"{parts.place_of(folder, lost[0])} was written by another machine and is not seen here; name a folder"
            " that all machines share, or s3://BUCKET/FOLDER"
        )


def _refuse_strangers(folder: str, count: int) -> None:
    """Refuse a folder with parts that this work does not have: they would be taken for its answers."""
    beyond = [name for name in places.store_of(folder).files(folder) if parts.number_of(name) >= count]
    if beyond:
        raise InputError(
            f"{beyond[0]} is of a longer collection; name another folder after --to, or empty this one"
        )


def _positive(text: str) -> int:
    number = int(text)
    if number < 1:
        raise argparse.ArgumentTypeError("give a number from 1 on")
    return number
