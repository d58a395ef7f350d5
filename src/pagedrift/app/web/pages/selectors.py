"""Page about the monitored selectors of a watch: health over time, before and after, and the new selector."""

from __future__ import annotations

from typing import TYPE_CHECKING
from urllib.parse import urlencode

from fastapi import APIRouter, Request, Response

from pagedrift.app.web.content import regions_url
from pagedrift.app.web.monitored import monitored_selectors, use_selector
from pagedrift.app.web.pages.shared import Fields, line_of, to, wake_scheduler
from pagedrift.app.web.request_context import settings_of, store_of
from pagedrift.app.web.templating import page
from pagedrift.errors import PagedriftError

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

router = APIRouter()


@router.get("/watch/{which}/selectors")
def show(request: Request, which: str, name: str = "", old: str = "", new: str = "") -> Response:
    """Show how the selectors of a watch are; after one was replaced, how to undo that."""
    with store_of(request).read() as session:
        line = line_of(session, which)
    rows, trouble = [], ""
    try:
        rows = monitored_selectors(request, which)
    except PagedriftError as error:
        trouble = str(error)
    used = {"name": name, "old": old, "new": new} if name and any(new == row.selector for row in rows) else None
    return page(request, "selectors.html", line=line, rows=rows, trouble=trouble, used=used, drawn=_drawn(request))


def _drawn(request: Request) -> Callable[[int | None, Sequence[int]], str]:
    """Give the address of a version on which what a selector means is outlined; empty where it means nothing."""
    settings = settings_of(request)
    return lambda version, nodes: regions_url(settings, version, nodes) if version and nodes else ""


@router.post("/watch/{which}/selectors")
def use(request: Request, which: str, form: Fields) -> Response:
    """Use another selector, and offer to undo that."""
    with store_of(request).read() as session:
        line_of(session, which)
    given = {each: form.get(each, "").strip() for each in ("name", "old", "new")}
    use_selector(request, which, **given)
    wake_scheduler(request)
    return to(f"/watch/{which}/selectors?{urlencode(given)}")
