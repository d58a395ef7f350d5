"""The commands `pagedrift watch` add, edit, group, pause, resume and remove."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any, Final

import click

from pagedrift.cli.common import answer_json, json_option
from pagedrift.cli.installation import opened, with_data
from pagedrift.cli.watch.options import WatchOptionsCommand, current_names, read_options
from pagedrift.cli.watch.output import FORMAT
from pagedrift.errors import InputError
from pagedrift.text import counted, cut, printable

if TYPE_CHECKING:
    from collections.abc import Iterable

    from pagedrift.app.model.watch import Watch
    from pagedrift.app.settings import Settings

_TROUBLE: Final = 2

watches_argument = click.argument("which", nargs=-1, required=True, metavar="WATCH...")


@click.command(cls=WatchOptionsCommand)
@click.argument("urls", nargs=-1, required=True, metavar="URL...")
@click.option(
    "--kind",
    type=click.Choice(["auto", "page", "feed", "sitemap", "list"]),
    default="auto",
    show_default=True,
    help="What is at the address; auto lets the first check find out.",
)
@click.option("--name", default="", help="Name of the watch [default: title of the page].")
@click.option("--group", default="", help="Group to share options with.")
@click.option("--tag", "tags", multiple=True, help="Tag to find it by; repeat it for several.")
@json_option
@with_data
def add(
    urls: tuple[str, ...],
    kind: Any,
    name: str,
    group: str,
    tags: tuple[str, ...],
    as_json: bool,
    settings: Settings,
    **data: Any,
) -> None:
    """Start watching the pages at URLs; the first check is due immediately.

    \b
    Examples:
      pagedrift watch add https://city.example/fees --include main --notify-on any
      pagedrift watch add https://city.example/feed.xml --kind feed --group city
      pagedrift watch add https://shop.example/me --browser --secret password \\
        --step 'goto https://shop.example/login' --step 'fill #user = anna' \\
        --step 'fill #password = {secret:password}' --step 'click button'
    """
    from pagedrift.app.model.watch import AUTO, Watch, checked, completed_url
    from pagedrift.app.store import watches

    if name and len(urls) > 1:
        raise InputError("--name needs exactly one URL; add the watches one by one")
    options, failed = read_options(data), False
    kind_: Any = "page" if kind == AUTO else kind
    wanted = [
        checked(Watch(completed_url(url), kind=kind_, name=name, group=group, tags=tags, options=options))
        for url in dict.fromkeys(urls)
    ]
    with opened(settings) as store:
        for each in wanted:
            try:
                _say(watches.add(store, each, find_kind=kind == AUTO), as_json)
            except InputError as error:
                failed = True
                click.echo(f"error: {error}", err=True)
    if failed:
        click.get_current_context().exit(_TROUBLE)


@click.command(cls=WatchOptionsCommand)
@click.argument("which", metavar="WATCH")
@click.option("--url", help="New address.")
@click.option("--name", help="New name.")
@click.option("--group", help="New group; '' for none.")
@click.option("--tag", "tags", multiple=True, help="New tags in place of the old ones; '' for none.")
@click.option(
    "--clear", multiple=True, metavar="OPTION", help="Unset an option; the group's value or the default applies."
)
@json_option
@with_data
def edit(
    which: str,
    url: str | None,
    name: str | None,
    group: str | None,
    tags: tuple[str, ...],
    clear: tuple[str, ...],
    as_json: bool,
    settings: Settings,
    **data: Any,
) -> None:
    """Change the options of a watch. Lists replace the previous list.

    \b
    Examples:
      pagedrift watch edit Fees --every 1d --exclude .ad
      pagedrift watch edit Fees --clear exclude --clear every
    """
    from pagedrift.app.store import watches

    with opened(settings) as store:
        known, clear = watches.get(store, which), current_names(clear)
        unknown = [option for option in clear if option not in known.options]
        if unknown:
            raise InputError(
                f"{known.title} sets no {unknown[0]!r}; it sets: {', '.join(known.options) or 'nothing'}"
            )
        kept = {option: value for option, value in known.options.items() if option not in clear}
        said: dict[str, Any] = {
            key: value for key, value in (("url", url), ("name", name), ("group", group)) if value is not None
        }
        if tags:
            said["tags"] = tags
        _say(watches.edit(store, known.id, options={**kept, **read_options(data)}, **said), as_json)


@click.command(cls=WatchOptionsCommand)
@click.argument("name")
@click.option("--clear", multiple=True, metavar="OPTION", help="Unset an option; the default applies.")
@json_option
@with_data
def group(name: str, clear: tuple[str, ...], as_json: bool, settings: Settings, **data: Any) -> None:
    """Set or show the options that all watches of a group share; options of a watch take precedence.

    \b
    Examples:
      pagedrift watch group city --every 6h --notify mailto://…
      pagedrift watch group city
    """
    from pagedrift.app.model.options import hidden
    from pagedrift.app.store import watches

    with opened(settings) as store:
        options, said = watches.groups(store).get(name, {}), read_options(data)
        if said or clear:
            cleared = current_names(clear)
            kept = {option: value for option, value in options.items() if option not in cleared}
            watches.set_group(store, name, {**kept, **said})
        options = hidden(watches.groups(store).get(name, {}))
        number = len(watches.every(store, group=name))
    if as_json:
        answer_json({"v": FORMAT, "group": name, "watches": number, "options": options})
        return
    for option, value in options.items():
        click.echo(f"{option:<22}{cut(str(value))}")
    click.echo(counted(number, "watch", "watches"), err=True)


@click.command()
@watches_argument
@with_data
def pause(which: tuple[str, ...], settings: Settings) -> None:
    """Pause watches until they are resumed.

    \b
    Example:
      pagedrift watch pause Fees
    """
    _pause(settings, which, paused=True)


@click.command()
@watches_argument
@with_data
def resume(which: tuple[str, ...], settings: Settings) -> None:
    """Resume paused watches.

    \b
    Example:
      pagedrift watch resume Fees
    """
    _pause(settings, which, paused=False)


@click.command()
@watches_argument
@with_data
def remove(which: tuple[str, ...], settings: Settings) -> None:
    """Remove watches; their versions stay in the archive.

    \b
    Example:
      pagedrift watch remove https://city.example/fees
    """
    from pagedrift.app.store import watches

    with opened(settings) as store:
        for known in [watches.get(store, each) for each in which]:
            watches.remove(store, known.id)
            click.echo(f"removed  {printable(known.title)}")


def _say(added: Watch, as_json: bool) -> None:
    """Acknowledge a watch."""
    from pagedrift.app.model.options import hidden

    if as_json:
        found: dict[str, Any] = {
            "id": added.id,
            "url": added.url,
            "kind": added.kind,
            "name": added.name,
            "group": added.group,
        }
        found["tags"] = list(added.tags)
        answer_json({"v": FORMAT, **found, "options": hidden(added.options)})
    else:
        click.echo(f"{added.id}  {printable(added.title)}")
    sys.stdout.flush()


def _pause(settings: Settings, which: Iterable[str], *, paused: bool) -> None:
    from pagedrift.app.store import watches

    with opened(settings) as store:
        for known in [watches.get(store, each) for each in which]:
            watches.pause(store, known.id, paused=paused)
            click.echo(f"{'paused' if paused else 'resumed'}  {printable(known.title)}")
