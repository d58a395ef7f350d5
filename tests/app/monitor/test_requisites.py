from __future__ import annotations

from typing import TYPE_CHECKING

from pagedrift.app.model.watch import Watch
from pagedrift.app.monitor import decisions
from pagedrift.app.monitor.requisites import RequisiteFetcher
from pagedrift.app.store import watches
from pagedrift.app.store.tables import VersionRow, VisitRow
from pagedrift.archive.reader import stored
from tests.app.monitor.test_visit import rows, visit

if TYPE_CHECKING:
    import pytest

    from pagedrift.app.monitor.scheduler import Scheduler
    from tests.server import Site

PAGE = "<!doctype html><link rel=stylesheet href=/a.css><title>Fees</title><h1>Fees</h1><p>{0}<img src=/a.png>"
CSS = (200, {"Content-Type": "text/css; charset=utf-8"}, b"@import 'b.css'; body { background: url(c.png) }")
PNG = (200, {"Content-Type": "image/png"}, b"\x89PNG")


def test_what_pages_load_is_kept_beside_them_once_for_all(scheduler: Scheduler, site: Site) -> None:
    site.pages |= {"/a.css": CSS, "/b.css": CSS, "/a.png": PNG, "/c.png": PNG}
    site.pages |= {"/1": PAGE.format("One").encode(), "/2": PAGE.format("Two").encode()}
    watches.add_all(scheduler.store, [Watch(f"{site.url}/1"), Watch(f"{site.url}/2")])
    scheduler.run_once()
    site.pages["/1"] = PAGE.format("Another text that is longer").encode()
    visit(scheduler)
    loaded = [path for path in site.paths if "." in path and path != "/robots.txt"]
    assert sorted(loaded) == ["/a.css", "/a.png", "/b.css", "/c.png"]
    kept = {
        each.url.removeprefix(site.url) for each in stored(scheduler.settings.archive) if each.kind == "capture"
    }
    assert kept == {"/1", "/2", "/a.css", "/a.png", "/b.css", "/c.png"}
    assert {row.url.removeprefix(site.url) for row in rows(scheduler.store, VersionRow)} == {"/1", "/2"}


def test_what_cannot_be_had_or_is_not_wanted_does_not_hold_up_the_page(scheduler: Scheduler, site: Site) -> None:
    site.pages["/1"] = b"<link rel=stylesheet href=http://10.0.0.1/a.css><img src=/missing.png><h1>Fees</h1>"
    site.pages["/2"] = b"<link rel=stylesheet href=/b.css><h1>Fees</h1>"
    options = {"resources": False}
    watches.add_all(scheduler.store, [Watch(f"{site.url}/1"), Watch(f"{site.url}/2", options=options)])
    scheduler.run_once()
    assert len(rows(scheduler.store, VersionRow)) == 2
    assert "/b.css" not in site.paths


def test_nothing_is_asked_of_a_server_after_the_verdict(
    scheduler: Scheduler, site: Site, monkeypatch: pytest.MonkeyPatch
) -> None:
    site.pages |= {"/a.css": CSS, "/b.css": CSS, "/a.png": PNG, "/c.png": PNG, "/1": PAGE.format("One").encode()}
    watches.add(scheduler.store, Watch(f"{site.url}/1", options={"tell": "any"}))
    scheduler.run_once()
    scheduler.visitor.requisites = RequisiteFetcher(scheduler.client)  # as on the next day
    asked, real = list[int](), decisions.decide
    monkeypatch.setattr(
        decisions, "decide", lambda *given, **more: asked.append(len(site.paths)) or real(*given, **more)
    )
    site.pages["/1"] = PAGE.format("Another text that is longer").encode()
    visit(scheduler)
    assert asked == [len(site.paths)]
    assert site.paths.count("/a.css") == 2


def test_whatever_goes_wrong_with_what_a_page_loads_the_page_is_kept(
    scheduler: Scheduler, site: Site, monkeypatch: pytest.MonkeyPatch
) -> None:
    site.pages["/1"] = PAGE.format("One").encode()
    watches.add(scheduler.store, Watch(f"{site.url}/1"))
    monkeypatch.setattr(RequisiteFetcher, "fetch", lambda *_: {}["what was not thought of"])
    scheduler.run_once()
    assert [row.outcome for row in rows(scheduler.store, VisitRow)] == ["new"]
    assert len(rows(scheduler.store, VersionRow)) == 1


def test_what_a_page_loads_is_not_fetched_for_a_version_that_is_not_kept(scheduler: Scheduler, site: Site) -> None:
    site.pages |= {"/a.css": CSS, "/b.css": CSS, "/a.png": PNG, "/c.png": PNG, "/1": PAGE.format("One").encode()}
    watches.add(scheduler.store, Watch(f"{site.url}/1", options={"keep": "matters"}))
    scheduler.run_once()
    site.pages["/1"] = PAGE.format("One").replace("<p>", "<aside class=ad><img src=/d.png></aside><p>").encode()
    visit(scheduler)
    assert [row.kept for row in rows(scheduler.store, VisitRow)] == [True, False]
    assert "/d.png" not in site.paths


def test_what_was_fetched_and_not_kept_is_fetched_again(scheduler: Scheduler, site: Site) -> None:
    site.pages["/a.png"] = PNG
    named = [(f"{site.url}/a.png", "image")]
    fetcher = RequisiteFetcher(scheduler.client)
    fetched = fetcher.fetch(named)
    assert fetcher.fetch(named) == ()
    fetcher.forget(fetched)
    assert [each.url for each in fetcher.fetch(named)] == [f"{site.url}/a.png"]


def test_a_host_that_gives_no_answer_is_asked_once_for_all_it_holds(scheduler: Scheduler, site: Site) -> None:
    images = "".join(f"<img src=http://127.0.0.1:9/{number}.png>" for number in range(50))
    site.pages["/"] = f"<h1>Fees</h1>{images}".encode()
    watches.add(scheduler.store, Watch(f"{site.url}/"))
    asked: list[str] = []
    real = scheduler.client.ask
    scheduler.client.ask = lambda request, **options: asked.append(request.url) or real(request, **options)
    scheduler.run_once()
    assert asked == ["http://127.0.0.1:9/0.png"]
