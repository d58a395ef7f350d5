"""pagedrift show: what can be read off one version of a page?"""

from __future__ import annotations

import click

from pagedrift.cli.common import answer, answer_json, json_option, watch
from pagedrift.reading import pick
from pagedrift.report import data, terminal


@click.command(short_help="Show what can be read off one version of a page.")
@click.argument("page")
@click.option("--url", help="Where the page of a file came from, or which page of an archive.")
@json_option
def show(page: str, url: str | None, as_json: bool) -> None:
    """Show the facets of one version: encoding, title, tags, words, tree, links, resources.

    PAGE is a URL, a file, - for standard input, ARCHIVE@DATE or ARCHIVE@URL@DATE.

    \b
    Examples:
      pagedrift show fees.html --url https://city.example/fees
      pagedrift show crawl.warc.gz@https://city.example/fees@2026-11-15
    """
    version = pick(page, url=url, watch=watch)
    if as_json:
        answer_json(data.describe(version))
    else:
        answer(terminal.describe(version))
