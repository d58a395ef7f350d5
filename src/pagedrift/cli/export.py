"""pagedrift export: how are kept versions passed on as one file?"""

from __future__ import annotations

from pathlib import Path

import click

from pagedrift.errors import InputError


@click.command(short_help="Write a folder of kept versions as one WACZ.")
@click.argument("folder", type=click.Path(path_type=Path))
@click.option("--to", "target", required=True, type=click.Path(path_type=Path, dir_okay=False), metavar="FILE")
def export(folder: Path, target: Path) -> None:
    """Write what `pagedrift fetch` kept in FOLDER as one WACZ, for players of web archives such as ReplayWeb.page.

    \b
    Example:
      pagedrift export pages --to pages.wacz
    """
    from pagedrift.archive.export import export as write
    from pagedrift.archive.writing import ArchiveWriter

    if not (folder / "warc").is_dir():
        raise InputError(f"{folder} holds no kept versions; keep some with: pagedrift fetch URL --to {folder}")
    with ArchiveWriter(folder) as archive:
        captures = write(archive, target)
    click.echo(f"{captures:,} capture{'s' * (captures != 1)} in {target}, {target.stat().st_size:,} bytes")
