from dataclasses import replace

import httpx
import pytest

from pagedrift.app.settings import Settings
from pagedrift.app.store.store import Store
from tests.app.web.conftest import log_in, token_of, visitor


def test_this_machine_may_ask_without_a_password(client: httpx.Client) -> None:
    answer = client.get("/")

    assert answer.status_code == 200
    assert "<h1>" in answer.text


def test_others_are_sent_to_the_login_and_come_back_to_what_they_wanted(guarded: httpx.Client) -> None:
    answer = guarded.get("/change/7?view=page")

    assert answer.status_code == 303
    assert answer.headers["location"] == "/login?next=%2Fchange%2F7%3Fview%3Dpage"
    token = token_of(guarded)
    answer = guarded.post(
        "/login", data={"csrf": token, "password": "correct horse battery", "next": "/change/7?view=page"}
    )
    assert (answer.status_code, answer.headers["location"]) == (303, "/change/7?view=page")
    assert log_in(guarded).get("/").status_code == 200


@pytest.mark.parametrize("host", ["evil.example", "127.0.0.1.evil.example", "evil.example:8710", "", "a@127.0.0.1"])
def test_a_name_that_is_not_ours_is_refused_though_it_leads_here(client: httpx.Client, host: str) -> None:
    answer = client.get("/", headers={"host": host})

    assert answer.status_code == 421
    assert "--public-url" in answer.text


def test_a_public_name_is_ours(settings: Settings, store: Store) -> None:
    client = visitor(replace(settings, public_url="https://drift.example"), store)

    assert client.get("/login", headers={"host": "drift.example"}).status_code == 200
    assert client.get("/login", headers={"host": "evil.example"}).status_code == 421
