"""Command-line options of a watch, made from their declarations in `pagedrift.app.model.options`."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

import click

from pagedrift.durations import parse_duration
from pagedrift.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from pagedrift.app.model.options import DeclaredOption


class WatchOptionsCommand(click.Command):
    """A command with all options that a watch has.

    They are made where they are asked for: what declares them takes longer to load than all other help.
    """

    def get_params(self, ctx: click.Context) -> list[click.Parameter]:
        """Give the options of a watch after those of the command, and before those that all have."""
        params = super().get_params(ctx)
        at = next((at for at, param in enumerate(params) if param.name == "as_json"), len(params))
        return [*params[:at], *map(_parameter, _declared().values()), *params[at:]]


def read_options(data: Mapping[str, Any]) -> dict[str, Any]:
    """Give the options that were said, as a watch has them."""
    from pagedrift.app.model.options import OptionError

    said: dict[str, Any] = {}
    for name, option in _declared().items():
        if data.get(name) in (None, ()):
            continue
        try:
            said |= _read(option, data[name])
        except OptionError as error:
            raise InputError(error.worded(option.flag)) from None
    return said


def current_names(names: Iterable[str]) -> tuple[str, ...]:
    """Give the names that options have now."""
    from pagedrift.app.model.options import OLD_NAMES

    return tuple(OLD_NAMES.get(name, name) for name in names)


def _declared() -> Mapping[str, DeclaredOption]:
    from pagedrift.app.model.options import OPTIONS

    return OPTIONS


def _parameter(option: DeclaredOption) -> click.Option:
    kind: Any = {"check": bool, "number": int if option.is_whole else float}.get(option.widget, str)
    metavar = option.about.metavar or "|".join(option.values) or ("N" if option.widget == "number" else None)
    return click.Option(
        [option.flag, *_old_flags(option), option.name],
        type=kind,
        default=None,
        multiple=option.widget in ("lines", "pairs"),
        metavar=None if option.widget == "check" else metavar,
        help=_help(option),
    )


def _old_flags(option: DeclaredOption) -> list[str]:
    """Name the flags of older releases, which are read forever."""
    return [f"--{option.about.formerly.replace('_', '-')}"] if option.about.formerly else []


def _help(option: DeclaredOption) -> str:
    example = option.about.example.partition("\n")[0]
    if option.name == "secrets":  # whose values no list of processes may show
        return f"{option.about.help} Asked for, or read from PAGEDRIFT_SECRET_NAME."
    return f"{option.about.help} Example: {example}" if example else option.about.help


def _read(option: DeclaredOption, value: Any) -> dict[str, Any]:
    """Read what was said for one option; it may say another one along with it."""
    from pagedrift.app.model.options import parse_pair

    if option.name == "notify_on":
        return _telling(value)
    if option.name == "secrets":
        return {option.name: [(name, _secret(name)) for name in value]}
    if option.about.format == "named-selector":
        return {option.name: [" = ".join(parse_pair(option.name, text)) for text in value]}
    if option.widget == "pairs":
        return {option.name: [parse_pair(option.name, text) for text in value]}
    return {option.name: parse_duration(value) if option.widget == "duration" else value}


def _telling(text: str) -> dict[str, Any]:
    """Read which changes cause an alert; a number is short for a minimum size."""
    try:
        return {"notify_on": "amount", "min_change": float(text)}
    except ValueError:
        return {"notify_on": text}


def _secret(name: str) -> str:
    """Read a secret from where no list of processes shows it."""
    known = os.environ.get(f"PAGEDRIFT_SECRET_{name.upper()}")
    if known is not None:
        return known
    typed: str = click.prompt(f"The secret {name}", hide_input=True, err=True)
    return typed
