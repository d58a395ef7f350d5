"""pagedrift demo: what does Pagedrift see in two versions of a page?"""

from __future__ import annotations

from datetime import UTC, datetime
from importlib.resources import files

import click

from pagedrift.cli.common import answer
from pagedrift.page import PageVersion
from pagedrift.report import terminal


@click.command(short_help="Compare two versions of a page that comes with Pagedrift.")
def demo() -> None:
    """Compare the facets of two versions of a bundled page.

    \b
    Example:
      pagedrift demo
    """
    old, new = _bundled("old", day=8), _bundled("new", day=15)
    answer(terminal.compare(old, new))


def _bundled(name: str, *, day: int) -> PageVersion:
    body = files("pagedrift").joinpath(f"_demo/{name}.html").read_bytes()
    return PageVersion(
        "https://city.example/permits",
        body,
        captured_at=datetime(2026, 11, day, 9, 12, tzinfo=UTC),
        content_type="text/html",
        status=200,
    )
