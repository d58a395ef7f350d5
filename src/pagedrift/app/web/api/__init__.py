"""JSON API: the actions of the web pages, for programs, behind the same checks."""

from __future__ import annotations

from fastapi import APIRouter

from pagedrift.app.web.api import (
    alert_settings,
    alerts,
    changes,
    events,
    inbox,
    log,
    openapi,
    people,
    selectors,
    steps,
    system,
    watches,
)
from pagedrift.app.web.api.openapi import schema
from pagedrift.app.web.api.shared import PREFIX

__all__ = ["PREFIX", "router", "schema"]

router = APIRouter()
for each in (
    inbox,
    watches,
    selectors,
    steps,
    changes,
    alerts,
    alert_settings,
    people,
    log,
    events,
    system,
    openapi,
):  # as they are listed where they are described
    router.include_router(each.router)
