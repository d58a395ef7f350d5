"""The base class of all jobs over a collection: arguments, session, counters and parts.

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
from typing import TYPE_CHECKING, Any, ClassVar, Final

from pagedrift.collection import locations, manifest, parts
from pagedrift.collection.session import explained, session, watched
from pagedrift.collection.tables import read_marker, write_marker
from pagedrift.collection.tally import Tally
from pagedrift.collection.tasks import (
    check_seen,
    do_part,
    failed,
    refuse_strangers,
    was_done,
    write_empty,
    write_parts,
)
from pagedrift.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from pagedrift.collection.captures import LocatedVersion
    from pagedrift.collection.manifest import Part
    from pagedrift.collection.parts import Column, Row
    from pagedrift.collection.session import Show
    from pagedrift.collection.tasks import DerivedTable


def _positive(text: str) -> int:
    number = int(text)
    if number < 1:
        raise argparse.ArgumentTypeError("give a number from 1 on")
    return number


_EXAMPLE: Final = "warc.paths.gz --base s3://commoncrawl/ --to answers"
_ARGUMENTS: Final[dict[str, dict[str, Any]]] = {
    "manifest": {
        "metavar": "MANIFEST",
        "help": "a list of archives, a columnar index, or a folder of either",
    },
    "--to": {"metavar": "DIR", "required": True, "help": "where tables go: a folder all machines see, or s3://…"},
    "--base": {"metavar": "PLACE", "default": "", "help": "what names are relative to, such as s3://commoncrawl/"},
    "--master": {"metavar": "URL", "help": "which Spark: local[*] (default), spark://HOST:7077, yarn, k8s://…"},
    "--conf": {"metavar": "KEY=VALUE", "action": "append", "default": [], "help": "a setting of Spark; repeat it"},
    "--together": {
        "metavar": "N",
        "type": _positive,
        "help": "archives in one part (default: 1, or small local ones up to 64 MB)",
    },
    "--where": {
        "metavar": "COLUMN=VALUE",
        "action": "append",
        "default": [],
        "help": "such rows of an index",
    },
    "--json": {"action": "store_true", "help": "print the figures as one JSON object"},
}


@dataclass(slots=True, kw_only=True)
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


class CollectionJob:
    """A question that is asked of a collection; each job is a class below this one."""

    name: ClassVar[str] = "job"
    output: ClassVar[str] = "rows"  # the folder of its table
    output_schema: ClassVar[tuple[Column, ...]] = ()
    question: ClassVar[str] = ""  # what --help says
    needed: ClassVar[str] = ""  # arguments of its own that an example must have

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
            epilog=f"Example: pagedrift spark {self.name} {_EXAMPLE}{self.needed}",
        )
        for name, options in _ARGUMENTS.items():
            parser.add_argument(name, **options)
        self.add_arguments(parser)
        return parser.parse_args(arguments)

    def add_arguments(self, parser: argparse.ArgumentParser) -> None:
        """Let a job add arguments of its own."""

    def run(self, arguments: Sequence[str] | None = None) -> Outcome:
        """Do the job, and report the results."""
        self.args = self.parse_arguments(arguments)
        self.args.to = locations.resolve("", self.args.to).rstrip("/")
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

    def process_record(self, capture: LocatedVersion) -> Iterator[Row]:
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
                failed(tally, f"{capture.archive}, byte {capture.offset}", error)

    def run_parts(self, running: Any, folder: str, options: tuple[str, ...]) -> Outcome:
        """Do every part that is not finished, each in a task of its own."""
        work = self.work
        refuse_strangers(folder, len(work))
        tasks = running.sparkContext.parallelize(work, len(work))
        do = partial(do_part, self, folder=folder, options=(self.name, parts.FORMAT, *options))
        with watched(running, f"reading {self.args.manifest}", self._shown if self.show else None):
            done = tasks.map(do).collect()
        check_seen(folder, work)
        outcome = Outcome(name=self.name, tables={self.output: folder}, parts=len(work))
        for tally, was_there, identity in done:
            outcome.tally.add(tally)
            outcome.reused += was_there
            outcome.identities.append(identity)
        return outcome

    def write_answers(self, running: Any, outcome: Outcome, frame: Any, table: DerivedTable) -> Tally:
        """Write the table that answers the question, and put on the tally what went wrong on the way."""
        tally = self.write_table(running, frame, table)
        outcome.tables[table.name] = f"{self.args.to}/{table.name}"
        outcome.tally.damaged += tally.damaged
        outcome.tally.problems += tally.problems
        return tally

    def write_table(self, running: Any, frame: Any, table: DerivedTable) -> Tally:
        """Write the rows of a frame, which have a column `part`; parts that are finished are not done again."""
        folder = f"{self.args.to}/{table.name}"
        if (known := read_marker(folder, table.identity)) is not None:
            return known
        refuse_strangers(folder, table.parts)
        look = partial(was_done, folder=folder, identity=table.identity)
        numbers = running.sparkContext.parallelize(range(table.parts), min(table.parts, 200))
        done = dict(numbers.flatMap(look).collect())
        left = frame.where(~frame["part"].isin(list(done))) if done else frame
        sorted_left = left.repartition(table.parts, "part").sortWithinPartitions("part", *table.order)
        with watched(running, f"writing {folder}", self._shown if self.show else None):
            write = partial(write_parts, folder=folder, table=table)
            written = dict(sorted_left.rdd.mapPartitions(write).collect())
            # Parts without a row are written, too: what lay there before may be of other work.
            empty = running.sparkContext.parallelize(sorted({*range(table.parts)} - {*done, *written}))
            empty.foreach(partial(write_empty, folder=folder, table=table))
        tally = Tally()
        for each in (*done.values(), *written.values()):
            tally.add(each)
        write_marker(folder, table.identity, tally)
        return tally

    def _shown(self, what: str, done: int, total: int) -> None:
        if self.show:
            self.show(
                f"{what}: {self.pages_done.value:,} pages, {self.problems_seen.value:,} problems", done, total
            )
