from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime
from typing import TYPE_CHECKING

import pytest
from sqlalchemy import delete, update
from sqlalchemy.exc import OperationalError

from pagedrift.app.model.options import HIDDEN
from pagedrift.app.model.watch import Watch
from pagedrift.app.monitor import group_commit, rebuild
from pagedrift.app.monitor.scheduler import Scheduler
from pagedrift.app.notify import alerts
from pagedrift.app.store import feedback, queue, retention, visits, watches
from pagedrift.app.store.tables import (
    AlertRow,
    ChangeRow,
    DeliveryRow,
    GroupRow,
    LabelRow,
    VersionRow,
    WatchRow,
)
from pagedrift.dates import EARLIEST
from tests.app.monitor.test_visit import page, rows, visit

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pagedrift.app.model.watch import Kind
    from pagedrift.app.settings import Settings
    from pagedrift.app.store.store import Store
    from tests.server import Site


@pytest.fixture
def scheduler(settings: Settings, store: Store) -> Iterator[Scheduler]:
    with Scheduler(settings, store) as scheduler:
        yield scheduler


def _away(*_: object, **__: object) -> None:
    raise OperationalError("COMMIT", {}, Exception("the database is away"))


def _visited_in_vain(scheduler: Scheduler, monkeypatch: pytest.MonkeyPatch) -> None:
    """Visit a page, keep what it says, and fail to write that into the database."""
    with scheduler.store.begin() as session:
        session.execute(update(WatchRow).values(next_at=EARLIEST))
    (which,) = queue.claim(scheduler.store, scheduler.owner, most=1)
    task = visits.task(scheduler.store, which)
    assert task is not None
    with monkeypatch.context() as patch:
        patch.setattr(group_commit, "settle", _away)
        with pytest.raises(OperationalError):
            scheduler.visitor.visit(task)
    queue.release(scheduler.store, scheduler.owner)


def test_what_was_kept_while_the_database_was_away_is_told_all_the_same(
    scheduler: Scheduler, site: Site, monkeypatch: pytest.MonkeyPatch
) -> None:
    site.pages["/"] = page()
    watches.add(scheduler.store, Watch(f"{site.url}/", options={"notify_on": "anything"}))
    scheduler.run_once()
    site.pages["/"] = page(text="Offices are closed for good from Monday on.")
    _visited_in_vain(scheduler, monkeypatch)
    assert rows(scheduler.store, AlertRow) == []
    assert rebuild.catch_up(scheduler.store, scheduler.settings) == 1
    (change,) = rows(scheduler.store, ChangeRow)
    (story,) = rows(scheduler.store, AlertRow)
    assert change.alert_id == story.id
    assert rebuild.catch_up(scheduler.store, scheduler.settings) == 0
    assert len(rows(scheduler.store, AlertRow)) == 1


def test_what_was_kept_in_vain_and_found_again_by_the_next_visit_is_told_once(
    scheduler: Scheduler, site: Site, monkeypatch: pytest.MonkeyPatch
) -> None:
    site.pages["/"] = page()
    watches.add(scheduler.store, Watch(f"{site.url}/", options={"notify_on": "anything"}))
    scheduler.run_once()
    site.pages["/"] = page(text="Offices are closed for good from Monday on.")
    _visited_in_vain(scheduler, monkeypatch)
    (row,) = rows(scheduler.store, WatchRow)
    monkeypatch.setattr(scheduler.housekeeper, "catch_up", lambda: None)
    visit(scheduler)
    (row,) = rows(scheduler.store, WatchRow)
    assert rebuild.catch_up(scheduler.store, scheduler.settings) == 1
    assert len(rows(scheduler.store, AlertRow)) == 1
    assert rows(scheduler.store, WatchRow)[0].newest_id == row.newest_id


def test_the_newest_version_is_the_newest_whichever_of_two_writers_kept_it(
    settings: Settings, store: Store, site: Site
) -> None:
    watches.add(store, Watch(f"{site.url}/", options={"notify_on": "anything"}))
    for writer, text in (("a", "Once."), ("b", "Then this."), ("a", "The end of it.")):
        site.pages["/"] = page(text=text)
        with Scheduler(replace(settings, writer=writer), store) as scheduler:
            visit(scheduler)
    last = max(rows(store, VersionRow), key=lambda row: row.captured_at).digest
    for _ in range(2):  # and again, with the same result
        assert rebuild.rebuild(store, settings) == 3
        (row,) = rows(store, WatchRow)
        with store.read() as session:
            assert session.get_one(VersionRow, row.newest_id).digest == last
    assert len(rows(store, ChangeRow)) == 2


@pytest.mark.parametrize(
    ("kind", "options"),
    [
        ("page", {"headers": [("X-Key", "12345")]}),
        ("page", {"cookies": [("session", "12345")]}),
        ("feed", {"proxy": "http://anna:12345@proxy.example"}),
        ("list", {"headers": [("X-Key", "12345")]}),
    ],
)
def test_a_watch_whose_secrets_are_lost_says_so_and_asks_nobody(
    scheduler: Scheduler, site: Site, kind: Kind, options: dict[str, object]
) -> None:
    site.pages["/"] = page()
    watches.add(scheduler.store, Watch(f"{site.url}/", kind=kind, options=options))
    scheduler.housekeeper.tidy()
    rebuild.rebuild(scheduler.store, scheduler.settings)
    site.paths.clear()
    scheduler.run_once()
    (row,) = rows(scheduler.store, WatchRow)
    assert row.state == "trouble"
    assert row.trouble.endswith(f"give them again: {next(iter(options))}")
    assert site.paths == []


def test_a_watch_whose_channels_are_lost_is_visited_and_says_so(scheduler: Scheduler, site: Site) -> None:
    site.pages["/"] = page()
    watches.add(scheduler.store, Watch(f"{site.url}/", options={"notify": ["https://127.0.0.1/hook"]}))
    scheduler.housekeeper.tidy()
    rebuild.rebuild(scheduler.store, scheduler.settings)
    scheduler.run_once()
    (row,) = rows(scheduler.store, WatchRow)
    assert (row.state, row.failures, row.visits) == ("trouble", 0, 1)
    assert row.trouble.endswith("give them again: notify")


def test_what_was_said_and_told_of_changes_is_there_after_compaction(scheduler: Scheduler, site: Site) -> None:
    watches.add(scheduler.store, Watch(f"{site.url}/", options={"notify_on": "anything"}))
    watches.add(scheduler.store, Watch(f"{site.url}/short", options={"keep_versions": 1, "notify_on": "anything"}))
    for text in ("Once.", "Then this.", "The end of it."):
        site.pages["/"] = site.pages["/short"] = page(text=text)
        visit(scheduler)
    alerts.close_due(scheduler.store, datetime.now(UTC), "", waiting=True)
    for change in rows(scheduler.store, ChangeRow):
        feedback.label(scheduler.store, change.id, matters=True)
    scheduler.housekeeper.tidy()
    for change in rows(scheduler.store, ChangeRow):
        feedback.label(scheduler.store, change.id, matters=False)
    scheduler.housekeeper.tidy()
    assert retention.drop(scheduler.store, scheduler.archive).versions == 2
    changes, labels = len(rows(scheduler.store, ChangeRow)), len(rows(scheduler.store, LabelRow))
    assert changes == labels == 2
    told = {row.alert_id for row in rows(scheduler.store, ChangeRow)}
    rebuild.rebuild(scheduler.store, scheduler.settings)
    assert len(rows(scheduler.store, ChangeRow)) == changes
    assert [row.matters for row in rows(scheduler.store, LabelRow)] == [False] * labels
    assert len({row.alert_id for row in rows(scheduler.store, ChangeRow)} - {None}) == len(told)
    assert rows(scheduler.store, DeliveryRow) == []


def test_what_a_watcher_tells_as_the_last_thing_is_in_the_archive(
    settings: Settings, store: Store, site: Site
) -> None:
    watches.add(store, Watch(f"{site.url}/", options={"notify_on": "anything"}))
    with Scheduler(settings, store) as scheduler:
        for text in ("Once.", "Then this."):
            site.pages["/"] = page(text=text)
            visit(scheduler)
        with store.begin() as session:
            session.execute(update(AlertRow).values(closes_at=EARLIEST))  # its time is up when the scheduler stops
    (told,) = rows(store, AlertRow)
    assert told.closed_at is not None

    rebuild.rebuild(store, settings)

    (again,) = rows(store, AlertRow)
    assert (again.uid, again.told) == (told.uid, told.told)


def test_messages_on_their_way_stay_so_when_the_database_is_made_again(
    settings: Settings, store: Store, site: Site
) -> None:
    watches.add(
        store, Watch(f"{site.url}/", options={"notify_on": "anything", "notify": ["https://127.0.0.1:9/hook"]})
    )
    with Scheduler(settings, store, send_all=True) as scheduler:
        for text in ("Once.", "Then this."):
            site.pages["/"] = page(text=text)
            visit(scheduler)
    (delivery,) = rows(store, DeliveryRow)
    assert delivery.delivered_at is None

    rebuild.rebuild(store, settings)

    (again,) = rows(store, DeliveryRow)
    assert (again.channel, again.attempts, again.next_at, again.error) == (
        delivery.channel,
        delivery.attempts,
        delivery.next_at,
        delivery.error,
    )


def test_what_a_power_cut_took_from_the_database_is_read_off_the_archive(scheduler: Scheduler, site: Site) -> None:
    site.pages |= {"/": page(), "/new": page()}
    options = {"headers": [("X-Key", "12345")]}
    old = watches.add(scheduler.store, Watch(f"{site.url}/", options=options))
    scheduler.housekeeper.tidy()
    rebuild.catch_up(scheduler.store, scheduler.settings)
    watches.edit(scheduler.store, old.id, name="Permits", options=options | {"cookies": [("a", "b")]})
    new = watches.add(scheduler.store, Watch(f"{site.url}/new"))
    watches.set_group(scheduler.store, "city", {"notify_on": "anything"})
    scheduler.housekeeper.tidy()
    with scheduler.store.begin() as session:  # the last transactions are gone
        session.execute(delete(WatchRow).where(WatchRow.id == new.id))
        session.execute(delete(GroupRow))
        values = {"revision": 1, "journalled": 1, "name": "", "options": options}
        session.execute(update(WatchRow).values(**values))
    scheduler.housekeeper.catch_up()
    assert watches.get(scheduler.store, new.id).url == new.url
    kept = watches.get(scheduler.store, old.id)
    assert kept.name == "Permits"
    assert kept.options == {"headers": (("X-Key", "12345"),), "cookies": (("a", HIDDEN),)}
    assert watches.groups(scheduler.store) == {"city": {"notify_on": "anything"}}
    watches.edit(scheduler.store, old.id, name="Fees")
    scheduler.housekeeper.catch_up()
    assert watches.get(scheduler.store, old.id).name == "Fees"


def test_a_database_that_was_made_again_only_in_part_is_made_again_at_the_next_start(
    scheduler: Scheduler, site: Site, monkeypatch: pytest.MonkeyPatch
) -> None:
    site.pages["/"] = page()
    watches.add(scheduler.store, Watch(f"{site.url}/"))
    scheduler.run_once()
    rebuild.catch_up(scheduler.store, scheduler.settings)  # what is there is known from here on
    with monkeypatch.context() as patch:
        patch.setattr(rebuild, "_captures", _away)
        with pytest.raises(OperationalError):
            rebuild.rebuild(scheduler.store, scheduler.settings)
    assert rows(scheduler.store, VersionRow) == []
    scheduler.housekeeper.catch_up()
    assert len(rows(scheduler.store, VersionRow)) == 1
    assert rebuild.catch_up(scheduler.store, scheduler.settings) == 0
