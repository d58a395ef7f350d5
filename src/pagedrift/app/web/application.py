"""ASGI application: all routes assembled behind one gate."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, cast

from fastapi import APIRouter, FastAPI, Request, Response, status
from fastapi.exceptions import RequestValidationError
from starlette.exceptions import HTTPException
from starlette.routing import Match

from pagedrift.app.model.options import OUR_MESSAGE, option_error
from pagedrift.app.monitor.step_trials import StepTrials
from pagedrift.app.notify import atom
from pagedrift.app.web import api, feeds, login, memento, static
from pagedrift.app.web import demo as demonstration
from pagedrift.app.web.api.events import LiveEvents
from pagedrift.app.web.auth import Authenticator
from pagedrift.app.web.content import create_content_app
from pagedrift.app.web.csrf import SAFE, UNSAFE
from pagedrift.app.web.error_responses import BROKEN, RefusedError, refusal
from pagedrift.app.web.gate import Gate
from pagedrift.app.web.limits import LoginLimiter
from pagedrift.app.web.pages import ROUTERS
from pagedrift.app.web.request_context import store_of
from pagedrift.app.web.trial_pictures import TrialPictures
from pagedrift.errors import PagedriftError, answer_to

if TYPE_CHECKING:
    from collections.abc import Sequence

    from pagedrift.app.demo.site import DemoSite
    from pagedrift.app.monitor.scheduler import Scheduler
    from pagedrift.app.monitor.worker_pool import AnalysisPool
    from pagedrift.app.settings import Settings
    from pagedrift.app.store.store import Store
    from pagedrift.app.web.gate import App

__all__ = ["create_app", "create_content_app", "run"]

health = APIRouter()


@health.get("/health")
def is_ready(request: Request, response: Response) -> dict[str, bool]:
    """Return whether requests can be answered: 200 if the database can be read, 503 if not."""
    ready = store_of(request).answers()
    response.status_code = status.HTTP_200_OK if ready else status.HTTP_503_SERVICE_UNAVAILABLE
    return {"ok": ready}


def create_app(
    settings: Settings,
    store: Store,
    scheduler: Scheduler | None = None,
    *,
    demo: DemoSite | None = None,
    analysis_pool: AnalysisPool | None = None,
) -> App:
    """Make the application: its pages and its interface for programs, all of them behind one gate."""
    routes, doorkeeper = (
        create_routes(settings, store, scheduler, demo=demo, analysis_pool=analysis_pool),
        Authenticator(settings, store),
    )
    routes.state.doorkeeper = doorkeeper
    atom.installation(store)  # named now, so that reading a feed writes nothing
    return Gate(cast("App", routes), doorkeeper)


def create_routes(
    settings: Settings,
    store: Store,
    scheduler: Scheduler | None = None,
    *,
    demo: DemoSite | None = None,
    analysis_pool: AnalysisPool | None = None,
) -> FastAPI:
    """Put all routes together, without the gate."""
    app = FastAPI(title="Pagedrift", docs_url=None, redoc_url=None, openapi_url=None, redirect_slashes=False)
    app.state.settings, app.state.store, app.state.scheduler = settings, store, scheduler
    app.state.demo = demo
    app.state.analysis_pool = analysis_pool or (scheduler.analysis_pool if scheduler else None)
    app.state.step_trials = StepTrials(settings, store, app.state.analysis_pool)
    app.state.trial_pictures = TrialPictures()
    app.state.attempts = LoginLimiter(store)
    app.state.live = LiveEvents(store)
    for router in (
        health,
        static.router,
        login.router,
        demonstration.router,
        feeds.router,
        memento.router,
        *ROUTERS,
    ):
        app.include_router(router, include_in_schema=False)
    app.include_router(api.router)
    for error, answer in _ANSWERS.items():
        app.add_exception_handler(error, answer)
    return app


def run(settings: Settings, store: Store, scheduler: Scheduler | None = None, **options: Any) -> None:
    """Serve both origins until the process is asked to stop; see `serving.run`."""
    from pagedrift.app.web import run as serving  # loads uvicorn

    serving.run(settings, store, scheduler, **options)


async def _refused(request: Request, error: Exception) -> Response:
    assert isinstance(error, RefusedError)
    return refusal(request.scope, error.status, str(error), error.headers)


async def _wrong(request: Request, error: Exception) -> Response:
    """Answer what we refuse to do, by its kind; the message ends with the next step."""
    assert isinstance(error, PagedriftError)
    return refusal(request.scope, answer_to(error).status, str(error))


async def _unreadable(request: Request, error: Exception) -> Response:
    assert isinstance(error, RequestValidationError)
    errors = error.errors()
    status_code = 400 if errors and is_content_error(errors[0]) else 422
    return refusal(request.scope, status_code, unreadable(errors))


async def _http(request: Request, error: Exception) -> Response:
    assert isinstance(error, HTTPException)
    said = _SAID.get(error.status_code, f"{error.detail}; see /api/v1/docs")
    headers = dict(error.headers or {})
    if error.status_code == status.HTTP_405_METHOD_NOT_ALLOWED:
        headers["Allow"] = ", ".join(_allowed(request))
    return refusal(request.scope, error.status_code, said, headers)


def _allowed(request: Request) -> list[str]:
    """Name the methods of a path: those of all its routes, not only of the first, and HEAD wherever GET is one."""
    routes = request.app.routes

    def answered(method: str) -> bool:
        scope = {**request.scope, "method": method}
        return any(route.matches(scope)[0] is Match.FULL for route in routes)

    return [each for each in sorted(SAFE | UNSAFE) if answered("GET" if each == "HEAD" else each)]


_SAID: Final = {
    400: "the request cannot be read; send it as /api/v1/docs describes it",
    404: "there is nothing at this address; go back to the overview",
    405: "this method is not allowed here; see /api/v1/docs",
}


async def _broken(request: Request, error: Exception) -> Response:  # noqa: ARG001 - the server logs it
    return refusal(request.scope, 500, BROKEN)


def unreadable(errors: Sequence[Any]) -> str:
    """Say what is wrong with the first thing that was sent, without repeating its value.

    >>> unreadable([{"loc": ("body", "url"), "msg": "Field required"}])
    'url: field required; correct it and send it again'
    >>> unreadable([{"loc": ("body", "options", "every"), "type": "greater_than_equal", "input": 1}])
    'every is 1 seconds; choose between 5 seconds and 366 days'
    """
    first = errors[0] if errors else {"loc": ("request",), "msg": "cannot be read"}
    if is_of_option(first):
        return str(option_error(first, at=2))
    if first.get("type") == OUR_MESSAGE:
        return str(first["msg"])
    name = ".".join(str(part) for part in first["loc"] if part not in ("body", "query", "path")) or "the request"
    message = str(first["msg"])
    return f"{name[:200]}: {message[:1].lower()}{message[1:200]}; correct it and send it again"


def is_of_option(error: Any) -> bool:
    """Return whether an error is about the value of an option."""
    return bool(error["loc"][:2] == ("body", "options") and error["loc"][2:])


def is_content_error(error: Any) -> bool:
    """Return whether a value has the form that is described, but no meaning: an invalid channel."""
    return is_of_option(error) and error["type"] == OUR_MESSAGE


_ANSWERS: dict[type[Exception], Any] = {
    RefusedError: _refused,
    PagedriftError: _wrong,
    RequestValidationError: _unreadable,
    HTTPException: _http,
    Exception: _broken,
}
