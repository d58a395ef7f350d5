"""How fresh are versions, and how many changes that matter are found, with the same number of visits?

A simulation: pages change at random, in bursts or by day more than by night, each at a rate of its own; some
changes matter. Visits are spread evenly, by the rate of change, or as Pagedrift does; with the true rates, and with
rates that are estimated from the visits themselves.
"""

from __future__ import annotations

import bisect
import heapq
import math
import random
from dataclasses import dataclass, field
from itertools import accumulate
from typing import TYPE_CHECKING

from benchmarks.measure import Table
from pagedrift.app.model.options import WatchOptions
from pagedrift.app.monitor import visit_rates
from pagedrift.app.monitor.visit_rates import Page, Rate
from pagedrift.durations import DAY, HOUR

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

PAGES = 150
DAYS = 60
LEARNING = 20  # days that are not counted: what is estimated must be learned first
EVERY = 6 * HOUR  # on average, for each page
REFRESHED = DAY  # how often the price of a visit is found anew
OPTIONS = WatchOptions(every=EVERY, notify_on="any")


@dataclass
class Subject:
    """A page of the simulation: when it changes, and which of the changes matter."""

    rate: float  # per second
    share: float  # of the changes that matter
    times: list[float]
    matter: list[int] = field(default_factory=list)  # how many, up to each change

    def changes(self, since: float, until: float) -> tuple[int, int]:
        """Count the changes between two times, and those that matter."""
        first, last = bisect.bisect(self.times, since), bisect.bisect(self.times, until)
        return last - first, self.matter[last] - self.matter[first]

    def next_change(self, since: float) -> float:
        """Say when it changes next."""
        at = bisect.bisect(self.times, since)
        return self.times[at] if at < len(self.times) else math.inf


def steady(rate: float, chance: random.Random) -> Iterator[float]:
    """Change at random."""
    now = 0.0
    while (now := now + chance.expovariate(rate)) < DAYS * DAY:
        yield now


def bursty(rate: float, chance: random.Random) -> Iterator[float]:
    """Change in bursts of five, an hour apart."""
    for start in steady(rate / 5, chance):
        yield from accumulate([start, *(chance.expovariate(1 / HOUR) for _ in range(4))])


def daily(rate: float, chance: random.Random) -> Iterator[float]:
    """Change by day nine times as often as by night."""
    for now in steady(1.8 * rate, chance):
        if chance.random() < (1.0 if now % DAY < DAY / 2 else 1 / 9):
            yield now


WAYS: dict[str, Callable[[float, random.Random], Iterator[float]]] = {
    "at random": steady,
    "in bursts": bursty,
    "by day": daily,
}


def lognormal(chance: random.Random) -> float:
    """Draw changes per day: half of the pages change less than once in two days, some a hundred times a day."""
    return chance.lognormvariate(math.log(0.5), 2.0)


def gamma(chance: random.Random) -> float:
    """Draw changes per day: many pages that hardly change, and a mean of two."""
    return chance.gammavariate(0.4, 5.0)


RATES = {"lognormal": lognormal, "gamma": gamma}


def subjects(draw: Callable[[random.Random], float], way: str, seed: int) -> list[Subject]:
    """Make the pages of a simulation."""
    chance, made = random.Random(seed), []
    for _ in range(PAGES):
        rate, share = max(1e-3, draw(chance)) / DAY, chance.betavariate(0.7, 0.7)
        times = sorted(time for time in WAYS[way](rate, chance) if time < DAYS * DAY)
        matter = [0, *accumulate(int(chance.random() < share) for _ in times)]
        made.append(Subject(rate, share, times, matter))
    return made


@dataclass
class Outcome:
    """What came of a policy."""

    fresh: float = 0.0
    found: int = 0
    there: int = 0
    visits: int = 0

    def __add__(self, other: Outcome) -> Outcome:
        return Outcome(
            self.fresh + other.fresh,
            self.found + other.found,
            self.there + other.there,
            self.visits + other.visits,
        )

    @property
    def freshness(self) -> float:
        """The share of time in which what was seen last is what is there."""
        return self.fresh / (PAGES * (DAYS - LEARNING) * DAY)


def visited(pages: list[Subject], plan: Plan) -> Outcome:
    """Visit all pages as a plan says, and count from the end of the learning on."""
    chance, outcome, begin, end = random.Random(7), Outcome(), LEARNING * DAY, DAYS * DAY
    last = [0.0] * len(pages)
    due = [(chance.random() * plan.interval(at), at) for at in range(len(pages))]
    heapq.heapify(due)
    while due:
        now, at = heapq.heappop(due)
        stop = min(now, end)
        outcome += _between(pages[at], last[at], stop, begin)
        if now >= end:
            continue
        changed, mattered = pages[at].changes(last[at], now)
        plan.saw(at, now, now - last[at], changed > 0, mattered > 0)
        outcome += Outcome(found=int(mattered > 0), visits=1) if now >= begin else Outcome()
        last[at] = now
        heapq.heappush(due, (now + plan.interval(at), at))
    return outcome


def _between(page: Subject, since: float, until: float, begin: float) -> Outcome:
    """Count how long what was seen was what is there, and the changes that there were to find."""
    start = max(since, begin)
    fresh = max(0.0, min(page.next_change(since), until) - start)
    return Outcome(fresh=fresh, there=page.changes(start, until)[1] if until > start else 0)


class Plan:
    """Fixed intervals, for all pages or for each."""

    def __init__(self, intervals: list[float]) -> None:
        self.intervals = intervals

    def interval(self, at: int) -> float:
        """Give the seconds to the next visit."""
        return self.intervals[at]

    def saw(self, at: int, now: float, interval: float, changed: bool, mattered: bool) -> None:
        """Learn from a visit."""


class Learning(Plan):
    """Intervals by rates that are estimated from the visits, planned anew from time to time."""

    def __init__(self, count: int, spread: Callable[[list[Page]], list[float]]) -> None:
        super().__init__([EVERY] * count)
        self.rates = [Rate()] * count
        self._spread = spread
        self._planned = 0.0

    def saw(self, at: int, now: float, interval: float, changed: bool, mattered: bool) -> None:
        """Learn from a visit."""
        self.rates[at] = self.rates[at].seen(interval, changed=changed, mattered=mattered)
        if now - self._planned > REFRESHED:
            self._planned = now
            self.intervals = self._spread([visit_rates.planned(rate, OPTIONS) for rate in self.rates])


def bounded(rate: float) -> Page:
    """Give a page of a known rate the bounds that a watch has."""
    return Page(
        rate,
        rate**visit_rates.EAGERNESS,
        shortest=EVERY / visit_rates.OFTENER,
        longest=EVERY * visit_rates.SELDOMER,
    )


def ours(pages: list[Page]) -> list[float]:
    """Spread visits as Pagedrift does."""
    return visit_rates.spread(pages, len(pages) / EVERY)


def proportional(pages: list[Page]) -> list[float]:
    """Visit each page as often as it changes, within the same bounds."""
    budget = len(pages) / EVERY

    def intervals(per_change: float) -> list[float]:
        return [min(max(1 / (per_change * page.rate), page.shortest), page.longest) for page in pages]

    low, high = 1e-6, 1e6
    for _ in range(80):
        middle = math.sqrt(low * high)
        low, high = (middle, high) if sum(1 / each for each in intervals(middle)) < budget else (low, middle)
    return intervals(low)


def compared() -> list[str]:
    """Compare policies with the same number of visits, on pages that change in several ways."""
    table = Table(
        f"{PAGES} pages, each visited every {EVERY / HOUR:g} hours on average, for {DAYS - LEARNING} days"
    )
    table.row("", "fresh", "changes that matter found; fixed intervals = 1")
    for drawn, draw in RATES.items():
        for way in WAYS:
            _compare(table, f"{drawn}, {way}", subjects(draw, way, seed=1))
    return table.broken


def _compare(table: Table, name: str, pages: list[Subject]) -> None:
    fixed = visited(pages, Plan([EVERY] * len(pages)))
    known = [bounded(page.rate) for page in pages]
    plans = {
        "proportional, rates known": Plan(proportional(known)),
        "ours, rates known": Plan(ours(known)),
        "proportional, rates estimated": Learning(len(pages), proportional),
        "ours, rates estimated": Learning(len(pages), ours),
    }
    table.row(name, f"{fixed.freshness:.3f}", f"{fixed.found / fixed.there:.3f}  fixed, {fixed.visits:,} visits")
    for policy, plan in plans.items():
        outcome = visited(pages, plan)
        found = outcome.found / fixed.found
        table.row(
            f"  {policy}", f"{outcome.freshness:.3f}", f"{outcome.found / outcome.there:.3f} = {found:.2f} times"
        )
    stale = (1 - outcome.freshness) / (1 - fixed.freshness)
    table.promise(f"{name}: ours estimated, time out of date", stale, most=0.97)
    table.promise(f"{name}: ours estimated, changes found", found, least=1.15)
    table.promise(f"{name}: ours estimated, visits", outcome.visits / fixed.visits, most=1.02)
