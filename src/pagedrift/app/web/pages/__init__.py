"""Which pages does the application show? Each module here holds some, as a router."""

from __future__ import annotations

from fastapi import APIRouter

from pagedrift.app.web.pages import placeholder

ROUTERS: tuple[APIRouter, ...] = (placeholder.router,)
