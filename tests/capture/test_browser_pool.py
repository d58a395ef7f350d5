import os
import signal
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path

import pytest

from pagedrift import PageVersion
from pagedrift.capture.browser import Browser, NoBrowserError, RenderError, Window
from pagedrift.capture.browser_pool import render_all
from pagedrift.facets.view import View
from tests.conftest import CHROMIUM

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(
        not CHROMIUM, reason="there is no Chromium on this machine; on Debian: apt-get install chromium"
    ),
]


def page(number: int) -> PageVersion:
    return PageVersion(f"https://city.example/{number}", f"<h1>Page {number}</h1>".encode())


def told(answers: Iterator[tuple[PageVersion, View | RenderError]]) -> list[str]:
    return [" ".join(found.texts()) if isinstance(found, View) else "lost" for _, found in answers]


def below(root: int) -> dict[int, tuple[str, str]]:
    """The processes that a process started, and those that they started: name and state."""
    parents, found = {}, {}
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            try:
                name, _, rest = (entry / "stat").read_text().rpartition(")")
            except OSError:
                continue
            state, parent = rest.split()[:2]
            parents[int(entry.name)] = int(parent), name.partition("(")[2], state
    wanted = {root}
    for _ in range(8):
        wanted |= {number for number, (parent, _, _) in parents.items() if parent in wanted}
    for number in wanted - {root}:
        found[number] = parents[number][1:]
    return found


def browsers() -> set[int]:
    """The Chromiums that this process runs: those whose parent is no Chromium."""
    started = below(os.getpid())
    chromium = {number for number, (name, state) in started.items() if name.startswith("chrom") and state != "Z"}
    inner = set().union(*(below(number) for number in chromium)) if chromium else set()
    return chromium - inner


def kill(processes: set[int]) -> None:
    for number in processes:
        with suppress(ProcessLookupError):  # some are there for a moment only
            os.kill(number, signal.SIGKILL)


def until(is_so: Callable[[], bool]) -> None:
    for _ in range(6_000):
        if is_so():
            return
        time.sleep(0.1)
    raise AssertionError("it did not come to that in ten minutes")


def test_many_pages_are_given_in_order() -> None:
    assert told(render_all(map(page, range(7)), browsers=2)) == [f"Page {number}" for number in range(7)]


def test_a_browser_that_is_killed_costs_one_page_at_most() -> None:
    alive = browsers()
    answers = render_all(map(page, range(8)), browsers=1)
    first = next(answers)
    kill(browsers() - alive)
    rest = told(answers)

    assert told(iter([first])) == ["Page 0"]
    assert len(rest) == 7
    assert rest.count("lost") <= 1
    assert rest[-1] == "Page 7"


def test_a_page_that_hangs_costs_only_itself() -> None:
    hanging = PageVersion("https://city.example/", b"<script>for (;;);</script>")
    pages = [page(0), hanging, page(2)]

    assert told(render_all(pages, browsers=1, window=Window(seconds=20))) == ["Page 0", "lost", "Page 2"]


def test_a_browser_makes_way_for_a_fresh_one() -> None:
    alive = browsers()
    seen = set()
    for _, found in render_all(map(page, range(6)), browsers=1, pages_each=2):
        assert isinstance(found, View)
        seen |= browsers() - alive

    assert len(seen) >= 2


def test_nothing_is_left_running_after_the_last_page_or_an_early_end() -> None:
    before = set(below(os.getpid()))
    answers = render_all(map(page, range(20)), browsers=2)
    next(answers)
    answers.close()

    until(lambda: set(below(os.getpid())) <= before)


def test_a_browser_that_was_killed_between_pages_is_replaced_unnoticed() -> None:
    alive = browsers()
    with Browser() as browser:
        browser.render(page(0))
        kill(browsers() - alive)
        until(lambda: browsers() <= alive)

        assert list(browser.render(page(1)).texts()) == ["Page 1"]


def test_resources_are_found_for_each_page() -> None:
    styled = PageVersion("https://city.example/", b"<link rel=stylesheet href=/a.css><p>Fees")
    sheet = {"https://city.example/a.css": ("text/css", b"p { font-size: 40px }")}
    [(_, view)] = render_all([styled], lambda _: sheet)

    assert isinstance(view, View)
    assert view.missing == ()


def test_without_a_browser_that_starts_nothing_is_tried_page_by_page() -> None:
    with pytest.raises(NoBrowserError, match="apt-get install chromium"):
        list(render_all(map(page, range(100)), executable="/bin/false"))
