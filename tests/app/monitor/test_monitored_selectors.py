"""Selectors that a watch monitors, through the real application: health, alert, before and after, the new one."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from sqlalchemy import update

from pagedrift.app.model.watch import Watch
from pagedrift.app.store import watches
from pagedrift.app.store.tables import WatchRow
from pagedrift.app.web import auth
from pagedrift.app.web.content import create_content_app
from pagedrift.dates import EARLIEST
from tests.app.web import asgi_client
from tests.app.web.conftest import token_of, visitor

if TYPE_CHECKING:
    from pagedrift.app.monitor.scheduler import Scheduler
    from pagedrift.app.settings import Settings
    from pagedrift.app.store.store import Store
    from tests.server import Site

PAGE = "<title>Lamp – Shop</title><h1>Lamp</h1><p>A lamp for the garden.</p><b class={name}>{fee} €</b><p>In stock."


def watch_shop(scheduler: Scheduler, site: Site, *, checks: int = 10, misses: int = 3) -> Watch:
    """Watch the price in a shop until its name changes, and for some checks after that."""
    added = watches.add(scheduler.store, Watch(f"{site.url}/lamp", options={"selectors": ("price = .price",)}))
    for number in range(checks + misses):
        name = "price" if number < checks else "amount"
        site.pages["/lamp"] = PAGE.format(name=name, fee=40 + number).encode()
        with scheduler.store.begin() as session:
            session.execute(update(WatchRow).values(next_at=EARLIEST))
        scheduler.run_once()
    return added


def test_a_selector_that_broke_is_shown_with_before_after_and_the_new_one(
    scheduler: Scheduler, site: Site, settings: Settings, store: Store
) -> None:
    watch = watch_shop(scheduler, site)
    client = visitor(settings, store)
    page, alert = client.get(f"/watch/{watch.id}/selectors").text, client.get("/alerts").text

    assert "price" in alert
    assert "Matched at 10 of the last 13 checks" in page
    assert page.count('class="miss"') == 3
    assert "49 €" in page
    assert "52 €" in page
    assert "<code>.amount</code>" in page
    assert "Use the new selector" in page
    assert f'href="/watch/{watch.id}/selectors"' in client.get(f"/watch/{watch.id}").text


def test_both_regions_are_drawn_on_the_captured_pages_from_their_own_origin(
    scheduler: Scheduler, site: Site, settings: Settings, store: Store
) -> None:
    watch = watch_shop(scheduler, site)
    page = visitor(settings, store).get(f"/watch/{watch.id}/selectors").text
    frames = re.findall(r'<iframe [^>]*sandbox=""[^>]* src="([^"]+)"', page)
    content = asgi_client.client(create_content_app(settings, store), base_url="http://127.0.0.1:8711")

    assert len(frames) == 2
    for address, text in zip(frames, ("49 €", "52 €"), strict=True):
        place, _, mark = address.partition("#")
        shown = content.get(place)
        assert shown.headers["Content-Security-Policy"].startswith("sandbox; default-src 'none'")
        assert re.search(rf'<b id="{mark}"[^>]*-region="selected">{text}', shown.text)
    assert content.get(frames[0].replace("/regions/", "/raw/")).status_code == 404


def test_the_new_selector_is_used_with_one_click_and_that_can_be_undone(
    scheduler: Scheduler, site: Site, settings: Settings, store: Store
) -> None:
    watch = watch_shop(scheduler, site)
    client = visitor(settings, store)
    path = f"/watch/{watch.id}/selectors"
    form = {"csrf": token_of(client, path), "name": "price", "old": ".price", "new": ".amount"}
    done = client.post(path, data=form)
    after = client.get(done.headers["location"]).text

    assert done.status_code == 303
    assert watches.get(store, watch.id).options["selectors"] == ("price = .amount",)
    assert "Undo" in after

    client.post(path, data={**form, "old": ".amount", "new": ".price"})
    assert watches.get(store, watch.id).options["selectors"] == ("price = .price",)


def test_the_api_says_the_same_and_replaces_a_selector(
    scheduler: Scheduler, site: Site, settings: Settings, store: Store
) -> None:
    watch = watch_shop(scheduler, site)
    client = visitor(settings, store)
    token = auth.add_token(store, "tests", "api")
    client.headers = {"authorization": f"Bearer {token}", "accept": "application/json"}
    path = f"/api/v1/watches/{watch.id}/selectors"
    (found,) = client.get(path).json()

    assert (found["status"], found["proposal"], found["old_text"]) == ("moved", ".amount", "49 €")
    assert found["hits"] == [True] * 10 + [False] * 3

    answer = client.post(path, json={"name": "price", "old": ".price", "new": ".amount"})
    assert answer.status_code == 200, answer.text
    assert watches.get(store, watch.id).options["selectors"] == ("price = .amount",)
    assert client.post(path, json={"name": "price", "old": ".price", "new": ".amount"}).status_code == 404
    assert client.post(path, json={"name": "price", "old": ".amount", "new": "b["}).status_code == 400


def test_a_watch_without_selectors_and_a_site_have_pages_too(store: Store, settings: Settings) -> None:
    page = watches.add(store, Watch("https://city.example/fees"))
    site = watches.add(
        store, Watch("https://city.example/feed.xml", kind="feed", options={"selectors": ("t = h1",)})
    )
    client = visitor(settings, store)

    assert "monitors no selectors" in client.get(f"/watch/{page.id}/selectors").text
    assert "/selectors" not in client.get(f"/watch/{page.id}").text
    assert f"/watch/{site.id}/selectors" in client.get(f"/site/{site.id}").text
    assert "Not matched yet" in client.get(f"/watch/{site.id}/selectors").text
