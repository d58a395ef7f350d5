"""What can programs ask for and do? The same as people, through the same checks, in JSON."""

from __future__ import annotations

from fastapi import APIRouter

from pagedrift.app.web.api import describing, found, installation, told, watching
from pagedrift.app.web.api.describing import schema
from pagedrift.app.web.api.shared import PREFIX

__all__ = ["PREFIX", "router", "schema"]

router = APIRouter()
for each in (watching, found, told, installation, describing):  # as they are listed where they are described
    router.include_router(each.router)
