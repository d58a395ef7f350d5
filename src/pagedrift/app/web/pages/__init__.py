"""HTML pages of the application: one router per module."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pagedrift.app.web.pages import (
    alerts,
    change,
    channels,
    choose,
    edit,
    inbox,
    lessons,
    log,
    overview,
    people,
    queue,
    rules,
    selectors,
    settings,
    site,
    steps,
    watch,
)

if TYPE_CHECKING:
    from fastapi import APIRouter

ROUTERS: tuple[APIRouter, ...] = tuple(
    each.router
    for each in (
        overview,
        inbox,
        edit,
        choose,
        steps,
        selectors,
        watch,
        change,
        rules,
        site,
        alerts,
        queue,
        channels,
        lessons,
        settings,
        people,
        log,
    )
)
