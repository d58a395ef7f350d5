"""Route that starts the demonstration site and adds a watch for it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from fastapi import APIRouter, Request, Response
from starlette.responses import RedirectResponse

from pagedrift.app.model.watch import Watch
from pagedrift.app.store import watches
from pagedrift.app.web.request_context import demo_of, scheduler_of, store_of
from pagedrift.errors import NotFoundError

if TYPE_CHECKING:
    from pagedrift.app.demo.site import DemoSite
    from pagedrift.app.monitor.scheduler import Scheduler
    from pagedrift.app.store.store import Store

router = APIRouter()
GROUP: Final = "Demonstration"
OPTIONS: Final = {"every": 10.0, "adaptive": False}  # its scenario takes two and a half minutes


@router.post("/demo")
def start(request: Request) -> Response:
    """Begin the scenario of the demonstration site, and watch it."""
    demo = demo_of(request)
    if demo is None:
        raise NotFoundError("the demo site is not available here; start pagedrift serve on this computer")
    watch(store_of(request), scheduler_of(request), demo)
    return RedirectResponse("/", 303)


def watch(store: Store, scheduler: Scheduler | None, demo: DemoSite) -> None:
    """Watch the demonstration site from the beginning of its scenario."""
    demo.restart()
    watches.set_group(store, GROUP, OPTIONS)
    new = [Watch(f"{demo.url}{path}", kind=kind, name=name, group=GROUP) for name, path, kind, _ in demo.watches]
    watches.add_all(store, new)
    if scheduler is not None:
        scheduler.wake()
