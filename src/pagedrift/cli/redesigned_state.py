"""The saved state of `pagedrift redesigned`, to continue where following a feed stopped."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, Final

from pagedrift.atomic_files import write_atomically
from pagedrift.errors import InputError

if TYPE_CHECKING:
    from pathlib import Path

FORMAT: Final = 2
ONE_STREAM: Final = 1  # the format in which sites were not separated
MAX_STATE_BYTES: Final = 100_000_000


def load(path: Path) -> dict[str, Any] | None:
    """Read a saved state; None where there is none yet."""
    if not path.exists():
        return None
    try:
        if path.stat().st_size > MAX_STATE_BYTES:
            raise ValueError("too large")
        state = json.loads(path.read_text("utf-8"))
        if state["format"] == ONE_STREAM:  # all pages were one stream, and are one site's as a rule
            state |= {"format": FORMAT, "sites": {None: {name: state[name] for name in ("detector", "selectors")}}}
        if state["format"] != FORMAT or not {"sites", "follower"} <= state.keys():
            raise KeyError("format")
    except (ValueError, KeyError, TypeError, AttributeError):
        raise InputError(f"{path} is not a saved state; name another file, or remove it to start again") from None
    return dict(state)


def save(path: Path, state: dict[str, Any]) -> None:
    """Write a state so that a kill at any instant leaves the old one or the new one."""
    write_atomically(path, json.dumps({"format": FORMAT, **state}).encode())
