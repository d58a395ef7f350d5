"""Live events: a real server, real connections, and a page in a real browser that shows what is new by itself."""

import json
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from typing import Any

import httpx
import pytest
from playwright.sync_api import Browser, expect

from pagedrift.app.settings import Settings
from pagedrift.app.store import inbox, people, watches
from pagedrift.app.store.store import Store
from pagedrift.app.web import auth
from pagedrift.app.web.api import events
from pagedrift.app.web.run import serving
from tests.app.web.conftest import PASSWORD
from tests.app.web.store_builder import Filled

SECONDS = 120


@pytest.fixture
def served(settings: Settings, store: Store) -> Iterator[Settings]:
    with serving(replace(settings, port=0), store) as found:
        yield found


@contextmanager
def listening(served: Settings, token: str = "") -> Iterator[Iterator[tuple[str, Any]]]:
    """Connect, and give events as they come."""
    headers = {"authorization": f"Bearer {token}"} if token else {}
    url = f"http://127.0.0.1:{served.port}/api/v1/events"
    with httpx.stream("GET", url, headers=headers, timeout=SECONDS) as answer:
        if answer.status_code != 200:
            answer.read()
        answer.raise_for_status()
        assert answer.headers["content-type"].startswith("text/event-stream")
        yield _parsed(answer.iter_lines())


def _parsed(lines: Iterator[str]) -> Iterator[tuple[str, Any]]:
    name = ""
    for line in lines:
        if line.startswith("event: "):
            name = line.removeprefix("event: ")
        elif line.startswith("data: "):
            yield name, json.loads(line.removeprefix("data: "))


def until(found: Iterator[tuple[str, Any]], name: str) -> Any:
    return next(data for each, data in found if each == name)


def test_whoever_listens_hears_what_is_new(served: Settings, store: Store, filled: Filled) -> None:
    watch = filled.watch("https://city.example/fees")
    old, _ = filled.version(watch, b"<p>40")
    with listening(served) as found:
        assert until(found, "inbox")["unread"] == 0
        _, change = filled.version(watch, b"<p>45", hours=1, old=old)
        assert until(found, "inbox") == {"newest": change, "unread": 1}
        inbox.mark(store, [change or 0])
        assert until(found, "inbox")["unread"] == 0
        watches.pause(store, watch)
        assert until(found, "watches")["log"] > 0


def test_each_person_hears_of_their_own_inbox(settings: Settings, store: Store, filled: Filled) -> None:
    auth.set_password(store, PASSWORD)
    with store.begin() as session:
        anna = people.add(session, "Anna", "reader")
    token = auth.add_token(store, "live", "api", person=anna.id)
    watch = filled.watch("https://city.example/fees")
    old, _ = filled.version(watch, b"<p>40")
    filled.version(watch, b"<p>45", hours=1, old=old)  # before Anna came

    with serving(replace(settings, port=0), store) as served:
        with listening(served, token) as found:
            assert until(found, "inbox")["unread"] == 0
        with pytest.raises(httpx.HTTPStatusError, match="401"), listening(served, "pd_api_wrong"):
            pass


def test_connections_are_bounded_and_given_back(
    served: Settings, monkeypatch: pytest.MonkeyPatch, store: Store
) -> None:
    monkeypatch.setattr(events, "MAX_STREAMS_PER_PERSON", 2)
    with listening(served) as one, listening(served) as two:
        next(one), next(two)
        with pytest.raises(httpx.HTTPStatusError, match="503"), listening(served):
            pass
    live = events.LiveEvents(store)
    for person in ("a", "a", "b"):
        live.enter(person)
    for person in ("a", "a", "b"):
        live.leave(person)
    assert live.open == {}


@pytest.mark.slow
def test_the_inbox_the_list_and_the_queue_show_what_is_new_by_themselves(
    served: Settings, store: Store, filled: Filled, browser: Browser
) -> None:
    watch = filled.watch("https://city.example/fees", name="Fees")
    watches.pause(store, watch)  # nothing is due: the page does not ask by itself
    old, _ = filled.version(watch, b"<p>40")
    with browser.new_context() as context:
        home, queue = context.new_page(), context.new_page()
        home.goto(f"http://127.0.0.1:{served.port}/")
        expect(home).to_have_title("Inbox · Pagedrift")
        with home.expect_response(lambda answer: answer.url.endswith("/api/v1/events"), timeout=SECONDS * 1_000):
            home.reload()
        filled.version(watch, b"<p>45", hours=1, old=old, headline="The fee is 45 now")
        expect(home.locator("#inbox")).to_contain_text("The fee is 45 now", timeout=SECONDS * 1_000)
        expect(home).to_have_title("(1) Inbox · Pagedrift", timeout=SECONDS * 1_000)
        filled.watch("https://shop.example/", name="A new shop")
        expect(home.locator("#list")).to_contain_text("A new shop", timeout=SECONDS * 1_000)
        queue.goto(f"http://127.0.0.1:{served.port}/queue")
        filled.version(watch, b"<p>46", hours=2, old=old, headline="another")
        expect(queue.locator("#now")).to_contain_text("Fees", timeout=SECONDS * 1_000)
