"""How do many pages get shown in little memory, none of them at the cost of another?"""

from __future__ import annotations

from collections import deque
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from queue import SimpleQueue
from typing import TYPE_CHECKING, Final

from pagedrift.capture.browser import WINDOW, Browser, NoBrowserError, RenderError, Window

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping
    from concurrent.futures import Future

    from pagedrift.facets.view import View
    from pagedrift.page import PageVersion

    Given = Callable[[PageVersion], Mapping[str, tuple[str, bytes]]]

PAGES_EACH: Final = 200  # that one browser shows before a fresh one takes its place: its memory grows slowly
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
        seats = [opened.enter_context(_Seat(window, executable, pages_each)) for _ in range(max(1, browsers))]
        free: SimpleQueue[_Seat] = SimpleQueue()
        for seat in seats:
            free.put(seat)
        threads = ThreadPoolExecutor(len(seats), thread_name_prefix="pagedrift-pool")
        opened.callback(threads.shutdown, cancel_futures=True)

        def show(page: PageVersion) -> View | RenderError:
            seat = free.get()
            try:
                return seat.show(page, given(page) if given else {})
            finally:
                free.put(seat)

        waiting: deque[tuple[PageVersion, Future[View | RenderError]]] = deque()
        for page in pages:
            waiting.append((page, threads.submit(show, page)))
            if len(waiting) >= _AHEAD * len(seats):
                first, answer = waiting.popleft()
                yield first, answer.result()
        while waiting:
            first, answer = waiting.popleft()
            yield first, answer.result()


class _Seat:
    """A place for one browser, which is replaced from time to time."""

    def __init__(self, window: Window, executable: str | None, pages_each: int) -> None:
        self.window, self.executable, self.pages_each = window, executable, pages_each
        self.left = pages_each
        self.browser = Browser(window=window, executable=executable)

    def __enter__(self) -> _Seat:
        return self

    def __exit__(self, *_: object) -> None:
        self.browser.close()

    def show(self, page: PageVersion, given: Mapping[str, tuple[str, bytes]]) -> View | RenderError:
        if not self.left:
            self.browser.close()
            self.browser = Browser(window=self.window, executable=self.executable)
            self.left = self.pages_each
        self.left -= 1
        try:
            return self.browser.render(page, given)
        except NoBrowserError:
            raise
        except RenderError as error:
            return error
