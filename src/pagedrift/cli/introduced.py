"""pagedrift introduced: which items of a page are new since a day, which are gone, which were edited?"""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from pagedrift.cli.common import (
    all_pages_option,
    answer,
    answer_json,
    check_any,
    check_table,
    json_option,
    note_no_match,
    of_page,
    progress,
    select_option,
    table_option,
    tell_problems,
    urls_option,
)
from pagedrift.dates import moment, period
from pagedrift.errors import InputError
from pagedrift.reading import read
from pagedrift.report import data, terminal
from pagedrift.text import cut, printable
from pagedrift.what_changed.introduced import introduced as find_introduced
from pagedrift.what_changed.introduced import introduced_on_pages as find_each

if TYPE_CHECKING:
    from datetime import datetime
    from pathlib import Path

    from pagedrift.what_changed.introduced import Introduced


@click.command(short_help="List rows, cards or links that were added or removed since a date.")
@click.argument("archive")
@select_option
@click.option("--since", required=True, metavar="DATE", help="A year, month, day or time, such as 2026-11-10.")
@urls_option
@all_pages_option
@table_option
@json_option
def introduced(
    *,
    archive: str,
    css: str,
    since: str,
    urls: tuple[str, ...],
    all_pages: bool,
    table: Path | None,
    as_json: bool,
) -> None:
    """List the items that match CSS (rows, cards, links) and were added, removed or edited since DATE.

    ARCHIVE is a WARC or WACZ, or a folder of saved pages. Items are recognised by their
    content, wherever they are. + means added (first seen then), - removed (last seen then), ~ edited then. With
    --all-pages, or --url more than once, each page is listed by itself.

    \b
    Examples:
      pagedrift introduced crawl.warc.gz --select "#news li" --since 2026-11-10
      pagedrift introduced crawl.warc.gz --select "table.fees tr" --since 2026 --url https://city.example/fees
    """
    day = _day(since)
    check_table(table)
    several = all_pages or len(urls) > 1
    if several:
        pages = find_each(read(archive, on_progress=progress(tell_problems)), css, since=day, urls=urls)
    else:
        url = urls[0] if urls else None
        reading = read(archive, on_progress=progress())
        pages = [find_introduced(of_page(reading, url), css, since=day, url=url)]
        tell_problems(reading)
    check_any(sum(found.versions for found in pages), archive)
    if not several:
        _notes(pages[0], day, css)
    _answer([found for found in pages if found.items or not several], table, as_json=as_json, several=several)


def _answer(pages: list[Introduced], table: Path | None, *, as_json: bool, several: bool) -> None:
    if table is not None:
        from pagedrift.collection.exports import write_table

        rows = (row for found in pages for row in data.introduced_rows(found))
        write_table(table, data.INTRODUCED_COLUMNS, rows)
    for found in pages:
        if as_json:
            answer_json(data.introduce(found))
        else:
            answer([printable(found.url)] if several else [])
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
