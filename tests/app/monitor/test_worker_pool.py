"""Pages that are expensive to compare do not slow down the others."""

from __future__ import annotations

import random
import threading
import time
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from sqlalchemy import update

from pagedrift.app.model.watch import Watch
from pagedrift.app.monitor import worker_pool as analyst_module
from pagedrift.app.monitor.scheduler import Scheduler
from pagedrift.app.monitor.worker_pool import MAX_UNKNOWN, AnalysisError, AnalysisPool
from pagedrift.app.store import watches
from pagedrift.app.store.tables import HostRow, VisitRow, WatchRow
from pagedrift.dates import EARLIEST
from tests.app.monitor.test_visit import page, rows

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pagedrift.app.settings import Settings
    from pagedrift.app.store.store import Store
    from tests.server import Site

SMALL, NOT_SMALL = 1_000, MAX_UNKNOWN + 1


def wait_for(begun: str, path: str) -> str:
    """Say that we began, and wait for a file to appear."""
    Path(begun).touch()
    while not Path(path).exists():
        time.sleep(0.01)
    return "done"


def burn(seconds: float) -> str:
    """Use so much processor time."""
    until = time.process_time() + seconds
    while time.process_time() < until:
        pass
    return "burnt"


@pytest.fixture
def one() -> Iterator[AnalysisPool]:
    with AnalysisPool(processes=1, seconds=600) as analysis_pool:
        yield analysis_pool


def test_a_host_that_nobody_knows_does_not_hold_up_those_that_are_known(one: AnalysisPool, tmp_path: Path) -> None:
    begun, over = str(tmp_path / "begun"), str(tmp_path / "over")
    one.run_on_page(SMALL, burn, 0.0, host="known.example")
    slow = threading.Thread(
        target=one.run_on_page, args=(NOT_SMALL, wait_for, begun, over), kwargs={"host": "new.example"}
    )
    slow.start()
    while not Path(begun).exists():
        time.sleep(0.01)

    assert one.run_on_page(NOT_SMALL, burn, 0.0, host="known.example") == "burnt"
    assert one.run_on_page(SMALL, burn, 0.0, host="other.example") == "burnt"
    assert slow.is_alive()
    Path(over).touch()
    slow.join()


def test_what_takes_long_begins_again_in_the_slow_lane_and_its_host_stays_there(
    one: AnalysisPool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(analyst_module, "QUICK_CPU_SECONDS", 1)

    assert one.run_on_page(SMALL, burn, 3.0, host="slow.example") == "burnt"
    assert one.cost_of("slow.example") >= 3

    begun, over = str(tmp_path / "begun"), str(tmp_path / "over")
    slow = threading.Thread(
        target=one.run_on_page, args=(SMALL, wait_for, begun, over), kwargs={"host": "slow.example"}
    )
    slow.start()
    while not Path(begun).exists():
        time.sleep(0.01)
    assert one.run_on_page(SMALL, burn, 0.0, host="other.example") == "burnt"
    Path(over).touch()
    slow.join()
    assert one.cost_of("slow.example") < 2  # and when its pages are cheap again, it is like others


def test_what_never_ends_is_ended_and_costs_its_host(one: AnalysisPool, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(analyst_module, "QUICK_CPU_SECONDS", 1)
    monkeypatch.setattr(analyst_module, "CPU_SECONDS", 2)

    with pytest.raises(AnalysisError, match="too much time; leave parts"):
        one.run_on_page(SMALL, burn, 600.0, host="endless.example")

    assert one.cost_of("endless.example") == 2


def random_page(seed: int, count: int = 60_000) -> bytes:
    """Write a page of elements that have nothing to do with those of another one."""
    chance = random.Random(seed)
    names = [f"<{tag} class=c{number}>" for tag in ("div", "p", "b", "i", "ul", "li") for number in range(99)]
    return "".join(chance.choice(names) + str(chance.random())[2:6] for _ in range(count)).encode()


@pytest.mark.slow
def test_a_host_whose_pages_are_expensive_is_visited_less_often_and_says_why(
    settings: Settings, store: Store, site: Site, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("pagedrift.app.monitor.visit.EXPENSIVE", 0.01)  # whatever this machine needs for it
    settings = replace(settings, processes=1)
    with Scheduler(settings, store) as scheduler:
        watches.add(store, Watch(f"{site.url}/"))
        for seed in range(2):
            site.pages["/"] = random_page(seed)
            with store.begin() as session:
                session.execute(update(WatchRow).values(next_at=EARLIEST))
                session.execute(update(HostRow).values(next_at=EARLIEST))
            scheduler.run_once()
        cost = scheduler.analysis_pool.cost_of("127.0.0.1")

    (host,) = rows(store, HostRow)
    *_, visit = rows(store, VisitRow)
    assert host.next_at > datetime.now(UTC) + timedelta(seconds=5 * cost)
    assert "of processor time, so 127.0.0.1 is checked less often" in visit.reason


def test_a_visit_that_found_nothing_new_leaves_the_host_as_it_was(scheduler: Scheduler, site: Site) -> None:
    site.pages["/"] = page()
    watches.add(scheduler.store, Watch(f"{site.url}/"))
    scheduler.run_once()
    scheduler.analysis_pool._remember("127.0.0.1", 30.0)  # as an expensive page of before did
    with scheduler.store.begin() as session:
        session.execute(update(WatchRow).values(next_at=EARLIEST))
    scheduler.run_once()

    assert rows(scheduler.store, HostRow) == []


def test_an_ordinary_page_holds_up_nobody(scheduler: Scheduler, site: Site) -> None:
    site.pages["/"] = page()
    watches.add(scheduler.store, Watch(f"{site.url}/"))
    scheduler.run_once()

    assert rows(scheduler.store, HostRow) == []
