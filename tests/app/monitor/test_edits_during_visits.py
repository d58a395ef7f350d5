"""Edits, removals and takeovers of a watch while its visit is under way."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING

from sqlalchemy import select, update

from pagedrift.app.model.watch import Watch
from pagedrift.app.store import queue, visits, watches
from pagedrift.app.store.tables import ChangeRow, StoryRow, VersionRow, WatchRow
from pagedrift.dates import EARLIEST
from tests.app.monitor.test_visit import page, rows, visit
from tests.server import HTML

if TYPE_CHECKING:
    from collections.abc import Callable

    from pagedrift.app.monitor.scheduler import Watcher
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


def test_a_watch_that_gets_another_address_during_a_visit_begins_anew(watcher: Watcher, site: Site) -> None:
    site.pages |= {"/other": page(text="Something else altogether, of another office.")}
    watch = watches.add(watcher.store, Watch(f"{site.url}/", options={"tell": "any"}))
    site.pages["/"] = _meanwhile(lambda: watches.edit(watcher.store, watch.id, url=f"{site.url}/other"), page())
    visit(watcher)
    watcher.run_once()
    row = _row(watcher.store, watch.id)
    with watcher.store.read() as session:
        assert session.get_one(VersionRow, row.newest).url == f"{site.url}/other"
    assert rows(watcher.store, ChangeRow) == []


def test_a_watch_that_is_edited_during_a_visit_is_due_at_once(watcher: Watcher, site: Site) -> None:
    watch = watches.add(watcher.store, Watch(f"{site.url}/"))
    site.pages["/"] = _meanwhile(lambda: watches.edit(watcher.store, watch.id, options={"tell": "any"}), page())
    before = datetime.now(UTC)
    watcher.run_once(limit=1)
    row = _row(watcher.store, watch.id)
    assert row.next_at <= before + timedelta(minutes=1)
    assert row.options["tell"] == "any"
    assert row.lease is None


def test_a_visit_that_was_taken_over_settles_nothing(watcher: Watcher, site: Site) -> None:
    site.pages["/"] = page()
    watch = watches.add(watcher.store, Watch(f"{site.url}/", options={"tell": "any"}))
    watcher.run_once()
    newest = _row(watcher.store, watch.id).newest

    def take_over() -> None:
        with watcher.store.begin() as session:
            session.execute(update(WatchRow).values(lease="another one"))

    site.pages["/"] = _meanwhile(take_over, page(text="Offices are closed for good from Monday on."))
    visit(watcher)
    row = _row(watcher.store, watch.id)
    assert (row.lease, row.newest) == ("another one", newest)
    assert len(rows(watcher.store, VersionRow)) == 2  # what was fetched is kept all the same
    assert rows(watcher.store, StoryRow) == []


def test_a_removed_watch_stays_removed_though_its_visit_ends_later(watcher: Watcher, site: Site) -> None:
    watch = watches.add(watcher.store, Watch(f"{site.url}/"))
    site.pages["/"] = _meanwhile(lambda: watches.remove(watcher.store, watch.id), page())
    watcher.run_once()
    row = _row(watcher.store, watch.id)
    assert row.deleted
    assert row.newest is None


def test_a_visit_is_not_begun_a_second_time_when_the_clock_jumps(watcher: Watcher, site: Site) -> None:
    asked = []

    def answer(_: object) -> object:
        asked.append(1)
        with watcher.store.begin() as session:  # all leases ran out, by the clock
            session.execute(update(WatchRow).values(next_at=EARLIEST, leased_until=EARLIEST))
        if len(asked) == 1:
            watcher._send_out()
        return 200, HTML, page()

    site.pages["/"] = answer
    watches.add(watcher.store, Watch(f"{site.url}/"))
    watcher._send_out()
    watcher._drain()
    assert len(asked) == 1


def test_a_feed_that_is_taken_over_is_left_to_the_other_one(watcher: Watcher, site: Site) -> None:
    items = "".join(f"<item><link>{site.url}/{number}</link></item>" for number in range(4))
    feed = f"<rss version='2.0'><channel><title>City</title>{items}</channel></rss>"
    site.pages["/feed"] = (200, {"Content-Type": "application/rss+xml"}, feed.encode())

    def take_over() -> None:
        with watcher.store.begin() as session:
            session.execute(update(WatchRow).values(lease="another one"))

    site.pages |= {f"/{number}": _meanwhile(take_over, page(text=f"News {number}")) for number in range(4)}
    watch = watches.add(watcher.store, Watch(f"{site.url}/feed", "feed"))
    (which,) = queue.claim(watcher.store, watcher.owner, most=1)
    task = visits.task(watcher.store, which)
    assert task is not None
    watcher.sites.visit(task)
    row = _row(watcher.store, watch.id)
    assert row.lease == "another one"
    assert row.memory == {}
    with watcher.store.read() as session:
        assert len(session.scalars(select(VersionRow)).all()) == 1


def test_a_watch_that_cannot_be_understood_does_not_hold_up_the_others(watcher: Watcher, site: Site) -> None:
    site.pages |= {"/": page(), "/other": page()}
    strange = watches.add(watcher.store, Watch(f"{site.url}/"))
    watches.add(watcher.store, Watch(f"{site.url}/other"))
    with watcher.store.begin() as session:  # as a later release may have written it
        session.get_one(WatchRow, strange.id).options = {"of_tomorrow": True}
    watcher.run_once()
    first, second = sorted(rows(watcher.store, WatchRow), key=lambda row: row.url)
    assert (first.state, first.lease) == ("trouble", None)
    assert "of_tomorrow" in first.trouble
    assert second.state == "fine"
