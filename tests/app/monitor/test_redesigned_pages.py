"""A redesign of a watched site, through the real application: server, scheduler, alert, page, API and feed."""

from __future__ import annotations

import json
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING

from sqlalchemy import select, update

from pagedrift.app.model.change import ChangeRecord
from pagedrift.app.model.watch import Watch
from pagedrift.app.monitor import rebuild
from pagedrift.app.notify import atom
from pagedrift.app.notify.alerts import close_due
from pagedrift.app.notify.outbox import Outbox
from pagedrift.app.store import watches
from pagedrift.app.store.tables import AlertRow, ChangeRow, WatchRow
from pagedrift.dates import EARLIEST
from tests import designs
from tests.app.notify.receiver import receiving
from tests.app.web.conftest import visitor

if TYPE_CHECKING:
    from collections.abc import Collection

    from pagedrift.app.monitor.scheduler import Scheduler
    from pagedrift.app.settings import Settings
    from pagedrift.app.store.store import Store
    from tests.server import Site

FERRY = "<p>The ferry crosses the river every twenty minutes from six in the morning until eleven at night.</p>"
FEES = "<p>A permit for a fence costs <b class={name}>{fee} €</b> and holds for a year from its day of issue.</p>"


def old(title: str, text: str) -> bytes:
    return f"""<!doctype html><html lang=en><head><title>{title}</title><link rel=stylesheet href=/main.css>
<script src=/jquery.js></script></head><body class=single><div id=container><div id=header class=site-header>
<h1 class=site-title><a href=/>Ardley</a></h1><ul class=menu><li><a href=/a>Town</a></li>
<li><a href=/b>Sport</a></li></ul></div>
<div id=content class=hfeed><div class="post hentry"><h2 class=entry-title>{title}</h2>
<div class=entry-content>{text}</div></div></div><div id=sidebar class=widget-area><div class=widget>
<h3 class=widget-title>Archive</h3><ul><li><a href=/c>May</a></li></ul></div></div>
<div id=footer class=site-info><p class=copyright>Ardley</p></div></div></body></html>""".encode()


def new(title: str, text: str) -> bytes:
    return f"""<!doctype html><html lang=en><head><meta charset=utf-8><title>{title}</title>
<link rel=stylesheet href=/assets/theme.css><script src=/assets/app.js defer></script></head>
<body class=layout-post><header class=topbar><nav class=navbar><a class=navbar-brand href=/>Ardley</a>
<button class=navbar-toggler>Menu</button>
<div class=navbar-links><a class=nav-link href=/a>Town</a><a class=nav-link href=/b>Sport</a></div></nav></header>
<main class=page-grid><article class=article-card><header class=article-head><h1 class=article-title>{title}</h1>
</header><section class=article-text>{text}</section></article></main><footer class=bottom><div class=bottom-grid>
<span class=legal>Ardley</span></div></footer></body></html>""".encode()


def publish(site: Site, design: object, *, fee: int, name: str) -> None:
    site.pages |= {"/ferry": design("Ferry", FERRY), "/fees": design("Fees", FEES.format(fee=fee, name=name))}


def visit(scheduler: Scheduler) -> None:
    with scheduler.store.begin() as session:
        session.execute(update(WatchRow).values(next_at=EARLIEST))
    scheduler.run_once()


def redesign(scheduler: Scheduler, site: Site, *, notify: tuple[str, ...] = ()) -> None:
    """Watch two pages with selectors, and let the site be redesigned; one of them changes its price, too."""
    publish(site, old, fee=24, name="fee")
    add = {"/ferry": {"include": (".entry-content",)}, "/fees": {"selectors": ("price .fee", "title title")}}
    for path, options in add.items():
        watches.add(scheduler.store, Watch(f"{site.url}{path}", options={**options, "notify": notify}))
    scheduler.run_once()
    publish(site, new, fee=29, name="amount")
    visit(scheduler)


def later() -> datetime:
    return datetime.now(UTC) + timedelta(hours=1)


def test_a_redesign_of_a_site_is_one_alert_with_layout_selectors_and_content(
    scheduler: Scheduler, site: Site, settings: Settings, store: Store
) -> None:
    with receiving() as receiver:
        redesign(scheduler, site, notify=(f"{receiver.url}/",))
        assert close_due(store, later(), "http://127.0.0.1:8710") == 1
        Outbox(store, settings).deliver_due(later())
        ((_, _, body),) = receiver.told
    sent = json.loads(body)

    assert sent["verdict"] == "redesign"
    assert sent["url"].endswith("/alerts/1")
    assert sorted((page["url"][-5:], page["content"]) for page in sent["pages"]) == [
        ("/fees", "changed"),
        ("ferry", "unchanged"),
    ]
    found = sent["redesign"]
    assert found["layout"]["replaced"] > 0.5
    assert (found["layout"]["styles_removed"], found["layout"]["styles_added"]) == (["main.css"], ["theme.css"])
    broken = {each["selector"]: each for each in found["selectors"]}
    assert broken[".entry-content"]["use"] == "include"
    assert broken[".fee"]["proposal"] == ".amount"
    assert (found["unchanged"], found["changed"]) == (1, 1)
    assert "Broken selector price: .fee matches nothing now; use .amount" in sent["text"]
    assert "1 page is unchanged in content" in sent["text"]


def test_the_alert_has_a_page_with_before_and_after_and_the_api_says_the_same(
    scheduler: Scheduler, site: Site, settings: Settings, store: Store
) -> None:
    redesign(scheduler, site)
    client = visitor(settings, store)
    waiting = client.get("/alerts/1").text
    close_due(store, later(), "http://127.0.0.1:8710")
    page, told = client.get("/alerts/1").text, client.get("/api/v1/alerts/1").json()

    for text in (waiting, page):
        assert "The page before the redesign" in text
        assert "Style sheets: main.css → theme.css" in text
        assert "<code>.amount</code>" in text
        assert "Unchanged in content" in text
    assert {each["selector"] for each in told["redesign"]["selectors"]} == {".entry-content", ".fee"}
    assert told["redesign"]["unchanged"] == 1
    feed = atom.answer(store, url="http://127.0.0.1:8710/all.atom", site="http://127.0.0.1:8710/alerts")
    assert b"unchanged in content" in feed.body


def test_a_selector_that_a_redesign_broke_has_no_alert_of_its_own(scheduler: Scheduler, site: Site) -> None:
    redesign(scheduler, site)
    for _ in range(4):
        visit(scheduler)

    with scheduler.store.read() as session:
        assert [alert.kind for alert in session.scalars(select(AlertRow))] == ["redesign"]


def test_what_a_redesign_did_is_kept_in_the_archive(
    scheduler: Scheduler, site: Site, settings: Settings, store: Store
) -> None:
    redesign(scheduler, site)
    with store.read() as session:
        before = [ChangeRecord.from_json(row.card).analysis.redesign for row in session.scalars(select(ChangeRow))]
    rebuild.rebuild(store, settings)
    with store.read() as session:
        after = [ChangeRecord.from_json(row.card).analysis.redesign for row in session.scalars(select(ChangeRow))]

    assert all(before)
    assert sorted(map(repr, after)) == sorted(map(repr, before))


def publish_feed(site: Site, redesigned: Collection[int], *, documents: int) -> None:
    """Publish articles, some of them in the new design."""
    numbers = range(documents)
    site.pages |= {f"/{at}": (designs.new if at in redesigned else designs.old)(at) for at in numbers}
    items = "".join(f"<item><title>{at}</title><link>{site.url}/{at}</link></item>" for at in reversed(numbers))
    feed = f"<rss version='2.0'><channel><title>City</title>{items}</channel></rss>".encode()
    site.pages["/feed"] = (200, {"Content-Type": "application/rss+xml"}, feed)


def test_a_redesign_that_a_feed_shows_names_selectors_and_shows_documents_before_and_after(
    scheduler: Scheduler, site: Site, settings: Settings, store: Store
) -> None:
    publish_feed(site, range(30, 36), documents=36)
    options = {"selectors": ("headline .entry-title",)}
    watches.add(store, Watch(f"{site.url}/feed", kind="feed", options=options))
    scheduler.run_once()
    close_due(store, later(), "http://127.0.0.1:8710")

    page = visitor(settings, store).get("/alerts/1").text
    assert "The page before the redesign" in page
    assert "<b>headline</b> <code>.entry-title</code>" in page
    assert "<code>.article-title</code>" in page


def test_a_trial_that_a_feed_shows_is_named_on_the_page_of_its_site_without_an_alert_of_its_own(
    scheduler: Scheduler, site: Site, settings: Settings, store: Store
) -> None:
    publish_feed(site, (30, 31, 33, 34), documents=40)
    watch = watches.add(store, Watch(f"{site.url}/feed", kind="feed"))
    scheduler.run_once()

    with store.read() as session:
        assert session.scalars(select(AlertRow)).all() == []
    shown = visitor(settings, store).get(f"/site/{watch.id}").text
    assert "Not redesigned: another design on 4 pages, then the old one again" in shown
