"""Helpers that all commands share: where answers and progress go, and how failures are reported."""

from __future__ import annotations

import json
import os
import sys
from contextlib import ExitStack, contextmanager
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import click
from rich.console import Console
from rich.progress import (
    BarColumn,
    DownloadColumn,
    MofNCompleteColumn,
    Progress,
    ProgressColumn,
    TextColumn,
    TimeRemainingColumn,
)

from pagedrift.cli import NO_ANSWER
from pagedrift.errors import InputError
from pagedrift.text import counted, cut

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from pagedrift.page import PageVersion
    from pagedrift.read_report import Account
    from pagedrift.reading import Reading

MAX_SHOWN_PROBLEMS: Final = 10
TABLE_HELP: Final = "Write a table as .parquet, .csv or .json."
DAMAGED: Final = 3  # exit status: there is an answer, but records were damaged that are not in it
_DAMAGED: Final = "pagedrift.damaged"

json_option = click.option("--json", "as_json", is_flag=True, help="Print one JSON object per line.")
select_option = click.option(
    "--select", "css", required=True, metavar="CSS", help="CSS selector or XPath of the elements."
)
urls_option = click.option(
    "--url",
    "urls",
    multiple=True,
    help="URL of a page in the archive, may be repeated; or base URL of the pages of a folder.",
)
keep_option = click.option(
    "--keep",
    "level",
    type=click.Choice(["all", "changed", "important"]),
    default="changed",
    show_default=True,
    help="all: drop exact duplicates only; changed: also noise; important: also rewording. Facts are always kept.",
)
all_pages_option = click.option("--all-pages", is_flag=True, help="Take every page of the archive.")
table_option = click.option(
    "--to", "table", type=click.Path(dir_okay=False, path_type=Path), metavar="FILE", help=TABLE_HELP
)
url_option = click.option("--url", help="URL of the page in the archive, or base URL of the pages of a folder.")
file_type = click.Path(dir_okay=False, path_type=Path)
YES: Final = 1  # with --check: it did, as the command asks


def check_option(*names: str, what: str) -> Callable[[Any], Any]:
    """Make the option by which the exit status is the answer."""
    said = f"Exit with status 1 if {what}, 4 if it cannot be decided."
    return click.option("--check", *names, is_flag=True, help=said)


def exit_status(*, yes: bool, known: bool = True) -> None:
    """End a command with --check: with 0 only where the answer is a no that is known."""
    if yes:
        raise click.exceptions.Exit(YES)
    if not known:
        click.echo("note: no answer, so the exit status is 4", err=True)
        raise click.exceptions.Exit(NO_ANSWER)


class Question(click.Group):
    """A group whose own question is asked where no command is named."""

    def parse_args(self, context: click.Context, args: list[str]) -> list[str]:
        """Put the hidden command `ask` in front of what is not a command."""
        if args and args[0] not in self.commands and not {"-h", "--help"} & set(args):
            args = ["ask", *args]
        return super().parse_args(context, args)


def answer(lines: Iterable[str]) -> None:
    """Print an answer to standard output; without colours where nobody looks at it."""
    for line in lines:
        click.echo(line)


def answer_json(what: dict[str, Any]) -> None:
    """Print an answer as one line of JSON."""
    click.echo(json.dumps(what, ensure_ascii=False).encode("utf-8", "replace"))


def bar(*columns: ProgressColumn) -> Progress:
    """Make a bar on standard error, which is gone when it ends, and never there where nobody looks."""
    quiet = not sys.stderr.isatty()
    return Progress(BarColumn(), *columns, console=Console(stderr=True), transient=True, disable=quiet)


@contextmanager
def stage_bar() -> Iterator[Callable[[str, int, int], None]]:
    """Show a bar; give a function to say what is done, how much of it, and out of how much."""
    with bar(MofNCompleteColumn(), TextColumn("{task.description}")) as shown:
        task = shown.add_task("", total=None)
        yield lambda what, done, total: shown.update(task, description=what, completed=done, total=total or None)


@contextmanager
def progress_bar(total: int) -> Iterator[Callable[[int], None]]:
    """Show a bar; give a function to say how many bytes were read, as often as one likes."""
    with bar(DownloadColumn(), TimeRemainingColumn()) as shown:
        task = shown.add_task("", total=total or None)
        yield lambda position: shown.update(task, completed=position)


def progress(at_end: Callable[[Reading], None] | None = None) -> Callable[[Reading], None]:
    """Make a bar to which a reading reports how far it is; it is gone when the reading ends, or the command."""
    shown = ExitStack()
    click.get_current_context().call_on_close(shown.close)
    show: Callable[[int], None] | None = None

    def report(reading: Reading) -> None:
        nonlocal show
        if not reading.ended:
            show = show or shown.enter_context(progress_bar(reading.total))
            show(reading.position)
            return
        shown.close()
        if at_end is not None:
            at_end(reading)

    return report


def picked(reference: str | Path, *, url: str | None = None) -> PageVersion:
    """Pick a version with progress, and report what was damaged: it may be what was wanted."""
    from pagedrift.reading import pick

    return pick(reference, url=url, on_progress=progress(tell_damage))


def of_page(reading: Reading, url: str | None) -> Iterator[PageVersion]:
    """Give the versions of a reading; of files, a URL says where they came from."""
    for version in reading:
        yield replace(version, url=url) if url and not reading.holds_archives else version


def tell_damage(reading: Reading | Account) -> None:
    """Say on standard error what could not be read; the exit status of the command says it too."""
    tell_damaged(reading.problems, reading.counts.damaged)


def tell_damaged(problems: Sequence[object], count: int) -> None:
    """Say where something is damaged, and how often."""
    if not count:
        return
    click.get_current_context().meta[_DAMAGED] = True
    for problem in problems[:MAX_SHOWN_PROBLEMS]:
        click.echo(f"warning: {problem}", err=True)
    if more := count - min(len(problems), MAX_SHOWN_PROBLEMS):
        click.echo(f"warning: {more:,} more like these", err=True)
    click.echo(f"warning: damaged in {counted(count, 'place')}; the answer is about all the rest", err=True)


def final_status(context: click.Context) -> int:
    """Give the status to exit with where a command ran to its end."""
    return DAMAGED if context.meta.get(_DAMAGED) else 0


def tell_problems(reading: Reading | Account) -> None:
    """Say on standard error what could not be read and what was passed over."""
    tell_damage(reading)
    if reading.counts.late:
        click.echo(f"note: {reading.counts.late:,} versions are stored out of order", err=True)
    if passed_over := reading.counts.passed_over:
        reasons = ", ".join(f"{count:,} {reason}" for reason, count in passed_over.most_common())
        click.echo(f"passed over: {reasons}", err=True)


def check_place(path: Path | None) -> None:
    """Refuse a file that could not be written, before any work is done for it."""
    if path and not os.access(path if path.exists() else path.parent, os.W_OK):
        raise InputError(f"{path} cannot be written; make its folder, or name another file")


def check_table(path: Path | None) -> None:
    """Refuse a table that could not be written, before any work is done for it."""
    check_place(path)
    if path is not None:
        from pagedrift.collection.exports import check_format

        check_format(path)


def check_any(versions: int, path: str) -> None:
    """Refuse to answer about nothing."""
    if not versions:
        raise InputError(f"no page found in {path}; use an archive with pages, or a folder of saved pages")


def note_no_match(css: str, versions: int, attribute: str | None = None) -> None:
    """Say on standard error that a selector means nothing, which is rarely what was asked."""
    what = f"has an element that matches {cut(css)}" + (f" and has the attribute {attribute}" if attribute else "")
    click.echo(f"note: none of {versions:,} versions {what}; check it in the inspector of a browser", err=True)
