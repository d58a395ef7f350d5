"""pagedrift compare: what became of every address from one crawl to another?"""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from pagedrift.atomic_files import write_atomically
from pagedrift.cli.common import (
    answer,
    answer_json,
    check_option,
    check_place,
    exit_status,
    file_type,
    json_option,
    stage_bar,
    tell_problems,
)
from pagedrift.crawls.comparison import compare as compare_crawls
from pagedrift.crawls.page_comparison import AddressState
from pagedrift.errors import InputError

if TYPE_CHECKING:
    from pathlib import Path

    from pagedrift.crawls.comparison import CrawlComparison


@click.command(short_help="Compare two crawls: which pages changed, moved, came or went.")
@click.argument("old", metavar="OLD")
@click.argument("new", metavar="NEW")
@click.option("--all", "every", is_flag=True, help="List every address, including unchanged ones.")
@click.option(
    "--to", "table", type=file_type, metavar="FILE", help="Write all addresses as .parquet, .csv or .json."
)
@click.option("--html", type=file_type, metavar="FILE", help="Write a report with filters and highlighted pages.")
@click.option(
    "--embed",
    type=click.IntRange(0, 500),
    default=20,
    show_default=True,
    metavar="MB",
    help="Put highlighted pages into the report up to this size.",
)
@click.option(
    "--processes", type=click.IntRange(1), help="Number of worker processes.  [default: one per processor]"
)
@check_option(what="anything but noise changed")
@json_option
def compare(
    *,
    old: str,
    new: str,
    every: bool,
    table: Path | None,
    html: Path | None,
    embed: int,
    processes: int | None,
    check: bool,
    as_json: bool,
) -> None:
    """Compare crawl OLD with crawl NEW, address by address.

    OLD and NEW are WARC or WACZ files, folders of these or of saved pages, or one archive at two dates:
    ARCHIVE@DATE. Addresses are matched as replay tools do it, without session ids and tracking parameters. What
    several pages share, such as a new link in the menu, is listed once.

    \b
    Examples:
      pagedrift compare crawls/2026-10 crawls/2026-11
      pagedrift compare site.wacz@2026-10 site.wacz@2026-11 --html changes.html --to changes.csv
    """
    _check_files(table, html)
    with stage_bar() as tell:
        found = compare_crawls(old, new, processes=processes, on_progress=tell)
    with found:
        tell_problems(found.account)
        _write(found, table, html, embed)
        _answer(found, every=every, as_json=as_json)
        if check:
            counts = found.counts
            quiet = counts[AddressState.UNCHANGED] + counts[AddressState.NOISE]
            unknown = counts[AddressState.UNKNOWN]
            exit_status(yes=counts.total() > quiet + unknown, known=not unknown and counts.total() > 0)


def _check_files(table: Path | None, html: Path | None) -> None:
    """Refuse at once what cannot be written."""
    from pagedrift.collection.exports import check_format

    for path in (table, html):
        check_place(path)
    if table is not None:
        check_format(table)


def _write(found: CrawlComparison, table: Path | None, html: Path | None, embed: int) -> None:
    from pagedrift.crawls import summary

    if not found.counts.total():
        raise InputError(
            f"no page found in {found.old.name} nor in {found.new.name}; give archives or folders that hold pages"
        )
    if table is not None:
        from pagedrift.collection.exports import write_table

        write_table(table, summary.COLUMNS, map(summary.table_row, found))
    if html is not None:
        from pagedrift.crawls.report_page import crawl_page

        write_atomically(html, crawl_page(found, embed_bytes=embed * 1_000_000).encode("utf-8", "replace"))


def _answer(found: CrawlComparison, *, every: bool, as_json: bool) -> None:
    from pagedrift.crawls import summary

    if as_json:
        for each in found:
            answer_json(summary.data(each))
    else:
        answer(summary.lines(found, every=every))
