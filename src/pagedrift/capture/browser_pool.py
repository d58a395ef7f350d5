"""A pool of browsers: many pages rendered in little memory, none at the expense of another."""

from __future__ import annotations

from collections import deque
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from queue import SimpleQueue
from typing import TYPE_CHECKING, Final

from pagedrift.capture.browser import PAGES_EACH, WINDOW, Browser, NoBrowserError, RenderError, Window

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping
    from concurrent.futures import Future

    from pagedrift.facets.view import View
    from pagedrift.page import PageVersion

    Given = Callable[[PageVersion], Mapping[str, tuple[str, bytes]]]

_AHEAD: Final = 2  # pages under way for each browser, so that none waits while an answer is used


def render_all(
    pages: Iterable[PageVersion],
    given: Given | None = None,
    *,
    browsers: int = 2,
    window: Window = WINDOW,
    pages_each: int = PAGES_EACH,
    executable: str | None = None,
) -> Iterator[tuple[PageVersion, View | RenderError]]:
    """Show many pages in several browsers at once; give each page, in order, with its view or why there is none.

    `given` finds the resources of a page, by address. Only a few pages are under way at a time. A browser that
    crashes or hangs costs the page it showed.
    """
    with ExitStack() as opened:
        free: SimpleQueue[Browser] = SimpleQueue()
        seats = max(1, browsers)
        for _ in range(seats):
            browser = Browser(window=window, executable=executable, pages_each=pages_each)
            free.put(opened.enter_context(browser))
        threads = ThreadPoolExecutor(seats, thread_name_prefix="pagedrift-pool")
        opened.callback(threads.shutdown, cancel_futures=True)

        def show(page: PageVersion) -> View | RenderError:
            browser = free.get()
            try:
                return _shown(browser, page, given(page) if given else {})
            finally:
                free.put(browser)

        waiting: deque[tuple[PageVersion, Future[View | RenderError]]] = deque()
        for page in pages:
            waiting.append((page, threads.submit(show, page)))
            if len(waiting) >= _AHEAD * seats:
                first, answer = waiting.popleft()
                yield first, answer.result()
        while waiting:
            first, answer = waiting.popleft()
            yield first, answer.result()


def _shown(browser: Browser, page: PageVersion, given: Mapping[str, tuple[str, bytes]]) -> View | RenderError:
    try:
        return browser.render(page, given)
    except NoBrowserError:
        raise
    except RenderError as error:
        return error
