"""pagedrift redesigned: was the site redesigned, when, and how sure is that?"""

from __future__ import annotations

import os
import re
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click
from rich.progress import MofNCompleteColumn

from pagedrift.capture.addresses import ENVIRONMENT
from pagedrift.cli.common import (
    answer,
    answer_json,
    bar,
    check_option,
    exit_status,
    json_option,
    tell_damage,
    with_progress,
    write_page,
)
from pagedrift.cli.redesigned_state import load, save
from pagedrift.errors import InputError, PagedriftError
from pagedrift.reading.inputs import is_address
from pagedrift.redesigned.course import Course
from pagedrift.redesigned.detectors import DEFAULT, DETECTORS, RedesignDetector
from pagedrift.report import redesigns

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from pagedrift.capture.following import Follower
    from pagedrift.page import PageVersion
    from pagedrift.reading import Reading
    from pagedrift.redesigned.course import Told
    from pagedrift.redesigned.stream import Document, Stream

SHOWN_NOTES = 10
_EVERY = re.compile(r"(\d+(?:\.\d+)?) ?(s|m|h|d)?")
_UNITS = {"s": 1, "m": 60, "h": 3600, "d": 86400}
file_path = click.Path(dir_okay=False, path_type=Path)


@click.command(short_help="Tell when a site was redesigned, from the stream of its pages.")
@click.argument("inputs", nargs=-1, required=True, metavar="INPUT...")
@click.option("--detector", type=click.Choice(list(DETECTORS)), default=DEFAULT, show_default=True)
@click.option("--history", type=int, default=20, show_default=True, help="Documents that are looked back at.")
@click.option(
    "--certainty", type=float, metavar="SHARE", help="Tell from here on, such as 0.5: early; 0.95: surely."
)
@click.option("--url", help="Follow the versions of this one page, not all pages.")
@click.option(
    "--order",
    type=click.Choice(["captured", "published"]),
    default="captured",
    show_default=True,
    help="By the time of capture, or by what pages say of their publication.",
)
@click.option("--edits", is_flag=True, help="Tell smaller, lasting changes of the template too.")
@click.option("--outliers", is_flag=True, help="Tell pages that are like none around them too.")
@click.option("--selectors", type=file_path, help="Tell which selectors of a file stopped matching.")
@click.option("--plot", type=file_path, help="Draw stripe and indicators, as PNG or SVG.")
@click.option("--html", type=file_path, help="Write a report to look at in a browser.")
@click.option("--follow", is_flag=True, help="Keep looking at a feed or sitemap, until Ctrl-C.")
@click.option("--every", default="15m", show_default=True, metavar="TIME", help="How often, such as 90s, 15m, 2h.")
@click.option("--newest", type=int, default=200, show_default=True, help="Entries taken of a feed or sitemap.")
@click.option("--state", type=file_path, help="Keep what a feed or sitemap showed here, and go on from it.")
@click.option("--delay", type=float, default=1.0, show_default=True, help="Seconds between requests to a host.")
@click.option("--allow-private", multiple=True, metavar="HOST", help="Ask this host though it is not public.")
@check_option(what="there was a redesign")
@json_option
def redesigned(inputs: tuple[str, ...], as_json: bool, check: bool, **options: Any) -> None:
    """Tell when a site was redesigned, how sure that is, and what speaks for it.

    INPUT is a WARC or WACZ or a folder of saved pages, one page after the other as they were taken; or the address
    of a feed (RSS, Atom, JSON) or sitemap, whose newest pages are fetched politely.

    \b
    Examples:
      pagedrift redesigned crawl.warc.gz --html report.html
      pagedrift redesigned --follow https://city.example/feed.xml --every 1h --state city.json
    """
    _check_options(inputs, options)
    run = _Run(options, as_json)
    try:
        counts = run.follow(inputs[0]) if is_address(inputs[0]) else run.read(inputs)
    except KeyboardInterrupt:
        click.echo("stopped", err=True)
        counts = run.stream.counts
    run.finish(counts)
    if check:
        exit_status(yes=bool(run.course.redesigns), known=run.course.detector.ready)


def _check_options(inputs: tuple[str, ...], options: dict[str, Any]) -> None:
    """Refuse what does not go together, before anything is fetched."""
    addresses = [path for path in inputs if is_address(path)]
    if addresses and len(inputs) > 1:
        raise InputError("a feed or sitemap is followed alone; give one address, or archives and folders")
    if not addresses and (options["follow"] or options["state"]):
        raise InputError(
            "only a feed or sitemap can be followed; give its address, such as https://city.example/feed"
        )
    options["every"] = seconds(options["every"])
    if options["plot"]:
        from pagedrift.redesigned.plot import check_name

        check_name(options["plot"])
    if options["allow_private"]:
        os.environ[ENVIRONMENT] = " ".join([os.environ.get(ENVIRONMENT, ""), *options["allow_private"]])


def seconds(text: str) -> float:
    """Read a length of time.

    >>> seconds("90s"), seconds("15m"), seconds("2 h")
    (90.0, 900.0, 7200.0)
    """
    match = _EVERY.fullmatch(text.strip())
    if match is None or float(match[1]) * _UNITS[match[2] or "s"] < 1:
        raise InputError(f'"{text[:40]}" is no length of time; write one such as 90s, 15m or 2h')
    return float(match[1]) * _UNITS[match[2] or "s"]


class _Run:
    """One run of the command."""

    def __init__(self, options: dict[str, Any], as_json: bool) -> None:
        from pagedrift.redesigned.stream import Stream

        self.options = options
        self.as_json = as_json
        self.stream = Stream(())
        self.shown: list[Told] = []  # for the report and the plot
        settings = {} if options["certainty"] is None else {"certainty": options["certainty"]}
        self.course = self._course(
            RedesignDetector(detector=options["detector"], history=options["history"], **settings)
        )

    def _course(self, detector: RedesignDetector) -> Course:
        options, health = self.options, None
        if options["selectors"]:
            from pagedrift.redesigned.selectors import SelectorHealth, read_selectors

            health = SelectorHealth(read_selectors(options["selectors"]), history=detector.detector.history)
        return Course(
            detector,
            keep_pages=bool(options["html"]),
            keep_stripe=bool(options["html"] or options["plot"]),
            outliers=options["outliers"],
            selectors=health,
        )

    def read(self, inputs: tuple[str, ...]) -> Any:
        """Go through archives and folders."""
        from pagedrift.redesigned.stream import documents

        self.stream = documents(inputs, url=self.options["url"], order=self.options["order"], watch=_watched)
        for document in self.stream:
            self.take(document)
        self._tell_notes(self.stream)
        if not self.course.detector.documents:
            raise InputError(f"there is no page in {', '.join(inputs)}; give an archive or folder that holds some")
        return self.stream.counts

    def take(self, document: Document) -> None:
        """Show a document to the detector, and tell what happened at once."""
        for told in self.course.take(document):
            self._tell(told)

    def _tell(self, told: Told) -> None:
        if told.kind == "edit" and not self.options["edits"]:
            return
        if self.options["html"] or self.options["plot"]:
            self.shown.append(told)
        if self.as_json:
            answer_json(redesigns.as_data(told))
        else:
            answer(redesigns.lines(told))

    def follow(self, url: str) -> Any:
        """Look at a feed or sitemap once, or again and again."""
        from pagedrift.capture.following import Follower
        from pagedrift.capture.http import Client, Manners

        saved = load(self.options["state"]) if self.options["state"] else None
        with Client(manners=Manners(delay=max(0.0, self.options["delay"]))) as client:
            follower = Follower(
                client, url, newest=self.options["newest"], state=saved["follower"] if saved else None
            )
            if saved:
                self.course = self._course(RedesignDetector.from_json(saved["detector"]))
                if self.course.selectors is not None:
                    self.course.selectors.restore(saved["selectors"])
            self._look(follower)
            while self.options["follow"]:
                time.sleep(max(self.options["every"], follower.retry_after))
                try:
                    self._look(follower)
                except PagedriftError as error:  # trouble of today; the next look may succeed
                    click.echo(f"warning: {error}", err=True)
        return self.stream.counts

    def _look(self, follower: Follower) -> None:
        """Fetch what is new, and save where we are after every document: a kill costs at most one."""
        from pagedrift.redesigned.stream import followed

        before = self.stream.counts
        self.stream = followed(follower)
        self.stream.counts.gaps = before.gaps
        for document in _counted(self.stream, follower):
            self.take(document)
            self._save(follower)
        self._save(follower)
        self._tell_notes(self.stream)

    def _save(self, follower: Follower) -> None:
        if self.options["state"]:
            health = self.course.selectors
            save(
                self.options["state"],
                {
                    "detector": self.course.detector.to_json(),
                    "follower": follower.state(),
                    "selectors": health.state() if health else {},
                },
            )

    def _tell_notes(self, stream: Stream) -> None:
        notes = list(stream.notes)
        if stream.counts.unordered:
            notes.append(f"{stream.counts.unordered:,} documents are dated before the one that came before them")
        if stream.counts.undated:
            notes.append(f"{stream.counts.undated:,} documents have no date; they stand where they came")
        for note in notes[:SHOWN_NOTES]:
            click.echo(f"note: {note}", err=True)
        if len(notes) > SHOWN_NOTES:
            click.echo(f"note: {len(notes) - SHOWN_NOTES:,} more like these", err=True)

    def finish(self, counts: Any) -> None:
        """Sum up, draw and write."""
        if self.options["plot"] and self.course.stripe:
            from pagedrift.redesigned.plot import plot

            plot(self.options["plot"], self.course.stripe, self.shown)
        if self.options["html"]:
            from pagedrift.report.redesigned_page import redesign_page

            html = redesign_page(self.course, self.shown, counts)
            write_page(self.options["html"], html)
        if suspicion := redesigns.suspicion(self.course):
            click.echo(f"note: {suspicion}", err=True)
        if self.as_json:
            answer_json(redesigns.summary_data(self.course, counts))
        else:
            answer([redesigns.summary(self.course, counts)])


def _counted(documents: Iterable[Document], follower: Follower) -> Iterator[Document]:
    """Give documents while a bar on standard error shows how many are still to be fetched."""
    with bar(MofNCompleteColumn()) as shown:
        task = shown.add_task("", total=None)
        for number, document in enumerate(documents, 1):
            shown.update(task, completed=number, total=number + follower.waiting)
            yield document


def _watched(reading: Reading) -> Iterator[PageVersion]:
    yield from with_progress(reading)
    tell_damage(reading)
