"""Change rates of pages, and the visit intervals that follow from them.

Estimated as by Cho & Garcia-Molina, "Estimating frequency of change" (TOIT 2003): a visit only shows whether the
page changed since the one before, and visits come at irregular intervals. Visits are spread as in their "Effective
page refresh policies" (TODS 2003): at the best spread, one more visit is worth the same on every page, and that is
the price of a visit. Pages that change faster than they can be followed are visited less, not more.
"""

from __future__ import annotations

import bisect
import math
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Final

from pagedrift.app.model.options import MIN_INTERVAL_SECONDS
from pagedrift.durations import DAY

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from pagedrift.app.model.options import WatchOptions

LEAST: Final = 1.0  # seconds: shorter intervals, and negative ones, say nothing but that a clock was set
MAX_INTERVAL_COUNTED: Final = 400 * DAY  # longer ones likewise: a watch is visited once a year at least
MEMORY: Final = 200.0  # visits that are remembered; pages change their ways
PRIOR_VISITS: Final = 24.0  # before any visit: one change in as many visits at the interval that the user chose
PRIOR_WEIGHT: Final = 0.5  # of a change: how much that counts
OFTENER: Final = 8.0  # how much oftener than the user's interval a page may be visited
SELDOMER: Final = 16.0  # and how much less often
# At 0 versions are as fresh as can be; at 1 as many changes are found as can be: visits in proportion to the rate.
EAGERNESS: Final = 0.4
_ROUNDS: Final = 48  # of halving, to one part in a million
_FASTEST: Final = 1e3  # changes per shortest interval, beyond which no estimate goes


@dataclass(frozen=True, slots=True)
class RateBin:
    """Visits after intervals of about one length, in seconds: how many, and the sum of the intervals."""

    unchanged: float = 0.0
    unchanged_time: float = 0.0
    changed: float = 0.0
    changed_time: float = 0.0


@dataclass(frozen=True, slots=True)
class Rate:
    """What the visits to a page say about how often it changes; as small after a million visits as after twenty.

    >>> rate = Rate()
    >>> for day in range(10):
    ...     rate = rate.seen(86_400, changed=day % 2 == 0)
    >>> round(rate.per_day, 3)  # -log((10 - 5 + 0.5) / (10 + 0.5)), the paper's estimator for regular visits
    0.647
    """

    bins: tuple[tuple[int, RateBin], ...] = ()  # by the logarithm of the interval
    mattered: float = 0.0  # of the visits that found a change

    def seen(self, interval: float, changed: bool, mattered: bool = False) -> Rate:
        """Add a visit, a number of seconds after the one before."""
        if not math.isfinite(interval) or not LEAST <= interval <= MAX_INTERVAL_COUNTED:
            return self
        place = int(math.log2(interval))
        fade = 1 - 1 / MEMORY if self.visits >= MEMORY else 1.0
        bins = {at: _faded(each, fade) for at, each in self.bins}
        bins[place] = _added(bins.get(place, RateBin()), interval, changed)
        found = float(changed and mattered)
        return Rate(tuple(sorted(bins.items())), self.mattered * fade + found)

    @property
    def visits(self) -> float:
        """How many visits are remembered."""
        return sum(each.unchanged + each.changed for _, each in self.bins)

    @property
    def changes(self) -> float:
        """How many of them found a change."""
        return sum(each.changed for _, each in self.bins)

    @property
    def per_day(self) -> float:
        """Changes per day, corrected for bias; 0 where no change was seen."""
        if not self.changes:
            return 0.0
        return DAY * _likeliest(self._observed(), self._unchanged_time() + 0.5 * self._time() / self.visits)

    @property
    def share_that_matters(self) -> float:
        """The share of changes that matter, half where nothing is known."""
        return (self.mattered + 0.5) / (self.changes + 1)

    @property
    def per_day_matters(self) -> float:
        """Changes that matter per day."""
        return self.per_day * self.share_that_matters

    def expected(self, every: float) -> float:
        """Give changes per second to plan with: the estimate, drawn towards what is usual by half a change."""
        usual = PRIOR_VISITS * every
        half = 0.5 * self._time() / self.visits if self.visits else 0.0
        unchanged = self._unchanged_time() + half + PRIOR_WEIGHT * usual
        return _likeliest(self._observed(), unchanged, pull=PRIOR_WEIGHT)

    def as_dict(self) -> dict[str, Any]:
        """Give it as JSON can hold it."""
        bins = [
            [at, each.unchanged, each.unchanged_time, each.changed, each.changed_time] for at, each in self.bins
        ]
        return {"bins": bins, "mattered": self.mattered}

    @classmethod
    def from_dict(cls, state: dict[str, Any]) -> Rate:
        """Read it back; an invalid state becomes an empty one, which learns again."""
        try:
            bins = tuple((int(at), RateBin(*map(float, numbers))) for at, *numbers in state["bins"])
            rate = cls(bins, float(state["mattered"]))
            numbers = [rate.mattered, *(number for _, each in bins for number in _numbers(each))]
        except (KeyError, TypeError, ValueError):
            return cls()
        return rate if all(math.isfinite(number) and number >= 0 for number in numbers) else cls()

    def _observed(self) -> list[tuple[float, float]]:
        """Give how many changes were found after which interval, on average of each bin."""
        return [(each.changed, each.changed_time / each.changed) for _, each in self.bins if each.changed]

    def _unchanged_time(self) -> float:
        return sum(each.unchanged_time for _, each in self.bins)

    def _time(self) -> float:
        return self._unchanged_time() + sum(each.changed_time for _, each in self.bins)


def _numbers(each: RateBin) -> tuple[float, float, float, float]:
    return each.unchanged, each.unchanged_time, each.changed, each.changed_time


def _faded(each: RateBin, fade: float) -> RateBin:
    return RateBin(*(number * fade for number in _numbers(each)))


def _added(each: RateBin, interval: float, changed: bool) -> RateBin:
    if changed:
        return replace(each, changed=each.changed + 1, changed_time=each.changed_time + interval)
    return replace(each, unchanged=each.unchanged + 1, unchanged_time=each.unchanged_time + interval)


def _likeliest(observed: Sequence[tuple[float, float]], unchanged: float, *, pull: float = 0.0) -> float:
    """Solve the likelihood for the rate: what changed pulls it up, what did not holds it down.

    The sum over the visits with a change of I / (exp(λ I) − 1), and `pull` / λ, equals the time of those without.
    """
    if unchanged <= 0:
        return 0.0

    def excess(rate: float) -> float:
        up = sum(count * interval / math.expm1(min(rate * interval, 700.0)) for count, interval in observed)
        return up + pull / rate - unchanged

    return _root(excess, low=1e-12, high=_FASTEST)


def _root(falling: Callable[[float], float], *, low: float, high: float) -> float:
    """Find where a falling function is 0, or just below, halving on the scale of logarithms."""
    for _ in range(_ROUNDS):
        middle = math.sqrt(low * high)
        if falling(middle) > 0:
            low = middle
        else:
            high = middle
    return high


# --- how the visits are spread -----------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Page:
    """A page to be visited: changes per second, the worth of being up to date, and the bounds of its interval."""

    rate: float
    worth: float = 1.0
    shortest: float = MIN_INTERVAL_SECONDS
    longest: float = MAX_INTERVAL_COUNTED


def freshness(rate: float, interval: float) -> float:
    """Give the share of time in which what is kept is what is there, if visits come at an interval.

    >>> round(freshness(1.0, 1.0), 3)
    0.632
    """
    turns = rate * interval
    return -math.expm1(-turns) / turns if turns > 0 else 1.0


def interval_at(page: Page, price: float) -> float:
    """Give the interval at which one more visit is worth its price."""
    if page.rate <= 0 or page.worth <= 0:
        return page.longest
    wanted = price * page.rate / page.worth
    if wanted >= _GAINS[-1]:
        return page.longest  # it changes too fast to be followed
    return min(max(_turns(wanted) / page.rate, page.shortest), page.longest)


def _turns(gain: float) -> float:
    """Give the changes between two visits at which one more visit gains so much: the inverse of `_gain`.

    >>> round(_turns(_gain(0.7)), 4)
    0.7
    """
    after = bisect.bisect(_GAINS, gain)
    if after == 0:
        return math.sqrt(2 * gain)  # its beginning: r² / 2
    low, high = _GAINS[after - 1], _GAINS[after]
    part = (gain - low) / (high - low)
    return _TURNS[after - 1] + part * (_TURNS[after] - _TURNS[after - 1])


def _gain(turns: float) -> float:
    """Say what one more visit per change adds to freshness, at r changes between visits: 1 − (1 + r) exp(−r)."""
    return -math.expm1(-turns) - turns * math.exp(-turns)


_TURNS: Final[tuple[float, ...]] = tuple(10 ** (step / 200 - 4) for step in range(1_101))  # from 0.0001 to 32
_GAINS: Final = tuple(map(_gain, _TURNS))


def find_price(pages: Sequence[Page], budget: float) -> float:
    """Find the price at which all visits together are as many per second as the budget allows."""
    if not pages:
        return 0.0

    def over(price: float) -> float:
        return sum(1 / interval_at(page, price) for page in pages) - budget

    return _root(over, low=1e-12, high=1e12)


def spread(pages: Sequence[Page], budget: float) -> list[float]:
    """Spread a number of visits per second over pages: give the interval of each.

    >>> slow, quick, mad = (Page(1 / DAY), Page(10 / DAY), Page(10_000 / DAY))
    >>> [round(each / DAY, 1) for each in spread([slow, quick, mad], 10 / DAY)]
    [0.3, 0.1, 400.0]
    """
    price = find_price(pages, budget)
    return [interval_at(page, price) for page in pages]


def planned(rate: Rate, options: WatchOptions) -> Page:
    """Say what is worth knowing about a watch when its visits are planned."""
    matters = rate.expected(options.every) * (rate.share_that_matters if options.notify_on == "important" else 1.0)
    return Page(
        matters,
        matters**EAGERNESS,
        shortest=max(MIN_INTERVAL_SECONDS, options.every / OFTENER),
        longest=min(MAX_INTERVAL_COUNTED, options.every * SELDOMER),
    )


def budget_of(options: Iterable[WatchOptions]) -> float:
    """Give the visits per second that the users of these watches asked for."""
    return sum(1 / each.every for each in options)


def price_of(watches: Iterable[tuple[Rate, WatchOptions]]) -> float:
    """Find the price of a visit to these watches: they are visited as often, together, as their users asked."""
    adaptive = [(rate, options) for rate, options in watches if options.adaptive]
    return find_price([planned(*each) for each in adaptive], budget_of(options for _, options in adaptive))


KNOWN: Final = 10  # visits after which what was learned decides alone


def next_interval(rate: Rate, options: WatchOptions, *, price: float | None = None) -> float:
    """Give the seconds to the next visit of a watch.

    Without a price, which the whole set of watches makes, an adaptive watch is visited twice per expected change.
    """
    if not options.adaptive:
        return options.every
    page = planned(rate, options)
    learned = interval_at(page, price) if price is not None else 0.5 / page.rate
    learned = min(max(learned, page.shortest), page.longest)
    # A page that was seen a few times only is visited nearly as often as its user chose.
    trust = min(1.0, rate.visits / KNOWN)
    return float(options.every ** (1 - trust) * learned**trust)
