"""Which pages does the application show? Each module here holds some, as a router."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pagedrift.app.web.pages import change, edit, overview, preferences, queue, rules, site, stories, watch

if TYPE_CHECKING:
    from fastapi import APIRouter

ROUTERS: tuple[APIRouter, ...] = tuple(
    each.router for each in (overview, edit, watch, change, rules, site, stories, queue, preferences)
)
