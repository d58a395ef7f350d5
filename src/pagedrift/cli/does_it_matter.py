"""pagedrift does-it-matter: does the change between two versions matter?"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import click

from pagedrift.cli.common import answer, answer_json, json_option, watch
from pagedrift.does_it_matter import judge
from pagedrift.errors import PagedriftError
from pagedrift.reading import pick, resources_for
from pagedrift.report import judgements

if TYPE_CHECKING:
    from pagedrift.page import PageVersion


@click.command("does-it-matter", short_help="Tell whether a change matters, how surely, and why.")
@click.argument("old")
@click.argument("new")
@click.option(
    "--pictures/--no-pictures", default=None, help="Look at both in a browser; by default if there is one."
)
@click.option("--check", is_flag=True, help="Exit with status 1 if the change matters.")
@json_option
def does_it_matter(*, old: str, new: str, pictures: bool | None, check: bool, as_json: bool) -> None:
    """Tell whether the change from OLD to NEW matters: should an archive keep both, should a person be told?

    OLD and NEW are files, - for standard input, ARCHIVE@DATE or ARCHIVE@URL@DATE. The answer is yes, no or unsure,
    with the reasons for and against it. In a browser, the pages show only what their archive holds.

    \b
    Examples:
      pagedrift does-it-matter crawl.warc.gz@2026-11-08 crawl.warc.gz@2026-11-15
      pagedrift does-it-matter old.html new.html --no-pictures --check
    """
    before, after = pick(old, watch=watch), pick(new, watch=watch)
    if pictures is not False:
        before, after = _shown((old, before), (new, after), wanted=bool(pictures))
    found = judge(before, after)
    if as_json:
        answer_json(judgements.data(before, after, found))
    else:
        answer(judgements.lines(found))
    if check and found.matters:
        raise click.exceptions.Exit(1)


def _shown(*asked: tuple[str, PageVersion], wanted: bool) -> list[PageVersion]:
    """Look at pages in one browser; where that fails and nobody insists, go on without."""
    from pagedrift.capture.browser import Browser

    try:
        with Browser() as browser:
            return [
                replace(page, view=browser.render(page, resources_for(reference, page)))
                for reference, page in asked
            ]
    except PagedriftError as error:
        if wanted:
            raise
        click.echo(f"note: judged without pictures, since {error}", err=True)
        return [page for _, page in asked]
