from __future__ import annotations

import itertools
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import pytest
from sqlalchemy import select, update

from pagedrift.app.model.watch import Watch
from pagedrift.app.monitor import rebuild, sites
from pagedrift.app.monitor.scheduler import Scheduler
from pagedrift.app.monitor.sites import SiteVisitor
from pagedrift.app.store import watches
from pagedrift.app.store.tables import AlertRow, VersionRow, WatchRow
from pagedrift.dates import EARLIEST
from tests import designs
from tests.app.monitor.test_visit import visit

if TYPE_CHECKING:
    from pagedrift.app.settings import Settings
    from pagedrift.app.store.store import Store
    from tests.server import Site


def _feed(site: Site, old: int, new: int = 0) -> None:
    """Publish so many articles in the old design, and then in the new one."""
    numbers = range(old + new)
    site.pages |= {f"/{number}": (designs.old if number < old else designs.new)(number) for number in numbers}
    items = "".join(
        f"<item><title>{number}</title><link>{site.url}/{number}</link></item>" for number in reversed(numbers)
    )
    feed = f"<rss version='2.0'><channel><title>City</title>{items}</channel></rss>"
    site.pages["/feed"] = (200, {"Content-Type": "application/rss+xml"}, feed.encode())


def _visit(scheduler: Scheduler) -> None:
    with scheduler.store.begin() as session:
        session.execute(update(WatchRow).values(next_at=EARLIEST))
    scheduler.run_once()


def test_a_site_that_was_redesigned_is_told_once_by_its_feed(scheduler: Scheduler, site: Site) -> None:
    _feed(site, 30)
    watches.add(scheduler.store, Watch(f"{site.url}/feed", kind="feed"))
    scheduler.run_once()
    _feed(site, 30, 12)
    _visit(scheduler)
    with scheduler.store.read() as session:
        assert len(session.scalars(select(VersionRow)).all()) == 42
        (story,) = session.scalars(select(AlertRow)).all()
        (row,) = session.scalars(select(WatchRow)).all()
    assert story.kind == "redesign"
    assert [event["kind"] for event in row.memory["events"]] == ["redesign"]


def test_a_long_feed_is_read_to_its_end_in_pieces(scheduler: Scheduler, site: Site) -> None:
    _feed(site, 55)
    watches.add(scheduler.store, Watch(f"{site.url}/feed", kind="feed"))
    scheduler.run_once()
    with scheduler.store.read() as session:
        assert len(session.scalars(select(VersionRow)).all()) == 55
    asked = [path for path in site.paths if path not in ("/feed", "/robots.txt")]
    assert len(asked) == len(set(asked)) == 55


def test_the_pages_of_a_list_are_watched_one_by_one(scheduler: Scheduler, site: Site) -> None:
    site.pages |= {"/a": b"<p>One page", "/b": b"<p>Another page"}
    listed = f"# pages\n{site.url}/a\n\n{site.url}/b\njavascript:alert(1)\n"
    site.pages["/list"] = (200, {"Content-Type": "text/plain"}, listed.encode())
    watch = watches.add(scheduler.store, Watch(f"{site.url}/list", kind="list", options={"notify_on": "anything"}))
    scheduler.run_once()
    _visit(scheduler)
    assert sorted(watches.pages_of(scheduler.store, watch.id)) == [f"{site.url}/a", f"{site.url}/b"]


def test_the_pages_of_a_sitemap_are_watched_as_many_as_wanted(scheduler: Scheduler, site: Site) -> None:
    _feed(site, 9)
    addresses = "".join(f"<url><loc>{site.url}/{number}</loc></url>" for number in range(9))
    head = "<?xml version='1.0'?><urlset xmlns='http://www.sitemaps.org/schemas/sitemap/0.9'>"
    site.pages["/sitemap.xml"] = (200, {"Content-Type": "application/xml"}, f"{head}{addresses}</urlset>".encode())
    watch = watches.add(scheduler.store, Watch(f"{site.url}/sitemap.xml", kind="sitemap", options={"max_pages": 4}))
    scheduler.run_once()
    assert len(watches.pages_of(scheduler.store, watch.id)) == 4


def test_a_feed_goes_on_where_it_was_after_the_database_was_made_again(scheduler: Scheduler, site: Site) -> None:
    _feed(site, 25)
    watches.add(scheduler.store, Watch(f"{site.url}/feed", kind="feed"))
    scheduler.run_once()
    scheduler.housekeeper.tidy()
    assert rebuild.rebuild(scheduler.store, scheduler.settings) == 25
    site.asked.clear()
    _feed(site, 25, 12)
    _visit(scheduler)
    assert [path for path in site.paths if path not in ("/feed", "/robots.txt")] == [f"/{n}" for n in range(25, 37)]
    with scheduler.store.read() as session:
        assert [story.kind for story in session.scalars(select(AlertRow))] == ["redesign"]


def test_a_feed_that_is_none_is_trouble_on_the_watch(scheduler: Scheduler, site: Site) -> None:
    site.pages["/feed"] = b"<p>No feed here"
    watches.add(scheduler.store, Watch(f"{site.url}/feed", kind="feed"))
    scheduler.run_once()
    with scheduler.store.read() as session:
        (row,) = session.scalars(select(WatchRow)).all()
    assert row.state == "trouble"
    assert "feed" in row.trouble


def _listed(site: Site, *names: str) -> bytes:
    site.pages |= {f"/{name}": f"<p>Page {name}".encode() for name in names}
    return "\n".join(f"{site.url}/{name}" for name in names).encode()


def test_a_page_that_comes_last_in_a_list_is_watched_too(scheduler: Scheduler, site: Site) -> None:
    text = {"Content-Type": "text/plain"}
    site.pages["/list"] = (200, text, _listed(site, "a", "b", "c"))
    watches.add(scheduler.store, Watch(f"{site.url}/c"))  # watched anyway
    watches.add(scheduler.store, Watch(f"{site.url}/list", kind="list", options={"max_pages": 4}))
    scheduler.run_once()
    site.pages["/list"] = (200, text, _listed(site, "c", "a", "b", "d", "e", "f"))
    _visit(scheduler)
    assert {each.url[-2:] for each in watches.every(scheduler.store)} == {"/a", "/b", "/c", "/d", "/e", "st"}


def test_a_page_of_a_list_that_was_removed_stays_removed(scheduler: Scheduler, site: Site) -> None:
    site.pages["/list"] = (200, {"Content-Type": "text/plain"}, _listed(site, "a", "b"))
    watches.add(scheduler.store, Watch(f"{site.url}/list", kind="list"))
    scheduler.run_once()
    watches.remove(scheduler.store, f"{site.url}/a")
    _visit(scheduler)
    assert sorted(each.url[-2:] for each in watches.every(scheduler.store)) == ["/b", "st"]


def test_a_list_that_is_removed_during_its_visit_leaves_no_pages_behind(scheduler: Scheduler, site: Site) -> None:
    listed = _listed(site, "a", "b")
    watch = watches.add(scheduler.store, Watch(f"{site.url}/list", kind="list"))

    def answer(_: object) -> object:
        watches.remove(scheduler.store, watch.id)
        return 200, {"Content-Type": "text/plain"}, listed

    site.pages["/list"] = answer
    scheduler.run_once()
    assert watches.every(scheduler.store) == []


def test_a_feed_that_says_when_to_come_again_is_left_alone_until_then(scheduler: Scheduler, site: Site) -> None:
    _feed(site, 25)
    status, headers, body = site.pages["/feed"]
    site.pages["/feed"] = (status, {**headers, "Retry-After": "3600"}, body)
    watches.add(scheduler.store, Watch(f"{site.url}/feed", kind="feed"))
    scheduler.run_once()
    assert site.paths.count("/feed") == 1


def test_a_feed_whose_entries_are_new_each_time_does_not_go_on_for_ever(
    scheduler: Scheduler, site: Site, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sites, "MAX_VISITS_IN_A_ROW", 3)
    numbers = itertools.count()

    def answer(_: object) -> object:
        items = "".join(f"<item><link>{site.url}/none/{next(numbers)}</link></item>" for _ in range(30))
        feed = f"<rss version='2.0'><channel><title>City</title>{items}</channel></rss>"
        return 200, {"Content-Type": "application/rss+xml"}, feed.encode()

    site.pages["/feed"] = answer
    watches.add(scheduler.store, Watch(f"{site.url}/feed", kind="feed"))
    scheduler.run_once(seconds=300)
    assert site.paths.count("/feed") == 3


def test_documents_are_not_kept_again_after_a_crash_in_the_middle_of_a_feed(
    scheduler: Scheduler, site: Site, monkeypatch: pytest.MonkeyPatch
) -> None:
    _feed(site, 6)
    watches.add(scheduler.store, Watch(f"{site.url}/feed", kind="feed"))
    taken: list[str] = []
    take = SiteVisitor._take

    def dies(self: SiteVisitor, *given: Any) -> int:
        if len(taken) == 3:
            raise MemoryError
        taken.append(given[3].url)
        return take(self, *given)

    with monkeypatch.context() as patch:
        patch.setattr(SiteVisitor, "_take", dies)
        scheduler.run_once()
    _visit(scheduler)
    with scheduler.store.read() as session:
        kept = session.scalars(select(VersionRow.url)).all()
    assert sorted(kept) == [f"{site.url}/{number}" for number in range(6)]


def test_what_lets_us_in_at_a_site_is_said_there_and_nowhere_else(
    settings: Settings, store: Store, site: Site
) -> None:
    told: dict[str, str | None] = {}
    elsewhere = site.url.replace("127.0.0.1", "localhost")

    def answer(body: bytes, kind: str) -> Any:
        def answered(request: Any) -> object:
            told[f"{request.headers['Host'].partition(':')[0]}{request.path}"] = request.headers.get("X-Key")
            return 200, {"Content-Type": kind}, body

        return answered

    items = "".join(f"<item><link>{host}/{name}</link></item>" for host in (site.url, elsewhere) for name in "ab")
    feed = f"<rss version='2.0'><channel><title>City</title>{items}</channel></rss>".encode()
    site.pages |= {f"/{name}": answer(designs.old(1), "text/html") for name in "abcd"}
    site.pages["/feed"] = answer(feed, "application/rss+xml")
    site.pages["/list"] = answer(f"{site.url}/c {elsewhere}/d".encode(), "text/plain")
    options = {"headers": [("X-Key", "12345")]}
    watches.add(store, Watch(f"{site.url}/feed", kind="feed", options=options))
    watches.add(store, Watch(f"{site.url}/list", kind="list", options=options))
    with Scheduler(replace(settings, allow_private=("127.0.0.1", "localhost")), store) as scheduler:
        scheduler.run_once()
        _visit(scheduler)
    known = {f"127.0.0.1/{name}": "12345" for name in ("a", "b", "c", "feed", "list")}
    assert told == {**known, **{f"localhost/{name}": None for name in "abd"}}


@pytest.mark.parametrize(
    ("kind", "media_type", "body"),
    [
        ("feed", "application/rss+xml", b"<rss version='2.0'><channel><title>News</title></channel></rss>"),
        (
            "feed",
            "text/xml",
            b"<?xml version='1.0'?><feed xmlns='http://www.w3.org/2005/Atom'><title>News</title></feed>",
        ),
        ("sitemap", "text/xml", b"<urlset xmlns='http://www.sitemaps.org/schemas/sitemap/0.9'></urlset>"),
        ("list", "text/plain", b"https://a.example/1\nhttps://a.example/2\n"),
        ("page", "text/plain", b"Read https://a.example/1 first.\nThen go home.\n"),
        ("page", "application/json", b'["https://a.example/1", "https://a.example/2"]'),
        ("page", "application/pdf", b"%PDF-1.7 not much of one"),
        ("page", "text/html", b"<title>Fees</title><p>Fence: 24 EUR, to be paid in advance."),
    ],
)
def test_what_stands_at_an_address_is_found_by_its_first_check(
    scheduler: Scheduler, site: Site, kind: str, media_type: str, body: bytes
) -> None:
    site.pages["/it"] = (200, {"Content-Type": media_type}, body)
    added = watches.add(scheduler.store, Watch(f"{site.url}/it"), find_kind=True)
    scheduler.run_once()
    assert watches.get(scheduler.store, added.id).kind == kind
    site.pages["/it"] = (
        200,
        {"Content-Type": "text/html"},
        b"<title>Other</title><p>Something else by now, which is long.",
    )
    scheduler.run_once()
    assert watches.get(scheduler.store, added.id).kind == kind  # for good


def test_an_address_that_answers_with_an_error_is_looked_at_again_for_what_it_is(
    scheduler: Scheduler, site: Site
) -> None:
    site.pages["/it"] = (404, {"Content-Type": "text/html"}, b"<p>Not here")
    added = watches.add(scheduler.store, Watch(f"{site.url}/it"), find_kind=True)
    scheduler.run_once()
    site.pages["/it"] = (200, {"Content-Type": "text/xml"}, b"<rss version='2.0'><channel></channel></rss>")
    visit(scheduler)
    assert watches.get(scheduler.store, added.id).kind == "feed"
