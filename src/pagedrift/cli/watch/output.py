"""Parts of answers that several commands about watches print."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

import click

from pagedrift.dates import moment
from pagedrift.text import cut

if TYPE_CHECKING:
    from collections.abc import Iterable
    from datetime import datetime

    from pagedrift.app.store.queries import ChangeSummary

FORMAT: Final = 1


def iso(when: datetime | None) -> str | None:
    """Write a time as data."""
    return when.isoformat(timespec="seconds") if when else None


def change_data(change: ChangeSummary) -> dict[str, Any]:
    """Give a change as data."""
    return {
        "id": change.id,
        "watch": change.watch,
        "at": iso(change.at),
        "headline": change.headline,
        "amount": round(change.amount, 6),
        "matters": change.matters,
        "level": change.level,
        "redesigned": change.redesigned,
        "alerted": change.alerted,
        "told": change.alerted,  # the name of older releases
        "reason": change.reason,
    }


def print_changes(changes: Iterable[ChangeSummary], *, with_names: bool = False) -> None:
    """Print changes; where they are of several watches, with the names of these."""
    for change in changes:
        first, *rest = [cut(change.title)] * with_names + [cut(change.headline), cut(change.reason)]
        click.echo(f"{moment(change.at)}  {'alert' if change.alerted else 'ignored':<8}  {first}")
        for line in rest:
            click.echo(f"{'':18}{line}")
