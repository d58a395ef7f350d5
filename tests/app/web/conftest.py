import re
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import httpx
import pytest

from pagedrift.app.settings import Settings
from pagedrift.app.store.store import Store
from pagedrift.app.web import auth
from pagedrift.app.web.application import create_app
from tests.app.web import asgi_client
from tests.app.web.store_builder import Filled

HERE = "http://127.0.0.1:8710"
PASSWORD = "correct horse battery"
BROWSER = {"accept": "text/html", "sec-fetch-site": "same-origin", "sec-fetch-mode": "navigate"}


COST = auth.SCRYPT


@pytest.fixture(autouse=True)
def cheap_passwords(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let tests not wait for what shall take long for thieves."""
    monkeypatch.setattr(auth, "SCRYPT", {**COST, "n": 2**10})


@pytest.fixture
def client(settings: Settings, store: Store) -> httpx.Client:
    """A browser on the same machine, where no password is set."""
    return visitor(settings, store)


@pytest.fixture
def guarded(settings: Settings, store: Store) -> httpx.Client:
    """A browser that is not logged in, at an installation that others can reach."""
    if not auth.has_password(store):
        auth.set_password(store, PASSWORD)
    return visitor(replace(settings, host="0.0.0.0"), store)


def visitor(settings: Settings, store: Store, **options: Any) -> httpx.Client:
    return asgi_client.client(create_app(settings, store), base_url=HERE, headers=BROWSER, **options)


def token_of(client: httpx.Client, path: str = "/login") -> str:
    """Read the token that the forms of a page carry."""
    found = re.search(r'name="csrf" value="([0-9a-f]{64})"', client.get(path).text)
    assert found
    return found[1]


def log_in(client: httpx.Client, password: str = PASSWORD) -> httpx.Client:
    answer = client.post("/login", data={"csrf": token_of(client), "password": password})
    assert answer.status_code == 303, answer.text
    return client


@pytest.fixture
def filled(settings: Settings, store: Store) -> Iterator[Filled]:
    made = Filled(settings, store)
    yield made
    made.close()
