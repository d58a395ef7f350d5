from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from pagedrift.app.model.watch import Watch
from pagedrift.app.monitor import visit_budget, visit_rates
from pagedrift.app.store import visits, watches
from pagedrift.app.store.tables import WatchRow
from pagedrift.durations import HOUR

if TYPE_CHECKING:
    from pagedrift.app.store.store import Store


def test_busy_pages_get_the_visits_that_quiet_ones_do_not_need(any_store: Store) -> None:
    quiet, busy = (watches.add(any_store, Watch(f"https://city.example/{name}")) for name in ("quiet", "busy"))
    for watch, changes in ((quiet, False), (busy, True)):
        rate = visit_rates.Rate()
        for number in range(40):
            rate = rate.seen(HOUR, changed=changes and number % 2 == 0, mattered=changes)
        with any_store.begin() as session:
            session.get_one(WatchRow, watch.id).rate = rate.as_dict()
    price = visit_budget.find(any_store)
    assert price
    waits = {}
    for watch in (quiet, busy):
        task = visits.task(any_store, watch.id)
        assert task is not None
        assert task.price == pytest.approx(price)
        waits[watch.id] = visit_rates.next_interval(
            visit_rates.Rate.from_dict(task.rate), task.options, price=task.price
        )
    assert waits[busy.id] < HOUR < waits[quiet.id]
    assert 1 / waits[busy.id] + 1 / waits[quiet.id] == pytest.approx(2 / HOUR, rel=0.05)


def test_a_single_watch_has_nothing_to_spread(any_store: Store) -> None:
    watches.add(any_store, Watch("https://city.example/"))
    assert visit_budget.find(any_store) is None
