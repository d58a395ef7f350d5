from __future__ import annotations

import time
from dataclasses import replace
from typing import TYPE_CHECKING

import pytest
from sqlalchemy import select, update

from pagedrift.app.model.watch import Watch
from pagedrift.app.monitor import examination, rebuild
from pagedrift.app.monitor.scheduler import Scheduler
from pagedrift.app.store import visits, watches
from pagedrift.app.store.tables import AlertRow, AlertWatchRow, ChangeRow, VersionRow, VisitRow, WatchRow
from pagedrift.archive.locations import Place
from pagedrift.archive.reader import page_at
from pagedrift.dates import EARLIEST, moment
from tests.server import HTML

if TYPE_CHECKING:
    from pagedrift.app.settings import Settings
    from pagedrift.app.store.store import Store
    from tests.server import Site

MENU = "<nav><ul><li><a href=/>Home</a><li><a href=/fees>Fees</a>{more}</ul></nav>"
PAGE = (
    "<!doctype html><title>Permits</title><header><h1>City of Example</h1></header>{menu}<main>"
    "<h2>Building permits</h2><p>{text}</p>"
    "<p>A permit costs <b class=price>{price}</b> and is given within two weeks after all papers came in."
    "</main><aside class=ad>Advertisement {ad}</aside><footer>City of Example, 1 Main Street</footer>"
)


def page(text: str = "Bring your plans to room 12.", price: str = "24 EUR", ad: int = 1, more: str = "") -> bytes:
    return PAGE.format(menu=MENU.format(more=more), text=text, price=price, ad=ad).encode()


def visit(scheduler: Scheduler) -> None:
    """Make everything due and visit it."""
    with scheduler.store.begin() as session:
        session.execute(update(WatchRow).values(next_at=EARLIEST))
    scheduler.run_once()


def rows(store: Store, table: type) -> list:
    with store.read() as session:
        return list(session.scalars(select(table).order_by(*table.__table__.primary_key.columns)))


def test_a_first_visit_keeps_the_page(scheduler: Scheduler, site: Site) -> None:
    site.pages["/"] = page()
    watch = watches.add(scheduler.store, Watch(f"{site.url}/"))
    assert scheduler.run_once() == 1
    (seen,) = rows(scheduler.store, VisitRow)
    (kept,) = rows(scheduler.store, VersionRow)
    assert (seen.watch_id, seen.outcome, seen.version_id) == (watch.id, "new", kept.id)
    assert page_at(scheduler.settings.data, Place(kept.filename, kept.offset, kept.length)).body == page()
    assert (kept.title, kept.status, kept.mime) == ("Permits", 200, "text/html")


def test_a_watch_without_a_name_is_named_after_its_page(scheduler: Scheduler, site: Site) -> None:
    site.pages |= {"/": page(), "/named": page(), "/untitled": b"<p>Nothing to read in the head</p>"}
    unnamed, named, untitled = watches.add_all(
        scheduler.store,
        [Watch(f"{site.url}/"), Watch(f"{site.url}/named", name="Fees"), Watch(f"{site.url}/untitled")],
    )
    scheduler.run_once()
    titles = {each.id: watches.get(scheduler.store, each.id).title for each in (unnamed, named, untitled)}
    assert titles == {unnamed.id: "Permits", named.id: "Fees", untitled.id: untitled.url}

    site.pages["/"] = page(price="39 EUR").replace(b"<title>Permits", b"<title>Permits and fees")
    visit(scheduler)
    assert watches.get(scheduler.store, unnamed.id).name == "Permits"  # a name does not change by itself

    site.pages["/other"] = page().replace(b"<title>Permits", b"<title>Licences")
    watches.edit(scheduler.store, unnamed.id, url=f"{site.url}/other", name="Mine")
    watches.edit(scheduler.store, named.id, url=f"{site.url}/other?a", name="Fees")
    visit(scheduler)
    assert watches.get(scheduler.store, unnamed.id).name == "Mine"
    assert watches.get(scheduler.store, named.id).name == "Fees"


def test_a_name_that_was_the_title_goes_with_the_page(scheduler: Scheduler, site: Site) -> None:
    site.pages |= {"/": page(), "/other": page().replace(b"<title>Permits", b"<title>Licences")}
    watch = watches.add(scheduler.store, Watch(f"{site.url}/"))
    scheduler.run_once()
    watches.edit(scheduler.store, watch.id, url=f"{site.url}/other", name="Permits")
    visit(scheduler)
    assert watches.get(scheduler.store, watch.id).name == "Licences"


def test_a_change_that_matters_is_told_with_the_reason(scheduler: Scheduler, site: Site) -> None:
    site.pages["/"] = page()
    watches.add(scheduler.store, Watch(f"{site.url}/"))
    scheduler.run_once()
    site.pages["/"] = page(price="39 EUR", text="Permits are given by appointment only. Call us on Monday.")
    visit(scheduler)
    (change,) = rows(scheduler.store, ChangeRow)
    assert change.matters
    assert change.told
    assert "39 EUR" in change.card["headline"]
    assert change.reason.startswith("Important, ")
    (story,) = rows(scheduler.store, AlertRow)
    assert change.alert_id == story.id


def test_what_is_left_out_is_no_change(scheduler: Scheduler, site: Site) -> None:
    site.pages["/"] = page()
    watches.add(scheduler.store, Watch(f"{site.url}/", options={"exclude": [".ad"], "notify_on": "anything"}))
    scheduler.run_once()
    site.pages["/"] = page(ad=2)
    visit(scheduler)
    assert rows(scheduler.store, ChangeRow) == []
    assert rows(scheduler.store, VisitRow)[-1].outcome == "unchanged"


def test_a_page_that_did_not_change_is_asked_for_with_its_tag_and_kept_as_a_revisit(
    scheduler: Scheduler, site: Site
) -> None:
    def answer(request):
        known = request.headers.get("If-None-Match") == '"7"'
        return (304, {}, b"") if known else (200, {**HTML, "ETag": '"7"'}, page())

    site.pages["/"] = answer
    watches.add(scheduler.store, Watch(f"{site.url}/"))
    scheduler.run_once()
    visit(scheduler)
    visit(scheduler)
    first, second, third = rows(scheduler.store, VersionRow)
    assert first.digest == second.digest == third.digest
    assert [row.status for row in rows(scheduler.store, VisitRow)] == [200, 304, 304]
    assert page_at(scheduler.settings.data, Place(third.filename, third.offset, third.length)).body == page()


def test_an_error_is_trouble_and_never_a_change(scheduler: Scheduler, site: Site) -> None:
    site.pages["/"] = page()
    options = {"notify_on": "anything", "alert_after_failures": 2}
    watch = watches.add(scheduler.store, Watch(f"{site.url}/", options=options))
    scheduler.run_once()
    site.pages["/"] = (503, HTML, b"<h1>Service unavailable</h1>")
    visit(scheduler)
    visit(scheduler)
    assert rows(scheduler.store, ChangeRow) == []
    (story,) = rows(scheduler.store, AlertRow)
    assert story.kind == "trouble"
    site.pages["/"] = page()
    visit(scheduler)
    (row,) = rows(scheduler.store, WatchRow)
    assert (row.id, row.state, row.failures) == (watch.id, "fine", 0)
    assert rows(scheduler.store, ChangeRow) == []


def test_trouble_is_told_once_and_its_end_too(scheduler: Scheduler, site: Site) -> None:
    watches.add(scheduler.store, Watch(f"{site.url}/", options={"alert_after_failures": 2}))
    for answer in (page(), *[(503, HTML, b"")] * 4, page()):
        site.pages["/"] = answer
        visit(scheduler)
    trouble, end = rows(scheduler.store, AlertRow)  # on a slow machine they are closed by now, under a longer title
    assert "2 checks in a row failed; last error: status 503" in trouble.title
    assert "he page can be checked again after 4 failed checks" in end.title


def test_a_selector_that_finds_nothing_any_more_is_told(scheduler: Scheduler, site: Site) -> None:
    options = {"selectors": ["price = .price"], "notify_on": "nothing"}
    watches.add(scheduler.store, Watch(f"{site.url}/", options=options))
    for number in range(14):
        body = page(ad=number)
        site.pages["/"] = body if number < 10 else body.replace(b"class=price", b"class=cost")
        visit(scheduler)
    (story,) = rows(scheduler.store, AlertRow)
    assert story.kind == "selector"
    assert "price (.price)" in story.title
    assert "closest match: .cost" in story.title


def test_a_server_that_is_away_is_told_on_the_watch(scheduler: Scheduler) -> None:
    watches.add(scheduler.store, Watch("http://127.0.0.1:9/"))
    scheduler.run_once()
    (row,) = rows(scheduler.store, WatchRow)
    assert row.state == "trouble"
    assert "connection failed" in row.trouble
    assert row.next_at > row.visited_at


def test_a_page_that_flips_back_is_not_told(scheduler: Scheduler, site: Site) -> None:
    one, other = (
        page(),
        page(text="The pupils of the school painted the hall, and it looks friendlier than before."),
    )
    watches.add(scheduler.store, Watch(f"{site.url}/"))
    for body in (one, other, one):
        site.pages["/"] = body
        visit(scheduler)
    first, second = rows(scheduler.store, ChangeRow)
    assert first.told
    assert not second.told
    when = moment(rows(scheduler.store, VersionRow)[0].captured_at)
    assert second.reason == f"Ignored because the page went back to its version of {when}"


def test_a_price_or_state_that_is_back_is_told(scheduler: Scheduler, site: Site) -> None:
    site.pages["/"] = page()
    watches.add(scheduler.store, Watch(f"{site.url}/"))
    scheduler.run_once()
    for body in (page(price="39 EUR"), page(), page(text="Permits are sold out."), page()):
        site.pages["/"] = body
        visit(scheduler)
    changes = rows(scheduler.store, ChangeRow)
    assert [change.told for change in changes] == [True] * 4
    assert [change.card["headline"] for change in changes][:2] == ["Price 24 EUR → 39 EUR", "Price 39 EUR → 24 EUR"]


def test_pages_with_the_same_change_say_for_how_many_it_is_told(scheduler: Scheduler, site: Site) -> None:
    names = ("Fees", "Parking", "Permits")
    site.pages |= {f"/{name}": page(text=f"About {name}.") for name in names}
    watches.add_all(scheduler.store, [Watch(f"{site.url}/{name}", options={"tell": "any"}) for name in names])
    scheduler.run_once()
    more = "<li><a href=/jobs>Jobs</a>"
    site.pages |= {f"/{name}": page(text=f"About {name}.", more=more) for name in names}
    _one_after_the_other(scheduler, len(names))
    why = "he page changed: New in the navigation: Jobs"
    assert [row.reason for row in rows(scheduler.store, ChangeRow)] == [
        f"T{why}",
        f"One alert for 2 pages; t{why}",
        f"One alert for 3 pages; t{why}",
    ]
    assert len(rows(scheduler.store, AlertRow)) == 1


def test_a_short_page_that_other_pages_of_the_host_show_too_is_not_the_page(
    scheduler: Scheduler, site: Site
) -> None:
    names = ("Fees", "Parking", "Permits", "Waste")
    site.pages |= {f"/{name}": page(text=f"About {name}.") for name in names}
    watches.add_all(scheduler.store, [Watch(f"{site.url}/{name}", options={"tell": "any"}) for name in names])
    scheduler.run_once()
    moving = "<h1>We are moving</h1><p>Everything you look for here opens again on Sunday evening, dear friends. {}"
    site.pages |= {f"/{name}": moving.format(name).encode() for name in names}
    _one_after_the_other(scheduler, len(names))
    seen = rows(scheduler.store, VisitRow)[-len(names) :]
    assert [each.outcome for each in seen] == ["changed", "changed", "not_the_page", "not_the_page"]
    assert {each.reason for each in seen[2:]} == {"2 other pages of the site show the same short page"}


def test_a_text_that_other_watched_pages_of_the_host_show_too_is_part_of_their_frame(
    scheduler: Scheduler, site: Site
) -> None:
    names = ("Fees", "Parking", "Permits", "Waste")
    teaser = "</p><p>Read what the council plans for the old harbour, and say what you think of all of it."
    texts = {name: f"Everything that people ask the town hall about {name}, with answers." for name in names}
    site.pages |= {f"/{name}": page(text=text + teaser) for name, text in texts.items()}
    watches.add_all(scheduler.store, [Watch(f"{site.url}/{name}") for name in names])
    scheduler.run_once()
    site.pages["/Fees"] = page(text=texts["Fees"])
    visit(scheduler)
    site.pages["/Waste"] = page(text=texts["Waste"] + teaser, price="29 EUR")
    visit(scheduler)
    framed, priced = rows(scheduler.store, ChangeRow)
    assert not framed.told
    assert [edit["because"] for edit in framed.card["edits"]] == [
        "the same text stands on 3 other pages of the site"
    ]
    assert priced.told


def _one_after_the_other(scheduler: Scheduler, many: int) -> None:
    """Make everything due, and visit it one by one, so that each visit knows of those before it."""
    with scheduler.store.begin() as session:
        session.execute(update(WatchRow).values(next_at=EARLIEST))
    for _ in range(many):
        assert scheduler.run_once(limit=1) == 1


def test_a_page_that_flips_back_is_known_though_its_scripts_differ_each_time(
    scheduler: Scheduler, site: Site
) -> None:
    stamp = b"<script>token = %d</script>"
    painted = "The pupils of the school painted the hall, and it looks friendlier than before."
    site.pages["/"] = page() + stamp % 1
    watches.add(scheduler.store, Watch(f"{site.url}/"))
    scheduler.run_once()
    for number, body in ((2, page(text=painted)), (3, page())):
        site.pages["/"] = body + stamp % number
        visit(scheduler)
    first, second = rows(scheduler.store, ChangeRow)
    assert first.told
    assert not second.told
    assert "went back to its version of" in second.reason


def test_the_versions_before_are_known_of_a_page_that_is_found_elsewhere(scheduler: Scheduler, site: Site) -> None:
    site.pages["/"] = (301, {"Location": f"{site.url}/here"}, b"")
    watch = watches.add(scheduler.store, Watch(f"{site.url}/"))
    for text in ("Once.", "Then this."):
        site.pages["/here"] = page(text=text)
        visit(scheduler)
    task = visits.task(scheduler.store, watch.id)
    assert task is not None
    digests = [digest for digest, _ in visits.last_versions(scheduler.store, task)]
    assert digests == [row.digest for row in rows(scheduler.store, VersionRow)]


def test_the_same_change_on_many_pages_is_one_message(scheduler: Scheduler, site: Site) -> None:
    texts = {f"/{number}": f"This is what page {number} says about {number} things." for number in range(5)}
    site.pages |= {path: page(text) for path, text in texts.items()}
    watches.add_all(scheduler.store, [Watch(site.url + path, options={"notify_on": "anything"}) for path in texts])
    scheduler.run_once()
    site.pages |= {path: page(text, more="<li><a href=/jobs>Jobs</a>") for path, text in texts.items()}
    visit(scheduler)
    assert len(rows(scheduler.store, ChangeRow)) == 5
    assert len(rows(scheduler.store, AlertRow)) == 1
    assert len(rows(scheduler.store, AlertWatchRow)) == 5


def test_what_does_not_matter_is_skipped_by_the_policy_with_the_reason(scheduler: Scheduler, site: Site) -> None:
    site.pages["/"] = page()
    watches.add(scheduler.store, Watch(f"{site.url}/", options={"keep": "matters"}))
    scheduler.run_once()
    site.pages["/"] = page(ad=2)
    visit(scheduler)
    assert len(rows(scheduler.store, VersionRow)) == 1
    skipped = rows(scheduler.store, VisitRow)[-1]
    assert not skipped.kept
    assert skipped.outcome in ("changed", "unchanged")


def never_done(*_: object, **__: object) -> None:
    time.sleep(600)


def test_what_was_skipped_is_no_change_again_until_it_changes_or_is_wanted(
    scheduler: Scheduler, site: Site
) -> None:
    site.pages["/"] = page()
    watch = watches.add(scheduler.store, Watch(f"{site.url}/", options={"keep": "matters", "notify_on": "nothing"}))
    scheduler.run_once()
    for ad in (2, 2, 2, 3):
        site.pages["/"] = page(ad=ad)
        visit(scheduler)
    found = [(row.outcome, row.kept) for row in rows(scheduler.store, VisitRow)]
    skipped, same = ("changed", False), ("unchanged", False)
    assert found == [("new", True), skipped, same, same, skipped]
    watches.edit(scheduler.store, watch.id, options={"keep": "all", "notify_on": "anything"})
    visit(scheduler)
    assert len(rows(scheduler.store, VersionRow)) == 2
    assert rows(scheduler.store, ChangeRow)[0].told


def test_a_page_that_is_asked_for_otherwise_is_not_taken_for_the_one_that_is_known(
    scheduler: Scheduler, site: Site
) -> None:
    """A server that looks at the date alone would say that nothing changed."""
    date = {"Last-Modified": "Mon, 05 Jan 2026 10:00:00 GMT"}
    texts = {"en": page(), "de": page(text="Bringen Sie Ihre Unterlagen in Zimmer 12.")}

    def answer(request):
        known = request.headers.get("If-Modified-Since") == date["Last-Modified"]
        return (304, {}, b"") if known else (200, {**HTML, **date}, texts[request.headers["Accept-Language"]])

    site.pages["/"] = answer
    options = {"notify_on": "anything", "headers": [("Accept-Language", "en")]}
    watch = watches.add(scheduler.store, Watch(f"{site.url}/", options=options))
    scheduler.run_once()
    visit(scheduler)
    watches.edit(scheduler.store, watch.id, options=options | {"headers": [("Accept-Language", "de")]})
    visit(scheduler)
    visit(scheduler)
    assert [row.status for row in rows(scheduler.store, VisitRow)] == [200, 304, 200, 304]


def test_versions_that_cannot_be_compared_in_time_are_kept_and_told(
    settings: Settings, store: Store, site: Site, monkeypatch: pytest.MonkeyPatch
) -> None:
    with Scheduler(replace(settings, processes=1), store) as scheduler:
        watches.add(store, Watch(f"{site.url}/"))
        site.pages["/"] = page()
        scheduler.run_once()
        scheduler.analysis_pool.seconds = 0.5
        monkeypatch.setattr(examination, "examine", never_done)
        site.pages["/"] = page(price="1 EUR")
        visit(scheduler)
    (change,) = rows(store, ChangeRow)
    assert change.told
    assert "not compared within" in change.card["headline"]


def test_a_version_is_kept_though_comparing_it_fails(
    scheduler: Scheduler, site: Site, monkeypatch: pytest.MonkeyPatch
) -> None:
    site.pages["/"] = page()
    watches.add(scheduler.store, Watch(f"{site.url}/"))
    scheduler.run_once()
    monkeypatch.setattr(examination, "examine", lambda *_, **__: {}["what was not thought of"])
    site.pages["/"] = page(text="Offices are closed for good from Monday on.")
    visit(scheduler)
    assert len(rows(scheduler.store, VersionRow)) == 2
    assert "KeyError" in rows(scheduler.store, ChangeRow)[0].card["headline"]


def test_everything_is_made_again_from_the_archive(scheduler: Scheduler, site: Site) -> None:
    watches.add(
        scheduler.store, Watch(f"{site.url}/", name="Permits", group="city", options={"notify_on": "anything"})
    )
    watches.set_group(scheduler.store, "city", {"every": 120})
    for text in ("One text.", "Another text that is longer.", "A third text, about other things."):
        site.pages["/"] = page(text)
        visit(scheduler)
    scheduler.housekeeper.tidy()
    before = _told(scheduler.store)
    assert rebuild.rebuild(scheduler.store, scheduler.settings) == 3
    assert _told(scheduler.store) == before


def _told(store: Store) -> list:
    places = {row.id: (row.filename, row.offset) for row in rows(store, VersionRow)}
    changes = [
        (
            row.watch_id,
            places[row.old_id],
            places[row.new_id],
            row.at,
            row.card,
            row.told,
            row.reason,
            row.signature,
        )
        for row in rows(store, ChangeRow)
    ]
    seen = [(row.watch_id, row.at, row.outcome, row.reason, row.status, row.kept) for row in rows(store, VisitRow)]
    (watch,) = rows(store, WatchRow)
    told = (watch.id, watch.url, watch.name, watch.group, watch.options, watch.visits, watch.state)
    return [changes, seen, told, watches.groups(store), sorted(places.values())]


def test_what_was_written_before_a_crash_is_found_again(scheduler: Scheduler, site: Site) -> None:
    watches.add(scheduler.store, Watch(f"{site.url}/", options={"notify_on": "anything"}))
    for text in ("One text.", "Another text that is longer."):
        site.pages["/"] = page(text)
        visit(scheduler)
    with scheduler.store.begin() as session:  # as if the process had died between archive and database
        (change,) = session.scalars(select(ChangeRow))
        version = session.get_one(VersionRow, change.new_id)
        session.delete(change)
        session.flush()
        session.delete(version)
        session.delete(session.scalars(select(VisitRow).order_by(VisitRow.id.desc())).first())
    assert rebuild.catch_up(scheduler.store, scheduler.settings) == 1
    assert len(rows(scheduler.store, VersionRow)) == 2
    assert len(rows(scheduler.store, ChangeRow)) == 1


@pytest.mark.parametrize(
    "options",
    [{"headers": {"Accept-Language": "de"}}, {"cookies": {"region": "north"}}],
    ids=["headers", "cookies"],
)
def test_the_first_version_after_it_is_asked_for_otherwise_is_a_new_beginning(
    scheduler: Scheduler, site: Site, options: dict
) -> None:
    site.pages["/"] = page()
    watch = watches.add(scheduler.store, Watch(f"{site.url}/", options={"notify_on": "anything"}))
    scheduler.run_once()
    site.pages["/"] = page(text="Bringen Sie Ihre Pläne in Zimmer 12.")
    watches.edit(scheduler.store, watch.id, options={"notify_on": "anything", **options})
    visit(scheduler)
    assert [row.outcome for row in rows(scheduler.store, VisitRow)] == ["new", "new"]
    site.pages["/"] = page(text="Bringen Sie Ihre Pläne in Zimmer 14.")
    visit(scheduler)
    assert rows(scheduler.store, ChangeRow)[0].told
