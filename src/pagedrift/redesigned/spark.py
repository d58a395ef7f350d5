"""Was any site of a collection redesigned, and when? One stream per site, by Spark.

Captures are put in order by Spark, by site and time; only places travel, not pages. Each site has a detector of its
own, which reads the pages where they stand, one after the other. It is saved next to the answers: a run over newer
captures continues from there.
"""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from functools import partial
from itertools import groupby
from operator import itemgetter
from typing import TYPE_CHECKING, Any, Final

from pagedrift.collection import locations
from pagedrift.collection.captures import page_at
from pagedrift.collection.job import CollectionJob, Outcome
from pagedrift.collection.parts import Column
from pagedrift.collection.tasks import DerivedTable, failed
from pagedrift.errors import InputError
from pagedrift.extras import need
from pagedrift.redesigned.detectors import DEFAULT, DETECTORS, RedesignDetector
from pagedrift.redesigned.events import Redesign
from pagedrift.redesigned.saved_detectors import FOLDER, SavedDetectors
from pagedrift.redesigned.stream import Document, is_gap
from pagedrift.redesigned.stream_monitor import StreamMonitor
from pagedrift.sites import WAYS, site_of
from pagedrift.which_template.spark import in_micros, pages_of

if TYPE_CHECKING:
    import argparse
    from collections.abc import Iterator

    from pagedrift.collection.parts import Row
    from pagedrift.collection.tally import Tally
    from pagedrift.redesigned.stream_monitor import RedesignEvent

REDESIGNS: Final = (
    Column("site", "string", "registered domain; with --by host the host, without www."),
    Column(
        "document", "bigint", "index, from 0, of the first document of the new design in the stream of the site"
    ),
    Column("url", "string", "its address"),
    Column("published_at", "timestamp", "when it was captured"),
    Column("told_at", "bigint", "index of the document at which the redesign was reported"),
    Column("detector", "string", "which detector"),
    Column("certainty", "double", "from 0 to 1; null if the detector has none"),
    Column("needed", "int", "documents from the first of the new design to the one at which it was reported"),
    Column("alike", "int", "how many of these have the new design"),
    Column("before", "int", "number of earlier documents compared"),
    Column("alike_before", "int", "how many of these have the new design"),
)
_EPOCH: Final = datetime(1970, 1, 1, tzinfo=UTC)


class RedesignedJob(CollectionJob):
    """Find out when each site was redesigned."""

    name = "redesigned"
    output = "redesigns"
    output_schema = REDESIGNS
    question = "Find out when each site of a collection was redesigned."

    def add_arguments(self, parser: argparse.ArgumentParser) -> None:
        """Ask for the detector."""
        parser.add_argument("--detector", choices=list(DETECTORS), default=DEFAULT, help="which detector")
        parser.add_argument(
            "--history", type=int, default=20, help="documents that are looked back at (default: 20)"
        )
        parser.add_argument(
            "--certainty", type=float, metavar="SHARE", help="minimum certainty to report, such as 0.95"
        )
        parser.add_argument(
            "--by",
            choices=WAYS,
            default="site",
            help="what one stream is: the pages of a registered domain (site) or of a host, or all of them (none)",
        )
        parser.add_argument(
            "--continue",
            dest="earlier",
            metavar="FOLDER",
            default="",
            help="the --to folder of an earlier run over older captures: each site continues where it stopped",
        )

    def prepare(self) -> None:
        """Look at the settings, too."""
        self.settings: dict[str, Any] = {"detector": self.args.detector, "history": self.args.history}
        if self.args.certainty is not None:
            self.settings["certainty"] = self.args.certainty
        RedesignDetector(**self.settings)  # refuses what does not go together
        self.earlier = SavedDetectors()
        if self.args.earlier:
            self.args.earlier = locations.resolve("", self.args.earlier).rstrip("/")
            if self.args.earlier == self.args.to:
                raise InputError("--continue names the folder of --to; name another one for the new answers")
            self.earlier = SavedDetectors.of_run(self.args.earlier)
        super().prepare()

    def run_job(self, running: Any) -> Outcome:
        """Divide the pages by site, and follow each."""
        settings = self.settings
        outcome, pages = pages_of(self, running)
        functions = need("spark", "pyspark.sql.functions")
        part = functions.pmod(functions.xxhash64("site"), functions.lit(outcome.parts)).cast("int")
        named = functions.udf(partial(site_of, by=self.args.by), "string", useArrow=False)("url")
        ordered = in_micros(pages).withColumn("site", named).withColumn("read_in", functions.col("part"))
        ordered = ordered.withColumn("part", part)
        identity = outcome.identity(self.name, repr(settings), self.args.by, *filter(None, [self.args.earlier]))
        order = ("site", "captured_at", "read_in", "row")
        saved = SavedDetectors(f"{self.args.to}/{FOLDER}")
        table = DerivedTable(
            name=self.output,
            columns=REDESIGNS,
            identity=identity,
            parts=outcome.parts,
            order=order,
            process=partial(followed, settings, self.earlier, saved),
        )
        tally = self.write_answers(running, outcome, ordered, table)
        saved.carry_over(self.earlier)
        outcome.figures |= {"sites": tally.figures["sites"], "documents": tally.pages, "redesigns": tally.rows}
        return outcome


def followed(
    settings: dict[str, Any],
    earlier: SavedDetectors,
    saved: SavedDetectors,
    rows: Iterator[dict[str, Any]],
    tally: Tally,
) -> Iterator[Row]:
    """Follow the sites of a part, one after the other, each with a detector of its own."""
    for site, captures in groupby(rows, key=itemgetter("site")):
        tally.figures["sites"] += 1
        course = earlier.load(site) or StreamMonitor(RedesignDetector(**settings))
        for document in _documents(captures, tally):
            for found in course.take(document):
                if isinstance(found.event, Redesign):
                    yield _row(site, found, found.event)
        saved.save(site, course)


def _documents(captures: Iterator[dict[str, Any]], tally: Tally) -> Iterator[Document]:
    """Read the pages of a stream again; those that failed to load are not documents."""
    for row in captures:
        try:
            body = page_at(row["warc_filename"], row["warc_record_offset"], row["digest"])
            micros = row["captured_at"]
            when = None if micros is None else _EPOCH + timedelta(microseconds=micros)
            page = replace(body, url=row["url"], captured_at=when, status=row["status"])
            if is_gap(page):
                tally.figures["gaps"] += 1
                continue
            _ = page.outline  # what a detector looks at: here it may fail without harm to the stream
        except Exception as error:  # one page of billions must not end the job
            failed(tally, row["url"], error)
            continue
        tally.pages += 1
        yield Document(page, when, "capture")


def _row(site: str, found: RedesignEvent, event: Redesign) -> Row:
    counts = (event.certainty, event.needed, event.alike, event.before, event.alike_before)
    return site, found.document, found.url, found.published_at, found.told_at, event.detector, *counts
