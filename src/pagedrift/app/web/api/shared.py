"""Parts shared by the API routes: prefix, parameters, and the answer for what does not exist."""

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
Limit = Annotated[int, Query(ge=1, le=MAX_ENTRIES, description="maximum number of entries")]
Before = Annotated[Number | None, Query(description="`next` of the previous answer")]


def found(one: Found | None, number: int, name: str, names: str) -> Found:
    """Give what was asked for by its number, or say that it does not exist."""
    if one is None:
        raise NotFoundError(f"no {name} with id {number}; list the {names} first")
    return one
