"""Command-line options of a watch."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any, Final

import click

from pagedrift.durations import parse_duration
from pagedrift.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

_DECLARED: Final = (
    click.option("--every", metavar="SPAN", help="Time between visits: 90s, 15m, 2h, 1d."),
    click.option("--adaptive/--fixed", default=None, help="Visit more often what changes more often, or not."),
    click.option("--browser/--plain", default=None, help="Visit with a real browser, or by HTTP alone."),
    click.option("--header", "headers", multiple=True, metavar="'NAME: VALUE'"),
    click.option("--cookie", "cookies", multiple=True, metavar="NAME=VALUE"),
    click.option("--proxy", metavar="URL"),
    click.option("--step", "steps", multiple=True, metavar="STEP", help="In the browser: 'fill #user = anna'."),
    click.option(
        "--secret", "secrets", multiple=True, metavar="NAME",
        help="For steps, as {secret:NAME}; asked for, or read from PAGEDRIFT_SECRET_NAME.",
    ),
    click.option("--only", multiple=True, metavar="CSS", help="Look only at this."),
    click.option("--without", multiple=True, metavar="CSS", help="Leave this out."),
    click.option("--ignore", "ignore_text", multiple=True, metavar="REGEX", help="Text that is no change."),
    click.option("--tell", metavar="WHAT", help="any, matters, nothing, or the least amount of change: 0.05."),
    click.option("--redesigns/--no-redesigns", default=None, help="Tell of redesigns, or not."),
    click.option("--selector", "selectors", multiple=True, metavar="NAME=CSS", help="Tell when it finds nothing."),
    click.option("--trouble-after", type=int, metavar="N", help="Tell when N visits in a row failed; 0 for never."),
    click.option("--to", multiple=True, metavar="CHANNEL", help="Whom to tell: mailto://…, or a webhook: https://…"),
    click.option("--follow", type=int, metavar="N", help="Pages of a sitemap or list that are watched at most."),
    click.option("--resources/--no-resources", default=None, help="Keep style sheets and pictures beside a page."),
    click.option("--keep", type=click.Choice(["all", "changed", "matters"]), help="Which versions are kept."),
    click.option("--keep-days", type=float, metavar="N", help="For how long; 0 for ever."),
    click.option("--keep-versions", type=int, metavar="N", help="How many at most; 0 for all."),
)  # fmt: skip


def watch_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """Give a command all options that a watch has."""
    for option in reversed(_DECLARED):
        command = option(command)
    return command


def read_options(told: Mapping[str, Any]) -> dict[str, Any]:
    """Give the options that were said, as a watch has them."""
    said = {name: value for name, value in told.items() if value not in (None, ())}
    if "every" in said:
        said["every"] = parse_duration(said["every"])
    if "headers" in said:
        said["headers"] = [_pair(text, ":", "--header 'Accept-Language: de'") for text in said["headers"]]
    if "cookies" in said:
        said["cookies"] = [_pair(text, "=", "--cookie seen=1") for text in said["cookies"]]
    if "selectors" in said:
        pairs = [_pair(text, "=", "--selector 'price = .price'") for text in said["selectors"]]
        said["selectors"] = [f"{name} = {css}" for name, css in pairs]
    if "secrets" in said:
        said["secrets"] = [(name, _secret(name)) for name in said["secrets"]]
    return said | (_telling(said["tell"]) if "tell" in said else {})


def _telling(text: str) -> dict[str, Any]:
    try:
        return {"tell": "amount", "at_least": float(text)}
    except ValueError:
        return {"tell": text}


def _pair(text: str, sign: str, example: str) -> tuple[str, str]:
    name, found, value = text.partition(sign)
    if not found or not name.strip():
        raise InputError(f"a name and a value are wanted here; write them as {example}")
    return name.strip(), value.strip()


def _secret(name: str) -> str:
    """Read a secret from where no list of processes shows it."""
    known = os.environ.get(f"PAGEDRIFT_SECRET_{name.upper()}")
    if known is not None:
        return known
    typed: str = click.prompt(f"The secret {name}", hide_input=True, err=True)
    return typed
