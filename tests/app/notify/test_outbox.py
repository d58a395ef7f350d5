import json
import os
import signal
import subprocess
import sys
import textwrap
import threading
import time
from collections import Counter
from datetime import datetime, timedelta
from types import SimpleNamespace

import pytest
from sqlalchemy import select, update

from pagedrift.app.notify import outbox as outbox_module
from pagedrift.app.notify.alerts import close_due
from pagedrift.app.notify.channels import ChannelError
from pagedrift.app.notify.outbox import (
    LATEST,
    LEASE_SECONDS,
    MAX_ATTEMPTS,
    MAX_RETRY_SECONDS,
    MAX_ROUND_SECONDS,
    WORKERS,
    Outbox,
    _Clock,
)
from pagedrift.app.store import deliveries
from pagedrift.app.store.store import Store
from pagedrift.app.store.tables import DeliveryRow
from pagedrift.dates import EARLIEST
from tests.app.notify.changed_watches import BASE, LATER, add, change


def told(store: Store, channel: str, number: int = 1) -> None:
    """Put messages on their way."""
    for at in range(number):
        change(store, add(store, f"{at}", notify=[channel]), signature=f"s{at}")
    assert close_due(store, LATER, BASE) == number


def rows(store: Store) -> list[DeliveryRow]:
    with store.read() as session:
        return list(session.scalars(select(DeliveryRow)))


def take(store: Store) -> deliveries.Delivery | None:
    return deliveries.take(store, LATER, lease=timedelta(seconds=LEASE_SECONDS), longest=LATEST)


def delivered(store: Store) -> int:
    return sum(row.delivered_at is not None for row in rows(store))


def next_at(store: Store) -> datetime | None:
    return min((row.next_at for row in rows(store) if row.next_at is not None), default=None)


def test_what_is_told_arrives_once_and_as_it_was_told(any_store, receiver):
    told(any_store, f"{receiver.url}/hook", 5)
    outbox = Outbox(any_store, any_store.settings)
    assert outbox.deliver_due(LATER).delivered == 5
    assert outbox.deliver_due(LATER + timedelta(days=9)).delivered == 0
    assert len({headers["idempotency-key"] for _, headers, _ in receiver.told}) == 5
    assert json.loads(receiver.told[0][2])["title"].startswith("Important: 24 € → 29 €")
    assert delivered(any_store) == 5


def test_what_fails_is_tried_again_later_and_later(store, receiver):
    receiver.answers = [(500, {})]
    told(store, f"{receiver.url}/hook")
    outbox, now, waits = Outbox(store, store.settings), LATER, []
    for _ in range(MAX_ATTEMPTS - 1):
        assert outbox.deliver_due(now).failing == 1
        waits.append((next_at(store) - now).total_seconds())
        now = next_at(store)
    assert waits == pytest.approx([60, 120, 240, 480, 960, 1920, 3840, 7680, 15360], abs=30)
    assert outbox.deliver_due(now).given_up == 1
    assert next_at(store) is None
    [row] = rows(store)
    assert "status 500" in row.error
    receiver.answers = [(200, {})]
    deliveries.retry(store, row.id, now)
    assert outbox.deliver_due(now).delivered == 1
    assert delivered(store) == 1


def test_whoever_asks_for_time_gets_it(store, receiver):
    receiver.answers = [(429, {"Retry-After": "7200"})]
    told(store, f"{receiver.url}/hook")
    outbox = Outbox(store, store.settings)
    outbox.deliver_due(LATER)
    assert (next_at(store) - LATER).total_seconds() == pytest.approx(7200, abs=30)


def test_a_channel_that_is_refused_is_not_tried_again(store):
    told(store, "https://hooks.example/")
    with store.begin() as session:
        session.query(DeliveryRow).one().channel = "syslog://local"  # as an older release may have taken it
    assert Outbox(store, store.settings).deliver_due(LATER).given_up == 1


def test_a_clock_that_was_wrong_holds_nothing_up(store, receiver):
    told(store, f"{receiver.url}/hook")
    outbox = Outbox(store, store.settings, sender=_fails)
    outbox.deliver_due(LATER + timedelta(days=900))
    assert Outbox(store, store.settings).deliver_due(LATER).delivered == 1


def test_what_another_process_took_is_left_to_it_until_it_must_have_died(any_store, receiver):
    told(any_store, f"{receiver.url}/hook")
    assert take(any_store) is not None
    outbox = Outbox(any_store, any_store.settings)
    assert outbox.deliver_due(LATER + timedelta(seconds=LEASE_SECONDS - 1)).delivered == 0
    assert outbox.deliver_due(LATER + timedelta(seconds=LEASE_SECONDS)).delivered == 1


def test_one_who_comes_back_too_late_spoils_nothing(store, receiver):
    told(store, f"{receiver.url}/hook")
    slow, quick = Outbox(store, store.settings, sender=_fails), Outbox(store, store.settings)
    taken = take(store)
    assert quick.deliver_due(LATER + timedelta(seconds=LEASE_SECONDS)).delivered == 1
    slow._deliver(taken, _Clock(LATER + timedelta(seconds=LEASE_SECONDS + 1)))
    assert delivered(store) == 1
    assert quick.deliver_due(LATER + timedelta(seconds=MAX_RETRY_SECONDS)).delivered == 0


def test_slow_channels_hold_nobody_up_for_long(store, receiver, monkeypatch):
    sent: list[object] = []  # each of them takes a third of the patience, by a clock that only this moves
    monkeypatch.setattr(outbox_module, "time", SimpleNamespace(monotonic=lambda: len(sent) * MAX_ROUND_SECONDS / 3))
    told(store, f"{receiver.url}/hook", 12)

    outbox = Outbox(store, store.settings, sender=lambda *given: sent.append(given))
    rounds = [outbox.deliver_due(LATER).delivered for _ in range(4)]
    assert 3 <= rounds[0] < 3 + WORKERS
    assert sum(rounds) == 12


def _fails(*_: object) -> None:
    raise ChannelError("no")


WORKER = textwrap.dedent(
    """
    import sys
    from pathlib import Path
    from pagedrift.app.notify import outbox
    from pagedrift.app.settings import Settings
    from pagedrift.app.store.store import Store

    outbox.LEASE_SECONDS = 3600.0  # on a busy machine a delivery may take minutes; the test itself ends the leases
    settings = Settings(Path(sys.argv[1]), database=sys.argv[2], allow_private=("127.0.0.1",))
    with Store(settings) as store:
        while True:
            outbox.Outbox(store, settings).deliver_due()
    """
)


class ChangeAnalysis:
    """So many messages of a round are answered; the others wait until their sender is dead."""

    def __init__(self) -> None:
        self._changed = threading.Condition()
        self._round = self.left = 0

    def begin(self, left: int) -> None:
        with self._changed:
            self._round, self.left = self._round + 1, left
            self._changed.notify_all()

    def wait(self) -> bool:
        with self._changed:
            mine = self._round
            self._changed.wait_for(lambda: self.left > 0 or self._round != mine)
            is_mine = self._round == mine
            self.left -= is_mine
            return is_mine


@pytest.mark.slow
def test_killed_processes_lose_nothing_and_what_comes_twice_has_the_same_key(any_store, receiver):
    """Two processes share the work and are killed while messages are under way, again and again."""
    number, killed, answers = 30, 0, ChangeAnalysis()
    told(any_store, f"{receiver.url}/hook", number)
    settings = any_store.settings
    command = [sys.executable, "-c", WORKER, str(settings.data), settings.database]
    receiver.may_answer = answers.wait
    while delivered(any_store) < number:
        answers.begin(6)
        workers = [subprocess.Popen(command) for _ in range(2)]
        while answers.left and delivered(any_store) < number:
            time.sleep(0.02)
        for worker in workers:
            os.kill(worker.pid, signal.SIGKILL)
            worker.wait()
            killed += 1
        with any_store.begin() as session:  # all leases of the dead ran out, by the clock
            session.execute(update(DeliveryRow).where(DeliveryRow.delivered_at.is_(None)).values(next_at=EARLIEST))
    answers.begin(0)
    keys = Counter(headers["idempotency-key"] for _, headers, _ in receiver.told)
    assert len(keys) == number
    assert killed >= 2 * number / 6
    # At most one message was under way in each of the four threads of a process when it was killed.
    assert sum(keys.values()) - number <= killed * WORKERS
