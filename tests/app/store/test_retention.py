from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING

from sqlalchemy import select

from pagedrift.app.captures import page_of
from pagedrift.app.model.watch import Watch
from pagedrift.app.monitor import rebuild
from pagedrift.app.monitor.scheduler import Scheduler
from pagedrift.app.store import retention, watches
from pagedrift.app.store.tables import ChangeRow, VersionRow, VisitRow
from pagedrift.archive.locations import Place
from tests.app.monitor.test_visit import page, rows, visit

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pagedrift.app.settings import Settings
    from pagedrift.app.store.store import Store
    from tests.server import Site

TEXTS = ("One text.", "Another text.", "A third text.", "A fourth text.", "A fifth text.")


def _bodies(store: Store) -> list[bytes]:
    found = (Place(row.filename, row.offset, row.length) for row in rows(store, VersionRow))
    return [page_of(store.settings.data, place).body for place in found]


def test_versions_beyond_the_number_are_dropped_and_the_rest_stays_readable(
    settings: Settings, store: Store, site: Site
) -> None:
    with Scheduler(settings, store) as scheduler:
        site.pages["/kept"] = page("This page has no limits.")
        watches.add(store, Watch(f"{site.url}/", options={"keep_versions": 2, "notify_on": "anything"}))
        watches.add(store, Watch(f"{site.url}/kept"))
        for text in TEXTS:
            for _ in range(2):  # the second one finds the same
                site.pages["/"] = page(text)
                visit(scheduler)
        dropped = retention.drop(store, scheduler.archive)
        assert (dropped.versions, dropped.freed > 0) == (6, True)
        left = [body for body in _bodies(store) if b"no limits" not in body]
        assert left == [page(TEXTS[3])] * 2 + [page(TEXTS[4])] * 2
        assert len(rows(store, ChangeRow)) == 1  # between the two that are left
        site.pages["/"] = page("A sixth text, which is compared with the fifth.")
        visit(scheduler)
        assert "sixth" in rows(store, ChangeRow)[-1].card["headline"]
        scheduler.housekeeper.tidy()
        before = sorted(_bodies(store))
        rebuild.rebuild(store, settings)
        assert sorted(_bodies(store)) == before


def test_versions_that_are_too_old_are_dropped_but_never_the_newest(
    settings: Settings, store: Store, site: Site
) -> None:
    with Scheduler(settings, store) as scheduler:
        watches.add(store, Watch(f"{site.url}/", options={"keep_days": 30}))
        for text in TEXTS[:3]:
            site.pages["/"] = page(text)
            visit(scheduler)
        retention.drop(store, scheduler.archive, now=datetime.now(UTC) + timedelta(days=31))
        assert _bodies(store) == [page(TEXTS[2])]


def test_rows_are_brought_to_where_things_moved_after_a_crash(settings: Settings, store: Store, site: Site) -> None:
    with Scheduler(settings, store) as scheduler:
        watches.add(store, Watch(f"{site.url}/", options={"keep_versions": 1}))
        for text in TEXTS[:3]:
            site.pages["/"] = page(text)
            visit(scheduler)
        with store.read() as session:
            gone = {(row.filename, row.offset) for row in session.scalars(select(VersionRow))} - {
                tuple(session.execute(_newest()).one())
            }
        scheduler.archive.compact(lambda found: found.place[:2] not in gone)  # and then the process died
    with Scheduler(settings, store) as scheduler:
        scheduler.housekeeper.catch_up()
        assert _bodies(store) == [page(TEXTS[2])]
        assert [row.version_id is not None for row in rows(store, VisitRow)] == [False, False, True]


def _newest() -> Iterator:
    return select(VersionRow.filename, VersionRow.offset).order_by(VersionRow.id.desc()).limit(1)


def test_the_limits_of_a_site_hold_for_its_pages(settings: Settings, store: Store, site: Site) -> None:
    with Scheduler(settings, store) as scheduler:
        above = watches.add(store, Watch(f"{site.url}/list", kind="list", options={"keep_versions": 1}))
        watches.add_all(store, [Watch(f"{site.url}/")], parent=above.id)
        for text in TEXTS[:3]:
            site.pages["/"] = page(text)
            visit(scheduler)
        assert retention.drop(store, scheduler.archive).versions == 2
