"""The installation that a command works on: the one whose data and database are named, or the user's own."""

from __future__ import annotations

import os
from contextlib import contextmanager
from functools import wraps
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import click

from pagedrift.app.settings import Settings, data_directory, default_processes
from pagedrift.capture.addresses import ENVIRONMENT

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from pagedrift.app.store.store import Store

DATABASE: Final = "PAGEDRIFT_DATABASE"
WARCS: Final = "PAGEDRIFT_WARCS"


def with_data(command: Callable[..., Any]) -> Callable[..., Any]:
    """Give a command the options --data, --database and --warcs, and it gets `settings` of them."""

    @click.option(
        "--data",
        type=click.Path(file_okay=False, path_type=Path),
        help="Data folder [default: PAGEDRIFT_HOME, or a folder in your home directory].",
    )
    @click.option(
        "--database",
        default="",
        envvar=DATABASE,
        show_envvar=True,
        help="Database that several machines share: postgresql://…",
    )
    @click.option(
        "--warcs",
        default="",
        envvar=WARCS,
        show_envvar=True,
        help="Bucket for versions that several machines share: s3://bucket/prefix",
    )
    @wraps(command)
    def asked(*arguments: Any, data: Path | None, database: str, warcs: str, **options: Any) -> Any:
        return command(*arguments, settings=settings_of(data, database, warcs=warcs), **options)

    return asked


def with_workers(command: Callable[..., Any]) -> Callable[..., Any]:
    """Give a command the options of those who visit."""
    for option in (
        click.option(
            "--delay",
            type=click.FloatRange(0),
            default=1.0,
            help="Seconds between requests to the same host [default: 1].",
        ),
        click.option(
            "--threads", type=click.IntRange(1, 500), default=16, help="Number of parallel checks [default: 16]."
        ),
        click.option(
            "--processes",
            type=click.IntRange(0, 64),
            default=default_processes,
            help="Number of comparison worker processes [default: 2 to 4, depending on the CPU].",
        ),
        click.option(
            "--writer",
            default="main",
            help="Unique name of this watcher when several share the data [default: main].",
        ),
    )[::-1]:
        command = option(command)
    return command


def settings_of(data: Path | None, database: str = "", **more: Any) -> Settings:
    """Put together what the command line and the environment say."""
    found = os.environ.get(ENVIRONMENT, "").replace(",", " ").split()
    return Settings(
        (data or data_directory()).absolute(),
        database=database or os.environ.get(DATABASE, ""),
        allow_private=tuple(found),
        **more,
    )


@contextmanager
def opened(settings: Settings) -> Iterator[Store]:
    """Open the store of an installation; later failures, as on a full disk, are reported in one line."""
    from pagedrift.app.model.actors import COMMAND, acting_as
    from pagedrift.app.store.engine import plain_errors
    from pagedrift.app.store.store import Store

    with plain_errors(), acting_as(COMMAND), Store(settings) as store:
        yield store
