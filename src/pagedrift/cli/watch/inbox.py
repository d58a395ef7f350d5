"""The command `pagedrift watch inbox`: unread changes, and a search in the texts of changes."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from pagedrift.cli.common import answer_json, json_option
from pagedrift.cli.installation import opened, with_data
from pagedrift.cli.watch.output import FORMAT, change_data, print_changes
from pagedrift.text import counted

if TYPE_CHECKING:
    from pagedrift.app.settings import Settings


@click.command("inbox")
@click.option("--find", default="", metavar="TEXT", help="Search in the headlines and texts of all changes.")
@click.option(
    "--show",
    type=click.Choice(["unread", "important", "ignored", "all"]),
    help="Which changes to show [default: unread; with --find, all].",
)
@click.option("--most", type=click.IntRange(1, 500), default=50, show_default=True, help="How many to show.")
@click.option("--mark-read", is_flag=True, help="Mark the changes that are shown as read.")
@click.option("--person", default="", metavar="NAME", help="Whose inbox it is [default: the first owner's].")
@json_option
@with_data
def inbox_(
    find: str, show: str | None, most: int, mark_read: bool, person: str, as_json: bool, settings: Settings
) -> None:
    """Show changes with an alert that were not read yet, or search in all changes. Times are in UTC.

    \b
    Examples:
      pagedrift watch inbox
      pagedrift watch inbox --mark-read
      pagedrift watch inbox --find "permit fee" --json
    """
    from pagedrift.app.store import inbox, people, queries

    with opened(settings) as store:
        whose = people.chosen(store, person).id
        with store.read() as session:
            wanted = show or ("all" if find else "unread")
            changes, _ = queries.search_changes(session, person=whose, show=wanted, find=find, size=most)
        if mark_read:
            inbox.mark(store, [change.id for change in changes], person=whose)
        with store.read() as session:
            left = queries.unread_count(session, person=whose)
    if as_json:
        for change in changes:
            answer_json({"v": FORMAT, **change_data(change), "unread": change.unread})
        return
    print_changes(changes, with_names=True)
    click.echo(f"{counted(len(changes), 'change')} shown, {left:,} unread in the inbox", err=True)
