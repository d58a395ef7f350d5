"""The inbox and actions on many watches, as people use them in a real browser, with a keyboard and on a phone."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, expect

from pagedrift.app.model.change import JudgedEdit
from pagedrift.app.model.watch import Watch
from pagedrift.app.settings import Settings
from pagedrift.app.store import inbox, queries, watches
from pagedrift.app.store.store import Store
from pagedrift.app.web.run import serving
from tests.app.web.store_builder import Filled

pytestmark = [pytest.mark.slow]
SECONDS = 60_000
MIN_TOUCH = 44  # CSS pixels


@dataclass
class Installation:
    url: str
    store: Store
    fees: str
    changes: tuple[int, ...]


@pytest.fixture
def home(tmp_path: Path) -> Iterator[Installation]:
    """Two pages with five unread changes, and a watch that fails."""
    settings = Settings(tmp_path, port=0)
    with Store(settings) as store:
        filled = Filled(settings, store)
        fees = filled.watch("https://city.example/fees", name="Fees", paused=True)
        shop = filled.watch("https://shop.example/", name="Shop", paused=True)
        changes = []
        for watch, prices in ((fees, (40, 45, 50, 55)), (shop, (7, 8, 9))):
            old = None
            for at, price in enumerate(prices):
                body = f"<main><p id=fee>Fence {price} €</p></main>".encode()
                edit = JudgedEdit(level="important", summary=f"Fence {price} €", new=f"Fence {price} €", css="#fee")
                number, change = filled.version(
                    watch,
                    body,
                    hours=at - 10 * (watch == shop),
                    old=old,
                    headline=f"Fence {price} €",
                    edits=(edit,),
                )
                old, changes = number, [*changes, change] if change else changes
        filled.close()
        with serving(settings, store) as served:
            yield Installation(f"http://127.0.0.1:{served.port}", store, fees, tuple(changes))


@pytest.fixture
def page(browser: Browser) -> Iterator[Page]:
    with browser.new_context(viewport={"width": 1280, "height": 844}) as context:
        context.set_default_timeout(SECONDS)
        yield context.new_page()


def _headlines(page: Page) -> list[str]:
    return page.locator(".entry .title").all_inner_texts()


def test_the_inbox_shows_what_is_unread_by_site_and_the_title_counts_it(home: Installation, page: Page) -> None:
    page.goto(home.url)
    expect(page).to_have_title("(5) Inbox · Pagedrift")
    assert page.locator("#inbox h3").all_inner_texts() == ["city.example", "shop.example"]
    assert _headlines(page) == ["Fence 55 €", "Fence 50 €", "Fence 45 €", "Fence 9 €", "Fence 8 €"]
    expect(page.locator(".entry").first).to_contain_text("80 % sure")


def test_an_entry_is_marked_as_read_and_comes_back_with_undo(home: Installation, page: Page) -> None:
    page.goto(home.url)
    page.get_by_role("button", name="Mark as read: Fence 50 €").click()
    expect(page.get_by_text("1 change marked as read")).to_be_visible()
    expect(page).to_have_title("(4) Inbox · Pagedrift")
    expect(page.locator(".entry")).to_have_count(4)
    assert "Fence 50 €" not in _headlines(page)
    page.get_by_role("button", name="Undo").click()
    expect(page).to_have_title("(5) Inbox · Pagedrift")
    page.get_by_role("button", name="Mark all as read").click()
    expect(page.get_by_text("Nothing unread")).to_be_visible()
    expect(page).to_have_title("Inbox · Pagedrift")
    page.get_by_role("link", name="Important", exact=True).click()
    expect(page.locator(".entry")).to_have_count(5)
    page.get_by_role("button", name="Mark as unread: Fence 55 €").click()
    expect(page).to_have_title("(1) Inbox · Pagedrift")


def test_not_important_teaches_and_a_part_is_muted_after_a_preview(home: Installation, page: Page) -> None:
    page.goto(home.url)
    page.get_by_role("button", name="Not important: Fence 55 €").click()
    expect(page.get_by_text("1 change saved as not important")).to_be_visible()
    with home.store.read() as session:
        assert [lesson.matters for lesson in queries.lessons(session)] == [False]
    page.get_by_role("link", name="Mute this part: Fence 9 €").click()
    expect(page.locator("#value")).to_have_value("#fee")
    expect(page.get_by_text("Of the last 2 changes")).to_be_visible()


def test_opening_a_change_marks_it_as_read(home: Installation, page: Page) -> None:
    page.goto(home.url)
    page.get_by_role("link", name="Fence 45 €", exact=True).click()
    expect(page.locator(".unread-mark")).to_have_count(0)
    page.goto(home.url)
    expect(page).to_have_title("(4) Inbox · Pagedrift")
    assert "Fence 45 €" not in _headlines(page)


def test_changes_are_searched_for_and_filtered(home: Installation, page: Page) -> None:
    inbox.mark(home.store, home.changes[:1])
    page.goto(home.url)
    page.locator("#find").fill("FENCE 4")
    page.get_by_role("button", name="Find").click()
    expect(page.locator(".entry .title")).to_have_text(["Fence 45 €"])
    expect(page.get_by_role("link", name="Everything")).to_have_attribute("aria-current", "true")
    page.get_by_role("link", name=re.compile("^Unread")).click()
    expect(page.get_by_text("No change says “FENCE 4”")).to_be_visible()
    page.get_by_role("link", name=re.compile("^Failing")).first.click()
    expect(page.get_by_text("No watch is failing")).to_be_visible()


def test_the_keyboard_goes_through_selects_and_marks(home: Installation, page: Page) -> None:
    page.goto(home.url)
    for key in "jjx":
        page.keyboard.press(key)
    expect(page.locator(".entry").nth(1).locator("input")).to_be_checked()
    expect(page.locator(".current-row .title")).to_have_text("Fence 50 €")
    for key in "xke":  # not selected after all, one line up, read
        page.keyboard.press(key)
    expect(page).to_have_title("(4) Inbox · Pagedrift")
    expect(page.locator(".entry .title").first).to_have_text("Fence 50 €")
    expect(page.locator(".current-row .title")).to_have_text("Fence 50 €")  # goes on where it was
    page.keyboard.press("o")
    expect(page.locator("h1")).to_have_text("Fence 50 €")


def test_watches_are_tagged_paused_and_removed_together_and_removal_is_undone(
    home: Installation, page: Page
) -> None:
    watches.add(home.store, Watch("https://third.example/", name="Third", paused=True))
    page.goto(home.url)
    expect(page.get_by_role("button", name="Check now")).to_be_hidden()
    for name in ("Fees", "Shop"):
        page.get_by_label(f"Select {name}").check()
    page.get_by_label("Tags", exact=True).fill("prices, city")
    page.get_by_role("button", name="Add tags").click()
    expect(page.get_by_text("2 watches tagged prices, city")).to_be_visible()
    page.locator("a.tag", has_text="prices").first.click()
    expect(page.locator("td.name a.title")).to_have_text(["Fees", "Shop"])
    page.get_by_label("Select Fees").check()
    page.get_by_role("button", name="Resume").click()
    expect(page.get_by_text("1 watch resumed")).to_be_visible()
    assert not watches.get(home.store, home.fees).paused
    page.get_by_label("Select Fees").check()
    page.get_by_role("button", name="Select all").click()
    page.get_by_role("button", name="Remove", exact=True).click()
    expect(page.get_by_text("2 watches removed")).to_be_visible()
    assert [watch.name for watch in watches.every(home.store)] == ["Third"]
    page.get_by_role("button", name="Undo").click()
    expect(page.get_by_label("Select Fees")).to_be_visible()
    assert len(watches.every(home.store)) == 3
    assert not watches.get(home.store, home.fees).paused


def test_it_all_works_without_scripts(home: Installation, browser: Browser) -> None:
    with browser.new_context(java_script_enabled=False) as context:
        page = context.new_page()
        page.goto(home.url)
        page.get_by_role("button", name="Mark as read: Fence 55 €").click()
        expect(page).to_have_title("(4) Inbox · Pagedrift")
        page.get_by_label("Select: Fence 50 €").check()
        page.get_by_role("button", name="Mark selected as read").click()
        expect(page).to_have_title("(3) Inbox · Pagedrift")
        page.get_by_label("Select Fees").check()
        page.get_by_role("button", name="Resume").click()
        expect(page.get_by_text("1 watch resumed")).to_be_visible()
        assert not watches.get(home.store, home.fees).paused
        page.locator("#url").fill("new.example/without-scheme")
        page.get_by_role("button", name="Start watching").click()
        expect(page.locator("h1")).to_contain_text("new.example")
        assert watches.get(home.store, "https://new.example/without-scheme").kind == "page"


def test_fingers_meet_large_targets_on_a_phone(home: Installation, browser: Browser) -> None:
    with browser.new_context(viewport={"width": 390, "height": 844}, has_touch=True) as context:
        page = context.new_page()
        page.goto(home.url)
        page.get_by_label("Select Fees").check()
        small = page.evaluate(
            """least => [...document.querySelectorAll("#inbox :is(button, .button, .chips a), .tick, .bulk button")]
            .filter(one => one.checkVisibility() && !one.hidden)
            .filter(one => one.getBoundingClientRect().height < least || one.getBoundingClientRect().width < least)
            .map(one => one.outerHTML)""",
            MIN_TOUCH,
        )
        assert small == []
        assert page.evaluate("document.documentElement.scrollWidth") <= 390
