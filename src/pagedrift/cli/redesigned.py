"""pagedrift redesigned: was the site redesigned, when, and how sure is that?"""

from __future__ import annotations

import os
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click
from rich.progress import MofNCompleteColumn

from pagedrift.atomic_files import write_atomically
from pagedrift.capture.addresses import ENVIRONMENT
from pagedrift.cli.common import (
    answer,
    answer_json,
    bar,
    check_option,
    exit_status,
    json_option,
    progress,
    tell_damage,
)
from pagedrift.cli.redesigned_state import load, save
from pagedrift.durations import SECOND, parse_duration
from pagedrift.errors import InputError, LimitError, PagedriftError
from pagedrift.reading.inputs import is_address
from pagedrift.redesigned.detectors import DEFAULT, DETECTORS, RedesignDetector
from pagedrift.redesigned.stream_monitor import StreamMonitor
from pagedrift.report import redesigns
from pagedrift.sites import WAYS, site_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from pagedrift.capture.feed_follower import Follower
    from pagedrift.redesigned.stream import Document, Stream
    from pagedrift.redesigned.stream_monitor import RedesignEvent

MAX_SHOWN_NOTES = 10
MAX_SITES = 20_000  # each keeps what its last documents look like, about 165 KB
file_path = click.Path(dir_okay=False, path_type=Path)


@click.command(short_help="Find out when a site was redesigned, from its pages over time.")
@click.argument("inputs", nargs=-1, required=True, metavar="INPUT...")
@click.option("--detector", type=click.Choice(list(DETECTORS)), default=DEFAULT, show_default=True)
@click.option(
    "--history", type=int, default=20, show_default=True, help="Number of earlier documents to compare with."
)
@click.option(
    "--certainty",
    type=float,
    metavar="SHARE",
    help="Minimum certainty to report a redesign: 0.5 is earlier, 0.95 safer.",
)
@click.option("--url", help="Use the versions of this page only, not all pages.")
@click.option(
    "--order",
    type=click.Choice(["captured", "published"]),
    default="captured",
    show_default=True,
    help="Order by time of capture, or by the publication date on the pages.",
)
@click.option(
    "--by",
    type=click.Choice(WAYS),
    default="site",
    show_default=True,
    help="Group pages by registered domain (site), by host, or not at all (none).",
)
@click.option("--edits", is_flag=True, help="Also report edits of the template, and designs that came and went.")
@click.option("--outliers", is_flag=True, help="Also report single pages that look different.")
@click.option("--selectors", type=file_path, help="Report which selectors of a file stopped matching.")
@click.option("--plot", type=file_path, help="Plot of similarities and indicators (PNG or SVG), one file per site.")
@click.option("--html", type=file_path, help="Write an HTML report.")
@click.option("--follow", is_flag=True, help="Keep checking a feed or sitemap until Ctrl-C.")
@click.option(
    "--every", default="15m", show_default=True, metavar="TIME", help="Time between checks, such as 90s, 15m, 2h."
)
@click.option(
    "--newest", type=int, default=200, show_default=True, help="Number of entries to read from a feed or sitemap."
)
@click.option("--state", type=file_path, help="File for the state of a feed or sitemap; continue from it.")
@click.option(
    "--delay", type=float, default=1.0, show_default=True, help="Seconds between requests to the same host."
)
@click.option("--allow-private", multiple=True, metavar="HOST", help="Allow requests to this private host.")
@check_option(what="there was a redesign")
@json_option
def redesigned(inputs: tuple[str, ...], as_json: bool, check: bool, **options: Any) -> None:
    """Find out when a site was redesigned, how sure that is, and why.

    INPUT is a WARC or WACZ or a folder of saved pages, in order of capture; or the address of a feed (RSS, Atom,
    JSON) or sitemap, whose newest pages are fetched politely. Several sites are handled one by one.

    \b
    Examples:
      pagedrift redesigned crawl.warc.gz --html report.html
      pagedrift redesigned --follow https://city.example/feed.xml --every 1h --state city.json
    """
    _check_options(inputs, options)
    run = _Run(options, as_json)
    try:
        run.follow(inputs[0]) if is_address(inputs[0]) else run.read(inputs)
    except KeyboardInterrupt:
        click.echo("stopped", err=True)
    run.finish()
    if check:
        courses = run.courses.values()
        exit_status(
            yes=any(course.redesigns for course in courses), known=all(course.detector.ready for course in courses)
        )


def _check_options(inputs: tuple[str, ...], options: dict[str, Any]) -> None:
    """Refuse what does not go together, before anything is fetched."""
    addresses = [path for path in inputs if is_address(path)]
    if addresses and len(inputs) > 1:
        raise InputError("a feed or sitemap is followed alone; give one address, or archives and folders")
    if not addresses and (options["follow"] or options["state"]):
        raise InputError(
            "only a feed or sitemap can be followed; give its address, such as https://city.example/feed"
        )
    options["every"] = parse_duration(options["every"], shortest=SECOND)
    if options["plot"]:
        from pagedrift.report.redesign_plot import check_name

        check_name(options["plot"])
    if options["allow_private"]:
        os.environ[ENVIRONMENT] = " ".join([os.environ.get(ENVIRONMENT, ""), *options["allow_private"]])


class _Run:
    """One run of the command."""

    def __init__(self, options: dict[str, Any], as_json: bool) -> None:
        from pagedrift.redesigned.stream import Stream

        self.options = options
        self.as_json = as_json
        self.stream = Stream(documents=())
        self.shown: list[RedesignEvent] = []  # for the report and the plot
        self.courses: dict[str, StreamMonitor] = {}  # by site
        self._detector()  # refuses what does not go together, before anything is read

    def _detector(self) -> RedesignDetector:
        options = self.options
        settings = {} if options["certainty"] is None else {"certainty": options["certainty"]}
        return RedesignDetector(detector=options["detector"], history=options["history"], **settings)

    def course_of(self, site: str) -> StreamMonitor:
        """Give the course of a site, which may begin now."""
        if site not in self.courses:
            if len(self.courses) >= MAX_SITES:
                raise LimitError(
                    f"there are more than {MAX_SITES:,} sites; follow them with: pagedrift spark redesigned"
                )
            self.courses[site] = self._course(site, self._detector())
        return self.courses[site]

    def _course(self, site: str, detector: RedesignDetector) -> StreamMonitor:
        options, health = self.options, None
        if options["selectors"]:
            from pagedrift.selectors.expressions import read_selectors
            from pagedrift.selectors.health import SelectorHealth

            health = SelectorHealth(read_selectors(options["selectors"]), history=detector.history)
        return StreamMonitor(
            detector,
            site=site,
            keep_pages=bool(options["html"]),
            keep_stripe=bool(options["html"] or options["plot"]),
            outliers=options["outliers"],
            templates=True,
            selectors=health,
        )

    def read(self, inputs: tuple[str, ...]) -> None:
        """Go through archives and folders."""
        from pagedrift.redesigned.stream import documents

        by, order = self.options["by"], self.options["order"]
        self.stream = documents(
            inputs, url=self.options["url"], order=order, by=by, on_progress=progress(tell_damage)
        )
        for document in self.stream:
            self.take(document)
        self._tell_notes(self.stream)
        if not self.courses:
            raise InputError(f"no page found in {', '.join(inputs)}; give an archive or folder that holds some")

    def take(self, document: Document) -> None:
        """Show a document to the detector, and report the result immediately."""
        for found in self.course_of(document.site).take(document):
            self._tell(found)

    def _tell(self, event: RedesignEvent) -> None:
        if event.kind in ("edit", "passing") and not self.options["edits"]:
            return
        if self.options["html"] or self.options["plot"]:
            self.shown.append(event)
        if self.as_json:
            answer_json(redesigns.as_data(event))
        else:
            answer(redesigns.lines(event))

    def follow(self, url: str) -> None:
        """Look at a feed or sitemap once, or again and again."""
        from pagedrift.capture.feed_follower import Follower
        from pagedrift.capture.http import Client, ClientConfig

        saved = load(self.options["state"]) if self.options["state"] else None
        with Client(config=ClientConfig(delay=max(0.0, self.options["delay"]))) as client:
            follower = Follower(
                client, url, newest=self.options["newest"], state=saved["follower"] if saved else None
            )
            self._restore(saved["sites"] if saved else {}, url)
            self._look(follower)
            while self.options["follow"]:
                time.sleep(max(self.options["every"], follower.retry_after))
                try:
                    self._look(follower)
                except PagedriftError as error:  # trouble of today; the next look may succeed
                    click.echo(f"warning: {error}", err=True)

    def _restore(self, sites: dict[str | None, Any], url: str) -> None:
        """Continue with each site where it stopped."""
        for name, saved in sites.items():
            site = site_of(url, by=self.options["by"]) if name is None else name
            course = self._course(site, RedesignDetector.from_json(saved["detector"]))
            if course.selectors is not None:
                course.selectors.restore(saved["selectors"])
            self.courses[site] = course

    def _look(self, follower: Follower) -> None:
        """Fetch what is new, and save where we are after every document: a kill costs at most one."""
        from pagedrift.redesigned.stream import followed

        before = self.stream
        self.stream = followed(follower, by=self.options["by"])
        self.stream.lost, self.stream.counts = before.lost, before.counts
        for document in _counted(self.stream, follower):
            self.take(document)
            self._save(follower)
        self._save(follower)
        self._tell_notes(self.stream)

    def _save(self, follower: Follower) -> None:
        if self.options["state"]:
            sites = {
                site: {
                    "detector": course.detector.to_json(),
                    "selectors": course.selectors.state() if course.selectors else {},
                }
                for site, course in self.courses.items()
            }
            save(self.options["state"], {"sites": sites, "follower": follower.state()})

    def _tell_notes(self, stream: Stream) -> None:
        notes, total = list(stream.notes), stream.total
        if total.unordered:
            notes.append(f"{total.unordered:,} documents have an earlier date than the one before them")
        if total.undated:
            notes.append(f"{total.undated:,} documents have no date; they stay in their order")
        for note in notes[:MAX_SHOWN_NOTES]:
            click.echo(f"note: {note}", err=True)
        if len(notes) > MAX_SHOWN_NOTES:
            click.echo(f"note: {len(notes) - MAX_SHOWN_NOTES:,} more like these", err=True)

    def finish(self) -> None:
        """Sum up, draw and write."""
        courses = list(self.courses.values()) or [self.course_of("")]
        if self.options["plot"]:
            self._plot(courses)
        if self.options["html"]:
            from pagedrift.report.redesigned_page import redesign_page

            write_atomically(self.options["html"], redesign_page(courses, self.shown, self.stream).encode())
        suspicions = list(filter(None, map(redesigns.suspicion, courses)))
        for suspicion in suspicions[:MAX_SHOWN_NOTES]:
            click.echo(f"note: {suspicion}", err=True)
        if not self.as_json:
            if len(courses) > 1:
                answer(["", *redesigns.site_table(courses), ""])
            answer([redesigns.summary(courses, self.stream)])
            return
        if len(courses) > 1:
            for course in courses:
                answer_json(redesigns.site_data(course, self.stream))
        answer_json(redesigns.summary_data(courses, self.stream))

    def _plot(self, courses: list[StreamMonitor]) -> None:
        """Draw each site that has documents enough; with several, the name of the site is part of the file's."""
        from pagedrift.report.redesign_plot import plot

        path = self.options["plot"]
        for course in courses:
            if course.stripe and (course.detector.ready or len(courses) == 1):
                name = f"{path.stem}-{course.site or 'other'}{path.suffix}" if len(courses) > 1 else path.name
                plot(path.with_name(name), course.stripe, [one for one in self.shown if one.site == course.site])


def _counted(documents: Iterable[Document], follower: Follower) -> Iterator[Document]:
    """Give documents while a bar on standard error shows how many are still to be fetched."""
    with bar(MofNCompleteColumn()) as shown:
        task = shown.add_task("", total=None)
        for number, document in enumerate(documents, 1):
            shown.update(task, completed=number, total=number + follower.waiting)
            yield document
