"""Overview page: the list of watches and their latest changes."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Final

from fastapi import APIRouter, Request, Response

from pagedrift.app.store import queries, watches
from pagedrift.app.web.request_context import demo_of, store_of
from pagedrift.app.web.templating import page

router = APIRouter()
SOON: Final = timedelta(minutes=1)  # while something is due so soon, the list refreshes itself


@dataclass(frozen=True, slots=True)
class Asked:
    """What of the list is asked for."""

    q: str = ""
    group: str = ""
    state: str = ""
    sort: str = "newest"


@router.get("/")
def overview(  # noqa: PLR0917 - by name, from the address
    request: Request, q: str = "", group: str = "", state: str = "", sort: str = "newest", page: int = 1
) -> Response:
    """List the watches."""
    asked = Asked(
        q[:500],
        group[:200],
        state if state in queries.STATES else "",
        sort if sort in queries.SORTS else "newest",
    )
    return shown(request, asked, number=page)


def shown(request: Request, asked: Asked, *, number: int = 1, trouble: str = "", status: int = 200) -> Response:
    """Show a page of the list."""
    store, soon = store_of(request), datetime.now(UTC) + SOON
    with store.read() as session:
        all_ = queries.overview(
            session, search=asked.q, group=asked.group or None, state=asked.state, sort=asked.sort, page=number
        )
    return page(
        request,
        "overview.html",
        status=status,
        all=all_,
        asked=asked,
        groups=list(watches.groups(store)),
        trouble_to_add=trouble,
        demonstration=demo_of(request) is not None,
        lively=any(line.under_way or (line.state != "paused" and line.next_at < soon) for line in all_.lines),
    )
