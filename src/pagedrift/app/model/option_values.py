"""Options of a watch as plain values, for processes that only read them."""

from __future__ import annotations

from types import SimpleNamespace
from typing import TYPE_CHECKING, cast

if TYPE_CHECKING:
    from pagedrift.app.model.options import WatchOptions


class OptionValues(SimpleNamespace):
    """What `WatchOptions` holds, without the means to check it, which take 8 MB of a process."""


def plain(options: WatchOptions) -> WatchOptions:
    """Give options that were checked as values; whoever reads them does not see a difference."""
    return cast("WatchOptions", OptionValues(**dict(options)))
