"""The commands `pagedrift watch …`: watches on the command line."""

from __future__ import annotations

import click

from pagedrift.cli.watch.alerts import alerts, channel
from pagedrift.cli.watch.edit import add, edit, group, pause, remove, resume
from pagedrift.cli.watch.import_export import export_, import_
from pagedrift.cli.watch.inbox import inbox_
from pagedrift.cli.watch.lessons import change_, feedback, lessons
from pagedrift.cli.watch.listing import list_, show
from pagedrift.cli.watch.log import log_
from pagedrift.cli.watch.maintenance import compact, rebuild
from pagedrift.cli.watch.run import run
from pagedrift.cli.watch.steps import steps


@click.group(short_help="Watch pages and sites, and get alerts about changes.")
def watch() -> None:
    """Add, list, check, pause, remove, import and export watches.

    A WATCH is an id, an address or a name. For the web interface, run: pagedrift serve.

    \b
    Examples:
      pagedrift watch add https://city.example/fees --every 2h --notify mailto://…
      pagedrift watch run
      pagedrift watch list
      pagedrift watch import backup.zip
    """


for command in (
    add, edit, group, inbox_, list_, show, change_, feedback, lessons, log_, pause, resume, remove, run, steps,
    alerts, channel, rebuild,
    compact, import_, export_,
):  # fmt: skip
    watch.add_command(command)
