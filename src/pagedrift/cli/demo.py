"""The command `pagedrift demo`: all five answers about a bundled page."""

from __future__ import annotations

from datetime import UTC, datetime
from importlib.resources import files

import click

from pagedrift.cli.common import answer
from pagedrift.page import PageVersion
from pagedrift.report import card, changes
from pagedrift.verdict import check


@click.command(short_help="Answer all five questions about a bundled example page.")
def demo() -> None:
    """Answer all five questions about two versions of a page that comes with Pagedrift.

    \b
    Example:
      pagedrift demo
    """
    found = check(_bundled("old", day=8), _bundled("new", day=15))
    answer(changes.describe(found.old, found.changes))
    answer(["", *card.lines(found)])


def _bundled(name: str, *, day: int) -> PageVersion:
    body = files("pagedrift").joinpath(f"_demo/{name}.html").read_bytes()
    return PageVersion(
        "https://city.example/permits",
        body,
        captured_at=datetime(2026, 11, day, 9, 12, tzinfo=UTC),
        content_type="text/html",
        status=200,
    )
