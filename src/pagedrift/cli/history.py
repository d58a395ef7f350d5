"""pagedrift history: what did an element of a page say at each version, and when did that change?"""

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
from pagedrift.reading import read
from pagedrift.report import data, terminal
from pagedrift.what_changed.history import history as moments_of
from pagedrift.what_changed.history import page_histories

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from pagedrift.reading import Reading
    from pagedrift.what_changed.history import HistoryEntry


@click.command(short_help="Show the text of an element in each version, and when it changed.")
@click.argument("archive")
@select_option
@click.option("--attribute", metavar="NAME", help="Show an attribute, such as href, instead of the text.")
@urls_option
@all_pages_option
@click.option("--all", "every", is_flag=True, help="Show every version, not only those with a change.")
@table_option
@json_option
def history(
    *,
    archive: str,
    css: str,
    attribute: str | None,
    urls: tuple[str, ...],
    all_pages: bool,
    every: bool,
    table: Path | None,
    as_json: bool,
) -> None:
    """Show the text of the elements that match CSS in each version of a page, and when it changed.

    ARCHIVE is a WARC or WACZ, or a folder of saved pages. A line is a version: its time, then the text of the
    elements, with | between them; - where none matches. With --all, * marks the changes. With --all-pages, or --url
    more than once, the address of the page comes first.

    \b
    Examples:
      pagedrift history crawl.warc.gz --select ".price"
      pagedrift history crawl.warc.gz --select "//table//td[2]" --all-pages --to prices.csv
      pagedrift history crawl.warc.gz --select "a.download" --attribute href --url https://city.example/fees
    """
    check_table(table)
    several = all_pages or len(urls) > 1
    reading = read(archive, on_progress=progress())
    moments = list(_moments(reading, css, attribute, urls, several=several))
    tell_problems(reading)
    check_any(len(moments), archive)
    if not any(then.value is not None for then in moments):
        note_no_match(css, len(moments), attribute)
    shown = [then for then in moments if every or then.changed]
    if table is not None:
        from pagedrift.collection.exports import write_table

        write_table(table, data.HISTORY_COLUMNS, map(data.history_row, shown))
    if as_json:
        for then in shown:
            answer_json(data.history_entry(then))
    else:
        answer(terminal.history_lines(moments, every=every, several=several))


def _moments(
    reading: Reading, css: str, attribute: str | None, urls: tuple[str, ...], *, several: bool
) -> Iterator[HistoryEntry]:
    if several:
        found = sorted(page_histories(reading, css, attribute=attribute, urls=urls), key=lambda then: then.url)
        return iter(found)
    url = urls[0] if urls else None
    return moments_of(of_page(reading, url), css, attribute=attribute, url=url)
