"""The past of a page is kept with each version, used for the next change, and worked out from the archive."""

from __future__ import annotations

from datetime import timedelta
from typing import TYPE_CHECKING

from sqlalchemy import delete

from pagedrift.app.model.rules import Rule
from pagedrift.app.model.watch import Watch
from pagedrift.app.monitor import rebuild
from pagedrift.app.store import feedback, pasts, watches
from pagedrift.app.store.tables import ChangeRow, PastRow, VersionRow, VisitRow, WatchRow
from pagedrift.does_it_matter.changes.past import MAX_PLACES, MAX_TEXTS
from tests.app.monitor.test_visit import rows, visit

if TYPE_CHECKING:
    from pagedrift.app.model.change import JudgedEdit
    from pagedrift.app.monitor.scheduler import Scheduler
    from pagedrift.app.store.store import Store
    from tests.server import Site

PAGE = (
    "<!doctype html><title>Permits</title><main><h1>Permits</h1><p>A permit for a fence costs <b>{price} €</b> and"
    " is given within two weeks after all papers came.</p><p class=tip>{tip}</p></main><aside class=ad>{ad}</aside>"
)
TIPS = ("Bring two copies.", "The lift is slow.", "Ask for the form.", "Come early.", "Use a blue pen.", "Sign it.")


def page(number: int, *, price: int = 24, more: str = "") -> bytes:
    return (PAGE.format(price=price, tip=TIPS[number % len(TIPS)], ad=f"Offer {number}") + more).encode()


def visited(scheduler: Scheduler, site: Site, *bodies: bytes) -> None:
    for body in bodies:
        site.pages["/"] = body
        visit(scheduler)


def newest_edits(store: Store) -> dict[str, JudgedEdit]:
    return {edit.summary: edit for edit in rows(store, ChangeRow)[-1].record.analysis.edits}


def test_a_place_that_changes_all_the_time_is_noise_and_a_fact_that_stood_still_is_not(
    scheduler: Scheduler, site: Site
) -> None:
    watches.add(scheduler.store, Watch(f"{site.url}/"))
    visited(scheduler, site, *(page(number) for number in range(6)), page(6, price=29))

    *_, before, last = rows(scheduler.store, ChangeRow)
    assert not before.told
    assert last.told
    assert last.card["headline"] == "Price 24 € → 29 €"
    found = newest_edits(scheduler.store)
    assert (found["Price 24 € → 29 €"].changed_before, found["Price 24 € → 29 €"].steps) == (0, 5)
    assert "this place did not change in 5 versions before" in found["Price 24 € → 29 €"].why


def test_the_past_is_bounded_and_goes_with_its_watch(scheduler: Scheduler, site: Site) -> None:
    watch = watches.add(scheduler.store, Watch(f"{site.url}/"))
    lines = ["".join(f"<p id=p{at}>Line {word} {at}</p>" for at in range(900)) for word in ("one", "two", "three")]
    visited(scheduler, site, *(page(0, more=each) for each in lines))

    [row] = rows(scheduler.store, PastRow)
    assert row.value["versions"] == 3
    assert len(row.value["texts"]) <= MAX_TEXTS
    assert len(row.value["places"]) <= MAX_PLACES
    with scheduler.store.begin() as session:
        session.execute(delete(WatchRow).where(WatchRow.id == watch.id))
    assert rows(scheduler.store, PastRow) == []


def test_what_a_rebuild_does_not_have_is_worked_out_from_the_archive(scheduler: Scheduler, site: Site) -> None:
    watches.add(scheduler.store, Watch(f"{site.url}/"))
    visited(scheduler, site, *(page(number) for number in range(5)))
    [kept] = rows(scheduler.store, PastRow)

    rebuild.rebuild(scheduler.store, scheduler.settings)
    assert rows(scheduler.store, PastRow) == []
    visited(scheduler, site, page(5, price=29))
    [again] = rows(scheduler.store, PastRow)
    assert again.value["versions"] == kept.value["versions"] + 1
    assert again.value["places"].keys() >= kept.value["places"].keys()
    assert newest_edits(scheduler.store)["Price 24 € → 29 €"].steps == 4


def test_other_parts_of_a_page_have_another_past(scheduler: Scheduler, site: Site) -> None:
    watch = watches.add(scheduler.store, Watch(f"{site.url}/"))
    visited(scheduler, site, *(page(number) for number in range(4)))
    [whole] = rows(scheduler.store, PastRow)

    feedback.add_rule(scheduler.store, Rule(scope="watch", of=watch.id, kind="block", value=".tip"))
    visited(scheduler, site, page(4))
    [part] = rows(scheduler.store, PastRow)
    assert part.wanted != whole.wanted
    assert part.value["versions"] == whole.value["versions"] + 1
    assert len(part.value["places"]) < len(whole.value["places"])


def test_days_without_a_change_count(scheduler: Scheduler, site: Site) -> None:
    watches.add(scheduler.store, Watch(f"{site.url}/"))
    visited(scheduler, site, page(0), page(0))
    week = timedelta(days=7)
    with scheduler.store.begin() as session:  # as if the first of both visits had been a week ago
        visit_row, version = session.get_one(VisitRow, 1), session.get_one(VersionRow, 1)
        visit_row.at, version.captured_at = visit_row.at - week, version.captured_at - week
    visited(scheduler, site, page(0, price=29))

    assert newest_edits(scheduler.store)["Price 24 € → 29 €"].steps == 0  # those before the first version
    [row] = rows(scheduler.store, PastRow)
    assert row.value["versions"] == 1 + 7 + 1
    assert [still for _, still in pasts.versions(scheduler.store, rows(scheduler.store, WatchRow)[0].id)] == [0, 7]


def test_everything_in_a_selected_part_is_content(scheduler: Scheduler, site: Site) -> None:
    options = {"include": [".ad"], "notify_on": "content"}
    watches.add(scheduler.store, Watch(f"{site.url}/", options=options))
    visited(scheduler, site, page(0), page(1).replace(b"Offer 1", b"Buy boats"), page(2))

    said = [(change.told, change.card["level"]) for change in rows(scheduler.store, ChangeRow)]
    assert said == [(True, "important"), (True, "important")]  # a number went, and came
