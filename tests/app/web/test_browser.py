"""The pages as people see them, in a real browser."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from zoneinfo import ZoneInfo

import pytest
from playwright.sync_api import Browser, BrowserContext, Page, expect

from pagedrift.app.model.watch import Watch
from pagedrift.app.monitor.scheduler import Scheduler
from pagedrift.app.settings import Settings
from pagedrift.app.store import queries, watches
from pagedrift.app.store.store import Store
from pagedrift.app.store.tables import LabelRow, RuleRow
from pagedrift.app.web.run import serving
from tests.app.web.populated_store import Lived, live, town
from tests.server import Site
from tests.server import serving as site_serving

pytestmark = [pytest.mark.slow]
HOSTILE = '"><img src=x onerror=alert(1)><script>alert(2)</script>{{ 7*7 }}'
SECONDS = 60_000  # a browser may wait: other programs run on this machine too


@dataclass
class Town:
    """An installation with a past, being served."""

    url: str
    store: Store
    made: dict[str, str]
    change: int  # the newest of the fees
    redesign: int
    story: int
    redesign_alert: int
    versions: tuple[int, ...]


@pytest.fixture(scope="module")
def past(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Town]:
    settings = Settings(tmp_path_factory.mktemp("past"), port=0)
    with Store(settings) as store:
        lived = Lived(settings, store)
        made = live(lived)
        hostile = lived.watch("https://hostile.example/?q=%3Cscript%3E", name=HOSTILE, group="<b>group</b>")
        lived.visit(hostile, town("Old", "<p>Before</p>"), ago=3)
        escaped = HOSTILE.replace("<", "&lt;")
        made["hostile"] = hostile
        lived.visit(hostile, f"<title>{escaped}</title><p>{escaped}</p>", ago=1, reason=HOSTILE)
        lived.close()
        with store.read() as session:
            fees = [change.id for change in queries.changes(session, which=made["fees"])[0]]
            story = queries.alerts(session)[0][0].id
            redesign = queries.alerts(session, kind="redesign")[0][0].id
            versions = tuple(each.id for each in queries.versions(session, made["fees"]))
        with serving(settings, store) as served:
            url = f"http://127.0.0.1:{served.port}"
            yield Town(url, store, made, fees[0], fees[1], story, redesign, versions)


@pytest.fixture
def page(browser: Browser) -> Iterator[Page]:
    with opened(browser) as context:
        yield context.new_page()


def opened(browser: Browser, wide: int = 1280, scheme: str = "light") -> BrowserContext:
    context = browser.new_context(viewport={"width": wide, "height": 844}, color_scheme=scheme)
    context.set_default_timeout(SECONDS)
    return context


def everything(past: Town) -> list[str]:
    made, change = past.made, past.change
    views = [f"/change/{change}?view={view}" for view in ("page", "side", "pictures", "source", "links")]
    old, new = past.versions[-1], past.versions[0]
    return [
        "/", "/?q=fees", "/?state=trouble", "/?q=zzz", "/?group=Town+hall&sort=name", "/watch/new",
        f"/watch/{made['fees']}", f"/watch/{made['down']}", f"/watch/{made['blocked']}", f"/watch/{made['fresh']}",
        f"/watch/{made['fees']}/choose", f"/watch/{made['fresh']}/choose", f"/watch/{made['down']}/choose",
        f"/watch/{made['fees']}/steps",
        f"/watch/{made['fees']}/edit", f"/watch/{made['feed']}/edit", f"/watch/{made['fees']}/replay?at=0.1",
        f"/watch/{made['fees']}/matches?include=main", f"/watch/{made['fees']}/compare?old={old}&new={new}",
        f"/watch/{made['fees']}/compare?old={old}&new={new}&view=side", f"/change/{change}",
        f"/change/{past.redesign}", *views, f"/change/{change}/rule?kind=text&value=%5Cd%2B+minutes&scope=host",
        f"/version/{new}", f"/site/{made['feed']}", "/alerts", "/alerts?kind=redesign", f"/alerts/{past.story}",
        f"/alerts/{past.redesign_alert}", "/ignored", "/settings", "/settings/alerts",
        "/settings/group?name=Town+hall", "/queue",
        "/settings/people", "/settings/my-alerts", "/log",
        f"/watch/{made['hostile']}", f"/watch/{made['hostile']}/edit",
    ]  # fmt: skip


@pytest.mark.parametrize(("wide", "scheme"), [(1280, "dark"), (390, "light")])
def test_every_page_loads_without_errors_and_without_scrolling_sideways(
    past: Town, browser: Browser, wide: int, scheme: str
) -> None:
    with opened(browser, wide, scheme) as context:
        page, said = context.new_page(), list[str]()
        page.on("console", lambda message: said.append(message.text) if message.type != "info" else None)
        page.on("pageerror", lambda error: said.append(str(error)))
        page.on("dialog", lambda dialog: (said.append(dialog.message), dialog.dismiss()))
        for path in everything(past):
            answer = page.goto(past.url + path, wait_until="load")
            assert answer is not None
            assert answer.status == 200, path
            assert not said, (path, said)
            assert page.evaluate("document.documentElement.scrollWidth") <= wide, path
            assert page.locator("h1").count() == 1, path
        dark = page.evaluate("getComputedStyle(document.body).backgroundColor")
        assert (dark == "rgb(15, 20, 26)") == (scheme == "dark")


def test_every_field_has_a_label_and_every_picture_a_text(past: Town, page: Page) -> None:
    for path in everything(past):
        page.goto(past.url + path)
        # The icon of a page is decoration: its name stands next to it.
        assert page.evaluate("[...document.images].every(one => one.alt || one.className == 'icon')"), path
        unnamed = page.evaluate(
            """[...document.querySelectorAll("input, select, textarea, button, a, iframe")]
            .filter(one => one.type !== "hidden" && !one.hidden)
            .filter(one => !(one.labels?.length || one.getAttribute("aria-label") || one.title
                             || one.textContent.trim() || one.querySelector("title")))
            .map(one => one.outerHTML)"""
        )
        assert unnamed == [], path


def test_what_pages_are_called_and_say_stays_text(past: Town, page: Page) -> None:
    page.goto(f"{past.url}/?q=hostile")
    expect(page.locator("td.name a")).to_have_text(re.compile(re.escape("<script>alert(2)</script>{{ 7*7 }}")))
    page.goto(f"{past.url}/watch/{past.made['hostile']}")
    expect(page.locator("h1")).to_contain_text("<script>")
    page.locator(".timeline a.title").first.click()
    expect(page.locator(".steps").first).to_contain_text("onerror=alert(1)")
    assert page.locator("main script, main img[src=x]").count() == 0


def test_the_keyboard_leads_through_a_change_and_to_the_next(past: Town, page: Page) -> None:
    page.goto(f"{past.url}/change/{past.redesign}")
    page.keyboard.press("Tab")
    expect(page.locator(".skip")).to_be_focused()
    page.keyboard.press("n")
    expect(page.locator("#e1")).to_have_class(re.compile("current"))
    page.keyboard.press("n")
    expect(page.locator("#e2 a.anchor")).to_be_focused()
    page.keyboard.press("p")
    expect(page.locator("#e1")).to_have_class(re.compile("current"))
    page.keyboard.press("]")
    page.wait_for_url(f"**/change/{past.change}")
    page.keyboard.press("[")
    page.wait_for_url(f"**/change/{past.redesign}")
    page.keyboard.press("u")
    page.wait_for_url(f"**/watch/{past.made['fees']}")


def test_a_step_can_be_linked_to(past: Town, page: Page) -> None:
    page.goto(f"{past.url}/change/{past.redesign}#c2")
    expect(page.locator("#c2")).to_be_in_viewport()


def test_frames_jump_to_the_same_place_on_both_sides(past: Town, page: Page) -> None:
    page.goto(f"{past.url}/change/{past.change}?view=side")
    expect(page.locator("#where")).to_have_text("2 edits")
    page.get_by_role("button", name="Next edit").click()
    expect(page.locator("#where")).to_have_text("1 of 2")
    for side in (0, 1):
        source = page.locator("iframe").nth(side).get_attribute("src")
        assert source
        assert re.search(r"#pd[0-9a-f]{16}-\d+$", source)
        expect(page.frame_locator("iframe").nth(side).locator(":target")).to_contain_text("€")
    page.keyboard.press("p")
    expect(page.locator("#where")).to_have_text("2 of 2")


def test_any_two_versions_are_compared(past: Town, page: Page) -> None:
    page.goto(f"{past.url}/watch/{past.made['fees']}")
    page.locator(f"input[name=old][value='{past.versions[-1]}']").check()
    page.get_by_role("button", name="Compare selected versions").click()
    expect(page.get_by_text("Manual comparison")).to_be_visible()
    page.get_by_role("link", name="Page", exact=True).click()
    expect(page.frame_locator("iframe").get_by_text("31 €").first).to_be_visible()


def test_what_is_said_of_a_change_is_remembered_and_can_be_taken_back(past: Town, page: Page) -> None:
    page.goto(f"{past.url}/change/{past.change}")
    page.get_by_role("button", name="Not important", exact=True).click()
    said = page.get_by_role("button", name="Not important", exact=True)
    expect(said).to_have_attribute("aria-pressed", "true")
    with past.store.read() as session:
        assert session.get(LabelRow, past.change).matters is False
    page.get_by_role("button", name="Undo").click()
    expect(page.get_by_text("Pagedrift learns from your feedback")).to_be_visible()
    with past.store.read() as session:
        assert session.get(LabelRow, past.change).deleted


def test_a_rule_shows_what_it_would_have_hidden_before_it_is_saved(past: Town, page: Page) -> None:
    page.goto(f"{past.url}/watch/{past.made['fees']}")
    page.get_by_role("link", name="Updated 12 minutes ago").click()
    page.locator("#e1 summary").click()
    page.get_by_role("link", name="This text").click()
    expect(page.locator("#value")).to_have_value(r"Updated \d+ minutes ago")
    expect(page.get_by_text("would have ignored 1 completely")).to_be_visible()
    page.locator("#value").fill("[")
    page.get_by_role("button", name="Preview").click()
    expect(page.locator(".error")).to_be_visible()
    assert page.get_by_role("button", name="Save rule").count() == 0
    page.locator("#value").fill(r"Updated \d+ minutes ago")
    page.locator("#scope").select_option("host")
    page.get_by_role("button", name="Preview").click()
    page.get_by_role("button", name="Save rule").click()
    expect(page.locator("#rules")).to_contain_text("on this site: ardley.example")
    with past.store.read() as session:
        [rule] = session.query(RuleRow).all()
        assert (rule.scope, rule.of, rule.kind) == ("host", "ardley.example", "text")
    page.get_by_role("button", name="Remove the rule").click()
    expect(page.locator("#rules")).to_contain_text("No rules yet")


def test_selectors_and_amounts_are_tried_while_they_are_typed(past: Town, page: Page) -> None:
    page.goto(f"{past.url}/watch/{past.made['fees']}/edit")
    page.locator("#include").press_sequentially("table tr")
    expect(page.locator("#matches")).to_contain_text("5 matches")
    page.locator("#include").fill("[[")
    expect(page.locator("#matches .badge.trouble")).to_have_text("Invalid")
    expect(page.locator("#replay")).to_contain_text("you would have been alerted about 5 of 5 changes")
    page.locator("#replay-at").fill("0.15")
    expect(page.locator("#replay")).to_contain_text("you would have been alerted about 2 of 5 changes")


def test_wrong_fields_say_so_where_they_stand_and_keep_what_was_typed(past: Town, page: Page) -> None:
    page.goto(f"{past.url}/watch/new")
    page.locator("#url").fill("https://new.example/")
    page.locator("#every").fill("1")
    page.locator("[name=every_unit]").select_option("seconds")
    page.locator("#exclude").fill("p[")
    page.get_by_role("button", name="Start watching").click()
    expect(page.get_by_text("Please fix 2 problems")).to_be_visible()
    expect(page.locator("#every-error")).to_contain_text("choose between 5")
    expect(page.locator("#exclude")).to_have_value("p[")
    expect(page.locator("#exclude")).to_have_attribute("aria-invalid", "true")
    page.locator("#every").fill("60")
    page.locator("#exclude").fill("")
    page.get_by_role("button", name="Start watching").click()
    expect(page.locator("h1")).to_have_text("new.example")
    with past.store.read():
        assert dict(watches.get(past.store, "https://new.example/").options) == {"every": 60.0}


def test_secrets_stay_hidden_and_stay_what_they_are(past: Town, page: Page) -> None:
    known = watches.add(past.store, Watch("https://secret.example/", options={"headers": [("X-Key", "s3cret")]}))
    page.goto(f"{past.url}/watch/{known.id}/edit")
    assert "s3cret" not in page.content()
    expect(page.locator("#headers")).to_have_value("X-Key: (hidden)")
    page.locator("#name").fill("Named")
    page.get_by_role("button", name="Save").click()
    expect(page.locator("h1")).to_have_text("Named")
    assert watches.get(past.store, known.id).options["headers"] == (("X-Key", "s3cret"),)


def test_pages_work_without_scripts(past: Town, browser: Browser) -> None:
    with browser.new_context(java_script_enabled=False) as context:
        page = context.new_page()
        page.goto(past.url)
        page.locator("#url").fill("ftp://wrong.example/")
        page.get_by_role("button", name="Start watching").click()
        expect(page.get_by_text("give an address with http:// or https://")).to_be_visible(timeout=SECONDS)
        page.locator("#q").fill("library")
        page.get_by_role("button", name="Search").click()
        expect(page.locator("tbody tr")).to_have_count(1, timeout=SECONDS)
        page.goto(f"{past.url}/change/{past.change}?view=page")
        expect(page.frame_locator("iframe").get_by_text("31 €").first).to_be_visible(timeout=SECONDS)
        assert page.locator("#zone").inner_text() == "Times are in UTC."
        assert page.locator(".lead time").first.inner_text().endswith(" UTC")


def test_times_are_shown_in_the_zone_of_the_reader(past: Town, browser: Browser) -> None:
    shown = []
    for zone in ("Asia/Tokyo", "UTC"):
        with browser.new_context(timezone_id=zone) as context:
            page = context.new_page()
            page.goto(f"{past.url}/change/{past.change}")
            expect(page.locator("#zone")).to_have_text(f"Times are in your time zone ({zone}).")
            time = page.locator(".lead time").first
            shown.append(time.inner_text())
            at = datetime.fromisoformat(time.get_attribute("datetime") or "")
    there = at.astimezone(ZoneInfo("Asia/Tokyo"))
    assert shown[0].startswith(f"{there:%-d %b %Y, %H:%M}")
    assert shown[1] == f"{at:%-d %b %Y, %H:%M} UTC"


# --- from the first address to the first feedback --------------------------------------------------------------


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


def test_an_address_is_added_visited_changes_and_is_judged(fresh: tuple[str, Scheduler, Site], page: Page) -> None:
    url, scheduler, site = fresh
    site.pages["/fees"] = town("Fees", "<p>Fence: 24 €</p>").encode()
    page.goto(url)
    expect(page.get_by_text("No watches yet")).to_be_visible()
    page.locator("#url").fill(f"{site.url}/fees")
    page.keyboard.press("Enter")
    expect(page.get_by_text("Waiting for its turn")).to_be_visible()
    assert scheduler.run_once() == 1
    expect(page.get_by_text("Choose parts by clicking")).to_be_visible()  # by itself
    page.get_by_role("link", name="Watch the whole page").click()
    expect(page.get_by_text("First version")).to_be_visible()
    site.pages["/fees"] = town(
        "Fees", "<p>Fence: 29 €</p><h2>New rules</h2><p>Pay online from March on.</p>"
    ).encode()
    page.get_by_role("button", name="Check now").click()
    expect(page.get_by_text("A check is running")).to_be_visible()
    assert scheduler.run_once() == 1
    expect(page.locator(".timeline")).to_contain_text("29 €")
    page.goto(url)
    page.locator("td.last a").click()
    expect(page.locator("h1")).to_contain_text("29 €")
    page.get_by_role("button", name="Important", exact=True).click()
    expect(page.get_by_text("Saved: important")).to_be_visible()
    page.get_by_role("link", name="Page", exact=True).click()
    expect(page.frame_locator("iframe").get_by_text("Pay online from March on").first).to_be_visible()


def test_the_queue_refreshes_itself(fresh: tuple[str, Scheduler, Site], page: Page) -> None:
    url, scheduler, site = fresh
    site.pages["/"] = b"<title>Home</title><p>Home of the town, with some words on it."
    page.goto(f"{url}/queue")
    expect(page.get_by_text("No checks yet")).to_be_visible()
    watches.add(scheduler.store, Watch(f"{site.url}/", name="The home page"))
    scheduler.run_once()
    expect(page.locator("#now tbody")).to_contain_text("The home page")


def test_a_watch_is_paused_goes_on_and_is_removed(fresh: tuple[str, Scheduler, Site], page: Page) -> None:
    url, scheduler, site = fresh
    known = watches.add(scheduler.store, Watch(f"{site.url}/", name="The home page"))
    page.goto(f"{url}/watch/{known.id}")
    page.get_by_role("button", name="Pause").click()
    expect(page.locator("main .badge.paused")).to_be_visible()
    page.get_by_role("button", name="Resume").click()
    expect(page.get_by_role("button", name="Pause")).to_be_visible()
    page.get_by_role("link", name="Edit").click()
    page.on("dialog", lambda dialog: dialog.accept())
    page.get_by_role("button", name="Remove this watch").click()
    expect(page.get_by_text("No watches yet")).to_be_visible()


def test_watches_come_from_a_file_and_leave_as_one(fresh: tuple[str, Scheduler, Site], page: Page) -> None:
    url, scheduler, _ = fresh
    page.goto(f"{url}/settings")
    listed = {
        "name": "list.txt",
        "mimeType": "text/plain",
        "buffer": b"https://one.example/\nhttps://two.example/\n",
    }
    page.locator("#file").set_input_files(listed)
    page.locator("#import-group").fill("Imported")
    page.get_by_role("button", name="Import", exact=True).click()
    expect(page.locator("h1")).to_have_text("2 watches imported")
    assert [watch.group for watch in watches.every(scheduler.store)] == ["Imported", "Imported"]
    page.goto(f"{url}/settings")
    with page.expect_download() as download:
        page.get_by_role("button", name="Export").click()
    assert "https://one.example/" in download.value.path().read_text()


def test_a_group_a_token_and_a_test_message(fresh: tuple[str, Scheduler, Site], page: Page) -> None:
    url, _, site = fresh
    site.pages["/hook"] = b"thanks"
    page.goto(f"{url}/settings")
    page.locator("#group-name").fill("Town & <b>hall</b>")
    page.get_by_role("button", name="Add group").click()
    page.locator("#notify").fill(f"{site.url}/hook")
    page.get_by_role("button", name="Save").click()
    expect(page.locator("#groups")).to_contain_text("Town & <b>hall</b>")
    expect(page.locator("#channels code")).to_have_text("http://(hidden)")
    page.get_by_role("button", name="Test http://(hidden)").click()
    expect(page.get_by_role("heading", name="What will arrive")).to_be_visible()
    assert site.paths == []
    page.get_by_role("button", name="Send test alert").click()
    expect(page.get_by_text("Test alert sent")).to_be_visible()
    assert site.paths == ["/hook"]
    page.goto(f"{url}/settings")
    page.locator("#channel").fill("syslog://")
    page.get_by_role("button", name="Test another channel").click()
    expect(page.get_by_text("only reaches this computer")).to_be_visible()
    page.goto(f"{url}/settings")
    page.locator("#token-name").fill("my reader")
    page.get_by_role("button", name="Create token").click()
    token = page.locator("#token").inner_text()
    assert token.startswith("pd_feed_")
    page.goto(f"{url}/settings")
    assert token not in page.content()
    expect(page.locator("#feeds")).to_contain_text("my reader")


def test_a_price_is_watched_with_a_condition_and_has_a_graph(
    fresh: tuple[str, Scheduler, Site], page: Page
) -> None:
    url, scheduler, site = fresh
    lamp = "<title>Lamp</title><main><h1>Lamp</h1><p id=price>{} €</p></main>"
    site.pages["/lamp"] = lamp.format(24).encode()
    page.goto(f"{url}/watch/new")
    page.locator("#url").fill(f"{site.url}/lamp")
    page.locator("#include").fill("#price")
    page.get_by_label("a number or price").check()
    page.locator("#conditions").fill("cheaper")
    page.get_by_role("button", name="Start watching").click()
    expect(page.locator("#conditions-error")).to_contain_text("write one of: below 20")
    page.locator("#conditions").fill("below 20\nnew low")
    page.get_by_role("button", name="Start watching").click()
    expect(page.get_by_text("The graph begins with the next change")).to_be_visible()
    [known] = watches.every(scheduler.store)
    for price in (24, 26, 19):
        site.pages["/lamp"] = lamp.format(price).encode()
        watches.visit_now(scheduler.store, known.id)
        scheduler.run_once()
    page.set_viewport_size({"width": 390, "height": 844})
    page.goto(f"{url}/watch/{known.id}")
    expect(page.locator("#value")).to_contain_text("19 €")
    expect(page.locator("#value svg circle")).to_have_count(3)
    expect(page.get_by_text("your condition “below 20” is met: 26 € → 19 €")).to_be_visible()
    assert page.evaluate("document.documentElement.scrollWidth") <= 390
    with page.expect_download() as download:
        page.get_by_role("link", name="Export as CSV").click()
    assert len(download.value.path().read_text().splitlines()) == 4
    page.goto(url)
    assert page.locator(".entry .title").count() == 1
