"""Error responses: one line that ends with the next step, as a page, text or JSON."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from starlette.responses import JSONResponse, PlainTextResponse, Response

from pagedrift.app.web.request_context import header
from pagedrift.errors import PagedriftError

if TYPE_CHECKING:
    from collections.abc import Mapping

    from pagedrift.app.web.request_context import Scope

BROKEN: Final = "internal error; see the log of pagedrift serve"


class RefusedError(PagedriftError):
    """A request that is not answered as it wants, with the status that says why."""

    def __init__(self, status: int, message: str, headers: Mapping[str, str] | None = None) -> None:
        super().__init__(message)
        self.status = status
        self.headers = dict(headers or {})


def refusal(scope: Scope, status: int, message: str, headers: Mapping[str, str] | None = None) -> Response:
    """Answer with one line: as JSON to programs, as a page to people, as text to feed readers."""
    path: str = scope["path"]
    given = dict(headers or {})
    if path.startswith("/api/"):
        return JSONResponse({"error": message}, status, given)
    if path.startswith(("/feed/", "/memento/")) or "text/html" not in header(scope, "accept"):
        return PlainTextResponse(f"{message}\n", status, given)
    from pagedrift.app.web.templating import rendered

    return Response(rendered("error.html", message=message, status=status), status, given, "text/html")
