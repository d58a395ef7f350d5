"""API routes for the monitored selectors of a watch."""

from __future__ import annotations

from dataclasses import asdict
from typing import Annotated

from fastapi import APIRouter, Request
from pydantic import BaseModel, Field

from pagedrift.app.web.api.schemas import NO_NUL
from pagedrift.app.web.api.shared import PREFIX, Id
from pagedrift.app.web.api.watches import read_watch
from pagedrift.app.web.monitored import monitored_selectors, use_selector
from pagedrift.what_changed.selection import MAX_SELECTOR_CHARS

router = APIRouter(prefix=PREFIX)
Text = Annotated[str, Field(min_length=1, max_length=MAX_SELECTOR_CHARS, pattern=NO_NUL)]


class MonitoredSelectorState(BaseModel):
    """One selector that a watch monitors."""

    name: str
    selector: str
    hits: list[bool] = Field(description="whether it matched at the last checks, the newest one last")
    status: str = Field(description="works, moved, wrong, gone, or unknown: no stored version on which it matched")
    probability: float = Field(description="that the status is right, and the proposal if there is one")
    old_text: str = Field(description="what it matched last")
    new_text: str = Field(description="what it, or the proposal, matches on the newest version")
    proposal: str = Field(description="the selector to use instead; empty if there is none")
    before: int | None = Field(description="the last version on which it matched")
    after: int | None = Field(description="the newest version")


class SelectorReplacement(BaseModel):
    """Another selector for one that is monitored."""

    name: Text
    old: Text = Field(description="the selector as it is now")
    new: Text = Field(description="the selector to use instead")


@router.get("/watches/{id}/selectors")
def list_selectors(request: Request, id: Id) -> list[MonitoredSelectorState]:  # noqa: A002 - as the table calls it
    """Say how the monitored selectors of a watch are, and what to use instead of broken ones."""
    read_watch(request, id)
    return [MonitoredSelectorState(**asdict(each)) for each in monitored_selectors(request, id)]


@router.post("/watches/{id}/selectors")
def replace_selector(
    request: Request,
    id: Id,  # noqa: A002
    given: SelectorReplacement,
) -> list[MonitoredSelectorState]:
    """Monitor another selector under the same name. To undo it, swap `old` and `new`."""
    read_watch(request, id)
    use_selector(request, id, name=given.name, old=given.old, new=given.new)
    return list_selectors(request, id)
