"""Steps that are recorded by clicking on pictures of a page, in a real browser on both sides."""

import re
from base64 import b64decode
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import httpx
import pytest
from playwright.sync_api import Browser, Locator, Page, expect

from pagedrift.app.captures import page_of
from pagedrift.app.model.results import FailedStep
from pagedrift.app.model.watch import Watch
from pagedrift.app.monitor import step_trials
from pagedrift.app.monitor.scheduler import Scheduler
from pagedrift.app.settings import Settings
from pagedrift.app.store import failed_steps, queries, visits, watches
from pagedrift.app.store import log as log_store
from pagedrift.app.store.store import Store
from pagedrift.app.store.tables import WatchRow
from pagedrift.app.web import auth
from pagedrift.app.web.run import serving
from pagedrift.app.web.trial_pictures import KEPT_SECONDS, TrialPictures
from pagedrift.errors import NotFoundError, UnavailableError
from tests.app.web.conftest import token_of
from tests.app.web.store_builder import Filled
from tests.app.web.test_browser import SECONDS, opened
from tests.conftest import CHROMIUM
from tests.server import HTML, Site
from tests.server import serving as site_serving

expect.set_options(timeout=SECONDS)
needs_chromium = pytest.mark.skipif(not CHROMIUM, reason="there is no Chromium on this machine")
WORD = "open sesame"
LOGIN = b"""<!doctype html><html lang=en><title>Library</title><h1>Log in</h1><a href=/hours>Opening hours</a>
<form method=post action=/login><p><label>Card <input name=card></label>
<p><label>Password <input name=word type=password></label>
<p><label>Branch <select name=branch><option>Ulm<option>Bonn</select></label><p><button>Enter</button></form>
<script>document.title = "taken over"; fetch("/beacon")</script>"""


def library(site: Site) -> None:
    """A page behind a login, which wants a card, a password and a branch."""

    def login(request) -> tuple[int, dict[str, str], bytes]:
        right = request.sent == b"card=4711&word=open+sesame&branch=Bonn"
        cookie = {"Set-Cookie": "session=1; HttpOnly"} if right else {}
        return (303, {"Location": "/loans" if right else "/enter", **cookie}, b"")

    def loans(request) -> tuple[int, dict[str, str], bytes]:
        if "session=1" not in (request.headers.get("Cookie") or ""):
            return (302, {"Location": "/enter"}, b"")
        return (200, HTML, b"<title>Loans</title><h1>Your loans</h1><p class=due>A Field Guide, due on Monday")

    site.pages |= {"/loans": loans, "/enter": LOGIN, "/login": login}


@pytest.fixture
def served(tmp_path: Path) -> Iterator[tuple[str, Scheduler, Site]]:
    settings = Settings(tmp_path, port=0, allow_private=("127.0.0.1",), processes=0, delay=0)
    with (
        site_serving() as site,
        Store(settings) as store,
        Scheduler(settings, store) as scheduler,
        serving(settings, store, scheduler) as running,
    ):
        library(site)
        yield f"http://127.0.0.1:{running.port}", scheduler, site


@pytest.fixture
def page(browser: Browser) -> Iterator[Page]:
    with opened(browser) as context:
        yield context.new_page()


def target(page: Page, name: str) -> Locator:
    return page.locator("#recording label.check", has_text=re.compile(name)).locator("input")


def click_in_picture(page: Page, name: str) -> None:
    """Click into the picture where an element stands."""
    x, y, width, height = map(float, (target(page, name).get_attribute("data-box") or "").split())
    picture = page.locator("#shot img")
    scale = picture.evaluate("one => one.decode().then(() => one.clientWidth / one.naturalWidth)")
    picture.click(position={"x": (x + width / 2) * scale, "y": (y + height / 2) * scale})
    expect(target(page, name)).to_be_checked()


def add_step(page: Page, count: int) -> None:
    page.get_by_role("button", name="Add and try this step").click()
    expect(page.locator(".recorded > li")).to_have_count(count)
    expect(page.locator("#recording")).not_to_have_class(re.compile("htmx-request"))


@needs_chromium
@pytest.mark.slow
def test_a_login_is_recorded_by_clicking_on_pictures_and_the_next_check_sees_what_is_behind_it(
    served: tuple[str, Scheduler, Site], page: Page
) -> None:
    url, scheduler, site = served
    said: list[str] = []
    page.on("pageerror", lambda error: said.append(str(error)))
    page.goto(f"{url}/watch/new")
    page.locator("#url").fill(f"{site.url}/loans")
    page.get_by_role("button", name="Record steps first").click()
    expect(page.get_by_text("This watch is paused until you save its steps.")).to_be_visible()
    expect(page.locator("#shot img")).to_be_visible()  # which comes by itself
    assert not scheduler.run_once()  # nothing is checked before that

    click_in_picture(page, "Field.*Card")
    expect(page.locator("#picked")).to_contain_text("[name=card]")
    page.get_by_label("Text", exact=True).fill("4711")
    add_step(page, 1)
    click_in_picture(page, "Password field")
    expect(page.locator("#action")).to_have_value("secret")
    page.get_by_label("Value of the secret").fill(WORD)
    add_step(page, 2)
    click_in_picture(page, "List.*Branch")
    page.get_by_label("Option", exact=True).fill("Bonn")
    add_step(page, 3)
    click_in_picture(page, "Button.*Enter")
    add_step(page, 4)
    click_in_picture(page, "Text.*Your loans")
    expect(page.locator("#action")).to_have_value("wait")
    add_step(page, 5)
    assert WORD not in page.content()
    page.get_by_role("button", name="Try all steps").click()
    expect(page.locator(".recorded details")).to_have_count(5)
    expect(page.get_by_text("Done", exact=True)).to_have_count(5)
    page.get_by_role("button", name="Save").click()
    page.wait_for_url(re.compile(r"/watch/[0-9a-f]+$"))

    [watch] = watches.every(scheduler.store)
    assert dict(watch.options) == {
        "browser": True,
        "steps": (
            "fill [name=card] = 4711", "fill [name=word] = {secret:password}", "select [name=branch] = Bonn",
            "click form button", "wait h1",
        ),
        "secrets": (("password", WORD),),
    }  # fmt: skip
    assert not watch.paused
    scheduler.run_once()
    with scheduler.store.read() as session:
        [version] = queries.versions(session, watch.id)
    assert b"A Field Guide" in page_of(scheduler.settings.archive, version.place).body
    assert not said
    with scheduler.store.read() as session:
        entries, _ = log_store.entries(session, kind="watch")
    by_people = [entry for entry in entries if entry.actor_kind == "person"]
    assert [entry.action for entry in by_people] == ["changed", "changed", "added"]
    assert [sorted(entry.after) for entry in by_people[:2]] == [["paused", "steps"], ["secrets"]]
    assert WORD not in repr(entries)


@needs_chromium
@pytest.mark.slow
def test_steps_are_recorded_with_the_keyboard_moved_and_removed_on_a_phone(
    served: tuple[str, Scheduler, Site], browser: Browser
) -> None:
    url, scheduler, site = served
    watch = watches.add(scheduler.store, Watch(f"{site.url}/enter", paused=True))
    with opened(browser, 390, "dark") as context:
        page = context.new_page()
        page.goto(f"{url}/watch/{watch.id}/steps")
        target(page, "Field.*Card").focus()
        page.keyboard.press("Space")
        page.get_by_label("Text", exact=True).fill("4711")
        page.keyboard.press("Enter")
        expect(page.locator(".recorded > li")).to_have_count(1)
        target(page, "Field.*Card").focus()
        page.keyboard.press("Space")
        page.keyboard.press("ArrowDown")  # to the password
        page.get_by_label("What to do with it").select_option("click")
        add_step(page, 2)
        assert page.evaluate("document.documentElement.scrollWidth") <= 390
        page.get_by_role("button", name="Move step 2 up").click()
        expect(page.locator(".recorded > li").first).to_contain_text("click [name=word]")
        page.get_by_role("button", name="Remove step 1").click()
        expect(page.locator(".recorded > li")).to_have_count(1)
        page.get_by_text("As text, one step per line").click()
        expect(page.locator("#steps")).to_have_value("fill [name=card] = 4711")
        click_in_picture(page, "Link.*Opening hours")  # a picture a third as wide as the page


@needs_chromium
@pytest.mark.slow
def test_a_step_on_an_element_that_is_gone_shows_the_picture_of_that_moment(
    served: tuple[str, Scheduler, Site], page: Page
) -> None:
    url, scheduler, site = served
    site.pages["/enter"] = LOGIN.replace(b"name=card", b"id=number")
    # What is no field fails at once; what is not there after a while.
    watch = watches.add(
        scheduler.store,
        Watch(f"{site.url}/enter", options={"browser": True, "steps": ["fill h1 = 4711", "click button"]}),
    )
    page.goto(f"{url}/watch/{watch.id}/steps")
    expect(page.get_by_text("Step 1 failed")).to_be_visible()
    expect(page.locator("#shot img")).to_have_attribute("alt", re.compile("where a step failed"))
    expect(page.locator(".recorded > li").nth(1)).to_contain_text("Not tried")
    page.get_by_text("As text, one step per line").click()
    page.locator("#steps").fill("click [name=card]")
    page.get_by_role("button", name="Try all steps").click()
    expect(page.get_by_text("nothing on the page answers to [name=card] in time").first).to_be_visible()

    scheduler.run_once()
    page.goto(f"{url}/watch/{watch.id}")
    section = page.locator("#failed-step")
    expect(section).to_contain_text("fill h1 = 4711")
    expect(section).to_contain_text("not an <input>")
    assert section.locator("img").evaluate("one => one.decode().then(() => one.naturalWidth)") == 1024
    page.get_by_role("link", name="Try and fix the steps").click()
    page.wait_for_url(re.compile("/steps$"))


@needs_chromium
@pytest.mark.slow
def test_a_private_address_is_not_opened(settings: Settings, store: Store, page: Page) -> None:
    with site_serving() as site, serving(replace(settings, port=0, allow_private=()), store) as running:
        watch = watches.add(store, Watch(f"{site.url}/", paused=True))
        page.goto(f"http://127.0.0.1:{running.port}/watch/{watch.id}/steps")
        expect(page.get_by_text("127.0.0.1 is not on the public internet")).to_be_visible()
        expect(page.locator("#shot")).to_have_count(0)
        assert site.asked == []


@needs_chromium
@pytest.mark.slow
def test_what_the_server_refuses_is_said_on_the_page(served: tuple[str, Scheduler, Site], page: Page) -> None:
    url, scheduler, site = served
    watch = watches.add(scheduler.store, Watch(f"{site.url}/enter", paused=True))
    page.goto(f"{url}/watch/{watch.id}/steps")
    expect(page.locator("#shot img")).to_be_visible()
    watches.remove(scheduler.store, watch.id)
    page.get_by_role("button", name="Try all steps").click()
    expect(page.locator("#refused")).to_contain_text("no watch called")


@needs_chromium
@pytest.mark.slow
def test_programs_try_steps_and_read_where_a_check_failed(served: tuple[str, Scheduler, Site]) -> None:
    url, scheduler, site = served
    options = {"browser": True, "steps": ["fill [name=word] = {secret:W}", "fill h1 = 1"], "secrets": [["W", WORD]]}
    watch = watches.add(scheduler.store, Watch(f"{site.url}/enter", options=options))
    token = auth.add_token(scheduler.store, "a program", "api")
    there = f"{url}/api/v1/watches/{watch.id}"
    with httpx.Client(headers={"Authorization": f"Bearer {token}"}, timeout=120) as client:
        tried = client.post(f"{there}/steps/try", json={"pictures": True}).json()
        assert [each["outcome"] for each in tried["steps"]] == ["done", "failed"]
        assert all(b64decode(each["picture"]).startswith(b"\xff\xd8") for each in tried["steps"])
        assert {"kind": "password", "name": "Password", "selector": "[name=word]"}.items() <= next(
            each for each in tried["targets"] if each["kind"] == "password"
        ).items()
        done = client.post(f"{there}/steps/try", json={"steps": ["click a"]}).json()
        assert [each["outcome"] for each in done["steps"]] == ["done"]
        assert client.post(f"{there}/steps/try", json={"steps": ["dance"]}).status_code == 400
        assert client.get(f"{there}/failed-step").status_code == 404
        scheduler.run_once()
        failed = client.get(f"{there}/failed-step").json()
    assert (failed["number"], failed["step"]) == (2, "fill h1 = 1")
    assert b64decode(failed["picture"]).startswith(b"\xff\xd8")
    assert WORD not in repr((tried, done, failed))


def test_an_element_an_action_and_the_name_of_a_secret_are_asked_for(client: httpx.Client, filled: Filled) -> None:
    watch = filled.watch("https://city.invalid/", options={"secrets": [["known", "1234"]]})
    there = f"/watch/{watch}/steps"
    form = {"csrf": token_of(client, there), "do": "add", "target": "#a", "action": "click"}
    for wrong, says in (
        ({"target": ""}, "No element is selected; click one in the picture"),
        ({"action": "dance"}, "Nothing is to be done with the element; choose what"),
        ({"action": "press"}, "The key is missing; type Enter"),
        ({"action": "secret", "secret_name": "a b"}, "A secret needs a name of letters"),
        ({"action": "secret", "secret_name": "other"}, "There is no secret called other yet; type its value"),
        ({"do": "remove:7"}, "This step is not in the list"),
        ({"do": "try", "steps": "dance"}, "&#39;dance&#39; is not a valid step; write it as"),
        ({"do": "save", "steps": "fill #a = {secret:gone}"}, "No secret called gone"),
    ):
        answer = client.post(there, data=form | wrong)
        assert says in answer.text, (wrong, answer.text)
    assert client.post(there, data=form | {"do": "save", "csrf": "0" * 64}).status_code == 403


def test_saving_takes_the_place_of_the_steps_that_were_there(
    client: httpx.Client, store: Store, filled: Filled
) -> None:
    watch = filled.watch("https://city.invalid/", options={"steps": ["click #old"], "every": 60.0})
    there = f"/watch/{watch}/steps"
    form = {"csrf": token_of(client, there), "do": "save"}
    assert "click #old" in client.get(there).text
    answer = client.post(there, data=form | {"steps": "click #a\n\nwait .b"})
    assert answer.headers["location"] == f"/watch/{watch}"
    assert watches.get(store, watch).options == {"browser": True, "steps": ("click #a", "wait .b"), "every": 60.0}
    client.post(there, data=form | {"steps": ""})
    assert watches.get(store, watch).options == {"browser": True, "every": 60.0}
    site = filled.watch("https://city.invalid/feed", kind="feed")
    assert client.get(f"/watch/{site}/steps").headers["location"] == f"/site/{site}"


def test_pictures_are_for_those_who_made_them_for_some_minutes_and_few() -> None:
    now = [0.0]
    pictures = TrialPictures(clock=lambda: now[0], most=10)
    first = pictures.put("anna", "5a", b"12345")
    assert pictures.get("anna", "5a", first) == b"12345"
    for person, watch in (("ben", "5a"), ("anna", "6b")):
        with pytest.raises(NotFoundError):
            pictures.get(person, watch, first)
    second = pictures.put("anna", "5a", b"123456")
    with pytest.raises(NotFoundError):
        pictures.get("anna", "5a", first)
    now[0] = KEPT_SECONDS + 1
    with pytest.raises(NotFoundError):
        pictures.get("anna", "5a", second)


def test_only_some_try_steps_at_once(settings: Settings, store: Store, filled: Filled) -> None:
    watch = filled.watch("https://city.invalid/")
    trials = step_trials.StepTrials(settings, store)
    for _ in range(step_trials.MAX_WAITING):
        trials._places.acquire()
    with store.read() as session, pytest.raises(UnavailableError, match="others are trying steps"):
        trials.run("https://city.invalid/", (), visits.options_of_watch(session, watch))
    trials.close()


def test_the_picture_of_a_failed_step_goes_with_the_watch(
    client: httpx.Client, store: Store, filled: Filled
) -> None:
    watch = filled.watch("https://city.invalid/")
    failed = FailedStep(number=2, step="click #gone", problem="nothing answers", picture=b"\xff\xd8picture")
    with store.begin() as session:
        row = session.get_one(WatchRow, watch)
        row.state = "trouble"
        failed_steps.write(session, watch, failed, row.created_at)
    answer = client.get(f"/watch/{watch}/failed-step.jpg")
    assert (answer.headers["content-type"], answer.content) == ("image/jpeg", failed.picture)
    assert answer.headers["x-content-type-options"] == "nosniff"
    assert "click #gone" in client.get(f"/watch/{watch}").text
    watches.remove(store, watch)
    with store.read() as session:
        assert failed_steps.read(session, watch) is None
    assert client.get(f"/watch/{watch}/failed-step.jpg").status_code == 404
