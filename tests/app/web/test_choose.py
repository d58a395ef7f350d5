"""Parts of a page, chosen by pointing at them in a real browser."""

import re
from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest
from playwright.sync_api import Browser, Page, Route, expect

from pagedrift.app.model.watch import Watch
from pagedrift.app.monitor.scheduler import Scheduler
from pagedrift.app.settings import Settings
from pagedrift.app.store import queries, watches
from pagedrift.app.store.store import Store
from pagedrift.app.web import content
from pagedrift.app.web.run import serving
from tests.app.monitor.test_visit import visit
from tests.app.web.conftest import token_of
from tests.app.web.store_builder import Filled
from tests.app.web.test_browser import SECONDS, opened
from tests.app.web.test_content import shown as shown  # noqa: PLC0414 - a fixture
from tests.server import Site
from tests.server import serving as site_serving

expect.set_options(timeout=SECONDS)
# With names that hide what scripts usually call, and a script that would like to choose by itself.
LAMP = """<!doctype html><html lang=en><title>Lamp</title>
<main><h1>Lamp</h1><p class=price>{price} €</p><p class=stock>{stock}</p>
<form action=/buy><input name=closest><input name=getAttribute><input name=parentElement><button>Buy</button></form>
<ul class=reviews><li class=review>Very bright.<li class=review>Cable too short.</ul></main>
<aside class=ad>Advertisement {ad}</aside><img name=querySelector alt=x><img name=createElement alt=y>
<script>parent.postMessage(5, "*"); document.title = "taken over"</script></html>"""


def lamp(price: str = "24.00", stock: str = "In stock", ad: int = 1) -> bytes:
    return LAMP.format(price=price, stock=stock, ad=ad).encode()


@pytest.fixture
def fresh(tmp_path: Path) -> Iterator[tuple[str, Scheduler, Site]]:
    settings = Settings(tmp_path, port=0, allow_private=("127.0.0.1",), processes=0, delay=0)
    with (
        site_serving() as site,
        Store(settings) as store,
        Scheduler(settings, store) as scheduler,
        serving(settings, store, scheduler) as served,
    ):
        yield f"http://127.0.0.1:{served.port}", scheduler, site


def _with_a_past(scheduler: Scheduler, site: Site) -> str:
    site.pages["/lamp"] = lamp()
    watch = watches.add(scheduler.store, Watch(f"{site.url}/lamp"))
    scheduler.run_once()
    for price, stock, ad in (("29.00", "In stock", 2), ("29.00", "In stock", 3), ("19.00", "Sold out", 4)):
        site.pages["/lamp"] = lamp(price, stock, ad)
        visit(scheduler)
    return watch.id


@pytest.fixture
def page(browser: Browser) -> Iterator[Page]:
    with opened(browser) as context:
        yield context.new_page()


@pytest.mark.slow
def test_an_address_is_typed_and_its_price_is_chosen_by_clicking(
    fresh: tuple[str, Scheduler, Site], page: Page
) -> None:
    url, scheduler, site = fresh
    site.pages["/lamp"] = lamp()
    page.goto(url)
    page.locator("#url").fill(f"{site.url}/lamp")
    page.keyboard.press("Enter")
    expect(page.get_by_text("Waiting for its turn")).to_be_visible()
    scheduler.run_once()
    frame = page.frame_locator("#frame")  # which comes by itself
    expect(frame.locator(".price")).to_have_css("cursor", "pointer")
    frame.locator(".price").click()
    expect(page.locator("#pointed-selector")).to_have_text(".price")
    expect(page.locator("#pointed-value")).to_contain_text("24 €")
    page.get_by_role("button", name="Watch this").click()
    expect(frame.locator(".price")).to_have_css("outline-style", "solid")
    expect(frame.locator(".price")).to_have_css("background-color", "rgba(98, 211, 176, 0.25)")
    page.locator("#value").select_option("number")
    expect(page.locator("#value-now")).to_have_text("The selected element says: 24 €")
    page.locator("#conditions").fill("below 20")
    expect(page.locator("#past")).to_contain_text("no past to try this on")
    expect(page.locator("#past")).to_contain_text("24 €")
    frame.locator(".ad").click()
    expect(page.locator("#pointed-selector")).to_have_text(".ad")
    page.get_by_role("button", name="Leave this out").click()
    expect(page.locator("#exclude-list")).to_contain_text(".ad")
    page.get_by_role("button", name="Save").click()
    expect(page.get_by_text("Conditions: below 20")).to_be_visible()
    [watch] = watches.every(scheduler.store)
    assert dict(watch.options) == {
        "include": (".price",), "exclude": (".ad",), "value": "number", "conditions": ("below 20",),
    }  # fmt: skip
    assert page.title() != "taken over"


@pytest.mark.slow
def test_what_is_clicked_before_anybody_listens_is_not_lost(fresh: tuple[str, Scheduler, Site], page: Page) -> None:
    url, scheduler, site = fresh
    clicked: list[str] = []

    def click_first(route: Route) -> None:
        """Hold the script of the page back until something in the frame was clicked."""
        frame = page.frame_locator("#frame")
        expect(frame.locator(".price")).to_have_css("cursor", "pointer")
        frame.locator(".price").click()
        clicked.append(route.request.url)
        route.continue_()

    page.route("**/static/choose.js*", click_first)
    page.goto(f"{url}/watch/{_with_a_past(scheduler, site)}/choose")
    expect(page.locator("#pointed-selector")).to_have_text(".price")
    assert len(clicked) == 1


@pytest.mark.slow
def test_an_answer_that_comes_late_does_not_take_back_what_was_chosen_since(
    fresh: tuple[str, Scheduler, Site], page: Page
) -> None:
    url, scheduler, site = fresh
    held: list[Route] = []

    def hold_back_what_was_asked_before(route: Route) -> None:
        if "price" in route.request.url:
            route.continue_()
        else:
            held.append(route)

    page.route(re.compile("include="), hold_back_what_was_asked_before)
    page.goto(f"{url}/watch/{_with_a_past(scheduler, site)}/choose")
    price = page.frame_locator("#frame").locator(".price")
    price.click()
    expect(page.locator("#pointed-selector")).to_have_text(".price")
    page.get_by_role("button", name="Watch this").click()
    expect(price).to_have_css("background-color", "rgba(98, 211, 176, 0.25)")
    with page.expect_response(lambda answer: answer.url == held[-1].request.url):
        held[-1].continue_()
    page.frame_locator("#frame").locator(".ad").click()
    expect(page.locator("#pointed-selector")).to_have_text(".ad")
    expect(price).to_have_css("background-color", "rgba(98, 211, 176, 0.25)")


@pytest.mark.slow
def test_larger_and_neighbouring_elements_are_a_key_away_and_lists_are_chosen_whole(
    fresh: tuple[str, Scheduler, Site], page: Page
) -> None:
    url, scheduler, site = fresh
    page.goto(f"{url}/watch/{_with_a_past(scheduler, site)}/choose")
    page.frame_locator("#frame").locator(".review").first.click()
    text, tag = page.locator("#pointed-text"), page.locator("#pointed-tag")
    expect(text).to_have_text("Very bright.")
    for key, said in (
        ("ArrowRight", "Cable too short."),
        ("ArrowLeft", "Very bright."),
        ("ArrowUp", "Very bright. Cable too short."),
        ("ArrowDown", "Very bright."),
    ):
        page.keyboard.press(key)
        expect(text).to_have_text(said)
    page.get_by_role("button", name="Watch all 2 of its kind").click()
    expect(page.locator("#include-list")).to_contain_text(".review")
    page.get_by_role("button", name="Larger").click()
    expect(tag).to_have_text("<ul>")
    page.get_by_role("button", name="Remove .review").click()
    expect(page.locator("#include-list")).to_have_text("The whole page")
    page.frame_locator("#frame").get_by_role("button", name="Buy").click()  # in a form with misleading names
    expect(tag).to_have_text("<button>")
    page.keyboard.press("ArrowUp")
    expect(tag).to_have_text("<form>")
    page.keyboard.press("x")
    expect(page.locator("#exclude-list code")).to_have_text("form")


@pytest.mark.slow
def test_what_the_parts_would_have_said_stands_beside_them_on_a_phone_too(
    fresh: tuple[str, Scheduler, Site], browser: Browser
) -> None:
    url, scheduler, site = fresh
    watch = _with_a_past(scheduler, site)
    with opened(browser, 390, "dark") as context:
        page = context.new_page()
        page.goto(f"{url}/watch/{watch}/choose")
        expect(page.locator("#past")).to_contain_text("2 alerts")
        page.frame_locator("#frame").locator(".price").click()
        page.get_by_role("button", name="Watch this").click()
        page.locator("#value").select_option("number")
        page.locator("#conditions").fill("below 20")
        past = page.locator("#past")
        expect(past).to_contain_text("1 alert")
        expect(past).to_contain_text("Your condition “below 20” is met: 29 € → 19 €")
        expect(past).to_contain_text("No change in these parts")
        assert page.evaluate("document.documentElement.scrollWidth") <= 390
        sizes = page.evaluate(
            "[...document.querySelectorAll('.pointed button:not(.plain)')].map(one => one.offsetHeight || 44)"
        )
        assert min(sizes) >= 44


@pytest.mark.slow
def test_nothing_but_a_number_is_taken_from_the_frame_and_nothing_of_the_page_runs(
    fresh: tuple[str, Scheduler, Site], page: Page
) -> None:
    url, scheduler, site = fresh
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.url))
    page.goto(f"{url}/watch/{_with_a_past(scheduler, site)}/choose")
    frame = next(each for each in page.frames if "/selectable/" in each.url)
    expect(page.frame_locator("#frame").locator(".price")).to_be_visible()
    frame.evaluate(
        """() => { for (const sent of ["5", 1.5, -99, 1e12, {node: 5}, [5], null, NaN, "__proto__"])
        parent.postMessage(sent, "*") }"""
    )
    page.evaluate("window.postMessage(5, '*')")  # not from the frame
    frame.locator(".stock").click()
    expect(page.locator("#pointed-selector")).to_have_text(".stock")
    assert len({each for each in asked if "/element?" in each}) == 1  # that of the click alone
    assert frame.evaluate("self.origin") == "null"
    assert frame.evaluate("document.scripts.length") == 1
    with pytest.raises(Exception, match=r"SecurityError|cross-origin"):
        frame.evaluate("parent.document.title")
    refused = frame.evaluate(
        """async (address) => {
        const script = Document.prototype.createElement.call(document, "script");
        script.textContent = "window.taken = 1";
        document.body.append(script);
        const fetched = await fetch(address).then(() => "fetched", () => "refused");
        return [window.taken === undefined, fetched] }""",
        f"{site.url}/lamp",
    )
    assert refused == [True, "refused"]
    assert not [each for each in asked if each.startswith(site.url)]


def test_only_our_script_is_allowed_in_a_page_that_is_pointed_at(
    settings: Settings, shown: httpx.Client, filled: Filled
) -> None:
    version, _ = filled.version(filled.watch("https://shop.example/lamp"), lamp())
    answer = shown.get(content.url(settings, "selectable", version))
    policy = answer.headers["content-security-policy"]
    assert policy.startswith("sandbox allow-scripts; default-src 'none'; script-src 'sha256-")
    assert "unsafe-inline" not in policy.partition("script-src")[2].partition(";")[0]
    assert "allow-same-origin" not in policy
    assert answer.headers["cache-control"] == "no-store"
    assert answer.text.count("<script") == 1
    assert "taken over" not in answer.text
    [allowed] = set(re.findall(r"'sha256-[^']+'", policy))
    assert answer.text.count(allowed.replace("'", "&#39;")) + answer.text.count(allowed) == 1  # of the page itself


def test_the_chooser_of_a_site_and_of_a_page_that_was_not_checked(client: httpx.Client, filled: Filled) -> None:
    site, page = filled.watch("https://city.example/feed", kind="feed"), filled.watch("https://city.example/")
    assert client.get(f"/watch/{site}/choose").headers["location"] == f"/site/{site}"
    waiting = client.get(f"/watch/{page}/choose")
    assert "Waiting for its turn" in waiting.text
    filled.version(page, lamp())
    assert client.get(f"/watch/{page}/choose", headers={"hx-request": "true"}).headers["hx-refresh"] == "true"
    assert 'sandbox="allow-scripts"' in client.get(f"/watch/{page}/choose").text


def test_an_element_that_is_none_and_a_selector_that_is_none_are_refused_with_the_next_step(
    client: httpx.Client, filled: Filled, store: Store
) -> None:
    watch = filled.watch("https://shop.example/lamp")
    version, _ = filled.version(watch, lamp())
    there = f"/watch/{watch}/choose"
    plain = {"accept": "application/json"}
    assert client.get(f"{there}/element?version={version}&node=999999", headers=plain).status_code == 404
    wrong = client.get(f"{there}/marks?version={version}&include=li[", headers=plain)
    assert wrong.status_code == 400
    assert "not a valid CSS selector" in wrong.text
    assert "not a valid condition" in client.get(f"{there}/past?conditions=dance").text
    form = {"csrf": token_of(client, there), "include": "li[", "exclude": "", "value": "none", "conditions": ""}
    refused = client.post(there, data=form)
    assert refused.status_code == 400
    assert "li[" in refused.text
    assert watches.get(store, watch).options == {}


def test_parts_of_a_document_are_chosen_like_those_of_a_page(client: httpx.Client, filled: Filled) -> None:
    watch = filled.watch("https://shop.example/lamp.json")
    version, _ = filled.version(watch, b'{"lamp": {"price": "24 EUR"}}', content_type="application/json")
    found = client.get(f"/watch/{watch}/choose/element?version={version}&node=0").json()
    assert found["tag"] == "body"
    assert found["value"]["number"] == "24 EUR"


def test_another_watch_of_an_address_is_chosen_from_what_is_stored_already(
    client: httpx.Client, filled: Filled, store: Store
) -> None:
    first = filled.watch("https://shop.example/lamp")
    filled.version(first, lamp())
    form = {"csrf": token_of(client, "/"), "quick": "1", "url": "shop.example/lamp"}
    refused = client.post("/watch/new", data=form)
    assert refused.status_code == 409
    assert "Watch another part of it" in refused.text
    added = client.post("/watch/new", data=form | {"again": "1"})
    assert added.status_code == 303
    assert 'id="chooser"' in client.get(added.headers["location"]).text
    with store.read() as session:
        assert queries.count_versions(session, added.headers["location"].split("/")[2]) == 0
