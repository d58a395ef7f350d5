"""pagedrift timeline: when did the pages of a site appear, change and vanish, and when was it redesigned?"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

import click

from pagedrift.atomic_files import write_atomically
from pagedrift.cli.common import (
    answer,
    answer_json,
    check_any,
    check_place,
    check_table,
    file_type,
    json_option,
    stage_bar,
    table_option,
    tell_damage,
)
from pagedrift.crawls.timeline import timeline as find_events
from pagedrift.dates import iso_moment, moment
from pagedrift.report.data import FORMAT
from pagedrift.text import counted, cut

if TYPE_CHECKING:
    from pathlib import Path

    from pagedrift.crawls.timeline import CollectionTimeline, TimelineEvent

_COLUMNS: Final = {
    "captured_at": "timestamp",
    "event": "string",
    "url": "string",
    "level": "string",
    "headline": "string",
}


@click.command(short_help="Show when pages appeared, changed and vanished, and sites were redesigned.")
@click.argument("archives", metavar="ARCHIVE...", nargs=-1, required=True)
@click.option("--html", type=file_type, metavar="FILE", help="Draw the timeline as an HTML page.")
@table_option
@json_option
def timeline(*, archives: tuple[str, ...], html: Path | None, table: Path | None, as_json: bool) -> None:
    """List what happened to the pages of an archive over time, noise left out.

    ARCHIVEs are WARC or WACZ files, or folders of these. An event is a page that appeared, changed, has another
    layout, became a login or an error page, vanished or came back, or a site that was redesigned.

    \b
    Examples:
      pagedrift timeline crawls/ --html timeline.html
      pagedrift timeline crawl.warc.gz --to events.csv
    """
    check_place(html)
    check_table(table)
    with stage_bar() as tell:
        found = find_events(archives, on_progress=tell)
    tell_damage(found.account)
    check_any(found.captures, archives[0])
    if table is not None:
        from pagedrift.collection.exports import write_table

        write_table(table, _COLUMNS, map(_row, found.events))
    if html is not None:
        from pagedrift.crawls.timeline_page import timeline_page

        write_atomically(html, timeline_page(found).encode("utf-8", "replace"))
    if as_json:
        for event in found.events:
            answer_json({"format": FORMAT, **_data(event)})
    else:
        answer(map(_line, found.events))
        answer([_summary(found)])


def _row(event: TimelineEvent) -> tuple[Any, ...]:
    return event.at, str(event.kind), event.url, event.level, event.headline


def _data(event: TimelineEvent) -> dict[str, Any]:
    return {**dict(zip(_COLUMNS, _row(event), strict=True)), "captured_at": iso_moment(event.at)}


def _line(event: TimelineEvent) -> str:
    kind = f"{event.kind} ({event.level})" if event.level else str(event.kind)
    return f"{moment(event.at)}  {kind:<21}  {cut(event.url, 100)}  {event.headline}".rstrip()


def _summary(found: CollectionTimeline) -> str:
    span = f"from {moment(found.first)} to {moment(found.last)}"
    events = counted(len(found.events), "event")
    return f"{events} on {counted(found.pages, 'page')} in {counted(found.captures, 'capture')} {span}"
