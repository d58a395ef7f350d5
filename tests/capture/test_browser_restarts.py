import os
import signal
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

import pytest

from pagedrift import PageVersion
from pagedrift.capture.browser import Browser, RenderError
from tests.conftest import CHROMIUM

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(
        not CHROMIUM, reason="there is no Chromium on this machine; on Debian: apt-get install chromium"
    ),
]


def page(number: int) -> PageVersion:
    return PageVersion(f"https://city.example/{number}", f"<h1>Page {number}</h1>".encode())


def told(browser: Browser, number: int) -> str:
    try:
        return " ".join(browser.render(page(number)).texts())
    except RenderError:
        return "lost"


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


def test_a_browser_that_is_killed_costs_one_page_at_most() -> None:
    alive = browsers()
    with Browser() as browser:
        first = told(browser, 0)
        kill(browsers() - alive)
        rest = [told(browser, number) for number in range(1, 8)]

    assert first == "Page 0"
    assert rest.count("lost") <= 1
    assert rest[-1] == "Page 7"


def test_a_browser_makes_way_for_a_fresh_one() -> None:
    alive = browsers()
    seen = set()
    with Browser(pages_each=2) as browser:
        for number in range(6):
            assert told(browser, number) == f"Page {number}"
            seen |= browsers() - alive

    assert len(seen) >= 2


def test_nothing_is_left_running_after_the_last_page() -> None:
    before = set(below(os.getpid()))
    with Browser() as browser:
        browser.render(page(0))

    until(lambda: set(below(os.getpid())) <= before)


def test_a_browser_that_was_killed_between_pages_is_replaced_unnoticed() -> None:
    alive = browsers()
    with Browser() as browser:
        browser.render(page(0))
        kill(browsers() - alive)
        until(lambda: browsers() <= alive)

        assert list(browser.render(page(1)).texts()) == ["Page 1"]
