"""What is shown until there is an overview?"""

from __future__ import annotations

from fastapi import APIRouter, Request, Response

from pagedrift.app.store import watches
from pagedrift.app.web.asking import store_of
from pagedrift.app.web.templating import page

router = APIRouter()


@router.get("/")
def overview(request: Request) -> Response:
    """List the watches."""
    return page(request, "placeholder.html", watches=watches.every(store_of(request)))
