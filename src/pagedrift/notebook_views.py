"""Values as notebooks show them: drawn by `pagedrift.report.notebooks`, which is loaded when one is shown."""

from __future__ import annotations

from importlib import import_module


class ShownInNotebooks:
    """A value that a notebook shows as a small table.

    The report is loaded by its name: it stands above everything that it draws.
    """

    __slots__ = ()

    def _repr_html_(self) -> str:
        drawn: str = import_module("pagedrift.report.notebooks").html_of(self)
        return drawn
