"""Alerts that wait: digests and quiet hours, from the change to what real servers receive."""

import json
from datetime import UTC, datetime, timedelta
from email import message_from_bytes, policy

import pytest
from sqlalchemy import select

from pagedrift.app.notify.alerts import close_due
from pagedrift.app.notify.digest import MAX_TITLES, WHOLE_ALERTS, compose_digest
from pagedrift.app.notify.outbox import Outbox
from pagedrift.app.store import alert_settings, queries, watches
from pagedrift.app.store.store import Store
from pagedrift.app.store.tables import AlertRow, DeliveryRow
from tests.app.notify.changed_watches import BASE, add, change
from tests.app.notify.mailbox import mailbox

EVENING = datetime(2025, 11, 18, 21, 0, tzinfo=UTC)  # 22:00 in Berlin, a Tuesday
NIGHT = EVENING + timedelta(hours=2)
MORNING = datetime(2025, 11, 19, 6, 0, tzinfo=UTC)
NIGHTS = {"quiet_from": "22:00", "quiet_until": "07:00", "time_zone": "Europe/Berlin"}


def tell(store: Store, path: str, now: datetime, **more: object) -> None:
    """Let a page change, and close the alert at once."""
    change(store, add(store, path, **more), signature=path, title=f"news of {path}", now=now)
    assert close_due(store, now + timedelta(minutes=20), BASE) == 1


def deliver(store: Store, settings: object, now: datetime) -> int:
    return Outbox(store, settings).deliver_due(now).delivered


def test_alerts_of_the_night_arrive_together_in_the_morning(any_store, any_settings, receiver):
    alert_settings.save(any_store, {**NIGHTS, "channels": [f"{receiver.url}/hook"]})
    tell(any_store, "a", EVENING)
    tell(any_store, "b", NIGHT)
    assert deliver(any_store, any_settings, NIGHT + timedelta(hours=1)) == 0
    assert deliver(any_store, any_settings, MORNING - timedelta(seconds=1)) == 0
    assert receiver.told == []
    assert deliver(any_store, any_settings, MORNING) == 1
    [(_, headers, body)] = receiver.told
    told = json.loads(body)
    assert told["title"].startswith("2 alerts: Important: news of ")
    assert {each["headline"] for each in told["alerts"]} == {"news of a", "news of b"}
    assert headers["idempotency-key"] == told["uid"]
    assert deliver(any_store, any_settings, MORNING + timedelta(hours=1)) == 0


def test_an_urgent_alert_breaks_through(store, settings, receiver):
    alert_settings.save(store, {**NIGHTS, "send": "daily", "channels": [f"{receiver.url}/hook"]})
    page = add(store, "urgent")
    from pagedrift.app.store import alerts
    from pagedrift.app.store.visits import RecordedVisit

    with store.begin() as session:
        alerts.add(
            session,
            RecordedVisit(page),
            kind="trouble",
            signature="x",
            title="it does not answer",
            now=NIGHT,
            urgent=True,
        )
    tell(store, "calm", NIGHT - timedelta(minutes=30))
    close_due(store, NIGHT + timedelta(minutes=20), BASE)
    assert deliver(store, settings, NIGHT + timedelta(minutes=21)) == 1
    assert [json.loads(body)["headline"] for _, _, body in receiver.told] == ["it does not answer"]


def test_an_urgent_page_hurries_an_alert_that_waits(store, settings, receiver):
    alert_settings.save(store, {**NIGHTS, "channels": [f"{receiver.url}/hook"]})
    from pagedrift.app.store import alerts
    from pagedrift.app.store.visits import RecordedVisit

    change(store, add(store, "a"), now=NIGHT)
    close_due(store, NIGHT + timedelta(minutes=20), BASE)
    other, later = add(store, "b"), NIGHT + timedelta(minutes=30)
    with store.begin() as session:
        alerts.add(session, RecordedVisit(other), kind="change", signature="s1", title="24", now=later, urgent=True)
    assert deliver(store, settings, later) == 1


def test_what_waits_survives_a_restart(settings, receiver):
    with Store(settings) as store:
        alert_settings.save(store, {**NIGHTS, "channels": [f"{receiver.url}/hook"]})
        tell(store, "a", EVENING)
    with Store(settings) as store:
        assert queries_held(store) == (1, MORNING)
        assert deliver(store, settings, MORNING) == 1
    assert len(receiver.told) == 1


def queries_held(store):
    with store.read() as session:
        number, until = queries.held(session)
    return number, until.replace(tzinfo=UTC) if until.tzinfo is None else until


def test_a_digest_that_fails_is_tried_again_whole_and_with_the_same_key(store, settings, receiver):
    alert_settings.save(store, {**NIGHTS, "channels": [f"{receiver.url}/hook"]})
    tell(store, "a", EVENING)
    tell(store, "b", NIGHT)
    receiver.answers = [(503, {}), (204, {})]
    assert deliver(store, settings, MORNING) == 0
    tell(store, "c", MORNING + timedelta(hours=1))  # by day: it does not join what was tried
    assert deliver(store, settings, MORNING + timedelta(hours=2)) == 2
    first, *others = [json.loads(body) for _, _, body in receiver.told]
    [again] = [each for each in others if "alerts" in each]
    assert again["uid"] == first["uid"]
    assert len(again["alerts"]) == 2


def test_channels_get_digests_of_their_own(store, settings, receiver):
    alert_settings.save(store, {**NIGHTS, "channels": [f"{receiver.url}/all"]})
    tell(store, "a", NIGHT)
    tell(store, "b", NIGHT, notify=[f"{receiver.url}/b"])
    assert deliver(store, settings, MORNING) == 2
    assert sorted((path, json.loads(body)["headline"]) for path, _, body in receiver.told) == [
        ("/all", "news of a"),
        ("/b", "news of b"),
    ]


def test_a_watch_may_have_another_rhythm_than_the_settings(store, settings, receiver):
    alert_settings.save(store, {"time_zone": "UTC", "channels": [f"{receiver.url}/hook"]})
    noon = EVENING.replace(hour=12)
    tell(store, "weekly", noon, send="weekly")
    tell(store, "soon", noon)
    assert deliver(store, settings, noon + timedelta(hours=1)) == 1
    assert json.loads(receiver.told[0][2])["headline"] == "news of soon"
    monday = datetime(2025, 11, 24, 8, 0, tzinfo=UTC)
    assert deliver(store, settings, monday - timedelta(seconds=1)) == 0
    assert deliver(store, settings, monday) == 1


def test_alerts_that_wait_follow_new_settings_at_once(store, settings, receiver):
    alert_settings.save(store, {"send": "weekly", "time_zone": "UTC", "channels": [f"{receiver.url}/hook"]})
    tell(store, "a", EVENING)
    alert_settings.save(store, {"send": "daily"}, now=NIGHT)
    assert queries_held(store) == (1, MORNING.replace(hour=8))
    alert_settings.save(store, {"send": "immediately"}, now=NIGHT)
    assert deliver(store, settings, NIGHT) == 1


def test_what_waits_can_be_sent_now(store, settings, receiver):
    alert_settings.save(store, {"send": "weekly", "channels": [f"{receiver.url}/hook"]})
    tell(store, "a", EVENING)
    tell(store, "b", EVENING)
    assert alert_settings.send_held(store, NIGHT) == 2
    assert deliver(store, settings, NIGHT) == 1
    assert json.loads(receiver.told[0][2])["headline"] == "2 alerts"


def test_a_clock_that_was_wrong_does_not_hold_a_digest_for_years(store, settings, receiver):
    alert_settings.save(store, {**NIGHTS, "channels": [f"{receiver.url}/hook"]})
    tell(store, "a", EVENING + timedelta(days=900))
    assert deliver(store, settings, EVENING) == 1


def test_a_digest_is_a_mail_with_all_alerts(store, settings):
    with mailbox() as box:
        mail = f"mailto://127.0.0.1:{box.port}?from=us@city.example&to=anna@city.example&mode=insecure"
        alert_settings.save(store, {**NIGHTS, "channels": [mail]})
        tell(store, "a", EVENING)
        tell(store, "b", NIGHT)
        assert deliver(store, settings, MORNING) == 1
    found = message_from_bytes(box.mails[0], policy=policy.default)
    assert found["subject"].startswith("2 alerts: ")
    html = found.get_body(("html",)).get_content()
    assert "news of a" in html
    assert "news of b" in html
    assert html.count("View the change") == 2


def test_of_very_many_alerts_the_first_are_whole_and_all_are_counted():
    told = [
        {"uid": str(at), "level": "info", "title": f"alert {at}", "text": "long text", "html": "<p>long", "url": ""}
        for at in range(300)
    ]
    found = compose_digest(told, at=EVENING, base_url=BASE)
    assert found["text"].count("long text") == WHOLE_ALERTS
    assert f"and {300 - WHOLE_ALERTS - MAX_TITLES} more" in found["text"]
    assert found["title"] == "300 alerts: alert 0"
    assert len(found["alerts"]) == 300


# --- which channel ---------------------------------------------------------------------------------------------


def route(store, which):
    with store.read() as session:
        found = alert_settings.route(session, which)
    return found.channels, found.source, found.name, found.silent


def channels(store):
    with store.read() as session:
        return [row.channel for row in session.scalars(select(DeliveryRow))]


DEFAULT, TAG, GROUP, OWN = (f"https://hooks.example/{name}" for name in ("default", "tag", "group", "own"))


def test_the_nearest_setting_decides_and_says_so(store):
    plain, own = add(store, "plain"), add(store, "own", notify=[OWN])
    assert route(store, plain) == ((), "default", "", False)
    alert_settings.save(store, {"channels": [DEFAULT], "tag_channels": {"Prices": [TAG], "quiet": ["none"]}})
    watches.set_group(store, "shop", {"notify": [GROUP]})
    tagged, grouped, silent = add(store, "tagged"), add(store, "grouped", group="shop"), add(store, "silent")
    both, never = add(store, "both"), add(store, "never", notify=["none"])
    watches.edit(store, tagged, tags=("prices",))
    watches.edit(store, grouped, tags=("prices",))
    watches.edit(store, silent, tags=("quiet",))
    watches.edit(store, both, tags=("quiet", "prices"))
    assert route(store, plain) == ((DEFAULT,), "default", "", False)
    assert route(store, tagged) == ((TAG,), "tag", "Prices", False)
    assert route(store, grouped) == ((GROUP,), "group", "shop", False)
    assert route(store, own) == ((OWN,), "watch", "", False)
    assert route(store, silent) == ((), "tag", "quiet", True)
    assert route(store, both) == ((TAG,), "tag", "quiet, Prices", False)
    assert route(store, never) == ((), "watch", "", True)


def test_a_watch_without_channels_uses_the_default_and_one_with_none_does_not(store):
    alert_settings.save(store, {"channels": [DEFAULT]})
    change(store, add(store, "a"), signature="a", now=EVENING)
    change(store, add(store, "b", notify=["none"]), signature="b", now=EVENING)
    assert close_due(store, NIGHT, BASE) == 2
    assert channels(store) == [DEFAULT]


def test_settings_are_shown_without_secrets_and_taken_back_so(store):
    from pagedrift.app.model.alert_settings import hidden_settings

    secret = "mailto://anna:very-secret@city.example"
    saved = alert_settings.save(store, {"channels": [secret, DEFAULT], "tag_channels": {"a": [secret]}})
    shown = hidden_settings(saved)
    assert "very-secret" not in json.dumps(shown)
    alert_settings.save(store, {**shown, "send": "daily"})
    assert alert_settings.get(store).channels == (secret, DEFAULT)
    assert alert_settings.get(store).tag_channels == {"a": (secret,)}
    assert alert_settings.get(store).send == "daily"


@pytest.mark.parametrize("lose_the_database", [False, True])
def test_settings_and_what_waits_come_back_from_the_archive(settings, receiver, lose_the_database):
    from pagedrift.app.monitor.rebuild import rebuild
    from pagedrift.app.store import journal
    from pagedrift.archive.writer import ArchiveWriter

    with Store(settings) as store:
        alert_settings.save(store, {**NIGHTS, "channels": [f"{receiver.url}/hook"]})
        tell(store, "a", EVENING)
        with ArchiveWriter(settings.archive) as archive:
            journal.write(store, archive)
    assert receiver.url.encode() not in b"".join(file.read_bytes() for file in settings.data.glob("warc/*"))
    if lose_the_database:
        for file in settings.data.glob("pagedrift.db*"):
            file.unlink()
    with Store(settings) as store:
        rebuild(store, settings)
        found = alert_settings.get(store)
        assert (found.quiet_from, found.time_zone) == ("22:00", "Europe/Berlin")
        if lose_the_database:  # secrets are in the database only
            assert found.channels == ("http://(hidden)",)
            assert deliver(store, settings, MORNING) == 0
        else:
            assert deliver(store, settings, MORNING) == 1


def test_settings_that_can_no_longer_be_used_hold_nothing_back(store):
    from pagedrift.app.store.tables import AlertSettingsRow

    alert_settings.save(store, {**NIGHTS, "channels": [DEFAULT]})
    with store.begin() as session:
        row = session.get_one(AlertSettingsRow, "")
        row.settings = {**row.settings, "time_zone": "Europe/Atlantis"}
    change(store, add(store, "a"), now=NIGHT)
    close_due(store, NIGHT + timedelta(minutes=20), BASE)
    with store.read() as session:
        [row] = session.scalars(select(DeliveryRow))
        assert (row.channel, row.held_until) == (DEFAULT, None)
        assert session.scalars(select(AlertRow)).one().closed_at is not None
