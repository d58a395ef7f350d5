"""Change rates are estimated as in the paper, whatever clocks do, and visits are spread by their worth."""

from __future__ import annotations

import json
import math
import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pagedrift.app.model.options import WatchOptions
from pagedrift.app.monitor.visit_rates import (
    MAX_INTERVAL_COUNTED,
    MEMORY,
    Page,
    Rate,
    budget_of,
    find_price,
    freshness,
    interval_at,
    next_interval,
    price_of,
    spread,
)
from pagedrift.durations import DAY, HOUR

INTERVALS = st.floats(60, 30 * DAY)
VISITS = st.lists(st.tuples(INTERVALS, st.booleans(), st.booleans()), max_size=60)
RATES = st.floats(1e-3, 1e3).map(lambda per_day: per_day / DAY)


def visited(visits: list[tuple[float, bool, bool]]) -> Rate:
    rate = Rate()
    for interval, changed, mattered in visits:
        rate = rate.seen(interval, changed, mattered)
    return rate


@given(visits=st.integers(1, 150), data=st.data(), interval=INTERVALS)
def test_regular_visits_give_the_estimator_of_the_paper(visits: int, data: st.DataObject, interval: float) -> None:
    changed = data.draw(st.integers(1, visits))
    rate = visited([(interval, number < changed, False) for number in range(visits)])

    expected = -math.log((visits - changed + 0.5) / (visits + 0.5)) * DAY / interval
    assert rate.per_day == pytest.approx(expected, rel=1e-4)


@pytest.mark.parametrize("per_day", [0.05, 0.5, 2.0, 8.0])
def test_irregular_visits_give_the_true_rate(per_day: float) -> None:
    chance, estimates = random.Random(1), []
    for _ in range(60):
        rate = Rate()
        for _ in range(150):
            interval = chance.uniform(0.2, 3) * DAY / max(1.0, per_day)
            rate = rate.seen(interval, chance.random() < -math.expm1(-per_day * interval / DAY))
        estimates.append(rate.per_day)

    assert sum(estimates) / len(estimates) == pytest.approx(per_day, rel=0.08)


def test_counting_changes_would_be_far_too_low_where_pages_change_often() -> None:
    chance, rate = random.Random(2), Rate()
    for _ in range(190):
        rate = rate.seen(DAY, chance.random() < -math.expm1(-3.0))

    assert rate.changes / rate.visits < 1  # per day: all that counting can say
    assert rate.per_day == pytest.approx(3.0, rel=0.25)


@given(VISITS, st.sampled_from([-DAY, 0.0, 0.5, 401 * DAY, 1e12, math.inf, -math.inf, math.nan]), st.booleans())
def test_a_clock_that_jumps_says_nothing(
    visits: list[tuple[float, bool, bool]], jump: float, changed: bool
) -> None:
    rate = visited(visits)

    assert rate.seen(jump, changed, True) == rate


@given(VISITS)
def test_every_history_gives_rates_that_can_be_planned_with(visits: list[tuple[float, bool, bool]]) -> None:
    rate = visited(visits)

    assert 0 <= rate.per_day < math.inf
    assert 0 <= rate.per_day_matters <= rate.per_day
    assert 0 < rate.expected(HOUR) < math.inf
    assert 0 < rate.share_that_matters < 1


@given(VISITS)
def test_a_rate_survives_the_store(visits: list[tuple[float, bool, bool]]) -> None:
    rate = visited(visits)

    assert Rate.from_dict(json.loads(json.dumps(rate.as_dict()))) == rate


@pytest.mark.parametrize(
    "state", [{}, {"bins": 3}, {"bins": [[1]], "mattered": "x"}, {"bins": [[1, -1, 0, 0, 0]], "mattered": 0}]
)
def test_a_state_that_is_none_begins_anew(state: dict[str, object]) -> None:
    assert Rate.from_dict(state) == Rate()


def test_a_million_visits_take_no_more_room_than_some() -> None:
    chance, rate = random.Random(3), Rate()
    for _ in range(5_000):
        rate = rate.seen(chance.lognormvariate(math.log(HOUR), 3), chance.random() < 0.3, True)

    assert len(json.dumps(rate.as_dict())) < 4_000
    assert rate.visits == pytest.approx(MEMORY, abs=2)


def test_a_page_that_changed_its_ways_is_followed() -> None:
    rate = visited([(DAY, False, False)] * 400)
    before = rate.expected(DAY)
    for _ in range(100):
        rate = rate.seen(DAY, True)

    assert rate.expected(DAY) > 10 * before


def test_a_page_that_never_changes_is_visited_ever_less() -> None:
    options, rate, intervals = WatchOptions(every=HOUR), Rate(), []
    for _ in range(30):
        intervals.append(next_interval(rate, options, price=30.0))
        rate = rate.seen(intervals[-1], changed=False)

    assert intervals == sorted(intervals)
    assert intervals[-1] > intervals[0]


@given(st.lists(RATES, min_size=1, max_size=30), st.floats(0.5, 48))
def test_the_budget_is_kept(rates: list[float], per_day: float) -> None:
    pages = [Page(rate) for rate in rates]
    budget = len(pages) * per_day / DAY

    assert (
        sum(1 / interval for interval in spread(pages, budget)) <= budget * 1.01 + len(pages) / MAX_INTERVAL_COUNTED
    )


@settings(max_examples=30)
@given(st.lists(RATES, min_size=2, max_size=10), st.integers(0), st.floats(0.5, 2))
def test_no_other_spread_of_as_many_visits_is_fresher(rates: list[float], seed: int, width: float) -> None:
    pages = [Page(rate) for rate in rates]
    ours = spread(pages, len(pages) * 4 / DAY)
    visits = [1 / interval for interval in ours]
    chance = random.Random(seed)
    others = [each * math.exp(chance.gauss(0, width)) for each in visits]
    others = [each * sum(visits) / sum(others) for each in others]

    def worth(spent: list[float]) -> float:
        return sum(freshness(page.rate, 1 / each) for page, each in zip(pages, spent, strict=True))

    assert worth(visits) >= worth(others) - 1e-3


def test_pages_that_change_too_fast_are_visited_less() -> None:
    slow, quick, mad = spread([Page(1 / DAY), Page(10 / DAY), Page(10_000 / DAY)], 10 / DAY)

    assert quick < slow < mad


@given(RATES, st.floats(1e-6, 1e6))
def test_bounds_are_kept_at_every_price(rate: float, price: float) -> None:
    assert 60 <= interval_at(Page(rate, shortest=60, longest=HOUR), price) <= HOUR


@given(VISITS, st.floats(1e-12, 1e12) | st.none())
def test_the_next_visit_is_within_reach_of_what_the_user_chose(
    visits: list[tuple[float, bool, bool]], price: float | None
) -> None:
    options = WatchOptions(every=HOUR)

    assert HOUR / 8 <= next_interval(visited(visits), options, price=price) <= 16 * HOUR
    assert next_interval(visited(visits), WatchOptions(every=HOUR, adaptive=False), price=price) == HOUR


def test_watches_together_are_visited_as_often_as_their_users_asked() -> None:
    chance = random.Random(4)
    options = [WatchOptions(every=chance.choice([HOUR, 6 * HOUR, DAY])) for _ in range(50)]
    watches = [visited([(each.every, chance.random() < 0.2, True)] * 20) for each in options]
    fixed = (Rate(), WatchOptions(every=60, adaptive=False))
    price = price_of([*zip(watches, options, strict=True), fixed])
    intervals = [next_interval(rate, each, price=price) for rate, each in zip(watches, options, strict=True)]

    assert sum(1 / each for each in intervals) == pytest.approx(budget_of(options), rel=0.02)


def test_no_watches_need_no_price() -> None:
    assert find_price([], 1.0) == 0.0
