"""The browser: a real Chromium that renders each page the same way every time."""

from __future__ import annotations

import os
import shutil
import signal
import threading
from contextlib import suppress
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta
from functools import cache
from typing import TYPE_CHECKING, Any, Final, TypeVar

from pagedrift.capture.request_options import PLAIN, RequestOptions
from pagedrift.capture.snapshot import WINDOW, LoopThread, Window, look, script
from pagedrift.capture.subresources import shown_at
from pagedrift.errors import UnavailableError
from pagedrift.extras import need

if TYPE_CHECKING:
    from collections.abc import Callable, Coroutine, Mapping, Sequence
    from concurrent.futures import Executor
    from types import TracebackType

    from pagedrift.capture.browser_visit import Trip, Visited
    from pagedrift.capture.http import Client, Robots
    from pagedrift.capture.step_trial import StepTrial
    from pagedrift.capture.steps import BrowserStep
    from pagedrift.facets.view import View
    from pagedrift.page import PageVersion

__all__ = ["PAGES_EACH", "WINDOW", "Browser", "NoBrowserError", "RenderError", "Window", "render"]

T = TypeVar("T")

_NAMES: Final = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome")
# The browser reaches nothing: whatever it shows is handed to it. Hinting and colour profiles differ by machine.
_FLAGS: Final = (
    "--disable-gpu --disable-quic --no-first-run --disable-background-networking "
    "--disable-component-update --disable-sync --disable-extensions --disable-dev-shm-usage --hide-scrollbars "
    "--force-color-profile=srgb --font-render-hinting=none --disable-lcd-text --force-device-scale-factor=1 "
    "--disable-partial-raster --disable-skia-runtime-opts --renderer-process-limit=2 "
    # One window, one process: what frames load is paused with the rest. And no datagrams to anybody.
    "--disable-site-isolation-trials --webrtc-ip-handling-policy=disable_non_proxied_udp"
).split()
_ALONE: Final = (
    "--host-resolver-rules=MAP * ~NOTFOUND",
    "--proxy-server=http://127.0.0.1:9",
    "--proxy-bypass-list=<-loopback>",
)
_EPOCH: Final = datetime(2020, 1, 1, 12, tzinfo=UTC)  # the clock of pages without a time of capture
_STARTING: Final = 60.0  # seconds
_ANSWERING: Final = 5.0  # seconds, after which a browser that shows nothing yet is taken for hung
_AROUND: Final = 3.0  # seconds for opening and closing a window, next to those of a visit
PAGES_EACH: Final = 200  # that one Chromium shows before a fresh one takes its place: its memory grows slowly
_SETTLING: Final = 2_000  # milliseconds of the page's own time, for what scripts do after loading


class RenderError(UnavailableError):
    """A page that the browser could not show; the next page gets a fresh browser."""


class NoBrowserError(RenderError):
    """A machine without a browser that starts: no page can be shown on it."""


@dataclass(kw_only=True)
class _Answers:
    """What one page is given when it asks, and what it asked for in vain."""

    address: str
    body: bytes
    content_type: str
    given: Mapping[str, tuple[str, bytes]]
    giver: Executor  # of one thread: archives are read from one at a time
    missing: list[str] = field(default_factory=list)
    unstyled: list[str] = field(default_factory=list)  # those of the missing that are style sheets

    async def answer(self, route: Any) -> None:
        """Answer one request from what is held; refuse and remember all others."""
        request = route.request
        url = request.url.partition("#")[0]
        if url == self.address and request.is_navigation_request() and not request.frame.parent_frame:
            await route.fulfill(status=200, body=self.body, headers={"content-type": self.content_type})
        elif request.method == "GET" and (held := await self._held(url)):
            media_type, body = held
            headers = {"content-type": media_type, "access-control-allow-origin": "*"}
            await route.fulfill(status=200, body=body, headers=headers)
        else:
            self.missing.append(url)
            if request.resource_type == "stylesheet":
                self.unstyled.append(url)
            await route.abort("blockedbyclient")

    async def _held(self, url: str) -> tuple[str, bytes] | None:
        import asyncio

        return await asyncio.get_running_loop().run_in_executor(self.giver, self.given.get, url)


class Browser:
    """A Chromium that shows one page after the other; one that crashes, hangs or has shown many is replaced.

    Threads may share it: each waits until the page of another is done.

    >>> with Browser() as browser:  # doctest: +SKIP
    ...     view = browser.render(page)
    """

    def __init__(
        self, *, window: Window = WINDOW, executable: str | None = None, pages_each: int = PAGES_EACH
    ) -> None:
        self.window = window
        self.executable = executable
        self.pages_each = pages_each
        self.restarts = 0
        self._shown = 0  # pages, by the Chromium of now
        self._turn = threading.Lock()
        self._process = self._driver = 0  # of Chromium, and of what Playwright drives it with
        self._sandboxed = os.name != "posix" or os.geteuid() != 0  # Chromium has no sandbox for root
        self._engine = ""
        self._thread: LoopThread | None = None
        self._playwright: Any = None
        self._chromium: Any = None

    def __enter__(self) -> Browser:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None
    ) -> None:
        self.close()

    def render(self, page: PageVersion, given: Mapping[str, tuple[str, bytes]] | None = None) -> View:
        """Show a version with nothing but the resources given, by address; every other request is refused."""
        return self._done(lambda: self._show(page, given or {}), page.url, self.window.seconds)

    def visit(
        self,
        url: str,
        *,
        client: Client,
        steps: Sequence[BrowserStep] = (),
        secrets: Mapping[str, str] | None = None,
        request_options: RequestOptions = PLAIN,
        robots: Robots = "report",
        leave_out: Sequence[str] = (),
    ) -> Visited:
        """Open a live page, take steps on it, and give what then stands there, with its view.

        The browser itself reaches nothing: every request of the page, whatever makes it, is sent by `client`, with
        its policy of addresses and its limits. The body of the version is the DOM after its scripts ran, as UTF-8;
        the document as the server sent it is among the exchanges. Elements that the selectors `leave_out` match are
        not in the picture. Raise FetchError where the page cannot be had, StepError where a step fails, and
        RenderError where the browser does.
        """
        from pagedrift.capture.browser_visit import VisitPlan, prepared, visited

        plan = VisitPlan(
            url=url,
            client=client,
            steps=tuple(steps),
            secrets=secrets or {},
            request_options=request_options,
            robots=robots,
            leave_out=tuple(leave_out),
            window=self.window,
        )
        trip = prepared(plan)
        found = self._sent_out(trip, lambda context, tab: trip.take(context, tab, self._engine))
        return visited(trip, found)

    def try_steps(
        self,
        url: str,
        steps: Sequence[BrowserStep],
        *,
        client: Client,
        secrets: Mapping[str, str] | None = None,
        request_options: RequestOptions = PLAIN,
        each_picture: bool = False,
    ) -> StepTrial:
        """Open a live page and take steps on it as far as they go, in a window of their own; nothing is kept.

        Requests are sent as in a visit. With `each_picture`, there is a picture after each step. Raise FetchError
        where the page cannot be had, and RenderError where the browser fails.
        """
        from pagedrift.capture.browser_visit import VisitPlan, checked
        from pagedrift.capture.step_trial import TrialTrip

        plan = VisitPlan(
            url=url,
            client=client,
            steps=tuple(steps),
            secrets=secrets or {},
            request_options=request_options,
            robots="ignore",
            leave_out=(),
            window=self.window,
        )
        trip = TrialTrip(plan, checked(plan), each_picture=each_picture)
        return self._sent_out(trip, trip.try_out)

    def _sent_out(self, trip: Trip, take: Callable[[Any, Any], Coroutine[Any, Any, T]]) -> T:
        seconds = trip.seconds + trip.spare + _AROUND
        return self._done(lambda: self._travel(trip.user_agent, take), trip.plan.url, seconds)

    def close(self) -> None:
        """End the browser."""
        with self._turn:
            thread, self._thread = self._thread, None
            if thread is None:
                return
            try:
                thread.run(self._stop(), 10)
            except TimeoutError:
                self._kill()
            thread.close()

    def _done(self, work: Callable[[], Coroutine[Any, Any, T]], url: str, seconds: float) -> T:
        """Do something in the browser, in time; a browser that fails is replaced."""
        playwright = need("browser", "playwright.async_api")
        with self._turn:
            if self._thread is None:
                self._thread = LoopThread("pagedrift-browser")
            allowed = _STARTING
            try:
                self._thread.run(self._start(playwright), allowed)
                allowed = seconds
                return self._thread.run(self._attempt(work, url, playwright), allowed)
            except TimeoutError:
                self._give_up()
                raise RenderError(_slow(url, allowed)) from None

    def _give_up(self) -> None:
        """Leave a browser that does not answer, thread and all."""
        self._kill()
        if self._thread is not None:
            self._thread.close()
        self._thread = self._chromium = self._playwright = None
        self.restarts += 1

    async def _attempt(self, work: Callable[[], Coroutine[Any, Any, T]], url: str, playwright: Any) -> T:
        self._shown += 1
        try:
            return await work()
        except playwright.Error as error:
            await self._stop()
            self.restarts += 1
            reason = str(error).splitlines()[0]
            raise RenderError(f"the browser could not show {url} ({reason}); try again, or leave it out") from None

    async def _show(self, page: PageVersion, given: Mapping[str, tuple[str, bytes]]) -> View:
        from concurrent.futures import ThreadPoolExecutor  # loads logging

        address = shown_at(page.url)
        giver = ThreadPoolExecutor(1, thread_name_prefix="pagedrift-given")
        body = page.source.encode("utf-8", "replace")
        answers = _Answers(address=address, body=body, content_type=_media_type(page), given=given, giver=giver)
        context = await self._context(locale=page.language or "en-US")
        try:
            await context.route("**/*", answers.answer)
            tab = await self._tab(context)
            await _hold_still(tab, page.captured_at or _EPOCH, scripts=self.window.scripts)
            await tab.goto(address, wait_until="load")
            if self.window.scripts:
                await tab.clock.run_for(_SETTLING)
            session = await context.new_cdp_session(tab)
            view = await look(session, self.window)
            found = replace(
                view,
                url=page.url,
                engine=self._engine,
                missing=tuple(answers.missing),
                unstyled=tuple(answers.unstyled),
            )
            return found if self.window.dom else replace(found, dom="")
        finally:
            giver.shutdown(wait=False, cancel_futures=True)
            await context.close()

    async def _travel(self, user_agent: str, take: Callable[[Any, Any], Coroutine[Any, Any, T]]) -> T:
        context = await self._context(locale="en-US", user_agent=_named(self._chromium.version, user_agent))
        try:
            return await take(context, await self._tab(context))
        finally:
            await context.close()

    async def _context(self, **more: Any) -> Any:
        """Open a fresh window, in which nothing is left of the pages before."""
        context = await self._chromium.new_context(
            viewport={"width": self.window.width, "height": self.window.height},
            java_script_enabled=self.window.scripts,
            service_workers="block",
            reduced_motion="reduce",
            timezone_id="UTC",
            accept_downloads=False,
            ignore_https_errors=True,
            **more,
        )
        context.set_default_timeout(self.window.seconds * 1000)
        await context.route_web_socket("**/*", lambda socket: socket.close())
        return context

    async def _tab(self, context: Any) -> Any:
        tab = await context.new_page()
        tab.on("dialog", lambda dialog: dialog.dismiss())
        return tab

    async def _start(self, playwright: Any) -> None:
        if self._shown < self.pages_each and await self._answers(playwright):
            return
        await self._stop()
        path = self.executable or _system_chromium()
        try:
            await self._launch(playwright, path)
        except playwright.Error as error:
            await self._stop()
            raise NoBrowserError(_no_browser(path, error)) from None
        self._shown = 0

    async def _launch(self, playwright: Any, path: str | None) -> None:
        self._playwright = await playwright.async_playwright().start()
        self._driver = _driver_of(self._playwright)
        launch, how = self._playwright.chromium.launch, {"executable_path": path, "args": [*_FLAGS, *_ALONE]}
        if self._sandboxed:
            try:
                self._chromium = await launch(chromium_sandbox=True, **how)
            except playwright.Error:  # many containers have no user namespaces
                self._sandboxed = False
        if not self._sandboxed:
            self._chromium = await launch(chromium_sandbox=False, **how)
        session = await self._chromium.new_browser_cdp_session()
        processes = (await session.send("SystemInfo.getProcessInfo"))["processInfo"]
        self._process = next(each["id"] for each in processes if each["type"] == "browser")
        await session.detach()
        window = self.window
        self._engine = f"Chromium {self._chromium.version}, {window.width}×{window.height}, fonts {_fonts()}"

    async def _answers(self, playwright: Any) -> bool:
        """Return whether there is a browser: Playwright learns only at the next call that its own is gone."""
        if self._chromium is None or not self._chromium.is_connected():
            return False
        import asyncio

        try:
            session = await asyncio.wait_for(self._chromium.new_browser_cdp_session(), _ANSWERING)
            await asyncio.wait_for(session.detach(), _ANSWERING)
        except (playwright.Error, TimeoutError):
            self._kill()
            self.restarts += 1
            return False
        return True

    async def _stop(self) -> None:
        with suppress(Exception):  # whatever state it is in
            if self._chromium is not None:
                await self._chromium.close()
        with suppress(Exception):
            if self._playwright is not None:
                await self._playwright.stop()
        self._chromium = self._playwright = None

    def _kill(self) -> None:
        # Without its driver, Playwright gives up whatever it waits for: a browser that is gone may never answer.
        for process in (self._process, self._driver):
            if process:
                with suppress(ProcessLookupError, PermissionError):
                    os.kill(process, signal.SIGKILL)
        self._process = self._driver = 0


def _named(version: str, agent: str) -> str:
    """Say who asks: a Chromium, and whose."""
    if not agent.startswith("Pagedrift/"):
        return agent
    major = version.partition(".")[0]
    like = "Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko)"
    return f"{like} Chrome/{major}.0.0.0 Safari/537.36 {agent}"


def _driver_of(playwright: Any) -> int:
    """Find the process that Playwright talks to, which is not in its public API; 0 where it is not found."""
    try:
        return int(playwright._impl_obj._connection._transport._proc.pid)
    except AttributeError:
        return 0


async def _hold_still(tab: Any, moment: datetime, *, scripts: bool) -> None:
    """Stop the clock at a moment and take chance away."""
    if scripts:
        await tab.add_init_script(script("still.js"))
        await tab.clock.install(time=moment - timedelta(minutes=1))  # it runs until it is stopped, and never back
        await tab.clock.pause_at(moment)


def _system_chromium() -> str | None:
    return next((path for name in _NAMES if (path := shutil.which(name))), None)


@cache
def _fonts() -> str:
    """Name the set of fonts of this machine in few letters: text is as wide as its font."""
    import hashlib
    import subprocess

    lister = shutil.which("fc-list")
    listed = subprocess.run([lister, ":", "file"], capture_output=True, check=False).stdout if lister else b""
    return hashlib.sha256(b"\n".join(sorted(listed.splitlines()))).hexdigest()[:8]


def _media_type(page: PageVersion) -> str:
    content_type = page.content_type or page.header("content-type") or "text/html"
    return content_type.split(";")[0].strip() + "; charset=utf-8"


def _slow(url: str, seconds: float) -> str:
    next_step = "allow more with Window(seconds=…), or leave it out"
    return f"the browser did not show {url} within {seconds:g} seconds; {next_step}"


def _no_browser(path: str | None, error: Exception) -> str:
    reason = str(error).splitlines()[0]
    if path:
        return f"{path} does not start ({reason}); install it again, on Debian: apt-get install chromium"
    return (
        "Chromium is not installed; install it, on Debian: apt-get install chromium, "
        "elsewhere: playwright install chromium"
    )


def render(
    page: PageVersion, given: Mapping[str, tuple[str, bytes]] | None = None, *, window: Window = WINDOW
) -> PageVersion:
    """Show a version in a browser of its own, and give it back with its view; `given` are its resources by address.

    Many pages are shown faster in one `Browser`.
    """
    with Browser(window=window) as browser:
        return replace(page, view=browser.render(page, given))
