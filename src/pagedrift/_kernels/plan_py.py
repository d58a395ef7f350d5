"""The cheapest operations on the words between those that stay (readable twin).

A gap is what is between two words that stay: where it starts and ends on the old page, and on the new one. How
words are chosen for replacement is explained in `how_much/improved.py`. All choices go in the order of the page.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

ROUNDING: Final = 1e-9


class Gap(NamedTuple):
    """What stands between two words that stay, on both pages."""

    old_start: int
    old_end: int
    new_start: int
    new_end: int


class OperationPlaces(NamedTuple):
    """Where each operation was done: places on the new page, on the old one for what is gone."""

    added: Sequence[int]
    dropped: Sequence[int]
    copied: Sequence[int]
    shrunk: Sequence[int]
    replaced: Sequence[tuple[int, int]]
    moved: Sequence[int]


def plan_operations(
    old: Sequence[int],
    new: Sequence[int],
    words: int,  # noqa: ARG001 - how many there are, for the native twin
    gaps: Sequence[Gap],
    *,
    a: float,
    b: float,
) -> list[OperationPlaces]:
    """Plan what happens to the words; a second plan moves some that stay, where that may pay."""
    plan = _Plan(old, new, list(gaps), a, b)
    plan.replace(plan.gaps)
    plan.untangle()
    plans = [plan.settle()]
    if plan.join():
        plan.untangle()
        plans.append(plan.settle())
    return plans


@dataclass(slots=True)
class _Page:
    """One of the two pages: its words, which places are replaced, and how many of each word are left over."""

    ids: Sequence[int]
    counts: Mapping[int, int]
    left: Counter[int] = field(default_factory=Counter)
    replaced: set[int] = field(default_factory=set)

    def leave(self, places: Iterable[int]) -> None:
        self.left.update(self.ids[place] for place in places)

    def take(self, place: int) -> None:
        self.replaced.add(place)
        self.left[self.ids[place]] -= 1

    def rest(self, start: int, end: int) -> list[int]:
        return [place for place in range(start, end) if place not in self.replaced]


class _Plan:
    """Which words are replaced; the others are added, dropped, copied, shrunk or moved as their counts say."""

    def __init__(self, old: Sequence[int], new: Sequence[int], gaps: list[Gap], a: float, b: float) -> None:
        self.gaps, self.a, self.b = gaps, a, b
        self.exchange = min(b, 2 * a)  # a word left over on both pages: a move, or a copy and a shrink
        self.least = self.exchange - a  # what taking only one of them away saves
        self.tiers = sorted({1.0, a, self.least}, reverse=True)
        self.old = _Page(old, Counter(old))
        self.new = _Page(new, Counter(new))
        for gap in self.gaps:
            self.old.leave(range(gap.old_start, gap.old_end))
            self.new.leave(range(gap.new_start, gap.new_end))

    def saving(self, page: _Page, place: int) -> float:
        """Return what it saves to leave over one less of a word."""
        other = self.new if page is self.old else self.old
        word = page.ids[place]
        if word not in other.counts:  # one of them is a drop or an add, unless replaced
            return 1.0 if page.left[word] == page.counts[word] else self.a
        return self.a if page.left[word] > other.left[word] else self.least

    def ranked(self, page: _Page, places: Sequence[int]) -> Iterator[int]:
        """Give places by what they save, as it is when they are asked for."""
        given = set()
        for tier in self.tiers:
            for place in places:
                if place not in given and self.saving(page, place) >= tier:
                    given.add(place)
                    yield place

    def replace(self, gaps: Iterable[Gap]) -> None:
        """Replace words within gaps while two operations cost more than one."""
        for gap in gaps:
            old = self.old.rest(gap.old_start, gap.old_end)
            new = self.new.rest(gap.new_start, gap.new_end)
            if not old or not new:
                continue
            for i, j in zip(self.ranked(self.old, old), self.ranked(self.new, new), strict=False):
                if self.saving(self.old, i) + self.saving(self.new, j) <= 1 + ROUNDING:
                    break
                self.old.take(i)
                self.new.take(j)

    def spare(self, page: _Page, start: int, end: int) -> list[int]:
        """Give the places whose words are not moves, the most expensive last."""
        rated = {place: self.saving(page, place) for place in reversed(page.rest(start, end))}
        return sorted((place for place in rated if rated[place] > self.least), key=rated.__getitem__)

    def untangle(self) -> None:
        """Replace a word where it goes and where it comes from, if both places need a partner."""
        goals: dict[int, list[tuple[int, list[int]]]] = defaultdict(list)
        for gap in reversed(self.gaps):
            if spare := self.spare(self.old, gap.old_start, gap.old_end):
                for j in self.new.rest(gap.new_start, gap.new_end):
                    goals[self.new.ids[j]].append((j, spare))
        for gap in self.gaps if goals else ():
            spare = self.spare(self.new, gap.new_start, gap.new_end)
            for i in self.old.rest(gap.old_start, gap.old_end) if spare else ():
                self.swap(i, spare, goals.get(self.old.ids[i], []))

    def swap(self, i: int, new_spare: list[int], goals: list[tuple[int, list[int]]]) -> None:
        """Replace the word at i by a spare new one, and a spare old one by the same word."""
        while goals and new_spare:
            j, old_spare = goals[-1]
            if not old_spare or j in self.new.replaced:
                goals.pop()
                continue
            saved = self.saving(self.old, old_spare[-1]) + self.saving(self.new, new_spare[-1])
            if self.saving(self.old, i) == self.least and self.exchange + saved > 2 + ROUNDING:
                goals.pop()
                for page, places in ((self.old, (i, old_spare.pop())), (self.new, (j, new_spare.pop()))):
                    for place in places:
                        page.take(place)
            return

    def join(self) -> bool:
        """Move the words that stay between two gaps where that lets them replace more."""
        joined: list[Gap] = []
        grown: set[int] = set()
        spares = Counter[tuple[str, float]]()
        for gap in self.gaps:
            here = self.tally(gap)
            if joined:
                last = joined[-1]
                stay = gap.old_start - last.old_end
                saved, rest = self.match(spares + here)
                if saved > stay * self.exchange + ROUNDING:
                    joined[-1] = Gap(last.old_start, gap.old_end, last.new_start, gap.new_end)
                    grown.add(len(joined) - 1)
                    self.old.leave(range(last.old_end, gap.old_start))
                    self.new.leave(range(last.new_end, gap.new_start))
                    spares = rest
                    continue
            joined.append(gap)
            spares = here
        self.gaps = joined
        self.replace(joined[place] for place in sorted(grown))
        return bool(grown)

    def tally(self, gap: Gap) -> Counter[tuple[str, float]]:
        """Count the words of a gap that are not moves, by page and by what they save."""
        spare = Counter(("old", self.saving(self.old, i)) for i in self.spare(self.old, gap.old_start, gap.old_end))
        spare.update(("new", self.saving(self.new, j)) for j in self.spare(self.new, gap.new_start, gap.new_end))
        return spare

    def match(self, spare: Counter[tuple[str, float]]) -> tuple[float, Counter[tuple[str, float]]]:
        """Return what replacing among a number of words saves, and how many would be left."""
        saved = 0.0
        for one, other in ((1.0, 1.0), (1.0, self.a), (self.a, 1.0), (self.a, self.a)):
            many = min(spare["old", one], spare["new", other])
            if many and one + other > 1:
                saved += many * (one + other - 1)
                spare["old", one] -= many
                spare["new", other] -= many
        return saved, spare

    def settle(self) -> OperationPlaces:
        """Say what happens to every word."""
        replaced = [pair for gap in self.gaps for pair in self.pairs(gap)]
        old, new = self.places(self.old, 0), self.places(self.new, 2)
        added, dropped, copied, shrunk, moved = [], [], [], [], []
        for word in old.keys() | new.keys():
            gone, come = old.get(word, []), new.get(word, [])
            on_both = word in self.old.counts and word in self.new.counts
            many = min(len(gone), len(come)) if self.b <= 2 * self.a else 0
            moved += come[:many]
            # Of a word that one page does not have, one is dropped or added unless a replacement does it.
            last = not on_both and len(gone) == self.old.counts.get(word, 0)
            first = not on_both and len(come) == self.new.counts.get(word, 0)
            dropped += gone[many : many + last]
            shrunk += gone[many + last :]
            added += come[many : many + first]
            copied += come[many + first :]
        return OperationPlaces(
            sorted(added), sorted(dropped), sorted(copied), sorted(shrunk), replaced, sorted(moved)
        )

    def pairs(self, gap: Gap) -> Iterator[tuple[int, int]]:
        """Pair the replaced words of a gap in order; two that are equal stay."""
        old = [i for i in range(gap.old_start, gap.old_end) if i in self.old.replaced]
        new = [j for j in range(gap.new_start, gap.new_end) if j in self.new.replaced]
        ids = self.old.ids, self.new.ids
        return ((i, j) for i, j in zip(old, new, strict=True) if ids[0][i] != ids[1][j])

    def places(self, page: _Page, start: int) -> dict[int, list[int]]:
        """Give the places of each word left over."""
        places: dict[int, list[int]] = defaultdict(list)
        for gap in self.gaps:
            for place in page.rest(gap[start], gap[start + 1]):
                places[page.ids[place]].append(place)
        return places
