"""The command `pagedrift selectors`: which selectors of a scraper broke, and what the new ones are."""

from __future__ import annotations

import difflib
from typing import TYPE_CHECKING

import click

from pagedrift.atomic_files import write_atomically
from pagedrift.cli.common import (
    answer,
    answer_json,
    check_any,
    check_option,
    exit_status,
    file_type,
    json_option,
    of_page,
    picked,
    progress,
    tell_problems,
    url_option,
)
from pagedrift.dates import iso_moment, moment
from pagedrift.errors import InputError
from pagedrift.reading import read, resources_for
from pagedrift.report import relocations
from pagedrift.selectors.candidates import CandidateFinder
from pagedrift.selectors.expressions import Selector
from pagedrift.selectors.files import read_selector_file, with_proposals
from pagedrift.selectors.relocation import Relocator, SelectorStatus
from pagedrift.selectors.rows import relocate_field
from pagedrift.selectors.selectable import SelectablePage
from pagedrift.selectors.xpaths import as_xpath
from pagedrift.text import counted

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from pagedrift.page import PageVersion
    from pagedrift.selectors.files import WrittenSelector
    from pagedrift.selectors.relocation import Relocation


@click.command(short_help="Find the selectors of a scraper that broke, and propose new ones.")
@click.argument("pages", nargs=-1, metavar="OLD NEW")
@click.option(
    "--selectors",
    "path",
    required=True,
    type=file_type,
    metavar="FILE",
    help="File with the selectors of a scraper.",
)
@click.option(
    "--archive", metavar="ARCHIVE", help="Go through all versions in an archive instead, and date each break."
)
@url_option
@click.option("--html", type=file_type, metavar="FILE", help="Write an HTML report with the regions on both pages.")
@click.option("--fix", is_flag=True, help="Write the proposals into the file, after showing the difference.")
@click.option("--yes", is_flag=True, help="With --fix, do not ask.")
@check_option(what="a selector broke")
@json_option
def selectors(
    *,
    pages: tuple[str, ...],
    path: Path,
    archive: str | None,
    url: str | None,
    html: Path | None,
    fix: bool,
    yes: bool,
    check: bool,
    as_json: bool,
) -> None:
    """Find out which selectors no longer match on NEW what they matched on OLD, and what to write instead.

    FILE is a Scrapy or parsel spider (.py), a YAML or JSON file with a selector for each field, or a text with a
    name and a selector per line. Selectors are CSS, XPath, or Scrapy's ::text and ::attr(name).

    \b
    Examples:
      pagedrift selectors old.html new.html --selectors spider.py
      pagedrift selectors --archive crawl.warc.gz --selectors fields.yaml
    """
    written = read_selector_file(path)
    if archive is not None:
        broken = _through(archive, url, written, as_json=as_json)
        return exit_status(yes=broken) if check else None
    if len(pages) != 2:  # noqa: PLR2004 - old and new
        raise click.UsageError("name an old and a new page, or an archive with --archive")
    old, new = (picked(page) for page in pages)
    found = _relocated(old, new, written)
    if html:
        from pagedrift.report.relocations_page import selectors_page

        held = {**resources_for(pages[0], old), **resources_for(pages[1], new)}
        write_atomically(html, selectors_page(old, new, found, resources=held).encode())
    _show(found, as_json=as_json)
    if fix:
        _fix(path, written, [relocation for _, relocation in found], yes=yes)
    if check:
        known = any(relocation.status is not SelectorStatus.UNKNOWN for _, relocation in found)
        exit_status(yes=any(relocation.broken for _, relocation in found), known=known)
    return None


def _relocated(
    old: PageVersion, new: PageVersion, written: Sequence[WrittenSelector]
) -> list[tuple[str, Relocation]]:
    before, after = (CandidateFinder(SelectablePage(page)) for page in (old, new))
    relocator = Relocator([before], after)
    found = [(each.name, relocator.relocate(each.region)) for each in written]
    if instead := next((each for _, each in found if each.status is SelectorStatus.NO_PAGE), None):
        raise InputError(f"the new page is not there ({instead.reason}); give another capture of it")
    return [
        (name, _in_rows(before, after, each) or relocation)
        for each, (name, relocation) in zip(written, found, strict=True)
    ]


def _in_rows(old: CandidateFinder, new: CandidateFinder, written: WrittenSelector) -> Relocation | None:
    """Say what became of a selector that is asked from the rows of a list; None for any other."""
    (part, *_), rows = written.region.select, written.rows
    return relocate_field(old, new, rows, part) if rows is not None and isinstance(part, Selector) else None


def _show(found: list[tuple[str, Relocation]], *, as_json: bool) -> None:
    if as_json:
        for name, relocation in found:
            answer_json(relocations.data(name, relocation))
    else:
        answer(relocations.lines(found))


def _fix(path: Path, written: Sequence[WrittenSelector], found: Sequence[Relocation], *, yes: bool) -> None:
    """Show what would change in the file, ask, and write it."""
    text = path.read_text("utf-8")
    proposals = {
        each.source: _written(each, relocation.proposal.selector)
        for each, relocation in zip(written, found, strict=True)
        if each.fixable and relocation.proposal is not None and relocation.proposal.selector
    }
    changed = with_proposals(text, proposals)
    if changed == text:
        click.echo("note: nothing to fix; no selector of this file has a proposal", err=True)
        return
    difference = difflib.unified_diff(
        text.splitlines(), changed.splitlines(), str(path), str(path), lineterm="", n=1
    )
    click.echo("\n".join(difference), err=True)
    if yes or click.confirm("Write this?", err=True):
        write_atomically(path, changed.encode())


def _written(each: WrittenSelector, proposal: str) -> str:
    """Write a proposal as its place in the file takes it."""
    return ("." if each.rows else "") + as_xpath(proposal) if each.xpath else proposal


def _through(archive: str, url: str | None, written: Sequence[WrittenSelector], *, as_json: bool) -> bool:
    """Go through all versions, and report a selector when it breaks, compared with where it last worked."""
    reading = read(archive, on_progress=progress())
    worked: dict[str, CandidateFinder] = {}
    down: set[str] = set()
    versions, breaks = 0, 0
    for page in of_page(reading, url) if url else reading:
        versions += 1
        now = CandidateFinder(SelectablePage(page))  # read once, whatever it is compared with
        relocators: dict[int, Relocator] = {}
        for each in written:
            old = worked.get(each.name, now)
            if id(old) not in relocators:
                relocators[id(old)] = Relocator([old], now)
            found = relocators[id(old)].relocate(each.region)
            if found.status is SelectorStatus.WORKS:
                worked[each.name] = now
                down.discard(each.name)
            elif found.broken and each.name not in down:
                down.add(each.name)
                breaks += 1
                _say(page, each.name, found, as_json=as_json)
    tell_problems(reading)
    check_any(versions, archive)
    if not as_json:
        answer([f"{counted(breaks, 'break')} in {counted(versions, 'version')}"])
    return breaks > 0


def _say(page: PageVersion, name: str, found: Relocation, *, as_json: bool) -> None:
    if as_json:
        answer_json({"captured_at": iso_moment(page.captured_at), "url": page.url, **relocations.data(name, found)})
    else:
        first, second, *rest = list(relocations.lines([(name, found)]))[:-1]
        answer([f"{moment(page.captured_at)}  {first}  {page.url}".rstrip(), second, *rest])
