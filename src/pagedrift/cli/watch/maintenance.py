"""The commands `pagedrift watch` rebuild and compact."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import TYPE_CHECKING

import click

from pagedrift.cli.common import bar, tell_damage
from pagedrift.cli.installation import opened, with_data
from pagedrift.text import counted

if TYPE_CHECKING:
    from pagedrift.app.settings import Settings


@click.command()
@click.option("--yes", is_flag=True, help="Do not ask for confirmation.")
@click.option("--writer", default="main", help="Name of the watcher that writes the WARC files [default: main].")
@with_data
def rebuild(yes: bool, writer: str, settings: Settings) -> None:
    """Rebuild the database from the WARC files; secrets, which are only in the database, are kept.

    The exit status is 3 if records were damaged: they are listed, and all others are read.

    \b
    Example:
      pagedrift watch rebuild
    """
    from pagedrift.app.monitor.rebuild import rebuild as again
    from pagedrift.app.notify import alerts
    from pagedrift.app.store import journal, watches
    from pagedrift.app.store.public_address import public_address
    from pagedrift.archive.writer import ArchiveWriter
    from pagedrift.read_report import Account

    if not yes:
        click.confirm("Forget what the database says, and read the archive again?", abort=True, err=True)
    with opened(settings) as store, bar() as shown:
        alerts.close_due(store, datetime.now(UTC), public_address(store, settings), waiting=True)
        with ArchiveWriter(settings.archive, writer=writer) as archive:
            journal.write(store, archive)  # what the archive does not have yet
        known = watches.options(store)
        task = shown.add_task("", total=None)
        account = Account()
        count = again(store, settings, account=account, show=lambda done: shown.update(task, completed=done))
        watches.restore_options(store, known)
    click.echo(f"{counted(count, 'version')} read")
    tell_damage(account)


@click.command()
@click.option(
    "--writer", default="main", help="Name of the watcher whose WARC files are compacted [default: main]."
)
@with_data
def compact(writer: str, settings: Settings) -> None:
    """Delete versions beyond the limits of each watch now: --keep-days and --keep-versions.

    \b
    Example:
      pagedrift watch compact
    """
    from pagedrift.app.store.retention import drop
    from pagedrift.archive.writer import ArchiveWriter

    with opened(settings) as store, ArchiveWriter(settings.archive, writer=writer) as archive:
        dropped = drop(store, archive)
    click.echo(f"{counted(dropped.versions, 'version')} dropped, {dropped.freed:,} bytes freed")
