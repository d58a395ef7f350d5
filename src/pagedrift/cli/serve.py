"""The command `pagedrift serve`: the application with its web interface."""

from __future__ import annotations

import logging
import sys
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import click

from pagedrift.app.model.people import ROLES
from pagedrift.app.settings import HOST, PORT
from pagedrift.cli.installation import opened, with_data, with_workers
from pagedrift.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Callable

    from pagedrift.app.settings import Settings


def _option(name: str, **about: Any) -> Callable[..., Any]:
    """Declare an option that the environment may give as well: PAGEDRIFT_PUBLIC_URL for --public-url."""
    return click.option(name, envvar=f"PAGEDRIFT_{name[2:].upper().replace('-', '_')}", show_envvar=True, **about)


@click.command(short_help="Watch pages and sites, with a web interface.")
@_option(
    "--host", default=HOST, show_default=True, help="Host to listen on; other than localhost needs a password."
)
@_option("--port", type=click.IntRange(0, 65535), default=PORT, show_default=True)
@_option(
    "--content-port", type=click.IntRange(0, 65535), default=0, help="Port for captured pages [default: PORT + 1]."
)
@_option("--public-url", default="", help="Public URL, if there is a reverse proxy.")
@_option("--content-url", default="", help="Public URL of captured pages; needs its own host or port.")
@_option(
    "--sign-on-header", default="", help="Header in which a trusted proxy names who is logged in: Remote-User."
)
@click.option(
    "--trusted-proxy",
    "trusted_proxies",
    multiple=True,
    envvar="PAGEDRIFT_TRUSTED_PROXY",
    show_envvar=True,
    metavar="ADDRESS",
    help="Address or network of that proxy; more than one allowed.",
)
@_option(
    "--sign-on-role",
    type=click.Choice(["", *ROLES]),
    default="",
    metavar="ROLE",
    help="Make accounts for new names, with this role [default: only people who have one get in].",
)
@click.option("--allow-private", multiple=True, metavar="HOST", help="Allow requests to this private host.")
@click.option("--demo", is_flag=True, help="Watch the demo site, which changes by itself.")
@with_workers
@with_data
def serve(*, settings: Settings, demo: bool, allow_private: tuple[str, ...], **options: Any) -> None:
    """Start the application and print its address.

    \b
    Examples:
      pagedrift serve --demo
      pagedrift serve --data /srv/pages --host 0.0.0.0 --content-port 8711
    """
    logging.basicConfig(level=logging.WARNING, format="%(levelname)s %(name)s: %(message)s")
    if options["public_url"] and not options["content_url"]:
        raise InputError("captured pages need an origin of their own; give it with --content-url")
    allowed = (*settings.allow_private, *allow_private)
    _serve(replace(settings, allow_private=allowed, **options), demo=demo)


def _serve(settings: Settings, *, demo: bool) -> None:
    """Run until somebody stops us; what is under way is finished and written down."""
    sys.modules.setdefault("httpx._main", None)  # type: ignore[arg-type]  # its command line loads much
    from pagedrift.app.demo.site import DemoSite
    from pagedrift.app.monitor import heap
    from pagedrift.app.monitor.scheduler import Scheduler
    from pagedrift.app.web.application import run

    heap.limit()  # before there are threads
    with DemoSite() as site:
        settings = replace(settings, allow_private=(*settings.allow_private, site.address))
        with opened(settings) as store, Scheduler(settings, store) as scheduler:
            scheduler.start()
            run(settings, store, scheduler, demo=site, start_demo=demo, ready=_tell)


def _tell(lines: list[str]) -> None:
    for line in lines:
        click.echo(line, err=True)
