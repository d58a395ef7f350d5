"""Snapshots of a page in a browser: its picture, nodes and DOM, all of one moment."""

from __future__ import annotations

import base64
import threading
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import cache
from importlib.resources import files
from typing import TYPE_CHECKING, Any, Final, TypeVar

from pagedrift.errors import InputError
from pagedrift.facets.view import View, read_view
from pagedrift.limits import MEGABYTE

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Coroutine, Sequence

T = TypeVar("T")
_MAX_DOM_CHARS: Final = 20_000_000  # characters
MAX_PHOTO_BYTES: Final = 1_000_000  # of a picture that shows where steps led
MAX_PHOTO_HEIGHT: Final = 3_000  # pixels
_QUALITIES: Final = (75, 40, 15)  # of JPEG, from good to poor
_LATE: Final = 5_000  # milliseconds for pictures that are loaded only where somebody scrolls


@dataclass(frozen=True, slots=True, kw_only=True)
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
    most_requests: int = 500  # of one visit
    most_bytes: int = 64 * MEGABYTE  # of all that one visit loads


WINDOW: Final = Window()

_LOADED: Final = """(async (most) => {
  for (let y = 0; y < Math.min(document.documentElement.scrollHeight, 20000); y += 500) scrollTo(0, y);
  scrollTo(0, 0);
  const images = [...document.images].filter((image) => !image.complete || image.loading === "lazy");
  for (const image of images) image.loading = "eager";
  const loaded = Promise.allSettled(images.map((image) => image.decode())).then(() => document.fonts.ready);
  await (most ? Promise.race([loaded, new Promise((done) => setTimeout(done, most))]) : loaded);
})"""
_HIDE: Final = """((selectors) => { for (const each of selectors) try {
  for (const found of document.querySelectorAll(each)) found.style.setProperty("visibility", "hidden", "important");
} catch { return each } })"""

# Fields that were filled in with a secret look like those for passwords.
_DOTTED: Final = """((selectors) => { for (const each of selectors) try {
  for (const found of Document.prototype.querySelectorAll.call(document, each))
    found.style.setProperty("-webkit-text-security", "disc", "important");
} catch { continue } })"""


async def look(session: Any, window: Window, *, leave_out: Sequence[str] = (), live: bool = False) -> View:
    """Take picture, nodes and DOM of a page that was loaded."""
    import json

    run = await isolated(session)
    await run("document.getAnimations().forEach((each) => { try { each.finish() } catch { each.cancel() } })")
    await run(f"({_LOADED})({_LATE if live else 0})", wait=True)
    dom = ""
    if window.dom or live:
        dom = f"<!doctype html>{await run(f'document.documentElement.outerHTML.slice(0, {_MAX_DOM_CHARS})')}"
    if leave_out and (wrong := await run(f"({_HIDE})({json.dumps(list(leave_out))})")):
        raise InputError(f"{wrong!r} is not a valid CSS selector; correct it, or leave it out")
    extracted = await run(f"({script('extract.js')})({window.most_nodes}, {window.most_text})")
    view = read_view(extracted)
    height = max(1, min(view.height, window.most_height))
    taken = await session.send(
        "Page.captureScreenshot",
        {
            "format": "png",
            "optimizeForSpeed": True,
            "captureBeyondViewport": True,
            "clip": {"x": 0, "y": 0, "width": window.width, "height": height, "scale": 1},
        },
    )
    return replace(view, picture=base64.b64decode(taken["data"]), dom=dom)


async def photograph(session: Any, window: Window, *, dotted: Sequence[str] = ()) -> bytes:
    """Take a small picture of a page as it stands, whatever state it is in; empty where none is small enough.

    Nothing is waited for and nothing is scrolled to. Fields that the selectors `dotted` mean show dots.
    """
    import json

    if dotted:
        await (await isolated(session))(f"({_DOTTED})({json.dumps(list(dotted))})")
    size = (await session.send("Page.getLayoutMetrics"))["cssContentSize"]
    height = max(1, min(size["height"], MAX_PHOTO_HEIGHT))
    clip = {"x": 0, "y": 0, "width": window.width, "height": height, "scale": 1}
    for quality in _QUALITIES:
        asked = {"format": "jpeg", "quality": quality, "captureBeyondViewport": True, "clip": clip}
        taken = base64.b64decode((await session.send("Page.captureScreenshot", asked))["data"])
        if len(taken) <= MAX_PHOTO_BYTES:
            return taken
    return b""


async def isolated(session: Any) -> Callable[..., Awaitable[Any]]:
    """Give a way to run our scripts where the page's own cannot reach them."""
    frame = (await session.send("Page.getFrameTree"))["frameTree"]["frame"]["id"]
    world = (await session.send("Page.createIsolatedWorld", {"frameId": frame}))["executionContextId"]

    async def run(code: str, *, wait: bool = False) -> Any:
        question = {"expression": code, "contextId": world, "awaitPromise": wait, "returnByValue": True}
        return (await session.send("Runtime.evaluate", question))["result"].get("value")

    return run


@cache
def script(name: str) -> str:
    """Read a script that runs in pages."""
    return files(__package__).joinpath(name).read_text("utf-8")


class LoopThread:
    """A thread in which coroutines run for callers that wait: Playwright belongs to the loop that started it."""

    def __init__(self, name: str) -> None:
        import asyncio  # takes time to load

        self._asyncio = asyncio
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever, name=name, daemon=True)
        self._thread.start()

    def run(self, work: Coroutine[Any, Any, T], seconds: float) -> T:
        """Run something to its end; raise TimeoutError where that takes too long."""
        task = self._asyncio.run_coroutine_threadsafe(work, self._loop)
        try:
            return task.result(seconds)
        except TimeoutError:
            task.cancel()
            raise

    def close(self) -> None:
        """End whatever still runs, and the thread."""
        with suppress(TimeoutError):
            self._asyncio.run_coroutine_threadsafe(self._end(), self._loop).result(5)
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join(5)
        if not self._thread.is_alive():
            self._loop.close()

    async def _end(self) -> None:
        me = self._asyncio.current_task()
        others = [task for task in self._asyncio.all_tasks() if task is not me]
        for task in others:
            task.cancel()
        await self._asyncio.wait(others, timeout=3) if others else None
