import httpx

from pagedrift.app.store.store import Store
from pagedrift.app.store.tables import DeliveryRow
from tests.app.web.conftest import token_of
from tests.app.web.store_builder import Filled


def test_a_message_that_was_given_up_is_sent_again(client: httpx.Client, store: Store, filled: Filled) -> None:
    watch = filled.watch("https://city.example/fees")
    story = filled.story(watch, None)
    with store.begin() as session:
        session.add(
            DeliveryRow(alert_id=story, channel="https://hooks.example/", attempts=10, next_at=None, error="no")
        )
    page = client.get(f"/stories/{story}").text
    assert "given up after 10 attempts: no" in page
    assert "Send it again" in page
    form = {"csrf": token_of(client, f"/stories/{story}"), "delivery": "1"}
    assert client.post(f"/stories/{story}/again", data=form).status_code == 303
    assert "to be tried again" in client.get(f"/stories/{story}").text
