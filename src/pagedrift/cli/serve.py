"""pagedrift serve: which watched pages changed, in a browser?"""

from __future__ import annotations

import logging
import os
from dataclasses import replace
from pathlib import Path
from typing import Any

import click

from pagedrift.app.settings import HOST, PORT, Settings, data_directory
from pagedrift.capture.addresses import ENVIRONMENT
from pagedrift.errors import InputError
from pagedrift.extras import need

DATABASE = "PAGEDRIFT_DATABASE"


@click.command(short_help="Watch pages and sites, and show what changed in a browser.")
@click.option("--data", type=click.Path(file_okay=False, path_type=Path), help="Where everything is kept.")
@click.option("--database", help="A database that several machines share: postgresql://user@host/name")
@click.option("--warcs", default="", help="Keep versions in a bucket: s3://bucket/prefix")
@click.option("--host", default=HOST, show_default=True, help="Beyond this machine, a password is asked for.")
@click.option("--port", type=click.IntRange(0, 65535), default=PORT, show_default=True)
@click.option("--content-port", type=click.IntRange(0, 65535), default=0, help="Of captured pages; the next one.")
@click.option("--public-url", default="", help="Where people reach it, if a proxy stands in front of it.")
@click.option("--content-url", default="", help="The same, of captured pages: a host or port of their own.")
@click.option("--allow-private", multiple=True, metavar="HOST", help="Visit this host though it is not public.")
@click.option("--delay", type=click.FloatRange(0), default=1.0, help="Seconds between requests to a host [1].")
@click.option("--threads", type=click.IntRange(1, 500), default=16, show_default=True, help="Visits at once.")
@click.option("--processes", type=click.IntRange(0, 64), default=1, help="That compare versions [1].")
@click.option("--writer", default="main", help="Name of this one among those that share the data [main].")
@click.option("--demo", is_flag=True, help="Watch the demonstration site, which changes by itself.")
def serve(*, data: Path | None, demo: bool, **options: Any) -> None:
    """Start the application and print its address.

    \b
    Examples:
      pagedrift serve --demo
      pagedrift serve --data /srv/pages --host 0.0.0.0 --public-url https://pages.city.example
    """
    need("web", "fastapi")
    logging.basicConfig(level=logging.WARNING, format="%(levelname)s %(name)s: %(message)s")
    settings = _settings(data, options)
    _serve(settings, demo=demo)


def _settings(data: Path | None, options: dict[str, Any]) -> Settings:
    options["database"] = options["database"] or os.environ.get(DATABASE, "")
    told = os.environ.get(ENVIRONMENT, "").replace(",", " ").split()
    options["allow_private"] = (*options["allow_private"], *told)
    if options["public_url"] and not options["content_url"]:
        raise InputError("captured pages need an origin of their own; give it with --content-url")
    return Settings((data or data_directory()).absolute(), **options)


def _serve(settings: Settings, *, demo: bool) -> None:
    """Run until somebody stops us; what is under way is finished and written down."""
    from pagedrift.app.demo.site import DemoSite
    from pagedrift.app.store.store import Store
    from pagedrift.app.watch.schedule import Watcher
    from pagedrift.app.web.server import run

    with DemoSite() as site:
        settings = replace(settings, allow_private=(*settings.allow_private, site.address))
        with Store(settings) as store, Watcher(settings, store) as watcher:
            watcher.start()
            run(settings, store, watcher, demo=site, start_demo=demo, ready=_tell)


def _tell(lines: list[str]) -> None:
    for line in lines:
        click.echo(line, err=True)
