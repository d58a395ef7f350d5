"""The command line: `pagedrift QUESTION PAGE…`, one file per command."""

from __future__ import annotations

import io
import os
import sys
from importlib import import_module
from typing import TYPE_CHECKING

import click

import pagedrift
from pagedrift.errors import PagedriftError, answer_to

if TYPE_CHECKING:
    from collections.abc import Sequence

# With what the list of commands says of each, which is then printed without loading any of them.
COMMANDS = {
    "check": "Answer all five questions about two versions.",
    "compare": "Compare two crawls: which pages changed, moved, came or went.",
    "dedup": "Copy archives without captures that bring nothing new.",
    "demo": "Answer all five questions about a bundled example page.",
    "does-it-matter": "Is a change important? How sure is that, and why?",
    "evidence": "Keep two captures and what differs as signed evidence.",
    "export": "Export a folder of versions as one WACZ file.",
    "fetch": "Store versions of live pages in a folder.",
    "gate": "Run a service that says to crawlers which captures to keep.",
    "history": "Show the text of an element in each version, and when it changed.",
    "how-much": "Measure how much a page changed, as a share and in words.",
    "introduced": "List rows, cards or links that were added or removed since a date.",
    "mcp": "Let agents ask about watches, changes and pages (MCP).",
    "people": "List, invite and remove the people who use an installation.",
    "redesigned": "Find out when a site was redesigned, from its pages over time.",
    "selectors": "Find the selectors of a scraper that broke, and propose new ones.",
    "serve": "Watch pages and sites, with a web interface.",
    "show": "Show the properties of one version of a page.",
    "spark": "Analyse a collection of archives on many machines.",
    "timeline": "Show when pages appeared, changed and vanished, and sites were redesigned.",
    "versions": "List the pages in files, folders and archives.",
    "watch": "Watch pages and sites, and get alerts about changes.",
    "what-changed": "Show what changed between two versions of a page.",
    "which-template": "Find the template of a page, or all templates of many pages.",
}
# Spark runs cli/spark.py as a script, and a selectors.py next to it would replace Python's own module.
_FILES = {"mcp": "mcp_command", "selectors": "selectors_command"}
TROUBLE = 2
NO_ANSWER = 4  # with --check; 1 is a yes
INTERRUPTED = 130


class _Questions(click.Group):
    """The commands, each loaded when it is asked for: its file has its name, but for one."""

    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002 - as click wants it
        return list(COMMANDS)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:  # noqa: ARG002
        with formatter.section("Commands"):
            formatter.write_dl(list(COMMANDS.items()))

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:  # noqa: ARG002 - the same
        if cmd_name not in COMMANDS:
            return None
        name = cmd_name.replace("-", "_")
        command: click.Command = getattr(import_module(f"pagedrift.cli.{_FILES.get(name, name)}"), name)
        return command


@click.group(cls=_Questions, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(pagedrift.__version__, prog_name="pagedrift")
def cli() -> None:
    """Archive versions of web pages, and find out what changed.

    A PAGE is a URL, a file, - for standard input, or a version in an archive (WARC or WACZ): ARCHIVE@DATE or
    ARCHIVE@URL@DATE, the nearest at or before the date.

    The exit status is 0 for success, 2 for an error, and 3 if there is an answer but some of the input is damaged
    (standard error says which). With --check it is 1 for yes, and 4 if it cannot be decided.

    \b
    Examples:
      pagedrift check old.html new.html
      pagedrift serve --demo
    """


@cli.result_callback()
@click.pass_context
def _end(context: click.Context, /, *_: object, **__: object) -> None:
    """Exit with a status of its own where records were damaged."""
    from pagedrift.cli.common import final_status

    context.exit(final_status(context))


def main(arguments: Sequence[str] | None = None) -> None:
    """Run a command; errors are reported in one line that ends with the next step, and exits with status 2."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="replace")  # pages have signs that terminals lack
    try:
        status = _run(arguments)
        sys.stdout.flush()
        sys.exit(status)
    except click.ClickException as error:
        _wrong_usage(error)
    except (KeyboardInterrupt, click.Abort):
        sys.exit(INTERRUPTED)
    except BrokenPipeError:
        # Whoever read our answers has enough. Python would complain again when it closes the pipe.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        if "--check" in (sys.argv[1:] if arguments is None else arguments):  # 0 would mean a no
            sys.exit(NO_ANSWER)
    except PagedriftError as error:
        _trouble(str(error), answer_to(error).exit)
    except MemoryError:
        _trouble("there is not enough memory for this page; leave it out, or try on a larger machine")
    except OSError as error:
        _trouble(f"{error.strerror or error} ({error.filename or 'output'}); fix that and run the command again")


def _run(arguments: Sequence[str] | None) -> int:
    """Run a command; give what it exited with."""
    output = sys.stdout
    try:
        return cli.main(arguments, standalone_mode=False) or 0
    except SystemExit:
        if sys.stdout is output:
            raise
        # Click puts another in its place where a pipe is closed, and ends with 1, which is a yes.
        raise BrokenPipeError from None


def _wrong_usage(error: click.ClickException) -> None:
    if isinstance(error, click.exceptions.NoArgsIsHelpError):  # of a group: its help is the answer
        error.show()
        sys.exit(TROUBLE)
    where = error.ctx.command_path if isinstance(error, click.UsageError) and error.ctx else "pagedrift"
    message = " ".join(error.format_message().split())
    _trouble(message if ";" in message else f"{message.rstrip('.?')}; see: {where} --help")


def _trouble(message: str, status: int = TROUBLE) -> None:
    click.echo(f"error: {message}", err=True)
    sys.exit(status)
