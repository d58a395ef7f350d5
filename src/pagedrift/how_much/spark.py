"""How much, and what, changed between successive captures of every page of a collection, by Spark?

Captures are put in order by Spark, by the key of their address and their time; only places travel, not pages. Whose
digest did not change is not looked at; the others are read again where they stand.
"""

from __future__ import annotations

from collections import Counter
from functools import partial
from typing import TYPE_CHECKING, Any, Final

from pagedrift.collection.captures import page_at
from pagedrift.collection.job import CollectionJob, Outcome
from pagedrift.collection.parts import Column
from pagedrift.collection.tasks import DerivedTable, failed
from pagedrift.extras import need
from pagedrift.how_much.compared_words import MetricOptions
from pagedrift.how_much.metrics import METRICS, metric
from pagedrift.how_much.series import compare
from pagedrift.http_exchange import FIRST_FAILURE
from pagedrift.what_changed import diff
from pagedrift.which_template.spark import in_micros, pages_of

if TYPE_CHECKING:
    import argparse
    from collections.abc import Iterator, Mapping

    from pagedrift.collection.parts import Row
    from pagedrift.collection.tally import Tally
    from pagedrift.page import PageVersion

CHANGES: Final = (
    Column("url_key", "string", "the address as indexes sort it (SURT)"),
    Column("url", "string", "address of the newer capture"),
    Column("since", "timestamp", "when the older capture was taken"),
    Column("captured_at", "timestamp", "when the newer one was"),
    Column("old_digest", "string", "SHA-256 of the older body"),
    Column("digest", "string", "SHA-256 of the newer body"),
    Column("changed", "boolean", "whether the bodies differ"),
    Column("amount", "double", "how much changed, by the metric asked for"),
    Column("words", "map<string,int>", "words by what was done to them"),
    Column(
        "steps", "map<string,int>", "steps from the old tree to the new one: added, removed, edited, moved, changed"
    ),
    Column("kinds", "map<string,int>", "the same steps by what they touch: text, link, image, heading, …"),
)
_OF_PAIR: Final = ("digest", "warc_filename", "warc_record_offset", "captured_at")


class ChangesJob(CollectionJob):
    """Find out how much and what changed between captures."""

    name = "changes"
    output = "changes"
    output_schema = CHANGES
    question = "Find out how much and what changed between successive captures of every page."

    def add_arguments(self, parser: argparse.ArgumentParser) -> None:
        """Ask for the metric."""
        parser.add_argument("--metric", choices=list(METRICS), default="extended+", help="how to measure")

    def run_job(self, running: Any) -> Outcome:
        """Pair captures, and compare the pairs."""
        outcome, pages = pages_of(self, running)
        identity = outcome.identity(self.name, self.args.metric)
        process = partial(compared, self.args.metric)
        order = ("url_key", "captured_at", "row")
        table = DerivedTable(
            name=self.output, columns=CHANGES, identity=identity, parts=outcome.parts, order=order, process=process
        )
        tally = self.write_answers(running, outcome, pairs_of(in_micros(pages), outcome.parts), table)
        outcome.figures |= {"pairs": tally.rows, "changed": tally.figures["changed"]}
        return outcome


def pairs_of(pages: Any, count: int) -> Any:
    """Put each capture next to the one of the same page before it; failed answers are left out."""
    functions, window = need("spark", "pyspark.sql.functions"), need("spark", "pyspark.sql.window").Window
    status = functions.col("status")
    series = window.partitionBy("url_key").orderBy(
        functions.col("captured_at").asc_nulls_first(), functions.col("part"), functions.col("row")
    )
    before = [functions.lag(name).over(series).alias(f"old_{name}") for name in _OF_PAIR]
    pairs = pages.where(status.isNull() | (status < FIRST_FAILURE)).select(
        "url_key", "url", "row", *_OF_PAIR, *before
    )
    # Spread by place, not by address: a page with a million captures is compared by all machines.
    part = functions.pmod(functions.xxhash64("url_key", "warc_filename", "row"), functions.lit(count)).cast("int")
    return pairs.where(functions.col("old_digest").isNotNull()).withColumn("part", part)


def compared(name: str, rows: Iterator[dict[str, Any]], tally: Tally) -> Iterator[Row]:
    """Give the rows of pairs, with what changed in each."""
    for row in rows:
        changed = row["digest"] != row["old_digest"]
        tally.figures["changed"] += changed
        try:
            found: tuple[Any, ...] = _difference(row, name) if changed else (0.0, {}, {}, {})
        except Exception as error:  # one page of billions must not end the job
            failed(tally, row["url"], error)
            found = (None, None, None, None)
        times = (row["old_captured_at"], row["captured_at"])
        amount, *counts = found
        data = (None if each is None else list(each.items()) for each in counts)
        yield row["url_key"], row["url"], *times, row["old_digest"], row["digest"], changed, amount, *data


def _difference(
    row: dict[str, Any], name: str
) -> tuple[float, Mapping[str, int], Mapping[str, int], Mapping[str, int]]:
    old = page_at(row["old_warc_filename"], row["old_warc_record_offset"], row["old_digest"])
    new = page_at(row["warc_filename"], row["warc_record_offset"], row["digest"])
    return difference(old, new, name)


def difference(
    old: PageVersion, new: PageVersion, name: str
) -> tuple[float, Mapping[str, int], Mapping[str, int], Mapping[str, int]]:
    """Say how much changed, what became of the words, and which steps lead from one to the other.

    >>> from pagedrift import PageVersion
    >>> old, new = PageVersion("", b"<p>A permit costs $120"), PageVersion("", b"<p>A permit costs $145")
    >>> amount, words, steps, kinds = difference(old, new, "extended+")
    >>> amount, words, dict(steps), dict(kinds)
    (0.25, {'replace': 1}, {'edited': 1}, {'text': 1})
    """
    amount, words = compare(old, new, metric(name), MetricOptions())
    script = list(diff(old, new))
    return amount, words, Counter(step.mark for step in script), Counter(step.kind for step in script)
