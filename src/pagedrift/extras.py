"""Libraries that are installed on demand: import one, or name the extra that brings it."""

from __future__ import annotations

import importlib
import sys
from pathlib import Path
from typing import Any

from pagedrift.errors import UnavailableError


class MissingExtraError(UnavailableError):
    """A part of Pagedrift that was not installed."""


def need(extra: str, module: str) -> Any:
    """Import a module of an extra; where it is missing, say how to install it.

    >>> need("plot", "no_such_module")
    Traceback (most recent call last):
    pagedrift.extras.MissingExtraError: this needs the extra plot; install it with: pip install 'pagedrift[plot]'
    """
    try:
        return importlib.import_module(module)
    except ModuleNotFoundError as error:
        if error.name is None or error.name.partition(".")[0] != module.partition(".")[0]:
            raise  # the extra is there, and broken
        message = f"this needs the extra {extra}; install it with: {install_command(extra)}"
        raise MissingExtraError(message) from None


def install_command(extra: str, environment: Path = Path(sys.prefix)) -> str:
    """Give the command that installs an extra where Pagedrift is installed: by pipx, by uv, or else by pip."""
    wanted = f"'pagedrift[{extra}]'"
    if (environment / "pipx_metadata.json").exists():
        return f"pipx inject pagedrift {wanted}"
    if (environment / "uv-receipt.toml").exists():
        return f"uv tool install {wanted}"
    if not _has_pip(environment):
        return f"uv pip install --python {sys.executable} {wanted}"
    return f"pip install {wanted}"


def _has_pip(environment: Path) -> bool:
    """Return whether pip can be called; environments that uv makes have none, and say who made them."""
    try:
        return "\nuv = " not in (environment / "pyvenv.cfg").read_text("utf-8")
    except OSError:  # no virtual environment
        return True
