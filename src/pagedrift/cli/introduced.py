"""pagedrift introduced: which items of a page are new since a day, which are gone, which were edited?"""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from pagedrift.cli.common import (
    answer,
    answer_json,
    check_any,
    json_option,
    note_no_match,
    of_page,
    progress,
    select_option,
    tell_problems,
    url_option,
)
from pagedrift.dates import moment, period
from pagedrift.errors import InputError
from pagedrift.reading import read
from pagedrift.report import data, terminal
from pagedrift.text import cut
from pagedrift.what_changed import introduced as find_introduced

if TYPE_CHECKING:
    from datetime import datetime

    from pagedrift.what_changed.introduced import Introduced


@click.command(short_help="List rows, cards or links that were added or removed since a date.")
@click.argument("archive")
@select_option
@click.option("--since", required=True, metavar="DATE", help="A year, month, day or time, such as 2026-11-10.")
@url_option
@json_option
def introduced(*, archive: str, css: str, since: str, url: str | None, as_json: bool) -> None:
    """List the items that match CSS (rows, cards, links) and were added, removed or edited since DATE.

    ARCHIVE is a WARC or WACZ, or a folder of saved pages. Items are recognised by their
    content, wherever they are. + means added (first seen then), - removed (last seen then), ~ edited then.

    \b
    Examples:
      pagedrift introduced crawl.warc.gz --select "#news li" --since 2026-11-10
      pagedrift introduced crawl.warc.gz --select "table.fees tr" --since 2026 --url https://city.example/fees
    """
    day = _day(since)
    reading = read(archive, on_progress=progress())
    found = find_introduced(of_page(reading, url), css, since=day, url=url)
    tell_problems(reading)
    check_any(found.versions, archive)
    _notes(found, day, css)
    if as_json:
        answer_json(data.introduce(found))
    else:
        answer(terminal.introduce(found))


def _day(text: str) -> datetime:
    span = period(text)
    if span is None:
        raise InputError(f'"{cut(text)}" is not a valid date; write one such as 2026-11-10 or 2026-11')
    return span[0]


def _notes(found: Introduced, since: datetime, css: str) -> None:
    """Say what the reader of the answer may not expect."""
    if not found.items:
        note_no_match(css, found.versions)
    if found.compared_with and found.compared_with >= since:
        first = moment(found.compared_with)
        click.echo(f"note: no version is older than that; compared with the first one, of {first}", err=True)
    elif found.until and found.until < since:
        click.echo(f"note: no version is newer than that; the newest is of {moment(found.until)}", err=True)
