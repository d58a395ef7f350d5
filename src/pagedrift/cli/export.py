"""The command `pagedrift export`: stored versions as one WACZ file."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from pagedrift.dates import period
from pagedrift.errors import InputError
from pagedrift.text import counted

if TYPE_CHECKING:
    from datetime import datetime


@click.command(short_help="Export a folder of versions as one WACZ file.")
@click.argument("folder", type=click.Path(path_type=Path))
@click.option("--to", "target", required=True, type=click.Path(path_type=Path, dir_okay=False), metavar="FILE")
@click.option("--url", "urls", multiple=True, metavar="URL", help="Only captures of this address; may be repeated.")
@click.option("--since", metavar="DATE", help="Only captures since this date.")
@click.option("--until", metavar="DATE", help="Only captures until this date.")
def export(folder: Path, target: Path, urls: tuple[str, ...], since: str | None, until: str | None) -> None:
    """Export what `pagedrift fetch` stored in FOLDER as one WACZ, for players such as ReplayWeb.page.

    Captures that refer to an earlier one include that one.

    \b
    Example:
      pagedrift export pages --to pages.wacz
      pagedrift export pages --to fees.wacz --url https://city.example/fees --since 2026-11
    """
    from pagedrift.archive.export import export as write

    if not (folder / "warc").is_dir():
        raise InputError(f"{folder} contains no versions; fetch some with: pagedrift fetch URL --to {folder}")
    captures = write(folder, target, urls=urls, since=_moment(since), until=_moment(until, end=True))
    click.echo(f"{counted(captures, 'capture')} in {target}, {target.stat().st_size:,} bytes")


def _moment(text: str | None, *, end: bool = False) -> datetime | None:
    if text is None:
        return None
    span = period(text)
    if span is None:
        raise InputError(f"{text!r} is not a valid date; write one such as 2026-11-15")
    return span[end]
