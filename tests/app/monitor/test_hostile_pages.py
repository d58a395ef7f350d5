"""Pages built to exhaust time and memory are confined to a process of their own."""

from __future__ import annotations

import gzip
import os
import resource
import threading
import time
from dataclasses import replace
from typing import TYPE_CHECKING

import pytest
from benchmarks.hostile import KINDS, SERVER, measured

from pagedrift import PageVersion, decompression, page
from pagedrift.app.model.options import WatchOptions
from pagedrift.app.model.watch import Watch
from pagedrift.app.monitor import examination
from pagedrift.app.monitor import worker_pool as analysts
from pagedrift.app.monitor.analysis import analyse
from pagedrift.app.monitor.scheduler import Scheduler
from pagedrift.app.monitor.worker_pool import LARGE, MAX_MEMORY, AnalysisError, AnalysisPool
from pagedrift.app.store import watches
from pagedrift.app.store.tables import ChangeRow, VersionRow, VisitRow
from tests.app.monitor.test_visit import page as made
from tests.app.monitor.test_visit import rows, visit
from tests.resource_bounds import bounded
from tests.server import HTML

if TYPE_CHECKING:
    from pathlib import Path

    from pagedrift.app.settings import Settings
    from pagedrift.app.store.store import Store
    from tests.server import Site


def take_all_memory(*_: object) -> int:
    return len(bytearray(2 * MAX_MEMORY))


def take_all_time(*_: object) -> None:
    soon = int(time.process_time()) + 1
    resource.setrlimit(resource.RLIMIT_CPU, (soon, resource.getrlimit(resource.RLIMIT_CPU)[1]))
    while True:
        pass


def limits() -> tuple[int, float]:
    return resource.getrlimit(resource.RLIMIT_AS)[0], resource.getrlimit(resource.RLIMIT_CPU)[
        0
    ] - time.process_time()


def note(path: Path, seconds: float) -> int:
    for what in ("begins", "ends"):
        with path.open("a") as file:
            file.write(f"{what}\n")
        time.sleep(seconds)
    return os.getpid()


@pytest.mark.parametrize("kind", KINDS)
def test_giant_pages_behind_few_bytes_leave_the_server_small(kind: str) -> None:
    found = measured(kind, pages=4)

    assert found["most"] < SERVER
    assert (found["new"], found["changed"]) == (4, 4)


@pytest.mark.parametrize(
    ("work", "said"),
    [(take_all_memory, "too much memory"), (take_all_time, "too much time")],
    ids=["memory", "processor time"],
)
def test_work_that_takes_too_much_is_ended_and_the_next_goes_on(work, said: str) -> None:
    with AnalysisPool(1) as analysis_pool:
        for ask in (analysis_pool.run, lambda *given: analysis_pool.run_on_page(LARGE + 1, *given)):
            with pytest.raises(AnalysisError, match=said):
                ask(work)
            assert ask(max, 1, 2) == 2


def test_every_piece_of_work_has_its_own_share_of_processor_time() -> None:
    with AnalysisPool(1) as analysis_pool:
        for _ in range(2):
            memory, left = analysis_pool.run(limits)
            assert memory == MAX_MEMORY
            assert analysts.CPU_SECONDS / 2 < left < analysts.CPU_SECONDS + 2


def test_large_pages_are_worked_on_one_at_a_time_each_in_a_fresh_process(tmp_path: Path) -> None:
    notes, found = tmp_path / "notes", list[int]()
    with AnalysisPool(2) as analysis_pool:
        asked = [
            threading.Thread(target=lambda: found.append(analysis_pool.run_on_page(LARGE + 1, note, notes, 0.1)))
            for _ in range(3)
        ]
        for each in asked:
            each.start()
        for each in asked:
            each.join()

    assert notes.read_text().split() == ["begins", "ends"] * 3
    assert len(set(found)) == 3


def test_a_page_that_cannot_be_looked_into_is_kept_and_told(
    settings: Settings, store: Store, site: Site, monkeypatch: pytest.MonkeyPatch
) -> None:
    site.pages |= {"/": made(), "/new": made()}
    watches.add(store, Watch(f"{site.url}/"))
    with Scheduler(replace(settings, processes=1), store) as scheduler:
        scheduler.run_once()
        monkeypatch.setattr(examination, "examine", take_all_memory)
        site.pages |= {"/": made(text="Something else."), "/gone": (404, HTML, made())}
        watches.add_all(store, [Watch(f"{site.url}/new"), Watch(f"{site.url}/gone")])
        visit(scheduler)

    (change,) = rows(store, ChangeRow)
    assert "too much memory" in change.card["headline"]
    assert len(rows(store, VersionRow)) == 4
    assert sorted(row.outcome for row in rows(store, VisitRow)) == ["changed", "new", "new", "not_the_page"]


FEED = "<rss version='2.0'><channel><item><link>{}/doc</link></item></channel></rss>"
SITEMAP = "<urlset><url><loc>{}/doc</loc></url></urlset>"


def test_nothing_of_a_page_is_unpacked_or_parsed_in_the_server(
    settings: Settings, store: Store, site: Site, monkeypatch: pytest.MonkeyPatch
) -> None:
    here, real = list[str](), decompression.unpack_all
    for name in ("read_tree", "decode", "read_words", "read_tags", "read_outline", "read_links"):
        monkeypatch.setattr(page, name, lambda *_, name=name: here.append(name))
    monkeypatch.setattr(
        "pagedrift.capture.http_messages.unpack_all",
        lambda data, *given, **named: here.append("unpack") if data else real(data, *given, **named),
    )
    packed = {**HTML, "Content-Encoding": "gzip"}
    site.pages |= {"/feed": FEED.format(site.url).encode(), "/list": f"{site.url}/other".encode()}
    site.pages |= {"/sitemap.xml": SITEMAP.format(site.url).encode(), "/doc": (200, packed, gzip.compress(made()))}
    kinds = {"/": "page", "/feed": "feed", "/sitemap.xml": "sitemap", "/list": "list"}
    options = {"selectors": ["price  p"], "notify_on": "anything"}
    watches.add_all(store, [Watch(f"{site.url}{path}", kind=kind, options=options) for path, kind in kinds.items()])
    with Scheduler(replace(settings, processes=1), store) as scheduler:
        for text in ("One text.", "Another text that is longer."):
            site.pages["/"] = (200, packed, gzip.compress(made(text=text)))
            visit(scheduler)

    assert here == []
    assert rows(store, ChangeRow)
    assert {row.url.removeprefix(site.url) for row in rows(store, VersionRow)} >= {"/", "/doc"}
    assert not [row.reason for row in rows(store, VisitRow) if row.outcome == "trouble"]


def test_a_page_that_did_not_change_costs_no_other_process(scheduler: Scheduler, site: Site) -> None:
    site.pages["/"] = (200, {**HTML, "Content-Encoding": "gzip"}, gzip.compress(made()))
    watches.add(scheduler.store, Watch(f"{site.url}/"))
    scheduler.run_once()
    asked = list[object]()
    scheduler.analysis_pool.run_on_page = lambda *given, **_: asked.append(given)
    visit(scheduler)

    assert asked == []
    assert [row.outcome for row in rows(scheduler.store, VisitRow)] == ["new", "unchanged"]


GIANT = {
    "NULs": bytes(20_000_000),
    "tags": b"<p>a" * 5_000_000,
    "tags in UTF-16": ("<p>a" * 3_000_000).encode("utf-16"),
    "more bytes than a page has": b"<p>Fees and permits</p>" * 2_000_000,
}


@pytest.mark.parametrize("body", GIANT.values(), ids=GIANT)
def test_a_giant_page_is_compared_by_its_bytes_and_says_so(body: bytes) -> None:
    old, new = (PageVersion("", each, content_type="text/html") for each in (body, body + b"x"))
    with bounded(megabytes=300, cpu_seconds=10):
        found = analyse(old, new, WatchOptions())

    assert found.changed
    assert "only bytes are compared" in found.headline
