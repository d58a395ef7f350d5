"""Which changes between successive captures of every page of a collection are content, by Spark?

Captures are put in order by Spark, by the key of their address and their time; only places travel, not pages. Each
capture is judged after those before it, which are the past of its page.
"""

from __future__ import annotations

from dataclasses import replace
from itertools import groupby
from operator import itemgetter
from typing import TYPE_CHECKING, Any, Final

from pagedrift.collection.captures import page_at
from pagedrift.collection.job import CollectionJob, Outcome
from pagedrift.collection.parts import Column
from pagedrift.collection.tasks import DerivedTable, failed
from pagedrift.does_it_matter.changes.histories import JudgedSeries
from pagedrift.extras import need
from pagedrift.http_exchange import FIRST_FAILURE
from pagedrift.which_template.spark import in_micros, pages_of

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pagedrift.collection.parts import Row
    from pagedrift.collection.tally import Tally
    from pagedrift.page import PageVersion

JUDGED: Final = (
    Column("url_key", "string", "the address as indexes sort it (SURT)"),
    Column("url", "string", "address of the newer capture"),
    Column("since", "timestamp", "when the older capture was taken"),
    Column("captured_at", "timestamp", "when the newer one was"),
    Column("digest", "string", "SHA-256 of the newer body"),
    Column("important", "int", "changes of what the page says, facts among them"),
    Column("minor", "int", "changes of wording"),
    Column("noise", "int", "other changes, such as counters and menus"),
)


class JudgedJob(CollectionJob):
    """Judge the changes between captures."""

    name = "judged"
    output = "judged"
    output_schema = JUDGED
    question = "Judge every change between successive captures of each page: important, minor or noise."

    def run_job(self, running: Any) -> Outcome:
        """Follow each page from capture to capture."""
        outcome, pages = pages_of(self, running)
        functions = need("spark", "pyspark.sql.functions")
        status = functions.col("status")
        part = functions.pmod(functions.xxhash64("url_key"), functions.lit(outcome.parts)).cast("int")
        answered = in_micros(pages).where(status.isNull() | (status < FIRST_FAILURE))
        table = DerivedTable(
            name=self.output,
            columns=JUDGED,
            identity=outcome.identity(self.name),
            parts=outcome.parts,
            order=("url_key", "captured_at", "row"),
            process=judged,
        )
        tally = self.write_answers(running, outcome, answered.withColumn("part", part), table)
        outcome.figures |= {"pairs": tally.rows, "important": tally.figures["important"]}
        return outcome


def judged(rows: Iterator[dict[str, Any]], tally: Tally) -> Iterator[Row]:
    """Give a row for each capture but the first of its page; equal bodies are not looked at again."""
    for key, captures in groupby(rows, key=itemgetter("url_key")):
        series, before = JudgedSeries(), None
        for row in captures:
            levels = dict.fromkeys(series.levels, 0)
            try:
                if before is None or before["digest"] != row["digest"]:
                    levels = series.judge(replace(_page(row), url=key))
            except Exception as error:  # one page of billions must not end the job
                failed(tally, row["url"], error)
                continue
            if before is not None:
                tally.figures["important"] += levels["important"]
                times = (before["captured_at"], row["captured_at"])
                counts = (levels["important"], levels["minor"], levels["noise"])
                yield key, row["url"], *times, row["digest"], *counts
            before = row


def _page(row: dict[str, Any]) -> PageVersion:
    return page_at(row["warc_filename"], row["warc_record_offset"], row["digest"])
