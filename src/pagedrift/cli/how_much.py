"""pagedrift how-much: how much did a page change, and which changes would have raised an alarm?"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import click

from pagedrift.cli.common import (
    answer,
    answer_json,
    check_any,
    check_option,
    exit_status,
    json_option,
    of_page,
    picked,
    progress,
    tell_problems,
    url_option,
)
from pagedrift.does_it_matter.changes.histories import JudgedSeries
from pagedrift.errors import InputError
from pagedrift.how_much import METRICS, Frequencies, MetricOptions, measure
from pagedrift.how_much.series import series as steps_of
from pagedrift.reading import read
from pagedrift.reading.page_selection import loose, one_page
from pagedrift.report import amounts, data, plot

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from pagedrift.how_much.series import SeriesStep
    from pagedrift.page import PageVersion

DEFAULT: Final = "extended+"  # the metric nearest to the criteria: docs/explanation/how-much.md


@click.command("how-much", short_help="Measure how much a page changed, as a share and in words.")
@click.argument("old", metavar="OLD|ARCHIVE")
@click.argument("new", required=False)
@click.option("--series", is_flag=True, help="Compare each version of ARCHIVE with the previous one.")
@click.option("--metric", type=click.Choice(list(METRICS)), help=f"Which metric to go by.  [default: {DEFAULT}]")
@click.option("--above", type=float, metavar="X", help="Threshold: report changes above it.")
@check_option(what="anything changed, or is above X")
@click.option("--main-content", is_flag=True, help="Ignore navigation, advertisements and footers.")
@click.option("--a", type=float, default=0.75, show_default=True, help="Cost of copying or removing a word.")
@click.option("--b", type=float, default=0.75, show_default=True, help="Cost of moving a word.")
@click.option("--k", type=int, default=10, show_default=True, help="Number of words in a shingle.")
@click.option("--frequencies", type=Path, metavar="FILE", help="Word frequencies of a collection, for cosine.")
@click.option("--plot", "picture", type=Path, metavar="FILE", help="Draw the series as .png or .svg.")
@url_option
@json_option
def how_much(
    *,
    old: str,
    new: str | None,
    series: bool,
    metric: str | None,
    above: float | None,
    check: bool,
    picture: Path | None,
    url: str | None,
    as_json: bool,
    frequencies: Path | None,
    **weights: Any,
) -> None:
    """Measure how much of a page changed from OLD to NEW: by each metric from 0 to 1, and in words.

    OLD and NEW are URLs, files, - for standard input, ARCHIVE@DATE or ARCHIVE@URL@DATE. With --series, ARCHIVE is a
    WARC or WACZ, or a folder of saved pages, and a line is a version against the one before; with --above X, !
    marks those above the threshold.

    \b
    Examples:
      pagedrift how-much crawl.warc.gz@2026-11-08 crawl.warc.gz@2026-11-15 --check --above 0.05
      pagedrift how-much crawl.warc.gz --series --above 0.05 --plot changes.png
    """
    _check_usage(new, above, series=series, picture=picture)
    weights["frequencies"] = Frequencies.load(frequencies) if frequencies else None
    whole = True
    if series:
        measured = _Series(old, metric or DEFAULT, above, as_json=as_json, picture=picture)
        highest = measured.measure(url, MetricOptions(**weights))
        whole = measured.whole
    else:
        before, after = picked(old, url=url), picked(str(new), url=url)
        found = measure(before, after, **weights)
        highest = found[metric or DEFAULT]
        if as_json:
            answer_json(data.measures(before, after, found))
        else:
            answer(amounts.describe(found, metric))
    if check:
        exit_status(yes=highest > (above or 0), known=whole)


def _check_usage(new: str | None, above: float | None, *, series: bool, picture: Path | None) -> None:
    """Refuse at once what cannot be answered."""
    if series and new:
        raise click.UsageError("--series takes one ARCHIVE; leave NEW out, or leave out --series.")
    if not series and not new:
        raise click.UsageError("Missing argument 'NEW'; give it, or ask for all versions of ARCHIVE with --series.")
    if picture and not series:
        raise click.UsageError("--plot draws a series; add --series.")
    if above is not None and not 0 <= above <= 1:
        raise InputError(f"the threshold is {above:g}, but degrees of change are from 0 to 1; for 5 % use 0.05")
    if picture:
        plot.check(picture)


class _Series:
    """The answer about all versions of an archive."""

    def __init__(
        self, archive: str, metric: str, above: float | None, *, as_json: bool, picture: Path | None
    ) -> None:
        self.archive, self.metric, self.above = archive, metric, above
        self.as_json, self.picture = as_json, picture
        self.versions = self.failed = self.steps = 0
        self.whole = True  # nothing was left out because it is damaged

    def measure(self, url: str | None, options: MetricOptions) -> float:
        """Read, measure and answer; give the highest value."""
        reading = read(self.archive, on_progress=progress())
        pages: dict[str, list[SeriesStep]] = {}
        highest = 0.0
        versions = of_page(reading, url)
        judged = JudgedSeries()
        counted = self._counted(one_page(versions, url=url) if url else versions)
        counted = judged.watched(counted) if self.as_json else counted
        for step in steps_of(counted, metric=self.metric, options=options):
            highest = max(highest, step.value)
            self.steps += 1
            if self.as_json:
                answer_json(data.step(step, metric=self.metric, above=self.above) | {"changes": judged.levels})
            if self.picture or not self.as_json:
                pages.setdefault(loose(step.url), []).append(step)
        tell_problems(reading)
        self.whole = not reading.problems
        self._check()
        self._tell(list(pages.values()))
        return highest

    def _counted(self, versions: Iterable[PageVersion]) -> Iterator[PageVersion]:
        for version in versions:
            self.versions += 1
            self.failed += version.failed
            yield version

    def _check(self) -> None:
        check_any(self.versions, self.archive)
        if self.failed:
            were = "s (status 400 and above) were" if self.failed > 1 else " (status 400 and above) was"
            click.echo(f"note: {self.failed:,} failed response{were} left out", err=True)
        if not self.steps:
            raise InputError(
                f"{self.archive} holds no page in two versions; keep a second one, or if its files are versions"
                " of one page, say which with --url URL"
            )

    def _tell(self, pages: list[list[SeriesStep]]) -> None:
        """Print what was collected, and draw it."""
        if not self.as_json:
            answer(amounts.series_lines(pages, above=self.above))
        if self.picture and (left_out := plot.draw(pages, self.picture, metric=self.metric, above=self.above)):
            click.echo(f"note: {left_out:,} more pages are not in the picture; choose one with --url URL", err=True)
