"""Kept versions as they are compared: for a browser capture, the page after its scripts ran."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import replace
from typing import TYPE_CHECKING, Final

from pagedrift.archive.reader import attachments_at, page_at
from pagedrift.archive.record_format import Attachment
from pagedrift.errors import InputError
from pagedrift.facets.view import read_view, write_view

if TYPE_CHECKING:
    from pathlib import Path

    from pagedrift.archive.locations import Place
    from pagedrift.page import PageVersion

HTML: Final = "text/html; charset=utf-8"
PICTURE: Final = "fullPage"  # what is kept next to a capture that a browser made
DOM: Final = "dom"
NODES: Final = "nodes"


def attached(page: PageVersion) -> tuple[Attachment, ...]:
    """Give what is kept next to a page that a browser showed."""
    if page.view is None:
        return ()
    dom = Attachment(DOM, HTML, page.body)
    nodes = Attachment(NODES, "application/json", write_view(page.view).encode("utf-8", "replace"))
    return (Attachment(PICTURE, "image/png", page.view.picture or b""), dom, nodes)


def page_of(folder: str | Path, place: Place) -> PageVersion:
    """Read a version, with its view where it has one."""
    page = page_at(folder, place)
    beside = {}
    with suppress(InputError):
        beside = attachments_at(folder, place)
    if DOM in beside:
        page = replace(page, body=beside[DOM][1], content_type=HTML)
    if NODES in beside and PICTURE in beside:
        with suppress(InputError, ValueError, KeyError, TypeError):
            view = read_view(beside[NODES][1].decode("utf-8", "replace"))
            page = replace(page, view=replace(view, picture=beside[PICTURE][1]))
    return page
