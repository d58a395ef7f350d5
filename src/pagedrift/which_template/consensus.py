"""Which groups of pages are one template, by what nearly all of their pages have in common?

Pages that share a key of their fingerprints are a group: that is certain, but pages with unusual content are left
out. What nearly all pages of a group have is its core. Pages of one template differ by what is optional: so of two
groups that are one, one has nearly the whole core of the other and most of what it has is known there, or the other
way around; and html and body are called much the same. Page types of one site have something each that the other
lacks. A group joins the larger one that fits best, so that one page between two templates joins one of them, and
does not link both. All of it depends on which pages there are, and not on their order.

Features of a page are bits of a number here, as `sketch.features` gives them.
"""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter, defaultdict
from dataclasses import dataclass
from functools import reduce
from heapq import nsmallest
from typing import TYPE_CHECKING, Final, NamedTuple

from pagedrift._kernels import hash_bytes
from pagedrift._kernels.sketch_py import BITS, BITS_BYTES, LAYOUT_BITS

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

MAX_SAMPLE: Final = 25  # pages that speak for a group
LEAST_CORE: Final = 12  # features; fewer say too little
CROWD: Final = 64  # cores with the same mark that are looked at, the largest ones
_APART: Final = 16  # bits from one mark to the next
_MARK: Final = 3  # features of a core in one mark
LAYOUT: Final = (1 << LAYOUT_BITS) - 1
NAMES: Final = (1 << BITS) - (1 << LAYOUT_BITS)  # of html and body
MOST: Final = 2000  # how well a group fits that has a whole core, and nothing unknown
_EXACT: Final = 1000  # shares are counted in thousandths, so that they are the same everywhere


@dataclass(frozen=True, slots=True, kw_only=True)
class TemplateRule:
    """When a group joins another; shares are in thousandths. Chosen by `experiments.hachenberg2013.nested`."""

    least_pages: int = 4  # of a group that others may join
    common: int = 900  # share of its pages that have a feature of its core
    nearly: int = 980  # share of the core that is there, or of the features that are known
    partly: int = 600  # the same for the other of the two
    named: int = 500  # share of the names of html and body that both have


RULE: Final = TemplateRule()


class Sampled(NamedTuple):
    """Pages with the same features."""

    order: int  # the less, the sooner they are taken into a sample
    features: int
    pages: int


def sampled(features: int, pages: int = 1) -> Sampled:
    """Give features with what decides whether they are sampled: their hash, and how many pages have them."""
    return Sampled(hash_bytes(features.to_bytes(BITS_BYTES, "little")) // pages, features, pages)


@dataclass(frozen=True, slots=True)
class PageGroup:
    """Pages that are one template, with a sample of them that does not depend on their order."""

    pages: int
    sample: tuple[Sampled, ...]

    @classmethod
    def of(cls, pages: int, sample: Iterable[Sampled]) -> PageGroup:
        """Choose the sample: those with the least hashes."""
        return cls(pages, tuple(nsmallest(MAX_SAMPLE, sample)))

    @property
    def rank(self) -> tuple[int, int]:
        """What orders groups by size, whatever their order is."""
        return self.pages, self.sample[0].order

    def common(self, share: int) -> int:
        """Give the features that a share of the pages have.

        >>> bin(PageGroup.of(4, map(sampled, (0b111, 0b011, 0b101, 0b001))).common(500))
        '0b111'
        """
        pages = sum(one.pages for one in self.sample)
        return had_by(self.sample, max(1, -(-share * pages // _EXACT)))

    def any(self) -> int:
        """Give the features that some page has."""
        return had_by(self.sample, 1)

    def sure(self) -> float:
        """Say how alike the pages are: the mean share that each has in common with what half of them have."""
        typical = self.common(_EXACT // 2)
        shares = [similarity(one.features, typical) for one in self.sample]
        return sum(shares) / len(shares)


def gather(pages: Iterable[tuple[int, int, int]]) -> dict[int, PageGroup]:
    """Make groups out of pages alike, given by the number of their group, their features, and how many they are.

    >>> [(number, group.pages) for number, group in gather([(7, 0b11, 2), (8, 0b1, 1), (7, 0b10, 1)]).items()]
    [(7, 3), (8, 1)]
    """
    counts: Counter[int] = Counter()
    samples: defaultdict[int, list[Sampled]] = defaultdict(list)
    for number, features, alike in pages:
        counts[number] += alike
        sample = samples[number]
        sample.append(sampled(features, alike))
        if len(sample) > 4 * MAX_SAMPLE:  # of very many pages not all are held at once
            samples[number] = nsmallest(MAX_SAMPLE, sample)
    return {number: PageGroup.of(counts[number], sample) for number, sample in samples.items()}


def had_by(sample: Iterable[Sampled], least: int) -> int:
    """Give the features that at least a number of pages have; all are counted at once, each digit in one number."""
    digits: list[int] = []
    for one in sample:
        for start in range(one.pages.bit_length()):
            if one.pages >> start & 1:
                _add(digits, one.features, start)
    more, equal = 0, (1 << BITS) - 1
    for place in reversed(range(max(len(digits), least.bit_length()))):
        digit = digits[place] if place < len(digits) else 0
        if least >> place & 1:
            equal &= digit
        else:
            more |= equal & digit
            equal &= ~digit
    return more | equal


def _add(digits: list[int], carry: int, place: int) -> None:
    """Add 1 at a binary place to the counts of some features."""
    digits.extend([0] * (place - len(digits)))
    while carry:
        if place == len(digits):
            digits.append(0)
        digits[place], carry = digits[place] ^ carry, digits[place] & carry
        place += 1


def similarity(one: int, other: int) -> float:
    """Give the share of the features of both that both have.

    >>> similarity(0b011, 0b110)
    0.3333333333333333
    """
    return (one & other).bit_count() / max(1, (one | other).bit_count())


class Core(NamedTuple):
    """What a group is known by."""

    number: int  # of the group
    rank: tuple[int, int]
    features: int
    known: int


class Cores:
    """The cores of groups, to be found by groups that have them, in a time independent of their number."""

    def __init__(self, groups: Mapping[int, PageGroup], rule: TemplateRule = RULE) -> None:
        self.rule = rule
        self._marked: dict[tuple[int, ...], list[Core]] = {}
        found = (
            Core(number, group.rank, group.common(rule.common), group.any())
            for number, group in groups.items()
            if group.pages >= rule.least_pages
        )
        for core in sorted(found, key=lambda core: core.rank, reverse=True):
            if (core.features & LAYOUT).bit_count() >= LEAST_CORE:
                for mark in marks(core.features):
                    crowd = self._marked.setdefault(mark, [])
                    if len(crowd) < CROWD:
                        crowd.append(core)

    def best(self, group: PageGroup) -> tuple[int, int] | None:
        """Give the number of the group that this one joins, and how well it fits, if there is a larger one."""
        rank = group.rank
        seen: dict[int, Core] = {}
        for mark in marks(group.common(_EXACT // 2)):
            seen.update((core.number, core) for core in self._marked.get(mark, ()) if core.rank > rank)
        fits = [
            (fit, core.rank, core.number) for core in seen.values() if (fit := _fit(group, core, self.rule)) > 0
        ]
        if not fits:
            return None
        fit, _, number = max(fits)
        return number, fit


def _fit(group: PageGroup, core: Core, rule: TemplateRule) -> int:
    """Say how well a group fits a core; 0 if it does not."""
    contained, known = _shares(group, core, LAYOUT)
    low, high = sorted((contained, known))
    if high < rule.nearly or low < rule.partly or min(_shares(group, core, NAMES)) < rule.named:
        return 0
    return contained + known


def _shares(group: PageGroup, core: Core, part: int) -> tuple[int, int]:
    """Give the share of a core that the pages of a group have, and the share of their features that are known."""
    had = known = own = pages = 0
    for one in group.sample:
        had += (one.features & core.features & part).bit_count() * one.pages
        known += (one.features & core.known & part).bit_count() * one.pages
        own += (one.features & part).bit_count() * one.pages
        pages += one.pages
    whole = pages * (core.features & part).bit_count()
    return had * _EXACT // whole if whole else _EXACT, known * _EXACT // own if own else _EXACT


def marks(features: int) -> list[tuple[int, ...]]:
    """Give marks by which a core is found: from every sixteenth bit on, the next three that are set.

    Who has the core and little else has most of its marks.
    """
    places = [place for place, bit in enumerate(bin(features)[:1:-1]) if bit == "1"]
    if not places:
        return []
    ring = [*places, *places[:_MARK]] * 2
    starts = ((start, bisect_left(places, start)) for start in range(0, BITS, _APART))
    return [(start, *ring[at : at + _MARK]) for start, at in starts]


class Joined(NamedTuple):
    """Which groups are one."""

    roots: dict[int, int]  # of each that is not alone: the least number of those it is one with
    groups: dict[int, PageGroup]  # what they are together


def join(groups: Mapping[int, PageGroup], rule: TemplateRule = RULE) -> Joined:
    """Let each group join the larger one that it fits best."""
    cores = Cores(groups, rule)
    roots = roots_of({number: best[0] for number, group in groups.items() if (best := cores.best(group))})
    members: defaultdict[int, list[PageGroup]] = defaultdict(list)
    for number, group in groups.items():
        members[roots.get(number, number)].append(group)
    return Joined(roots, {root: reduce(unite, together) for root, together in members.items()})


def roots_of(joined: Mapping[int, int]) -> dict[int, int]:
    """Give the least number of those that are one, by which group joins which.

    >>> sorted(roots_of({3: 5, 4: 5, 5: 9}).items())
    [(3, 3), (4, 3), (5, 3), (9, 3)]
    """
    tops: defaultdict[int, list[int]] = defaultdict(list)
    for number in dict.fromkeys([*joined.values(), *joined]):
        top = number
        while top in joined:  # ends, as every group joins a larger one
            top = joined[top]
        tops[top].append(number)
    return {number: min(members) for members in tops.values() for number in members}


def unite(one: PageGroup, other: PageGroup) -> PageGroup:
    """Make one group of two."""
    return PageGroup.of(one.pages + other.pages, (*one.sample, *other.sample))
