"""Edits, removals and takeovers of a watch while its visit is under way."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING

from sqlalchemy import select, update

from pagedrift.app.model.watch import Watch
from pagedrift.app.store import queue, visits, watches
from pagedrift.app.store.tables import AlertRow, ChangeRow, VersionRow, WatchRow
from pagedrift.dates import EARLIEST
from tests.app.monitor.test_visit import page, rows, visit
from tests.server import HTML

if TYPE_CHECKING:
    from collections.abc import Callable

    from pagedrift.app.monitor.scheduler import Scheduler
    from pagedrift.app.store.store import Store
    from tests.server import Site


def _row(store: Store, which: str) -> WatchRow:
    with store.read() as session:
        return session.get_one(WatchRow, which)


def _meanwhile(do: Callable[[], object], body: bytes) -> Callable[[object], object]:
    """Answer with a page, and do something before."""

    def answer(_: object) -> object:
        do()
        return 200, HTML, body

    return answer


def test_a_watch_that_gets_another_address_during_a_visit_begins_anew(scheduler: Scheduler, site: Site) -> None:
    site.pages |= {"/other": page(text="Something else altogether, of another office.")}
    watch = watches.add(scheduler.store, Watch(f"{site.url}/", options={"notify_on": "anything"}))
    site.pages["/"] = _meanwhile(lambda: watches.edit(scheduler.store, watch.id, url=f"{site.url}/other"), page())
    visit(scheduler)
    scheduler.run_once()
    row = _row(scheduler.store, watch.id)
    with scheduler.store.read() as session:
        assert session.get_one(VersionRow, row.newest_id).url == f"{site.url}/other"
    assert rows(scheduler.store, ChangeRow) == []


def test_a_watch_that_is_edited_during_a_visit_is_due_at_once(scheduler: Scheduler, site: Site) -> None:
    watch = watches.add(scheduler.store, Watch(f"{site.url}/"))
    edited = {"notify_on": "anything"}
    site.pages["/"] = _meanwhile(lambda: watches.edit(scheduler.store, watch.id, options=edited), page())
    before = datetime.now(UTC)
    scheduler.run_once(limit=1)
    row = _row(scheduler.store, watch.id)
    assert row.next_at <= before + timedelta(minutes=1)
    assert row.options["notify_on"] == "anything"
    assert row.lease is None


def test_a_visit_that_was_taken_over_settles_nothing(scheduler: Scheduler, site: Site) -> None:
    site.pages["/"] = page()
    watch = watches.add(scheduler.store, Watch(f"{site.url}/", options={"notify_on": "anything"}))
    scheduler.run_once()
    newest = _row(scheduler.store, watch.id).newest_id

    def take_over() -> None:
        with scheduler.store.begin() as session:
            session.execute(update(WatchRow).values(lease="another one"))

    site.pages["/"] = _meanwhile(take_over, page(text="Offices are closed for good from Monday on."))
    visit(scheduler)
    row = _row(scheduler.store, watch.id)
    assert (row.lease, row.newest_id) == ("another one", newest)
    assert len(rows(scheduler.store, VersionRow)) == 2  # what was fetched is kept all the same
    assert rows(scheduler.store, AlertRow) == []


def test_a_removed_watch_stays_removed_though_its_visit_ends_later(scheduler: Scheduler, site: Site) -> None:
    watch = watches.add(scheduler.store, Watch(f"{site.url}/"))
    site.pages["/"] = _meanwhile(lambda: watches.remove(scheduler.store, watch.id), page())
    scheduler.run_once()
    row = _row(scheduler.store, watch.id)
    assert row.deleted
    assert row.newest_id is None


def test_a_visit_is_not_begun_a_second_time_when_the_clock_jumps(scheduler: Scheduler, site: Site) -> None:
    asked = []

    def answer(_: object) -> object:
        asked.append(1)
        with scheduler.store.begin() as session:  # all leases ran out, by the clock
            session.execute(update(WatchRow).values(next_at=EARLIEST, leased_until=EARLIEST))
        if len(asked) == 1:
            scheduler._send_out()
        return 200, HTML, page()

    site.pages["/"] = answer
    watches.add(scheduler.store, Watch(f"{site.url}/"))
    scheduler._send_out()
    scheduler._drain()
    assert len(asked) == 1


def test_a_feed_that_is_taken_over_is_left_to_the_other_one(scheduler: Scheduler, site: Site) -> None:
    items = "".join(f"<item><link>{site.url}/{number}</link></item>" for number in range(4))
    feed = f"<rss version='2.0'><channel><title>City</title>{items}</channel></rss>"
    site.pages["/feed"] = (200, {"Content-Type": "application/rss+xml"}, feed.encode())

    def take_over() -> None:
        with scheduler.store.begin() as session:
            session.execute(update(WatchRow).values(lease="another one"))

    site.pages |= {f"/{number}": _meanwhile(take_over, page(text=f"News {number}")) for number in range(4)}
    watch = watches.add(scheduler.store, Watch(f"{site.url}/feed", kind="feed"))
    (which,) = queue.claim(scheduler.store, scheduler.owner, most=1)
    task = visits.task(scheduler.store, which)
    assert task is not None
    scheduler.sites.visit(task)
    row = _row(scheduler.store, watch.id)
    assert row.lease == "another one"
    assert row.memory == {}
    with scheduler.store.read() as session:
        assert len(session.scalars(select(VersionRow)).all()) == 1


def test_a_watch_that_cannot_be_understood_does_not_hold_up_the_others(scheduler: Scheduler, site: Site) -> None:
    site.pages |= {"/": page(), "/other": page()}
    strange = watches.add(scheduler.store, Watch(f"{site.url}/"))
    watches.add(scheduler.store, Watch(f"{site.url}/other"))
    with scheduler.store.begin() as session:  # as a later release may have written it
        session.get_one(WatchRow, strange.id).options = {"of_tomorrow": True}
    scheduler.run_once()
    first, second = sorted(rows(scheduler.store, WatchRow), key=lambda row: row.url)
    assert (first.state, first.lease) == ("trouble", None)
    assert "of_tomorrow" in first.trouble
    assert second.state == "fine"
