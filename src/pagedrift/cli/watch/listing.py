"""The commands `pagedrift watch` list and show."""

from __future__ import annotations

import sys
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any, Final

import click

from pagedrift.cli.common import answer_json, json_option
from pagedrift.cli.installation import opened, with_data
from pagedrift.cli.watch.output import FORMAT, change_data, iso, print_changes
from pagedrift.dates import moment
from pagedrift.text import counted, cut

if TYPE_CHECKING:
    from collections.abc import Iterable

    from rich.table import Table

    from pagedrift.app.settings import Settings
    from pagedrift.app.store.queries import WatchStatus

MAX_SHOWN: Final = 10  # visits and changes of one watch
_NEEDED: Final = 3  # columns of a list that are there even if empty
_WRAPPED: Final = ("watch", "group", "tags", "problem")  # those that take more lines where there is little room


@click.command("list")
@click.option("--group", help="Show only watches of a group.")
@click.option("--tag", default="", help="Show only watches with a tag.")
@click.option("--failing", "--trouble", "trouble", is_flag=True, help="Show only watches that are failing.")
@click.option("--all", "every", is_flag=True, help="Include pages that were found by watching a site.")
@json_option
@with_data
def list_(group: str | None, tag: str, trouble: bool, every: bool, as_json: bool, settings: Settings) -> None:
    """List watches with their state, last change and next check. Times are in UTC.

    \b
    Examples:
      pagedrift watch list
      pagedrift watch list --failing --json
    """
    from pagedrift.app.store import queries

    with opened(settings) as store, store.read() as session:
        found = queries.statuses(session, group=group, tag=tag, failing=trouble, with_pages=every)
    if as_json:
        for status in found:
            answer_json(_data(status))
        return
    if found:
        _print(_table(found))
    click.echo(counted(len(found), "watch", "watches"), err=True)


@click.command()
@click.argument("which", metavar="WATCH")
@json_option
@with_data
def show(which: str, as_json: bool, settings: Settings) -> None:
    """Show one watch: its options without secrets, its last checks, and its last changes.

    \b
    Example:
      pagedrift watch show Fees
    """
    from pagedrift.app.model.options import hidden
    from pagedrift.app.store import queries, watches

    with opened(settings) as store, store.read() as session:
        status = queries.status(session, watches.get(store, which).id)
        assert status is not None  # it was just found
        visits = queries.last_visits(session, status.watch.id, most=MAX_SHOWN)
        changes, _ = queries.changes(session, which=status.watch.id, size=MAX_SHOWN)
    said, options = _data(status), hidden(status.watch.options)
    if as_json:
        seen = [{"at": iso(each.at), "outcome": each.outcome, "reason": each.reason} for each in visits]
        answer_json(said | {"options": options, "visits": seen, "changes": [*map(change_data, changes)]})
        return
    for name, value in (*said.items(), *options.items()):
        if name != "v" and value not in ("", None, []):
            said_so = ", ".join(value) if name == "tags" else str(value)
            click.echo(f"{name:<22}{cut(said_so)}")
    for each in visits:
        click.echo(f"{moment(each.at)}  {each.outcome:<12}  {cut(each.reason)}".rstrip())
    print_changes(changes)


def _data(status: WatchStatus) -> dict[str, Any]:
    watch = status.watch
    return {
        "v": FORMAT,
        **{name: getattr(watch, name) for name in ("id", "url", "kind", "name", "group")},
        "tags": list(watch.tags),
        "state": "paused" if watch.paused else status.state,
        "trouble": status.trouble,
        "visits": status.visits,
        **{name: iso(getattr(status, name)) for name in ("visited_at", "changed_at", "next_at")},
    }


def _table(found: Iterable[WatchStatus]) -> Table:
    from rich.table import Table
    from rich.text import Text

    cells, now = [], datetime.now(UTC)
    for status in found:
        watch, changed = status.watch, moment(status.changed_at)
        state = "paused" if watch.paused else status.state.replace("_", " ")
        due = "–" if watch.paused else "now" if status.next_at <= now else moment(status.next_at)
        cells.append(
            (watch.id, state, watch.title, watch.group, ", ".join(watch.tags), changed, due, status.trouble)
        )
    table = Table(box=None, pad_edge=False)
    names = ("id", "state", "watch", "group", "tags", "changed", "next check", "problem")
    shown = [at for at, name in enumerate(names) if at < _NEEDED or any(line[at] for line in cells)]
    for at in shown:
        wraps = names[at] in _WRAPPED
        least = max((len(line[at]) for line in cells), default=0)
        table.add_column(names[at], no_wrap=not wraps, overflow="fold", min_width=None if wraps else least)
    for line in cells:
        table.add_row(*(Text(cut(line[at], 200)) for at in shown), style="yellow" if line[-1] else None)
    return table


def _print(table: Table) -> None:
    """Print a table; nobody wants one cut that goes into a file."""
    from rich.console import Console

    Console(file=sys.stdout, width=None if sys.stdout.isatty() else 1_000).print(table)
