"""A change is shown with its reason, whichever release wrote it."""

import httpx

from pagedrift.app.model.watch import Watch
from pagedrift.app.store import watches
from pagedrift.app.store.store import Store
from tests.app.model.test_change import insert_as_before
from tests.app.web.store_builder import Filled


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
