"""The command `pagedrift watch log`: who changed what."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from pagedrift.cli.common import answer_json, json_option
from pagedrift.cli.installation import opened, with_data
from pagedrift.cli.watch.output import FORMAT
from pagedrift.report.reasons import logged
from pagedrift.text import cut

if TYPE_CHECKING:
    from pagedrift.app.settings import Settings


@click.command("log")
@click.option("--who", default="", metavar="NAME", help="Only what this person or token did.")
@click.option("--kind", default="", help="Only changes of watches (watch), groups, rules, people and so on.")
@click.option("--most", type=click.IntRange(1, 10_000), default=50, show_default=True, help="How many to show.")
@json_option
@with_data
def log_(who: str, kind: str, most: int, as_json: bool, settings: Settings) -> None:
    """Show who changed what, newest first. Times are in UTC.

    \b
    Examples:
      pagedrift watch log
      pagedrift watch log --who anna --kind watch --json
    """
    from pagedrift.app.store import log
    from pagedrift.dates import iso_moment

    with opened(settings) as store, store.read() as session:
        found, _ = log.entries(session, who=who, kind=kind, size=most)
    for entry in found:
        if as_json:
            data = {"at": iso_moment(entry.at), "who": entry.who, "action": entry.action, "kind": entry.kind}
            data |= {"subject": entry.subject, "title": entry.title}
            answer_json({"v": FORMAT, **data, "before": entry.before, "after": entry.after})
            continue
        click.echo(f"{entry.at:%Y-%m-%d %H:%M}  {entry.who}: {logged(entry.action, entry.kind, entry.title)}")
        for name in sorted({*entry.before, *entry.after}):
            click.echo(cut(f"{'':18}{name}: {entry.before.get(name)} → {entry.after.get(name)}"))
