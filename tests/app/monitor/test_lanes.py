"""Slow hosts, and hosts that ask for a delay, do not hold up visits to others."""

from __future__ import annotations

import socket
import time
from contextlib import contextmanager
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING

import pytest
from sqlalchemy import select, update

from pagedrift.app.model.watch import Watch
from pagedrift.app.monitor.lanes import SLOW_AFTER, Lanes
from pagedrift.app.monitor.retries import MAX_RETRIES
from pagedrift.app.monitor.scheduler import Scheduler
from pagedrift.app.store import queue, watches
from pagedrift.app.store.tables import HostRow, VersionRow, VisitRow, WatchRow
from pagedrift.dates import EARLIEST
from tests.app.monitor.test_sites import _feed
from tests.app.monitor.test_visit import page, rows
from tests.server import HTML

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from pagedrift.app.settings import Settings
    from pagedrift.app.store.store import Store
    from tests.server import Site

NEAR = "127.0.0.0/8"


class Clock:
    """A clock that stands still until it is told to go on."""

    def __init__(self) -> None:
        self.now = 0.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def clock() -> Clock:
    return Clock()


def filled(lanes: Lanes, count: int, name: str = "slow") -> None:
    for number in range(count):
        lanes.begin(f"{name}{number}", f"http://{name}{number}.example/", f"{name}{number}.example")


def test_hosts_that_nobody_knows_leave_a_quarter_of_the_workers_to_those_known_to_be_quick(clock: Clock) -> None:
    lanes = Lanes(16, polite=True, clock=clock)
    filled(lanes, 12)

    room = lanes.room()

    assert (room.any_host, room.quick_hosts) == (0, 4)


def test_a_visit_that_lasts_makes_room_for_another_until_as_many_last_as_there_are_workers(clock: Clock) -> None:
    lanes = Lanes(16, polite=True, clock=clock)
    filled(lanes, 12, "a")
    clock.now += SLOW_AFTER
    assert lanes.room().any_host == 12
    filled(lanes, 12, "b")
    clock.now += SLOW_AFTER
    assert len(lanes) == 24

    room = lanes.room()

    assert (room.any_host, room.quick_hosts) == (0, 8)


def test_a_host_is_quick_until_a_visit_of_it_is_slow_or_fails(clock: Clock) -> None:
    lanes = Lanes(4, polite=True, clock=clock)

    def visit(*, seconds: float, works: bool) -> set[str]:
        lanes.begin("w", "https://city.example/", "city.example")
        clock.now += seconds
        lanes.end("w", quick=works)
        return lanes.quick_hosts()

    assert visit(seconds=1, works=True) == {"city.example"}
    assert visit(seconds=SLOW_AFTER, works=True) == set()
    assert visit(seconds=1, works=True) == {"city.example"}
    assert visit(seconds=1, works=False) == set()


@pytest.mark.parametrize(("polite", "most"), [(True, 1), (False, 8)], ids=["polite", "without a delay"])
def test_one_host_has_a_share_of_the_workers_only(clock: Clock, polite: bool, most: int) -> None:
    lanes = Lanes(16, polite=polite, clock=clock)
    for number in range(most):
        assert "city.example" not in lanes.busy_hosts()
        lanes.begin(f"w{number}", "https://city.example/", "city.example")

    assert lanes.busy_hosts() == {"city.example"}


# --- in a real scheduler -----------------------------------------------------------------------------------------


@pytest.fixture
def patient(settings: Settings, store: Store) -> Iterator[Scheduler]:
    """A scheduler that is polite to all but 127.0.0.1."""
    with Scheduler(replace(settings, delay=0.01, allow_private=(NEAR,)), store) as scheduler:
        yield scheduler


def sent_out(scheduler: Scheduler) -> None:
    """Make all visits that are due now, once."""
    while scheduler._send_out():
        pass
    until(lambda: len(scheduler.lanes) == 0)


def until(is_so: Callable[[], bool]) -> None:
    for _ in range(30_000):
        if is_so():
            return
        time.sleep(0.01)
    raise AssertionError("it did not come to that")


def due(store: Store) -> None:
    with store.begin() as session:
        session.execute(update(WatchRow).values(next_at=EARLIEST))


def visits(store: Store) -> list[str]:
    return [visit.outcome for visit in rows(store, VisitRow)]


def breaking(times: int) -> Callable:
    """Answer with a page, after hanging up so many times."""
    left = [times]

    def answer(request) -> object:
        left[0] -= 1
        request.close_connection = left[0] >= 0
        return None if left[0] >= 0 else (200, HTML, page())

    return answer


@pytest.mark.parametrize("status", [429, 503])
def test_a_server_that_asks_for_a_while_gets_it_and_no_worker_waits(
    patient: Scheduler, site: Site, status: int
) -> None:
    site.pages["/"] = (status, {**HTML, "Retry-After": "45"}, b"<p>Later")
    watches.add(patient.store, Watch(f"{site.url}/"))
    sent_out(patient)

    (row,) = rows(patient.store, WatchRow)
    assert timedelta(seconds=30) < row.next_at - datetime.now(UTC) <= timedelta(seconds=45)
    assert (row.lease, row.failures, row.visits, row.memory["tries"]) == (None, 0, 0, 1)
    assert visits(patient.store) == []

    for _ in range(MAX_RETRIES):
        due(patient.store)
        sent_out(patient)
    assert len(visits(patient.store)) == 1  # it has asked for long enough: that is its answer
    assert len(site.paths) == site.paths.count("/") + site.paths.count("/robots.txt")
    (row,) = rows(patient.store, WatchRow)
    assert (row.failures, row.memory["tries"]) == (1, 0)


def test_a_connection_that_breaks_is_tried_again_before_anything_is_written_down(
    scheduler: Scheduler, site: Site
) -> None:
    site.pages["/"] = breaking(2)
    watches.add(scheduler.store, Watch(f"{site.url}/"))

    scheduler.run_once()

    assert visits(scheduler.store) == ["new"]


def test_a_redirect_to_a_host_that_must_be_left_alone_is_followed_when_it_may_be_asked(
    patient: Scheduler, site: Site
) -> None:
    site.pages["/"] = (302, {"Location": "http://127.0.0.8/"}, b"")
    later = datetime.now(UTC) + timedelta(minutes=30)
    with patient.store.begin() as session:
        session.add(HostRow(host="127.0.0.8", next_at=later))
    watches.add(patient.store, Watch(f"{site.url}/"))

    sent_out(patient)

    (row,) = rows(patient.store, WatchRow)
    assert abs(row.next_at - later) < timedelta(minutes=1)
    assert (row.lease, row.failures, row.visits) == (None, 0, 0)
    with patient.store.read() as session:
        assert session.get_one(HostRow, "127.0.0.8").next_at == later  # no turn was taken


def test_a_crawl_delay_is_kept_between_visits_and_redirects_of_one_visit_are_not_held_up(
    patient: Scheduler, site: Site, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(queue, "LOOPBACK", frozenset())
    site.pages |= {
        "/robots.txt": (200, {"Content-Type": "text/plain"}, b"User-agent: *\nCrawl-delay: 50"),
        "/": (302, {"Location": "/moved"}, b""),
        "/moved": page(),
    }
    watches.add(patient.store, Watch(f"{site.url}/"))
    for _ in range(2):
        due(patient.store)
        with patient.store.begin() as session:
            session.execute(update(HostRow).values(next_at=EARLIEST))
        sent_out(patient)

    assert visits(patient.store) == ["new", "unchanged"]
    with patient.store.read() as session:
        (host,) = session.scalars(select(HostRow)).all()
    # Two requests were made by the second visit, so that the next one waits for both.
    assert timedelta(seconds=80) < host.next_at - datetime.now(UTC) <= timedelta(seconds=100)


def test_a_feed_whose_host_wants_long_breaks_gets_on_by_one_document_a_visit(
    patient: Scheduler, site: Site, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(queue, "LOOPBACK", frozenset())
    _feed(site, 4)
    site.pages["/robots.txt"] = (200, {"Content-Type": "text/plain"}, b"User-agent: *\nCrawl-delay: 50")
    watches.add(patient.store, Watch(f"{site.url}/feed", kind="feed"))
    patient.client.may_fetch(f"{site.url}/feed")
    for number in range(1, 5):
        due(patient.store)
        with patient.store.begin() as session:
            session.execute(update(HostRow).values(next_at=EARLIEST))
        sent_out(patient)
        assert len(rows(patient.store, VersionRow)) == number
        (row,) = rows(patient.store, WatchRow)
        assert row.next_at > datetime.now(UTC) + timedelta(seconds=30)


def test_a_document_that_cannot_be_had_is_asked_for_again_at_the_next_visits(
    scheduler: Scheduler, site: Site
) -> None:
    _feed(site, 2)

    site.pages["/1"] = breaking(1)
    watches.add(scheduler.store, Watch(f"{site.url}/feed", kind="feed"))

    scheduler.run_once()
    due(scheduler.store)
    scheduler.run_once()

    assert len(rows(scheduler.store, VersionRow)) == 2


def test_a_watch_is_not_claimed_while_its_visit_is_not_over(scheduler: Scheduler, site: Site) -> None:
    site.pages["/"] = page()
    watch = watches.add(scheduler.store, Watch(f"{site.url}/"))
    scheduler.lanes.begin(watch.id, watch.url, "127.0.0.1")

    assert scheduler._send_out() == []
    (row,) = rows(scheduler.store, WatchRow)
    assert row.lease is None

    scheduler.lanes.end(watch.id, quick=True)
    assert scheduler.run_once() == 1


@contextmanager
def silent() -> Iterator[int]:
    """A port at which every address of this machine takes connections and never says anything."""
    with socket.create_server(("0.0.0.0", 0), backlog=200) as server:
        yield server.getsockname()[1]


def test_forty_hosts_that_never_answer_do_not_slow_a_well_behaved_watch(
    settings: Settings, store: Store, site: Site
) -> None:
    site.pages["/"] = page()
    settings = replace(settings, delay=0.01, allow_private=(NEAR,))
    good = watches.add(store, Watch(f"{site.url}/"))
    with Scheduler(settings, store) as scheduler, silent() as port:
        scheduler.run_once()
        watches.add_all(store, [Watch(f"http://127.1.0.{number}:{port}/") for number in range(1, 41)])
        for _ in range(20):  # no visit of the forty is over while these are made
            before = site.paths.count("/")
            with store.begin() as session:
                session.execute(update(WatchRow).where(WatchRow.id == good.id).values(next_at=EARLIEST))
            until(lambda before=before: bool(scheduler._send_out() or site.paths.count("/") > before))
            until(lambda: good.id not in scheduler.lanes)
        assert site.paths.count("/") == 21
        assert len(scheduler.lanes) >= 11
        assert visits(store) == ["new"] + ["unchanged"] * 20


@pytest.mark.parametrize("how", ["stopped", "removed"])
def test_a_visit_that_nobody_waits_for_ends_though_the_server_says_nothing(
    settings: Settings, store: Store, how: str
) -> None:
    settings = replace(settings, allow_private=(NEAR,))
    with silent() as port, Scheduler(settings, store) as scheduler:
        watch = watches.add(store, Watch(f"http://127.1.0.1:{port}/"))
        scheduler._send_out()
        assert len(scheduler.lanes) == 1
        if how == "removed":
            watches.remove(store, watch.id)
            until(lambda: len(scheduler.lanes) == 0)
        else:
            scheduler.stop()
        (row,) = rows(store, WatchRow)
        assert (row.failures, row.visits, visits(store)) == (0, 0, [])
