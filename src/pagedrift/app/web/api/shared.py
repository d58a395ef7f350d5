"""Parts shared by the API routes: prefix, parameters, and helpers that list and find rows."""

from __future__ import annotations

from typing import Annotated, Any, Final

from fastapi import Path, Query, Request
from sqlalchemy import Select

from pagedrift.app.web.api.schemas import NO_NUL
from pagedrift.app.web.request_context import Number, store_of
from pagedrift.errors import NotFoundError

PREFIX: Final = "/api/v1"
MOST: Final = 500  # entries of one answer
Id = Annotated[str, Path(max_length=64, pattern=NO_NUL)]
Limit = Annotated[int, Query(ge=1, le=MOST, description="how many to give at most")]
Before = Annotated[Number | None, Query(description="`next` of the answer before")]


def newest(
    request: Request, wanted: Select[Any], table: Any, before: int | None, limit: int
) -> tuple[list[Any], int | None]:
    """Give some rows, newest first, and where to go on."""
    if before is not None:
        wanted = wanted.where(table.id < before)
    with store_of(request).read() as session:
        rows = list(session.scalars(wanted.order_by(table.id.desc()).limit(limit + 1)))
    return rows[:limit], rows[limit - 1].id if len(rows) > limit else None


def row_of(request: Request, table: Any, number: int) -> Any:
    """Find a row by its number."""
    with store_of(request).read() as session:
        row = session.get(table, number)
    if row is None:
        raise NotFoundError(f"there is no number {number} of these; list them first")
    return row
