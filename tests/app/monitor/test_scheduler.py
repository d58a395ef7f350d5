from __future__ import annotations

import threading
import time
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING

import pytest
from sqlalchemy import update

from pagedrift.app.model.watch import Watch
from pagedrift.app.monitor import scheduler as scheduling
from pagedrift.app.monitor.scheduler import Scheduler
from pagedrift.app.store import alerts, queue, watches
from pagedrift.app.store.store import Store, StoreError
from pagedrift.app.store.tables import AlertRow, VersionRow, WatchRow
from pagedrift.app.store.visits import RecordedVisit
from pagedrift.archive.writer import ArchiveWriter
from pagedrift.dates import EARLIEST
from pagedrift.errors import PagedriftError
from tests.app.monitor.test_visit import page, rows
from tests.server import HTML

if TYPE_CHECKING:
    from collections.abc import Callable

    from pagedrift.app.settings import Settings
    from tests.app.postgres import Postgres
    from tests.server import Site


def test_a_watcher_that_cannot_begin_lets_go_of_everything(settings: Settings, any_store: Store) -> None:
    with ArchiveWriter(settings.archive, writer="main"), pytest.raises(PagedriftError):
        Scheduler(settings, any_store)
    for _ in range(2):  # its name is free, now and after each that had it
        with Scheduler(settings, any_store):
            pass


def test_a_watcher_lets_go_of_everything_though_the_database_is_away(
    settings: Settings, store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    scheduler = Scheduler(settings, store)
    with monkeypatch.context() as patch:
        patch.setattr(queue, "release", lambda *_: 1 / 0)
        with pytest.raises(ZeroDivisionError):
            scheduler.stop()
    with Scheduler(settings, store):
        pass


def test_a_long_visit_keeps_its_lease_though_nobody_keeps_house(
    scheduler: Scheduler, site: Site, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(scheduling, "HEARTBEAT", 0.05)
    renewed = threading.Event()
    monkeypatch.setattr(queue, "renew", lambda *_: renewed.set())

    def answer(_: object) -> object:
        assert renewed.wait(60)
        return 200, HTML, page()

    site.pages["/"] = answer
    watches.add(scheduler.store, Watch(f"{site.url}/"))
    scheduler.run_once()
    (row,) = rows(scheduler.store, WatchRow)
    assert row.state == "fine"
    assert row.next_at > datetime.now(UTC)


def test_people_are_told_though_the_archive_cannot_be_written(
    scheduler: Scheduler, monkeypatch: pytest.MonkeyPatch
) -> None:
    watch = watches.add(scheduler.store, Watch("https://city.example/"))
    with scheduler.store.begin() as session:
        alerts.add(
            session,
            RecordedVisit(watch.id),
            kind="trouble",
            signature="",
            title="The disk is full",
            now=datetime.now(UTC) - timedelta(minutes=1),  # it waits for no others any more
        )
    with monkeypatch.context() as patch:
        patch.setattr(scheduler.archive, "note", lambda *_: 1 / 0)
        with pytest.raises(ZeroDivisionError):
            scheduler.housekeeper.tidy()
    (story,) = rows(scheduler.store, AlertRow)
    assert story.closed_at is not None


@pytest.mark.slow
def test_a_watcher_goes_on_after_its_database_was_away_and_keeps_its_name(
    shared_settings: Settings, postgres: Postgres, site: Site, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(scheduling, "HEARTBEAT", 0.2)
    site.pages["/"] = page()
    with Store(shared_settings) as store, Scheduler(shared_settings, store) as scheduler:
        watches.add(store, Watch(f"{site.url}/", options={"notify_on": "anything"}))
        scheduler.start()
        _until(lambda: bool(rows(store, VersionRow)))
        postgres.stop()
        time.sleep(1.5)
        postgres.start()
        site.pages["/"] = page(text="Offices are closed for good from Monday on.")
        with store.begin() as session:
            session.execute(update(WatchRow).values(next_at=EARLIEST, lease=None, leased_until=None))
        _until(lambda: any(story.closed_at and story.journalled for story in rows(store, AlertRow)))
        _until(lambda: time.monotonic() - scheduler._beaten < 5)
        with pytest.raises(StoreError), store.only_one(shared_settings.writer):
            pass


def _until(is_so: Callable[[], bool]) -> None:
    begun = time.monotonic()
    while not is_so():
        assert time.monotonic() - begun < 300
        time.sleep(0.05)
