"""pagedrift history: what did an element of a page say at each version, and when did that change?"""

from __future__ import annotations

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
from pagedrift.reading import read
from pagedrift.report import data, terminal
from pagedrift.what_changed import history as moments_of


@click.command(short_help="Show the text of an element in each version, and when it changed.")
@click.argument("archive")
@select_option
@click.option("--attribute", metavar="NAME", help="Show an attribute, such as href, instead of the text.")
@url_option
@click.option("--all", "every", is_flag=True, help="Show every version, not only those with a change.")
@json_option
def history(*, archive: str, css: str, attribute: str | None, url: str | None, every: bool, as_json: bool) -> None:
    """Show the text of the elements that match CSS in each version of a page, and when it changed.

    ARCHIVE is a WARC or WACZ, or a folder of saved pages. A line is a version: its time, then the text of the
    elements, with | between them; - where none matches. With --all, * marks the changes.

    \b
    Examples:
      pagedrift history crawl.warc.gz --select ".price"
      pagedrift history crawl.warc.gz --select "a.download" --attribute href --url https://city.example/fees
    """
    reading = read(archive, on_progress=progress())
    moments = list(moments_of(of_page(reading, url), css, attribute=attribute, url=url))
    tell_problems(reading)
    check_any(len(moments), archive)
    if not any(then.value is not None for then in moments):
        note_no_match(css, len(moments), attribute)
    if as_json:
        for then in moments:
            if every or then.changed:
                answer_json(data.history_entry(then))
    else:
        answer(terminal.history_lines(moments, every=every))
