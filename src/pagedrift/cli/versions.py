"""The command `pagedrift versions`: pages in files, folders and archives."""

from __future__ import annotations

import click

from pagedrift.cli.common import answer, answer_json, json_option, progress, tell_problems
from pagedrift.errors import InputError
from pagedrift.reading import read, summarise
from pagedrift.report import data, terminal


@click.command(short_help="List the pages in files, folders and archives.")
@click.argument("inputs", nargs=-1, required=True, metavar="INPUT...")
@json_option
def versions(inputs: tuple[str, ...], as_json: bool) -> None:
    """List the pages in INPUTs, with the number of their versions, the first and the last.

    An INPUT is an HTML file, a folder of them, a WARC or WACZ archive, or - for standard input.

    \b
    Example:
      pagedrift versions crawl.warc.gz saved-pages/
    """
    reading = read(inputs, order="file", on_progress=progress())
    pages = summarise(reading)
    tell_problems(reading)
    if not pages:
        raise InputError(f"no page found in {', '.join(inputs)}; name HTML files, or archives with pages")
    if as_json:
        for page in pages:
            answer_json(data.summarise(page))
    else:
        answer(terminal.summaries(pages))
