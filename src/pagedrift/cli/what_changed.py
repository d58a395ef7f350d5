"""pagedrift what-changed: what changed between two versions of a page?"""

from __future__ import annotations

from pathlib import Path

import click

from pagedrift.atomic_files import write_atomically
from pagedrift.cli.common import (
    answer,
    answer_json,
    check_option,
    exit_status,
    json_option,
    note_no_match,
    picked,
)
from pagedrift.reading import resources_for
from pagedrift.report import changes, data, webpage
from pagedrift.what_changed import MATCHERS, Noise, diff


@click.command("what-changed", short_help="Show what changed between two versions of a page.")
@click.argument("old")
@click.argument("new")
@click.option("--algorithm", type=click.Choice(list(MATCHERS)), default="pagedrift", show_default=True)
@click.option("--exact", is_flag=True, help="Include white space, session ids and cache busters.")
@click.option("--ignore", multiple=True, metavar="CSS", help="Ignore these elements.")
@click.option("--ignore-comments", is_flag=True, help="Ignore comments.")
@click.option(
    "--ignore-attribute", multiple=True, metavar="NAME", help="Ignore attributes; patterns such as data-* work."
)
@click.option("--ignore-text", multiple=True, metavar="REGEX", help="Ignore text that matches.")
@click.option("--html", type=click.Path(dir_okay=False, path_type=Path), help="Write an HTML report.")
@check_option(what="anything changed")
@json_option
def what_changed(
    old: str,
    new: str,
    algorithm: str,
    exact: bool,
    ignore: tuple[str, ...],
    ignore_comments: bool,
    ignore_attribute: tuple[str, ...],
    ignore_text: tuple[str, ...],
    html: Path | None,
    check: bool,
    as_json: bool,
) -> None:
    """Show what changed from OLD to NEW: where, what was there, and what is there now.

    OLD and NEW are URLs, files, - for standard input, ARCHIVE@DATE or ARCHIVE@URL@DATE. White space, session ids
    and cache busters in URLs do not count as changes, unless --exact is given.

    \b
    Examples:
      pagedrift what-changed crawl.warc.gz@2026-11-08 crawl.warc.gz@2026-11-15
      pagedrift what-changed old.html new.html --html report.html --ignore .advertisement
    """
    noise = Noise(
        urls=not exact,
        white_space=not exact,
        comments=ignore_comments,
        attributes=ignore_attribute,
        texts=ignore_text,
        selectors=ignore,
    )
    before, after = picked(old), picked(new)
    script = diff(before, after, algorithm=algorithm, noise=noise)
    for css in script.unmatched_selectors:
        note_no_match(css, 2)
    if html:
        held = {**resources_for(old, before), **resources_for(new, after)}
        write_atomically(html, webpage.compare_page(before, after, script, resources=held).encode())
    if as_json:
        answer_json(data.changes(before, after, script))
    else:
        answer(changes.describe(before, script))
    if check:
        exit_status(yes=bool(script))
