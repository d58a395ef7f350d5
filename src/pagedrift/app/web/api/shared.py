"""Parts shared by the API routes: prefix, parameters, and the answer where something is not there."""

from __future__ import annotations

from typing import Annotated, Final, TypeVar

from fastapi import Path, Query

from pagedrift.app.web.api.schemas import NO_NUL
from pagedrift.app.web.request_context import Number
from pagedrift.errors import NotFoundError

Found = TypeVar("Found")
PREFIX: Final = "/api/v1"
MAX_ENTRIES: Final = 500  # entries of one answer
Id = Annotated[str, Path(max_length=64, pattern=NO_NUL)]
Limit = Annotated[int, Query(ge=1, le=MAX_ENTRIES, description="how many to give at most")]
Before = Annotated[Number | None, Query(description="`next` of the answer before")]


def found(one: Found | None, number: int) -> Found:
    """Give what was asked for by its number, or say that it is not there."""
    if one is None:
        raise NotFoundError(f"there is no number {number} of these; list them first")
    return one
