"""A change is shown with its reason, whichever release wrote it."""

import re

import httpx

from pagedrift.app.model.change import JudgedEdit
from pagedrift.app.model.watch import Watch
from pagedrift.app.store import lessons, watches
from pagedrift.app.store.store import Store
from tests.app.model.test_change import insert_as_before
from tests.app.web.conftest import token_of
from tests.app.web.store_builder import Filled

EDITS = (
    JudgedEdit(
        level="important",
        probability=0.93,
        summary="Price 24 € → 29 €",
        old="A permit is 24 €.",
        new="A permit is 29 €.",
        facts={"amount of money": [["24 €"], ["29 €"]]},
        because="a fact changed: amount of money",
        zone="main content",
        steps=12,
        place="a1",
        spot="a1",
        css="main > p",
    ),
    JudgedEdit(
        level="minor", probability=0.7, summary="desk → counter", old="desk", new="counter", place="b", spot="b"
    ),
    JudgedEdit(level="noise", probability=0.01, summary="17 → 19", old="17", new="19", place="c", spot="c"),
)


def test_a_change_is_shown_with_the_reason_and_without_repeating_it(client: httpx.Client, filled: Filled) -> None:
    watch = filled.watch("https://city.example/fees")
    old, _ = filled.version(watch, b"<p>40")
    _, change = filled.version(watch, b"<p>45", hours=1, old=old)

    page = client.get(f"/change/{change}").text
    assert '<span class="quiet">important, 80 % sure' in page
    assert "Alert sent: important, 80 % sure" in client.get(f"/watch/{watch}").text


def test_a_change_of_an_older_release_is_shown(client: httpx.Client, store: Store) -> None:
    watch = watches.add(store, Watch("https://city.example/fees")).id
    number = insert_as_before(store, watch)

    page = client.get(f"/change/{number}").text
    assert "price 24 EUR → 29 EUR" in page
    assert "0.5 is below your 0.9" in page
    assert "edited text" in page
    assert "1 edited" in page
    listed = client.get("/ignored").text
    assert "Ignored because 0.5 is below your 0.9" in listed
    assert "Ignored because not told" not in listed


def test_each_edit_is_shown_with_its_level_how_sure_and_why(client: httpx.Client, filled: Filled) -> None:
    watch = filled.watch("https://city.example/fees")
    old, _ = filled.version(watch, b"<p>40")
    _, change = filled.version(watch, b"<p>45", hours=1, old=old, edits=EDITS)

    page = " ".join(re.sub(r"<[^>]+>", " ", client.get(f"/change/{change}").text).split())
    assert (
        "Important (1) Price 24 € → 29 € Important, 93 % sure: a fact changed: amount of money; in the main" in page
    )
    assert "this place did not change in 12 versions before" in page
    assert page.index("Minor (1)") < page.index("Noise (1)")
    assert "Probably noise, 1 % likely to be content" in page


def test_feedback_on_one_edit_is_a_lesson_that_can_be_forgotten(client: httpx.Client, filled: Filled) -> None:
    watch = filled.watch("https://city.example/fees")
    old, _ = filled.version(watch, b"<p>40")
    _, change = filled.version(watch, b"<p>45", hours=1, old=old, edits=EDITS)
    token = token_of(client, f"/change/{change}")

    client.post(f"/change/{change}/label", data={"csrf": token, "matters": "no", "edit": "1"})
    page = client.get(f"/change/{change}").text
    assert 'aria-pressed="true" aria-label="Not important: desk → counter"' in page
    assert 'aria-pressed="true" aria-label="Not important: Price' not in page
    settings = client.get("/settings").text
    assert "You said that “desk → counter” (text" in settings
    [forget] = re.findall(r"/settings/lessons/\w+/forget", settings)

    assert client.post(forget, data={"csrf": token}).status_code == 303
    assert "No feedback yet" in client.get("/settings").text
    assert client.post(forget, data={"csrf": token}).status_code == 404
    assert (
        client.post(f"/change/{change}/label", data={"csrf": token, "matters": "no", "edit": "9"}).status_code
        == 404
    )


def test_the_judge_that_learned_is_turned_off_and_on(client: httpx.Client, store: Store) -> None:
    figures = {"before": {"right": 15}, "after": {"right": 18}, "model": {"name": "learned"}, "labels": 20}
    store.set(lessons.JUDGE, figures)
    page = client.get("/settings").text
    assert "The judge learned from 20 edits: it is right about 18 of them" in page

    for off in ("1", ""):
        client.post("/settings/lessons/judge", data={"csrf": token_of(client, "/settings"), "off": off})
        assert ("it is turned off" in client.get("/settings").text) is bool(off)
        assert (lessons.judge_model(store) is None) is bool(off)
