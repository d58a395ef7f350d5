from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta

import pytest

from pagedrift.app.notify.alerts import close_due
from pagedrift.app.store import alerts, watches
from pagedrift.app.store.alerts import MAX_WAIT_SECONDS, MIN_WAIT_SECONDS
from pagedrift.app.store.tables import AlertRow, AlertWatchRow, ChangeRow, DeliveryRow, WatchRow
from pagedrift.app.store.visits import RecordedVisit
from tests.app.notify.changed_watches import BASE, LATER, NOW, add, change


def stories(store):
    with store.read() as session:
        return session.query(AlertRow).order_by(AlertRow.id).all()


def deliveries(store):
    with store.read() as session:
        return [(row.alert_id, row.channel) for row in session.query(DeliveryRow).order_by(DeliveryRow.id)]


def test_the_same_change_on_many_pages_is_one_story(any_store):
    for path in ("a", "b", "c"):
        change(any_store, add(any_store, path, notify=["https://hooks.example/1"]))
    assert close_due(any_store, LATER, BASE) == 1
    [story] = stories(any_store)
    assert story.title == "Important on 3 pages: 24 € → 29 € · a"
    assert [page["name"] for page in story.told["pages"]] == ["a", "b", "c"]
    assert deliveries(any_store) == [(story.id, "https://hooks.example/1")]


def test_the_same_change_elsewhere_is_another_story(store):
    change(store, add(store, "a"))
    change(store, add(store, "a", host="town.example"))
    assert close_due(store, LATER, BASE) == 2


def test_without_a_signature_nothing_is_the_same(store):
    for path in ("a", "b"):
        change(store, add(store, path), signature="")
    assert close_due(store, LATER, BASE) == 2


def test_each_channel_is_told_once(store):
    watches.set_group(store, "prices", {"notify": ["https://hooks.example/group"]})
    change(store, add(store, "a", notify=["https://hooks.example/1", "mailto://a:b@city.example"]))
    change(store, add(store, "b", notify=["https://hooks.example/1"]))
    change(store, add(store, "c", group="prices"))
    close_due(store, LATER, BASE)
    assert {channel for _, channel in deliveries(store)} == {
        "https://hooks.example/1",
        "https://hooks.example/group",
        "mailto://a:b@city.example",
    }
    assert len(deliveries(store)) == 3


def test_pages_that_come_later_are_marked_and_not_told_again(store):
    change(store, add(store, "a", notify=["https://hooks.example/1"]))
    close_due(store, LATER, BASE)
    before = stories(store)[0].told
    late = change(store, add(store, "b", notify=["https://hooks.example/1"]), now=LATER + timedelta(days=3))
    assert late.closed_at == LATER
    assert close_due(store, LATER + timedelta(days=4), BASE) == 0
    with store.read() as session:
        second = session.query(ChangeRow).order_by(ChangeRow.id.desc()).first()
        assert (second.told, second.reason) == (
            False,
            "Ignored because an alert about the same change was sent on 2025-11-16",
        )
        assert second.alert_id == stories(store)[0].id
    assert stories(store)[0].told == before
    assert len(deliveries(store)) == 1


def test_whoever_was_not_told_yet_is_told(store):
    change(store, add(store, "a", notify=["https://hooks.example/1"]))
    close_due(store, LATER, BASE)
    change(store, add(store, "b", notify=["https://hooks.example/2"]), now=LATER + timedelta(days=3))
    assert [channel for _, channel in deliveries(store)] == ["https://hooks.example/1", "https://hooks.example/2"]


def test_the_same_change_of_the_same_page_is_news_again(store):
    page = add(store, "shop")
    change(store, page, title="sold out")
    close_due(store, LATER, BASE)
    change(store, page, title="sold out", now=LATER + timedelta(days=3))
    assert close_due(store, LATER + timedelta(days=4), BASE) == 1


def test_after_a_month_it_is_told_again(store):
    change(store, add(store, "a"))
    close_due(store, LATER, BASE)
    change(store, add(store, "b"), now=LATER + timedelta(days=31))
    assert close_due(store, LATER + timedelta(days=32), BASE) == 1


def test_a_story_waits_for_pages_of_its_host_that_are_due_and_not_for_others(store):
    first = add(store, "a")
    with store.begin() as session:
        session.get_one(WatchRow, first).next_at = NOW + timedelta(hours=1)
    alone = change(store, first, signature="alone")
    assert (alone.closes_at - NOW).total_seconds() == MIN_WAIT_SECONDS
    second = add(store, "b")
    with store.begin() as session:
        session.get_one(WatchRow, second).next_at = NOW + timedelta(minutes=5)
    awaited = change(store, first, signature="with others")
    assert 300 < (awaited.closes_at - NOW).total_seconds() <= MAX_WAIT_SECONDS
    assert close_due(store, NOW + timedelta(seconds=MIN_WAIT_SECONDS), BASE) == 1


def test_a_story_waits_no_longer_than_it_may(store):
    first, second = add(store, "a"), add(store, "b")
    with store.begin() as session:
        session.get_one(WatchRow, second).next_at = NOW + timedelta(seconds=MAX_WAIT_SECONDS)
    story = change(store, first)
    assert (story.closes_at - NOW).total_seconds() == MAX_WAIT_SECONDS


def test_a_clock_that_was_wrong_holds_nothing_up(store):
    change(store, add(store, "a"), now=NOW + timedelta(days=900))
    assert close_due(store, NOW, BASE) == 1


def test_telling_the_same_thing_twice_is_telling_it_once(store):
    page = add(store, "a")
    assert change(store, page).id == change(store, page).id
    with store.read() as session:
        assert session.query(AlertWatchRow).count() == 1


def test_stories_have_the_same_name_when_they_are_told_again_from_the_archive(store):
    page = add(store, "a")
    uid = change(store, page).uid
    with store.begin() as session:
        session.query(ChangeRow).delete()
        session.query(AlertRow).delete()
    assert change(store, page).uid == uid


def test_nothing_is_told_of_a_watch_that_was_removed(store):
    page = add(store, "a", notify=["https://hooks.example/1"])
    change(store, page)
    watches.remove(store, page)
    assert close_due(store, LATER, BASE) == 0
    assert stories(store) == []


def test_the_end_of_trouble_is_good_news(store):
    page = add(store, "a")
    with store.begin() as session:
        row = session.get_one(WatchRow, page)
        alerts.add(
            session,
            RecordedVisit(row.id),
            kind="recovery",
            signature=f"recovery {page}",
            title="it is back",
            now=NOW,
        )
    close_due(store, LATER, BASE)
    [story] = stories(store)
    assert (story.told["title"], story.told["level"]) == ("Working again: it is back · a", "success")


@pytest.mark.parametrize("kind", ["trouble", "selector"])
def test_trouble_is_told_without_a_change(store, kind):
    page = add(store, "a")
    with store.begin() as session:
        row = session.get_one(WatchRow, page)
        alerts.add(session, RecordedVisit(row.id), kind=kind, signature=kind, title="it does not answer", now=NOW)
    assert close_due(store, LATER, BASE) == 1
    [story] = stories(store)
    assert story.told["level"] == "failure"
    assert story.told["url"] == f"{BASE}/watch/{page}" + "#trouble" * (kind == "trouble")


def test_many_that_find_the_same_at_once_tell_it_once(any_store):
    pages = [add(any_store, f"page-{at}") for at in range(12)]
    with ThreadPoolExecutor(6) as pool:
        found = set(pool.map(lambda page: change(any_store, page).id, pages))
    assert len(found) == 1
    assert close_due(any_store, LATER, BASE) == 1
    assert len(stories(any_store)[0].told["pages"]) == 12


def test_many_that_close_at_once_tell_each_once(any_store):
    for at in range(12):
        change(any_store, add(any_store, f"page-{at}", notify=["https://hooks.example/"]), signature=f"s{at}")
    with ThreadPoolExecutor(4) as pool:
        assert sum(pool.map(lambda _: close_due(any_store, LATER, BASE), range(4))) == 12
    assert len(deliveries(any_store)) == 12
