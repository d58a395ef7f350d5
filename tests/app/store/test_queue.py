from __future__ import annotations

import threading
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING

from sqlalchemy import update

from pagedrift.app.model.watch import Watch
from pagedrift.app.store import queue, watches
from pagedrift.app.store.tables import HostRow, WatchRow

if TYPE_CHECKING:
    from pagedrift.app.store.store import Store


def _filled(store: Store, count: int, *, hosts: int) -> list[str]:
    made = (Watch(f"https://city{number % hosts}.example/{number}") for number in range(count))
    return [watch.id for watch in watches.add_all(store, made)]


def test_each_due_visit_is_given_to_one_of_many_that_ask(any_store: Store) -> None:
    ids = _filled(any_store, 60, hosts=60)
    taken: list[list[str]] = [[] for _ in range(6)]

    def ask(number: int) -> None:
        while some := queue.claim(any_store, f"worker {number}", most=3):
            taken[number] += some

    threads = [threading.Thread(target=ask, args=(number,)) for number in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(each for some in taken for each in some) == sorted(ids)


def test_of_each_host_a_few_are_given_at_a_time(any_store: Store) -> None:
    _filled(any_store, 20, hosts=4)
    assert len(queue.claim(any_store, "one", most=20)) == 4
    assert len(queue.claim(any_store, "one", most=20, per_host=2, busy=["city0.example"])) == 6


def test_a_host_with_many_due_visits_does_not_keep_others_waiting(any_store: Store) -> None:
    _filled(any_store, 4 * queue.AHEAD, hosts=1)
    [(other)] = watches.add_all(any_store, [Watch("https://town.example/")])
    taken = queue.claim(any_store, "one", most=2)
    assert len(taken) == 2
    assert other.id in taken


def test_a_host_that_must_be_left_alone_is_passed_over(any_store: Store) -> None:
    _filled(any_store, 2, hosts=2)
    queue.DatabaseThrottle(any_store).reserve("city1.example", 60)
    (taken,) = queue.claim(any_store, "one", most=9)
    assert watches.get(any_store, taken).url == "https://city0.example/0"


def test_the_visits_of_a_worker_that_died_are_taken_over(any_store: Store) -> None:
    ids = _filled(any_store, 3, hosts=3)
    assert len(queue.claim(any_store, "dead", most=3)) == 3
    assert queue.claim(any_store, "alive", most=3) == []
    later = datetime.now(UTC) + queue.LEASE + timedelta(seconds=1)
    assert sorted(queue.claim(any_store, "alive", most=3, now=later)) == sorted(ids)


def test_a_worker_that_is_still_at_it_keeps_its_visits(any_store: Store) -> None:
    ids = _filled(any_store, 1, hosts=1)
    queue.claim(any_store, "slow", most=1)
    later = datetime.now(UTC) + queue.LEASE + timedelta(seconds=1)
    queue.renew(any_store, "slow", ids, now=later)
    assert queue.claim(any_store, "other", most=1, now=later) == []
    queue.release(any_store, "slow")
    assert queue.claim(any_store, "other", most=1, now=later) == ids


def test_paused_and_removed_watches_are_never_due(any_store: Store) -> None:
    first, second, third = _filled(any_store, 3, hosts=3)
    watches.pause(any_store, first)
    watches.remove(any_store, second)
    assert queue.claim(any_store, "one", most=3) == [third]
    due, under_way, _ = queue.waiting(any_store)
    assert (due, under_way) == (0, 1)


def test_a_lease_given_by_a_clock_far_ahead_does_not_hold_for_ever(any_store: Store) -> None:
    ids = _filled(any_store, 1, hosts=1)
    with any_store.begin() as session:
        ahead = datetime.now(UTC) + timedelta(days=3650)
        session.execute(update(WatchRow).values(lease="wrong", leased_until=ahead))
    assert queue.claim(any_store, "right", most=1) == ids


def test_requests_to_one_host_are_a_delay_apart_whoever_sends_them(any_store: Store) -> None:
    waits: list[float] = []

    def ask() -> None:
        waits.append(queue.DatabaseThrottle(any_store).reserve("city.example", 10))

    threads = [threading.Thread(target=ask) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    steps = [later - earlier for earlier, later in zip(sorted(waits), sorted(waits)[1:], strict=False)]
    assert all(9 < step <= 10.1 for step in steps), steps


def test_a_host_whose_turn_was_set_by_a_clock_far_ahead_is_not_left_alone_for_ever(any_store: Store) -> None:
    ids = _filled(any_store, 1, hosts=1)
    with any_store.begin() as session:
        session.add(HostRow(host="city0.example", next_at=datetime.now(UTC) + timedelta(days=400)))
    assert queue.claim(any_store, "one", most=1) == ids
    assert queue.DatabaseThrottle(any_store).reserve("city0.example", 1.0) <= queue.FARTHEST.total_seconds()


def test_a_watch_visited_by_a_clock_far_ahead_is_due_again(any_store: Store) -> None:
    ids = _filled(any_store, 2, hosts=2)
    now = datetime.now(UTC)
    with any_store.begin() as session:
        some = update(WatchRow).where(WatchRow.id == ids[0])
        session.execute(some.values(visited_at=now + timedelta(days=400), next_at=now + timedelta(days=401)))
        session.execute(update(WatchRow).where(WatchRow.id == ids[1]).values(next_at=now + timedelta(days=300)))
    assert queue.claim(any_store, "one", most=2) == []
    assert queue.mend_times(any_store) == 1
    assert queue.claim(any_store, "one", most=2) == ids[:1]


def test_a_host_whose_turn_it_is_is_asked_at_once_and_the_next_one_waits(any_store: Store) -> None:
    throttle = queue.DatabaseThrottle(any_store)
    assert throttle.reserve("city.example", 1800) == 0
    assert 1000 < throttle.reserve("city.example", 1) <= 1800
    with any_store.begin() as session:
        session.execute(update(HostRow).values(next_at=datetime.now(UTC) - timedelta(days=1)))
    assert throttle.reserve("city.example", 3600) == 0
    assert 1000 < throttle.reserve("city.example", 1) <= 3600


def test_pages_that_several_watches_are_about_are_named(any_store: Store) -> None:
    first, other = (watches.add(any_store, Watch(f"https://city.example/{name}")) for name in ("fees", "news"))
    watches.add(any_store, Watch("https://city.example/fees", options={"include": ["h1"]}), again=True)
    assert queue.pages_of_several(any_store, [first.id, other.id]) == {"https://city.example/fees"}


def test_turns_are_taken_at_known_hosts_that_may_be_asked(any_store: Store) -> None:
    throttle, now = queue.DatabaseThrottle(any_store), datetime.now(UTC)
    throttle.reserve("free.example", 1.0)
    throttle.reserve("busy.example", 60.0)
    later = now + timedelta(seconds=30)
    hosts = ("free.example", "busy.example", "new.example")
    assert queue.take_turns(any_store, hosts, lambda _: 600.0, now=later) == {"free.example"}
    assert throttle.reserve("free.example", 1.0) > 500  # the next one waits for that turn
    assert queue.take_turns(any_store, hosts, lambda _: 600.0, now=later) == set()
