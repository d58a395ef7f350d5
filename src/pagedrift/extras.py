"""Libraries that are installed on demand: import one, or name the extra that brings it."""

from __future__ import annotations

import importlib
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
        message = f"this needs the extra {extra}; install it with: pip install 'pagedrift[{extra}]'"
        raise MissingExtraError(message) from None
