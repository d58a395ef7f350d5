"""How fast are redesigns looked for, beside a plain implementation, and how many streams can be followed?"""

from __future__ import annotations

import time
import tracemalloc
from collections import deque
from html.parser import HTMLParser
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from benchmarks.measure import Table, seconds
from benchmarks.pages import archives
from pagedrift import PageVersion, RedesignDetector, read

HISTORY = 20
STREAMS = 10_000
LEAST = {"max-avg-diff": 50, "evidence": 30}  # the first does what the plain one does; the second reads names too
ROUNDS = 4  # documents of each of them


class _Tags(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.tags: list[str] = []

    def handle_starttag(self, tag: str, attrs: Any) -> None:  # noqa: ARG002
        self.tags.append(tag)

    def handle_endtag(self, tag: str) -> None:
        self.tags.append("/" + tag)


class Plain:
    """The similarity stripe as anyone would write it first: Python's parser, sets of tuples of four tags."""

    def __init__(self) -> None:
        self.sets: deque[set[tuple[str, ...]]] = deque(maxlen=HISTORY)
        self.stripe: deque[list[float]] = deque(maxlen=HISTORY)

    def update(self, page: PageVersion) -> None:
        """Take the next page."""
        parser = _Tags()
        parser.feed(page.body.decode("utf-8", "replace"))
        tags = parser.tags
        new = set(zip(tags, tags[1:], tags[2:], tags[3:], strict=False))
        self.stripe.append([len(new & old) / max(len(new), len(old), 1) for old in self.sets])
        self.sets.append(new)


def streams() -> list[list[tuple[str, bytes]]]:
    """Load streams of pages: address and bytes."""
    with TemporaryDirectory() as scratch:
        paths = archives(Path(scratch))
        return [[(page.url, page.body) for page in read(path)][:150] for path in paths]


def _follow(detector: Any, pages: list[tuple[str, bytes]]) -> None:
    for url, body in pages:
        detector.update(PageVersion(url, body))


def compared() -> list[str]:
    """Compare on pages in memory, bytes to answer, with a history of 20."""
    loaded = streams()
    pages = sum(map(len, loaded))
    table = Table(
        f"Redesigned, bytes to answer, history {HISTORY} ({pages} pages): the time of a plain one over ours"
    )
    plain, ours = 0.0, dict.fromkeys(LEAST, 0.0)
    for stream in loaded:  # one after the other on each stream, so that what else the machine does falls on all
        plain += seconds(lambda pages: _follow(Plain(), pages), [stream], rounds=2)
        for name in ours:
            ours[name] += seconds(
                lambda pages, name=name: _follow(RedesignDetector(detector=name), pages), [stream], rounds=9
            )
    table.row("sets of tuples", f"{pages / plain:.0f}", "pages per second")
    for name, taken in ours.items():
        table.row(name, f"{pages / taken:.0f}", "pages per second")
        table.promise(f"{name}, times as fast as sets of tuples", plain / taken, least=LEAST[name])
    return table.broken


def memory() -> list[str]:
    """Measure what one stream holds on to, and follow many at once."""
    loaded = streams()
    table = Table("Redesigned, memory")
    for name in ("evidence", "max-avg-diff"):
        most = max(_held(name, stream) for stream in loaded)
        table.promise(f"{name}, MB held by the largest stream", most / 1e6, most=5)
    start, held = time.perf_counter(), _held_by_many(loaded)
    rate = STREAMS * ROUNDS / (time.perf_counter() - start)
    table.row(
        f"{STREAMS} streams, {ROUNDS} documents each", f"{rate:.0f}", f"pages per second, {held / 1e6:.0f} MB held"
    )
    return table.broken


def _held(name: str, pages: list[tuple[str, bytes]]) -> int:
    tracemalloc.start()
    detector = RedesignDetector(detector=name)
    _follow(detector, pages)
    held, _ = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    return held


def _held_by_many(loaded: list[list[tuple[str, bytes]]]) -> int:
    tracemalloc.start()
    detectors = [RedesignDetector() for _ in range(STREAMS)]
    for number in range(ROUNDS):
        for index, detector in enumerate(detectors):
            stream = loaded[index % len(loaded)]
            url, body = stream[(index + number) % len(stream)]
            detector.update(PageVersion(url, body))
    held, _ = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    return held
