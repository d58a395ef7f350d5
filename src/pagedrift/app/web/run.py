"""Server that runs both origins in one process and shuts down gracefully."""

from __future__ import annotations

import asyncio
import logging
import os
import signal
import socket
import threading
from contextlib import contextmanager, nullcontext, suppress
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Final, cast

import uvicorn
from uvicorn.middleware.proxy_headers import ProxyHeadersMiddleware

from pagedrift.app.model.actors import APPLICATION, act_as
from pagedrift.app.monitor.worker_pool import AnalysisPool
from pagedrift.app.web.application import create_app
from pagedrift.app.web.auth import first_password
from pagedrift.app.web.content import create_content_app
from pagedrift.app.web.demo import watch
from pagedrift.app.web.log_redaction import hide_secrets
from pagedrift.app.web.request_context import EVERYWHERE, app_origin, content_origin
from pagedrift.app.web.sign_on import PEER, check_settings
from pagedrift.errors import UnavailableError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from pagedrift.app.demo.site import DemoSite
    from pagedrift.app.monitor.scheduler import Scheduler
    from pagedrift.app.settings import Settings
    from pagedrift.app.store.store import Store

    Ready = Callable[[list[str]], None]

SECONDS_TO_STOP: Final = 10  # for answers under way
CONNECTIONS: Final = 500  # at once; one more gets 503


class ServeError(UnavailableError):
    """An address that cannot be served at."""


class _Server(uvicorn.Server):
    """A server that leaves signals to us: there are two."""

    def capture_signals(self) -> Any:
        return nullcontext()


def run(
    settings: Settings,
    store: Store,
    scheduler: Scheduler | None = None,
    *,
    ready: Ready | None = None,
    demo: DemoSite | None = None,
    start_demo: bool = False,
) -> None:
    """Serve the application and the captured pages until the process is asked to stop."""
    asyncio.run(_serve(settings, store, scheduler, demo=demo, start_demo=start_demo, ready=ready, stop=None))


@contextmanager
def serving(settings: Settings, store: Store, scheduler: Scheduler | None = None) -> Iterator[Settings]:
    """Serve in a thread; give the settings with the ports that were taken."""
    stop, begun = threading.Event(), threading.Event()
    known: list[Settings] = []

    def bound(settings: Settings) -> None:
        known.append(settings)
        begun.set()

    def work() -> None:
        try:
            asyncio.run(_serve(settings, store, scheduler, stop=stop, bound=bound))
        finally:
            begun.set()

    thread = threading.Thread(target=work, name="pagedrift-web", daemon=True)
    thread.start()
    begun.wait()
    if not known:
        raise ServeError("the server did not start; see the log")
    try:
        yield known[0]
    finally:
        stop.set()
        thread.join()


async def _serve(
    settings: Settings,
    store: Store,
    scheduler: Scheduler | None,
    *,
    demo: DemoSite | None = None,
    start_demo: bool = False,
    ready: Ready | None = None,
    stop: threading.Event | None = None,
    bound: Callable[[Settings], None] | None = None,
) -> None:
    hide_secrets()
    check_settings(settings)
    act_as(APPLICATION)  # a request says itself who sent it
    sockets, settings = _bind(settings)
    password = await asyncio.to_thread(first_password, settings, store)
    analysis_pool = AnalysisPool(2, patience=0.1)  # for people, who shall not wait behind the scheduler's
    apps = (
        create_app(settings, store, scheduler, demo=demo, analysis_pool=analysis_pool),
        create_content_app(settings, store, analysis_pool),
    )
    servers = [_Server(_config(app, settings)) for app in apps]
    cast("Any", apps[0]).app.state.live.is_stopping = lambda: servers[0].should_exit
    _end_on_signals(servers)
    tasks = [asyncio.create_task(each.serve([listening])) for each, listening in zip(servers, sockets, strict=True)]
    while not all(each.started for each in servers) and not any(task.done() for task in tasks):
        await asyncio.sleep(0.01)
    if start_demo and demo is not None:
        await asyncio.to_thread(watch, store, scheduler, demo)
    if ready:
        ready(_lines(settings, password))
    if bound:
        bound(settings)
    waiting = asyncio.create_task(_stopped(stop, servers)) if stop else None
    try:
        await asyncio.gather(*tasks)
    finally:
        await asyncio.to_thread(cast("Any", apps[0]).app.state.step_trials.close)
        await asyncio.to_thread(analysis_pool.close)
        if waiting:
            waiting.cancel()


def _bind(settings: Settings) -> tuple[list[socket.socket], Settings]:
    """Take both ports, before anything else starts; 0 stands for one that is free."""
    listening: list[socket.socket] = []
    wanted = [settings.port, settings.content_port or (settings.port + 1 if settings.port else 0)]
    family = socket.AF_INET6 if ":" in settings.host else socket.AF_INET
    for port in wanted:
        try:
            listening.append(socket.create_server((settings.host, port), family=family, backlog=1024))
        except (OSError, OverflowError) as error:
            for each in listening:
                each.close()
            number = getattr(error, "errno", None)  # Python's own words repeat the address
            reason = os.strerror(number) if number and number > 0 else "the host or port does not exist"
            raise ServeError(
                f"{settings.host} port {port} cannot be served at ({reason}); choose another with --port"
            ) from None
    port, content_port = (each.getsockname()[1] for each in listening)
    return listening, replace(settings, port=port, content_port=content_port)


def _behind_proxy(app: Any, settings: Settings) -> Any:
    """Count clients by the address that a proxy names; who the connection is from stays known."""
    forwarded: Any = (
        ProxyHeadersMiddleware(app, trusted_hosts=["127.0.0.1", "::1", *settings.trusted_proxies])
        if settings.public_url
        else app
    )

    async def connected(scope: Any, receive: Any, send: Any) -> None:
        await forwarded({**scope, PEER: scope.get("client")}, receive, send)

    return connected


def _config(app: Any, settings: Settings) -> uvicorn.Config:
    return uvicorn.Config(
        _behind_proxy(app, settings),
        http="h11",
        ws="none",
        lifespan="on",
        log_config=None,
        access_log=False,  # addresses of feeds and of captured pages let in whoever knows them
        server_header=False,
        proxy_headers=False,  # see _behind_proxy
        limit_concurrency=CONNECTIONS,
        timeout_keep_alive=15,
        timeout_graceful_shutdown=SECONDS_TO_STOP,
    )


def _end_on_signals(servers: list[_Server]) -> None:
    if threading.current_thread() is not threading.main_thread():
        return
    loop = asyncio.get_running_loop()

    def end() -> None:
        if servers[0].should_exit:  # asked twice, it does not wait, nor say what it broke off
            logging.getLogger("uvicorn.error").setLevel(logging.CRITICAL)
        for each in servers:
            each.force_exit = each.should_exit
            each.should_exit = True

    for number in (signal.SIGINT, signal.SIGTERM):
        with suppress(NotImplementedError):
            loop.add_signal_handler(number, end)


async def _stopped(stop: threading.Event, servers: list[_Server]) -> None:
    while not stop.is_set():
        await asyncio.sleep(0.02)
    for each in servers:
        each.should_exit = True


def _lines(settings: Settings, password: str | None) -> list[str]:
    """Say where it is and, at its first start beyond this machine, how to get in."""
    where = settings.public_url or app_origin(settings)
    lines = [f"Pagedrift is at {where}", f"Captured pages are shown from {content_origin(settings)}"]
    if settings.host in EVERYWHERE and not settings.public_url:
        lines.append("and at every other address of this machine")
    if password:
        lines.append(f"The password is {password} (shown only now; change it in the settings)")
    return lines
