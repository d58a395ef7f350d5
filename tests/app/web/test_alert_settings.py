"""The settings of alerts and the test of a channel: pages and API, with real servers at the other end."""

import json
import re
from datetime import UTC, datetime, timedelta

import httpx
import pytest

from pagedrift.app.notify.alerts import close_due
from pagedrift.app.settings import Settings
from pagedrift.app.store import alert_settings, watches
from pagedrift.app.store.public_address import public_address, set_public_address
from pagedrift.app.store.store import Store
from tests.app.notify.changed_watches import BASE, NOW, add, change
from tests.app.notify.conftest import receiver  # noqa: F401 - a fixture
from tests.app.notify.receiver import Receiver
from tests.app.web.conftest import token_of
from tests.app.web.test_api import program  # noqa: F401 - a fixture

SECRET = "mailto://anna:very-secret@city.example"


def saved(client: httpx.Client, **fields: object) -> httpx.Response:
    given = {
        "send": "daily",
        "digest_at": "07:30",
        "digest_day": "friday",
        "working_days": ["monday", "friday"],
        "time_zone": "Europe/Berlin",
        **fields,
    }
    return client.post("/settings/alerts", data={"csrf": token_of(client, "/settings/alerts"), **given})


def test_settings_are_saved_shown_without_secrets_and_kept_when_saved_again(client: httpx.Client, store: Store):
    fields = {"channels": SECRET, "tag_1": "prices", "tag_channels_1": "none", "address": "https://watch.example/"}
    assert saved(client, **fields).headers["location"] == "/settings?saved=alerts#channels"
    page = client.get("/settings/alerts").text
    assert "mailto://(hidden)" in page
    assert "very-secret" not in page + client.get("/settings").text
    assert saved(client, channels="mailto://(hidden)", tag_1="prices", tag_channels_1="none").status_code == 303
    found = alert_settings.get(store)
    assert found.channels == (SECRET,)
    assert found.tag_channels == {"prices": ("none",)}
    assert (found.send, found.digest_at, found.working_days) == ("daily", "07:30", ("monday", "friday"))
    assert "In a digest every day at 07:30, only on Mondays and Fridays" in client.get("/settings").text


@pytest.mark.parametrize(
    ("fields", "said"),
    [
        ({"time_zone": "Mars/Olympus"}, "is not a time zone"),
        ({"quiet_from": "22:00"}, "Quiet hours need a beginning and another end"),
        ({"channels": "syslog://"}, "only reaches this computer"),
        ({"address": "javascript:alert(1)"}, "cannot be watched"),
    ],
)
def test_what_is_wrong_is_said_and_what_was_typed_is_still_there(client: httpx.Client, fields, said):
    answer = saved(client, **fields)
    assert answer.status_code == 400
    assert said in answer.text
    assert 'value="07:30"' in answer.text


def test_the_page_of_a_watch_says_where_its_alerts_go_and_why(client: httpx.Client, store: Store):
    which = add(store, "fees")
    assert "No channel is set" in client.get(f"/watch/{which}").text
    alert_settings.save(store, {"channels": [SECRET], "tag_channels": {"prices": ["https://hooks.example/"]}})
    assert "the default for all watches" in client.get(f"/watch/{which}").text
    watches.edit(store, which, tags=("prices",))
    page = client.get(f"/watch/{which}").text
    assert "https://(hidden)" in page
    assert "set for the tag “prices”" in page
    watches.edit(store, which, options={"notify": ["none"], "urgent": True})
    assert "No alerts are sent, set for this watch" in client.get(f"/watch/{which}").text


def test_what_waits_is_said_and_can_be_sent_now(client: httpx.Client, store: Store):
    alert_settings.save(store, {"send": "weekly", "channels": [SECRET]})
    now = datetime.now(UTC)
    change(store, add(store, "a"), now=now - timedelta(minutes=20))
    close_due(store, now, BASE)
    page = client.get("/alerts").text
    assert "1 alert waits for a digest or the end of quiet hours" in page
    assert client.post("/alerts/send-now", data={"csrf": token_of(client, "/alerts")}).status_code == 303
    with store.read() as session:
        from pagedrift.app.store import queries

        assert queries.held(session)[1].replace(tzinfo=UTC) <= datetime.now(UTC)


def test_a_test_shows_exactly_what_arrives(client: httpx.Client, store: Store, receiver: Receiver):  # noqa: F811
    change(store, add(store, "fees"), title="24 € → 29 €")
    close_due(store, NOW + timedelta(hours=1), BASE)
    set_public_address(store, "https://watch.example")
    receiver.answers = [(200, {})]
    channel = receiver.url.replace("http", "mmost") + "/3ccdd113474722377935511fc85d3dd4"
    csrf = token_of(client, "/settings")
    shown = client.post("/settings/channels/preview", data={"csrf": csrf, "new": channel})
    assert receiver.told == []
    assert "Test: Important: 24 € → 29 € · fees" in shown.text
    [body] = re.findall(r"<pre[^>]*>(.*?)</pre>", shown.text, re.DOTALL)
    sent = client.post("/settings/channels/test", data={"csrf": csrf, "new": channel})
    assert "Test alert sent" in sent.text
    [(_, _, told)] = receiver.told
    assert body.strip() in json.loads(told)["text"]
    assert "**Before:** A permit is 24 €" in body
    assert "[View the change](https://watch.example/change/1)" in body
    assert "only works on this computer" not in shown.text


def test_links_that_only_work_here_are_warned_about(client: httpx.Client):
    csrf = token_of(client, "/settings")
    shown = client.post("/settings/channels/preview", data={"csrf": csrf, "new": SECRET})
    assert "which only works on this computer" in shown.text
    assert "this is a sample" in shown.text
    assert "very-secret" not in re.sub(r'<input type="hidden"[^>]*>', "", shown.text)


def test_a_channel_that_is_none_is_said_to_be_so(client: httpx.Client):
    csrf = token_of(client, "/settings")
    for typed, said in (("syslog://", "only reaches this computer"), ("none", "sends no alerts")):
        answer = client.post("/settings/channels/preview", data={"csrf": csrf, "new": typed})
        assert answer.status_code == 400
        assert said in answer.text


def test_programs_set_the_same(program: httpx.Client, store: Store, settings: Settings):  # noqa: F811
    answer = program.patch(
        "/api/v1/alert-settings", json={"channels": [SECRET], "quiet_from": "22:00", "quiet_until": "07:00"}
    )
    assert answer.status_code == 200, answer.text
    assert answer.json()["channels"] == ["mailto://(hidden)"]
    program.patch("/api/v1/alert-settings", json={"send": "hourly", "channels": answer.json()["channels"]})
    assert alert_settings.get(store).channels == (SECRET,)
    assert program.get("/api/v1/alert-settings").json()["send"] == "hourly"
    program.patch("/api/v1/alert-settings", json={"address": "https://watch.example"})
    assert public_address(store, settings) == "https://watch.example"
    assert program.patch("/api/v1/alert-settings", json={"time_zone": "x/y"}).status_code == 400
    tested = program.post("/api/v1/channels/test", json={"channel": "https://hooks.example/"}).json()
    assert (tested["sent"], tested["format"], tested["warning"]) == (False, "webhook", "")
    assert json.loads(tested["body"])["test"] is True
