"""The command `pagedrift show`: properties of one version of a page."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from pagedrift.cli.common import answer, answer_json, file_type, json_option, picked
from pagedrift.cli.page_renderer import PageRenderer, tell_missing
from pagedrift.does_it_matter.blocks import blocks as blocks_of
from pagedrift.report import blocks_picture, data, terminal

if TYPE_CHECKING:
    from pathlib import Path

    from pagedrift.page import PageVersion


@click.command(short_help="Show the properties of one version of a page.")
@click.argument("page")
@click.option("--url", help="URL of the page in the archive, or base URL of the file.")
@click.option("--blocks", type=file_type, metavar="FILE.png", help="Draw its blocks over its screenshot.")
@json_option
def show(page: str, url: str | None, blocks: Path | None, as_json: bool) -> None:
    """Show the properties of one version: encoding, title, tags, words, tree, links, resources.

    PAGE is a URL, a file, - for standard input, ARCHIVE@DATE or ARCHIVE@URL@DATE.

    \b
    Examples:
      pagedrift show fees.html --url https://city.example/fees
      pagedrift show crawl.warc.gz@https://city.example/fees@2026-11-15
      pagedrift show crawl.warc.gz@2026-11-15 --blocks blocks.png
    """
    if blocks:
        blocks_picture.check(blocks)
    version = picked(page, url=url)
    if as_json:
        answer_json(data.describe(version))
    else:
        answer(terminal.describe(version))
    if blocks:
        _draw(page, version, blocks)


def _draw(reference: str, page: PageVersion, path: Path) -> None:
    """Look at a page and draw its blocks."""
    with PageRenderer(wanted=True, strict=True) as looker:
        shown = looker.look(reference, page)
    tell_missing(reference, shown)
    assert shown.view is not None
    below = blocks_picture.draw(shown.view.picture or b"", blocks_of(shown), path)
    if below:
        click.echo(f"note: {below:,} blocks are below the picture, which ends there", err=True)
