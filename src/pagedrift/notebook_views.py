"""Values as notebooks and programs take them: `pagedrift.report`, which draws them, is loaded when one is asked."""

from __future__ import annotations

from importlib import import_module
from typing import Any


class ShownInNotebooks:
    """A value that a notebook shows as a small table.

    The report is loaded by its name: it stands above everything that it draws.
    """

    __slots__ = ()

    def _repr_html_(self) -> str:
        drawn: str = import_module("pagedrift.report.notebooks").html_of(self)
        return drawn

    def to_dict(self) -> dict[str, Any]:
        """Give it as plain data that JSON can hold, the same that the commands print with --json."""
        data: dict[str, Any] = import_module("pagedrift.report.plain_data").data_of(self)
        return data
