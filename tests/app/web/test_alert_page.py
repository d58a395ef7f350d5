import httpx

from pagedrift.app.store.store import Store
from pagedrift.app.store.tables import DeliveryRow
from tests.app.web.conftest import token_of
from tests.app.web.store_builder import Filled


def test_an_alert_that_could_not_be_delivered_is_sent_again(
    client: httpx.Client, store: Store, filled: Filled
) -> None:
    watch = filled.watch("https://city.example/fees")
    alert = filled.alert(watch, None)
    with store.begin() as session:
        session.add(
            DeliveryRow(alert_id=alert, channel="https://hooks.example/", attempts=10, next_at=None, error="no")
        )
    page = client.get(f"/alerts/{alert}").text
    assert "failed after 10 attempts: no" in page
    assert "Send again" in page
    form = {"csrf": token_of(client, f"/alerts/{alert}"), "delivery": "1"}
    assert client.post(f"/alerts/{alert}/again", data=form).status_code == 303
    assert "next attempt" in client.get(f"/alerts/{alert}").text


def test_the_addresses_of_older_releases_lead_to_the_new_ones(client: httpx.Client) -> None:
    for old, new in (
        ("/stories?kind=redesign", "/alerts?kind=redesign"),
        ("/stories/7", "/alerts/7"),
        ("/not-told?before=3", "/ignored?before=3"),
    ):
        answer = client.get(old)
        assert (answer.status_code, answer.headers["location"]) == (301, new)
