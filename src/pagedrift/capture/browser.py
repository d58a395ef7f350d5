"""How does a real browser show a page, the same way every time?"""

from __future__ import annotations

import base64
import os
import shutil
import signal
from contextlib import suppress
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta
from functools import cache
from importlib.resources import files
from typing import TYPE_CHECKING, Any, Final

from pagedrift.capture.surroundings import shown_at
from pagedrift.errors import PagedriftError
from pagedrift.extras import need
from pagedrift.facets.view import View, read_view

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from types import TracebackType

    from pagedrift.page import PageVersion

_NAMES: Final = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome")
# The browser reaches nothing: whatever it shows is handed to it. Hinting and colour profiles differ by machine.
_FLAGS: Final = (
    "--no-sandbox --disable-gpu --disable-quic --no-first-run --disable-background-networking "
    "--disable-component-update --disable-sync --disable-extensions --disable-dev-shm-usage --hide-scrollbars "
    "--force-color-profile=srgb --font-render-hinting=none --disable-lcd-text --force-device-scale-factor=1 "
    "--disable-partial-raster --disable-skia-runtime-opts --renderer-process-limit=2"
).split()
_ALONE: Final = (
    "--host-resolver-rules=MAP * ~NOTFOUND",
    "--proxy-server=http://127.0.0.1:9",
    "--proxy-bypass-list=<-loopback>",
)
_EPOCH: Final = datetime(2020, 1, 1, 12, tzinfo=UTC)  # the clock of pages without a time of capture
_LONGEST_DOM: Final = 20_000_000  # characters
_SETTLING: Final = 2_000  # milliseconds of the page's own time, for what scripts do after loading


class RenderError(PagedriftError):
    """A page that the browser could not show; the next page gets a fresh browser."""


class NoBrowserError(RenderError):
    """A machine without a browser that starts: no page can be shown on it."""


@dataclass(frozen=True, slots=True)
class Window:
    """How the browser looks at pages, and where it stops looking."""

    width: int = 1024
    height: int = 1000
    most_height: int = 6_000  # of the picture
    most_nodes: int = 20_000
    most_text: int = 2_000_000
    seconds: float = 30.0  # for one page, everything included
    scripts: bool = True
    dom: bool = False  # kept as HTML, too


WINDOW: Final = Window()


@dataclass
class _Answers:
    """What one page is given when it asks, and what it asked for in vain."""

    address: str
    body: bytes
    content_type: str
    given: Mapping[str, tuple[str, bytes]]
    missing: list[str] = field(default_factory=list)
    unstyled: list[str] = field(default_factory=list)  # those of the missing that are style sheets

    def answer(self, route: Any) -> None:
        """Answer one request from what is held; refuse and remember all others."""
        request = route.request
        url = request.url.partition("#")[0]
        if url == self.address and request.is_navigation_request() and not request.frame.parent_frame:
            route.fulfill(status=200, body=self.body, headers={"content-type": self.content_type})
        elif request.method == "GET" and (held := self.given.get(url)):
            media_type, body = held
            headers = {"content-type": media_type, "access-control-allow-origin": "*"}
            route.fulfill(status=200, body=body, headers=headers)
        else:
            self.missing.append(url)
            if request.resource_type == "stylesheet":
                self.unstyled.append(url)
            route.abort("blockedbyclient")


class Browser:
    """A Chromium that shows one page after the other; one that crashes or hangs is replaced.

    It works in a thread of its own, because Playwright belongs to the thread that started it.

    >>> with Browser() as browser:  # doctest: +SKIP
    ...     view = browser.render(page)
    """

    def __init__(self, *, window: Window = WINDOW, executable: str | None = None) -> None:
        self.window = window
        self.executable = executable
        self.restarts = 0
        self._process = self._driver = 0  # of Chromium, and of what Playwright drives it with
        self._engine = ""
        self._begin()

    def _begin(self) -> None:
        """Take a fresh thread, and leave alone what an old one still waits for."""
        from concurrent.futures import ThreadPoolExecutor  # loads logging

        self._thread = ThreadPoolExecutor(1, thread_name_prefix="pagedrift-browser")
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
        task = self._thread.submit(self._render, page, given or {})
        try:
            return task.result(self.window.seconds)
        except TimeoutError:
            self._kill()
            with suppress(Exception):  # that the browser is gone
                task.result(10)
            self._thread.shutdown(wait=False)
            self._begin()
            raise RenderError(_slow(page.url, self.window.seconds)) from None

    def close(self) -> None:
        """End the browser."""
        try:
            self._thread.submit(self._stop).result(10)
        except (TimeoutError, RuntimeError):
            self._kill()
        self._thread.shutdown(wait=False)

    def _render(self, page: PageVersion, given: Mapping[str, tuple[str, bytes]]) -> View:
        playwright = need("browser", "playwright.sync_api")
        try:
            self._start(playwright)
            return self._show(page, given)
        except playwright.Error as error:
            self._stop()
            self.restarts += 1
            reason = str(error).splitlines()[0]
            raise RenderError(
                f"the browser could not show {page.url} ({reason}); try again, or leave it out"
            ) from None

    def _show(self, page: PageVersion, given: Mapping[str, tuple[str, bytes]]) -> View:
        address = shown_at(page.url)
        answers = _Answers(address, page.source.encode("utf-8", "replace"), _media_type(page), given)
        context = self._chromium.new_context(
            viewport={"width": self.window.width, "height": self.window.height},
            java_script_enabled=self.window.scripts,
            service_workers="block",
            reduced_motion="reduce",
            locale=page.language or "en-US",
            timezone_id="UTC",
            accept_downloads=False,
            ignore_https_errors=True,
        )
        try:
            context.set_default_timeout(self.window.seconds * 1000)
            context.route("**/*", answers.answer)
            context.route_web_socket("**/*", lambda socket: socket.close())
            tab = context.new_page()
            tab.on("dialog", lambda dialog: dialog.dismiss())
            _hold_still(tab, page.captured_at or _EPOCH, scripts=self.window.scripts)
            tab.goto(address, wait_until="load")
            return self._look(context, tab, page.url, answers)
        finally:
            context.close()

    def _look(self, context: Any, tab: Any, url: str, answers: _Answers) -> View:
        """Take picture and nodes of a page that was loaded, both at one moment."""
        if self.window.scripts:
            tab.clock.run_for(_SETTLING)
        session = context.new_cdp_session(tab)
        window = self.window
        run = _isolated(session)
        run("document.getAnimations().forEach((each) => { try { each.finish() } catch { each.cancel() } })")
        run(_LOADED, wait=True)
        extracted = run(f"({_script('extract.js')})({window.most_nodes}, {window.most_text})")
        missing, unstyled = tuple(answers.missing), tuple(answers.unstyled)
        view = read_view(extracted, engine=self._engine, missing=missing, unstyled=unstyled)
        height = max(1, min(view.height, window.most_height))
        taken = session.send(
            "Page.captureScreenshot",
            {
                "format": "png",
                "optimizeForSpeed": True,
                "captureBeyondViewport": True,
                "clip": {"x": 0, "y": 0, "width": window.width, "height": height, "scale": 1},
            },
        )
        dom = run(f"document.documentElement.outerHTML.slice(0, {_LONGEST_DOM})") if window.dom else ""
        return replace(
            view, url=url, picture=base64.b64decode(taken["data"]), dom=f"<!doctype html>{dom}" * window.dom
        )

    def _start(self, playwright: Any) -> None:
        if self._chromium is not None and self._chromium.is_connected() and _runs(self._process):
            return
        self._stop()
        self._playwright = self._playwright or playwright.sync_playwright().start()
        self._driver = _driver_of(self._playwright)
        path = self.executable or _system_chromium()
        try:
            self._chromium = self._playwright.chromium.launch(executable_path=path, args=[*_FLAGS, *_ALONE])
        except playwright.Error as error:
            raise NoBrowserError(_no_browser(path, error)) from None
        session = self._chromium.new_browser_cdp_session()
        processes = session.send("SystemInfo.getProcessInfo")["processInfo"]
        self._process = next(each["id"] for each in processes if each["type"] == "browser")
        session.detach()
        window = self.window
        self._engine = f"Chromium {self._chromium.version}, {window.width}×{window.height}, fonts {_fonts()}"

    def _stop(self) -> None:
        with suppress(Exception):  # whatever state it is in
            if self._chromium is not None:
                self._chromium.close()
        with suppress(Exception):
            if self._playwright is not None:
                self._playwright.stop()
        self._chromium = self._playwright = None

    def _kill(self) -> None:
        # Without its driver, Playwright gives up whatever it waits for: a browser that is gone may never answer.
        for process in (self._process, self._driver):
            if process:
                with suppress(ProcessLookupError, PermissionError):
                    os.kill(process, signal.SIGKILL)
        self._process = self._driver = 0


def _driver_of(playwright: Any) -> int:
    """Find the process that Playwright talks to, which it does not tell in public; 0 where it is not found."""
    try:
        return int(playwright._impl_obj._connection._transport._proc.pid)
    except AttributeError:
        return 0


_LOADED = """(async () => {
  for (let y = 0; y < Math.min(document.documentElement.scrollHeight, 20000); y += 500) scrollTo(0, y);
  scrollTo(0, 0);
  const images = [...document.images].filter((image) => !image.complete || image.loading === "lazy");
  for (const image of images) image.loading = "eager";
  await Promise.allSettled(images.map((image) => image.decode()));
  await document.fonts.ready;
})()"""


def _hold_still(tab: Any, moment: datetime, *, scripts: bool) -> None:
    """Stop the clock at a moment and take chance away."""
    if scripts:
        tab.add_init_script(_script("still.js"))
        tab.clock.install(time=moment - timedelta(minutes=1))  # it runs until it is stopped, and never back
        tab.clock.pause_at(moment)


def _isolated(session: Any) -> Callable[..., Any]:
    """Give a way to run our scripts where the page's own cannot reach them."""
    frame = session.send("Page.getFrameTree")["frameTree"]["frame"]["id"]
    world = session.send("Page.createIsolatedWorld", {"frameId": frame})["executionContextId"]

    def run(code: str, *, wait: bool = False) -> Any:
        question = {"expression": code, "contextId": world, "awaitPromise": wait, "returnByValue": True}
        return session.send("Runtime.evaluate", question)["result"].get("value")

    return run


def _runs(process: int) -> bool:
    """Tell whether a process is there: Playwright learns only at the next call that its browser is gone."""
    if os.name != "posix":  # elsewhere, asking would end it
        return True
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    except PermissionError:  # it is another user's
        pass
    return True


@cache
def _script(name: str) -> str:
    return files(__package__).joinpath(name).read_text("utf-8")


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
        "there is no Chromium on this machine; install one, on Debian: apt-get install chromium, "
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
