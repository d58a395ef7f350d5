from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING

import pytest
from sqlalchemy import update

from pagedrift.app.captures import page_of
from pagedrift.app.model.watch import Watch
from pagedrift.app.monitor import group_commit, rebuild
from pagedrift.app.store import queries, queue, retention, watches
from pagedrift.app.store.tables import AlertRow, ChangeRow, VersionRow, VisitRow, WatchRow
from pagedrift.archive.locations import Place
from pagedrift.archive.reader import stored
from tests.app.monitor.test_visit import page, rows, visit

if TYPE_CHECKING:
    from pagedrift.app.model.watch import Watch as WatchValue
    from pagedrift.app.monitor.scheduler import Scheduler
    from pagedrift.app.store.store import Store
    from tests.server import Site

PRICE = {"include": [".price"], "value": "number", "conditions": ["below 20"]}
TEXT = {"include": ["main h2 + p"], "notify_on": "anything"}


def _watch(scheduler: Scheduler, site: Site, *several: dict[str, object]) -> list[WatchValue]:
    return [watches.add(scheduler.store, Watch(f"{site.url}/", options=options)) for options in several]


def _places(store: Store) -> list[tuple[str, int]]:
    return [(row.filename, row.offset) for row in rows(store, VersionRow)]


def _captures(scheduler: Scheduler) -> int:
    return sum(each.kind == "capture" for each in stored(scheduler.settings.archive))


def test_watches_of_one_page_share_one_fetch_and_one_capture(scheduler: Scheduler, site: Site) -> None:
    site.pages["/"] = page()
    price, text, whole = _watch(scheduler, site, PRICE, TEXT, {})
    assert scheduler.run_once() == 3
    assert site.paths.count("/") == 1
    assert _captures(scheduler) == 1
    assert len(set(_places(scheduler.store))) == 1
    assert {row.watch_id for row in rows(scheduler.store, VersionRow)} == {price.id, text.id, whole.id}
    assert [row.outcome for row in rows(scheduler.store, VisitRow)] == ["new"] * 3


def test_each_watch_of_a_page_has_its_own_changes_alerts_and_values(scheduler: Scheduler, site: Site) -> None:
    site.pages["/"] = page()
    price, text = _watch(scheduler, site, PRICE, TEXT)
    scheduler.run_once()
    site.pages["/"] = page(price="29 EUR")
    visit(scheduler)
    site.pages["/"] = page(price="19 EUR", text="Bring your plans to room 14.")
    visit(scheduler)
    found = {(row.watch_id, row.told) for row in rows(scheduler.store, ChangeRow)}
    assert found == {(price.id, False), (price.id, True), (text.id, True)}
    assert len(rows(scheduler.store, AlertRow)) == 2
    with scheduler.store.read() as session:
        assert [point.value.number for point in queries.values(session, price.id)] == [24, 29, 19]
        assert queries.values(session, text.id) == ()
    assert _captures(scheduler) == 3


def test_the_same_change_seen_by_two_watches_of_a_page_is_told_to_each(scheduler: Scheduler, site: Site) -> None:
    site.pages["/"] = page()
    _watch(scheduler, site, {"notify_on": "anything"}, {"include": ["main"], "notify_on": "anything"})
    scheduler.run_once()
    site.pages["/"] = page(text="Bring your plans to room 14.")
    visit(scheduler)
    assert len(rows(scheduler.store, AlertRow)) == 2
    assert [row.told for row in rows(scheduler.store, ChangeRow)] == [True, True]


def test_a_server_that_says_unmodified_is_believed_for_all_who_know_the_same(
    scheduler: Scheduler, site: Site
) -> None:
    known = {"Content-Type": "text/html", "ETag": '"1"'}
    site.pages["/"] = (200, known, page())
    _watch(scheduler, site, PRICE, TEXT)
    scheduler.run_once()
    site.pages["/"] = lambda request: (
        (304, known, b"") if request.headers["If-None-Match"] else (200, known, page())
    )
    visit(scheduler)
    assert [row.status for row in rows(scheduler.store, VisitRow)] == [200, 200, 304, 304]
    _watch(scheduler, site, {})  # which knows nothing yet: the page is sent whole
    visit(scheduler)
    assert [row.outcome for row in rows(scheduler.store, VisitRow)][4:].count("new") == 1
    assert [path for path in site.paths if path == "/"] == ["/"] * 3


def test_watches_that_ask_in_another_way_are_not_given_the_same_answer(scheduler: Scheduler, site: Site) -> None:
    site.pages["/"] = lambda request: (200, {"Content-Type": "text/html"}, page(request.headers["X-For"] or "all"))
    _watch(scheduler, site, {"headers": {"X-For": "anna"}}, {"headers": {"X-For": "ben"}}, {})
    scheduler.run_once()
    bodies = [
        page_of(scheduler.settings.archive, Place(row.filename, row.offset, row.length)).body
        for row in rows(scheduler.store, VersionRow)
    ]
    assert sorted(bodies) == sorted(map(page, ("all", "anna", "ben")))


def test_a_watch_that_is_nearly_due_goes_along_and_others_wait(scheduler: Scheduler, site: Site) -> None:
    site.pages["/"] = page()
    first, near, far, paused = _watch(scheduler, site, {}, PRICE, TEXT, {"include": ["main"]})
    scheduler.run_once()
    watches.pause(scheduler.store, paused.id)
    at = datetime(2026, 11, 1, 10, tzinfo=UTC)
    now = at + timedelta(minutes=50)
    with scheduler.store.begin() as session:
        for which, minutes in ((first.id, 50), (near.id, 60), (far.id, 300)):
            mine = update(WatchRow).where(WatchRow.id == which)
            session.execute(mine.values(visited_at=at, next_at=at + timedelta(minutes=minutes)))
    assert queue.near_due(scheduler.store, first.id, now=now) == [near.id]
    assert queue.near_due(scheduler.store, first.id, now=now, under_way=[near.id]) == []
    assert queue.join(scheduler.store, "somebody", [near.id], now=now) == {near.id}
    assert queue.near_due(scheduler.store, first.id, now=now) == []
    assert queue.join(scheduler.store, "somebody else", [near.id], now=now) == set()


def test_a_page_that_cannot_be_fetched_is_trouble_of_all_its_watches(scheduler: Scheduler, site: Site) -> None:
    site.pages["/"] = (500, {"Content-Type": "text/html"}, b"<p>Broken")
    _watch(scheduler, site, PRICE, TEXT)
    visit(scheduler)
    assert [row.failures for row in rows(scheduler.store, WatchRow)] == [1, 1]


def test_what_watches_of_a_page_found_comes_back_from_the_archive_alone(scheduler: Scheduler, site: Site) -> None:
    site.pages["/"] = page()
    _watch(scheduler, site, PRICE, TEXT)
    scheduler.run_once()
    site.pages["/"] = page(price="19 EUR", text="Bring your plans to room 14.")
    visit(scheduler)
    scheduler.housekeeper.finish(send_all=True)
    kept = [
        sorted((row.watch_id, row.signature, row.told) for row in rows(scheduler.store, ChangeRow)),
        sorted((row.watch_id, row.digest) for row in rows(scheduler.store, VersionRow)),
        sorted(row.uid for row in rows(scheduler.store, AlertRow)),
    ]
    assert rebuild.rebuild(scheduler.store, scheduler.settings) == 4
    assert kept == [
        sorted((row.watch_id, row.signature, row.told) for row in rows(scheduler.store, ChangeRow)),
        sorted((row.watch_id, row.digest) for row in rows(scheduler.store, VersionRow)),
        sorted(row.uid for row in rows(scheduler.store, AlertRow)),
    ]
    visit(scheduler)
    assert [row.outcome for row in rows(scheduler.store, VisitRow)][-2:] == ["unchanged"] * 2


def test_what_was_kept_while_the_database_was_away_is_found_for_every_watch(
    scheduler: Scheduler, site: Site, monkeypatch: pytest.MonkeyPatch
) -> None:
    site.pages["/"] = page()
    _watch(scheduler, site, TEXT, {"notify_on": "anything"})
    scheduler.run_once()
    site.pages["/"] = page(text="Bring your plans to room 14.")

    def away(*_: object) -> None:
        raise OSError("the database is away")

    with monkeypatch.context() as patch:
        patch.setattr(group_commit, "settle", away)
        visit(scheduler)
    assert rows(scheduler.store, ChangeRow) == []
    assert rebuild.catch_up(scheduler.store, scheduler.settings) == 2
    assert [row.told for row in rows(scheduler.store, ChangeRow)] == [True, True]
    assert len(rows(scheduler.store, AlertRow)) == 2


def test_a_version_that_one_watch_of_a_page_drops_stays_as_long_as_another_keeps_it(
    scheduler: Scheduler, site: Site
) -> None:
    some, all_ = _watch(scheduler, site, {"keep_versions": 1}, TEXT)
    for text in ("One text.", "Another text.", "A third text."):
        site.pages["/"] = page(text)
        visit(scheduler)
    dropped = retention.drop(scheduler.store, scheduler.archive)
    assert dropped.versions == 2
    left = rows(scheduler.store, VersionRow)
    assert [row.watch_id for row in left].count(some.id) == 1
    kept = [row for row in left if row.watch_id == all_.id]
    bodies = [page_of(scheduler.settings.archive, Place(row.filename, row.offset, row.length)).body for row in kept]
    assert bodies == [page("One text."), page("Another text."), page("A third text.")]


def test_a_page_is_watched_twice_in_the_same_way_only_if_that_is_said(scheduler: Scheduler, site: Site) -> None:
    [first] = _watch(scheduler, site, PRICE)
    with pytest.raises(watches.WatchedAlreadyError, match="is watched already") as refused:
        _watch(scheduler, site, PRICE)
    assert refused.value.watch == first.id
    again = watches.add(scheduler.store, Watch(first.url, options=PRICE), again=True)
    assert [each.id for each in watches.every(scheduler.store)] == [first.id, again.id]


def test_the_memento_of_a_page_with_several_watches_is_listed_once(scheduler: Scheduler, site: Site) -> None:
    site.pages["/"] = page()
    _watch(scheduler, site, PRICE, TEXT)
    scheduler.run_once()
    with scheduler.store.read() as session:
        assert len(queries.versions_of_address(session, f"{site.url}/")) == 1
