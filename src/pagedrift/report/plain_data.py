"""Page versions, edit scripts, verdicts and redesigns as plain data, for `to_dict()`."""

from __future__ import annotations

from functools import singledispatch
from typing import Any

from pagedrift.page import PageVersion
from pagedrift.redesigned.events import Redesign
from pagedrift.report import card
from pagedrift.report.data import FORMAT, actions, describe
from pagedrift.verdict import Verdict
from pagedrift.what_changed.actions import EditScript


@singledispatch
def data_of(value: object) -> dict[str, Any]:
    """Give a value as plain data.

    >>> data_of(PageVersion("https://city.example/", b"<title>Fees</title><p>$40"))["title"]
    'Fees'
    """
    raise TypeError(f"{type(value).__name__} has no plain data; take one of its parts")


@data_of.register
def _page(page: PageVersion) -> dict[str, Any]:
    return describe(page)


@data_of.register
def _script(script: EditScript) -> dict[str, Any]:
    return {"format": FORMAT, "actions": actions(script)}


@data_of.register
def _verdict(verdict: Verdict) -> dict[str, Any]:
    return card.data(verdict)


@data_of.register
def _redesign(event: Redesign) -> dict[str, Any]:
    return {"format": FORMAT, **event.as_dict()}
