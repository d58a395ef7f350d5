"""How much should a metric say that a page changed? Changes of known size, to judge metrics by.

Kwon, Lee & Kim 2006, § 3: six types of change, each with a formula for its degree. Ours is the criterion for
changes of several types at once, which they left open (§ 6): `degree`.
"""

from __future__ import annotations

import math
import random
import re
from dataclasses import dataclass
from functools import lru_cache
from html import escape
from itertools import accumulate, cycle, islice
from typing import TYPE_CHECKING, Final

from pagedrift.errors import InputError
from pagedrift.how_much.extended import OPERATIONS
from pagedrift.page import PageVersion

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

    Words = tuple[str, ...]
    Metric = Callable[[PageVersion, PageVersion], float]

CHANGES: Final = OPERATIONS  # each operation is a type of change
EXACT: Final = 0.02  # a metric that is never further from a criterion is effective: what a plot can show
PAGE: Final = 1_000  # words, as in § 5.2
SHARES: Final = tuple(share / 20 for share in range(1, 11))  # of the words of a page, 5 % to 50 %
SIZES: Final = (30, 3_000)  # words of the pages with mixed changes: from a notice to a long article
VOCABULARY: Final = 3_000  # of natural pages
_MADE: Final = re.compile(r"[wn]\d+")  # words that `fresh` may write
_FLAT: Final = 2.7  # Mandelbrot's correction of Zipf's law: the first few words are about equally frequent


@dataclass(frozen=True, slots=True)
class WordChange:
    """A page before and after, as words, and what was done to it: words changed by type."""

    old: Words
    new: Words
    counts: Mapping[str, int]

    def degree(self, *, alpha: float = 0.75, beta: float = 0.75) -> float:
        """Say how much was changed, by the criterion."""
        return degree(self.counts, len(self.old), alpha=alpha, beta=beta)

    def pages(self) -> tuple[PageVersion, PageVersion]:
        """Write both as pages."""
        return _page(self.old), _page(self.new)


def criterion(kind: str, words: int, changed: int, *, alpha: float = 0.75, beta: float = 0.75) -> float:
    """Say how much a page changed when a number of its words were changed in one way: figures 2 to 4.

    >>> criterion("add", 1000, 3000), criterion("drop", 1000, 250), criterion("move", 1000, 250)
    (0.75, 0.25, 0.1875)
    """
    weight = _weights(alpha, beta)[kind]
    return weight * changed / (words + changed if kind in ("add", "copy") else words)


def degree(counts: Mapping[str, int], words: int, *, alpha: float = 0.75, beta: float = 0.75) -> float:
    """Say how much a page of a number of words changed, when a number of of them were changed in each of six ways.

    Lay both versions over each other: the words that stayed, those that are gone and those that came. The degree
    is the share of that text which changed, where a copied or shrunk word counts `alpha`, and a moved one `beta`.
    Where only one type occurs, this is the paper's formula for it.

    >>> degree({"add": 100}, 1000), degree({"move": 100}, 1000)
    (0.09090909090909091, 0.075)
    >>> degree({"add": 500, "drop": 500}, 1000)
    0.6666666666666666
    """
    if unknown := counts.keys() - set(CHANGES):
        raise InputError(f"unknown change type {min(unknown)}; choose from: {', '.join(CHANGES)}")
    weights = _weights(alpha, beta)
    changed = math.fsum(weights[kind] * count for kind, count in counts.items())
    laid_over = words + counts.get("add", 0) + counts.get("copy", 0)
    return changed / laid_over if laid_over else 0.0


def _weights(alpha: float, beta: float) -> dict[str, float]:
    return {"add": 1.0, "drop": 1.0, "copy": alpha, "shrink": alpha, "replace": 1.0, "move": beta}


def make_change(
    kind: str, words: int, changed: int, *, text: Sequence[str] = (), block: bool = False, seed: int = 0
) -> WordChange:
    """Change a number of words of a page in one way, all in one place, as changes of real pages mostly are.

    Each word of the page occurs once; or they are words of a `text`, from some place in it on. Copied and shrunk
    words are any of the page's, and moved ones come in reverse order, so that each has moved against all others. As
    a `block` they are a passage instead: copied, shrunk or moved elsewhere in the order that it has.

    >>> change = make_change("replace", 6, 2)
    >>> change.old, change.new
    (('w1', 'w2', 'w5', 'w6', 'w3', 'w4'), ('w1', 'w2', 'n1', 'n2', 'w3', 'w4'))
    """
    _check(kind, words, changed, block=block)
    writer = _Writer(random.Random(f"{kind} {words} {changed} {seed}"), text)
    return writer.change(words, {kind: changed}, blocks=block)


def make_mixed_change(words: int, share: float, *, text: Sequence[str] = (), seed: int = 0) -> WordChange:
    """Change a share of the words of a page in two to six ways at once, each in a place of its own.

    >>> change = make_mixed_change(100, 0.2, text=natural_text(), seed=1)
    >>> sum(change.counts.values()), len(change.counts) > 1
    (20, True)
    """
    total = int(words * share)
    if not 1 < total <= words / 2:
        raise InputError(f"{share} of {words} words cannot be changed in two ways; use more words, or up to 0.5")
    chance = random.Random(f"mixed {words} {share} {seed}")
    kinds = chance.sample(CHANGES, chance.randint(2, min(len(CHANGES), total)))
    cuts = [0, *sorted(chance.sample(range(1, total), len(kinds) - 1)), total]
    counts = {kind: cuts[place + 1] - cuts[place] for place, kind in enumerate(kinds)}
    return _Writer(chance, text).change(words, counts, blocks=chance.choice((True, False)))


def _check(kind: str, words: int, changed: int, *, block: bool) -> None:
    if kind not in CHANGES:
        raise InputError(f"unknown change type {kind!r}; choose one of: {', '.join(CHANGES)}")
    most = {"drop": words, "replace": words, "shrink": words - 1, "move": words // 2 if block else words - 1}
    if changed < 0 or changed > most.get(kind, changed) or (kind == "copy" and not words):
        raise InputError(f"a page of {words:,} words cannot {kind} {changed:,}; use fewer, or a longer page")


class _Writer:
    """Writes a page and its change together: words that stay, and between them what differs."""

    def __init__(self, chance: random.Random, text: Sequence[str]) -> None:
        self.chance = chance
        self.source = [word for word in text if not _MADE.fullmatch(word)]
        self.used = {"w": 0, "n": 0}

    def change(self, words: int, counts: Mapping[str, int], *, blocks: bool) -> WordChange:
        """Change a page of a number of words; what is dropped, shrunk, replaced or moved is part of them."""
        moved_alone = not blocks and counts.get("move", 0) > 0  # reversing needs one word more that stays
        staying = words - sum(counts.get(kind, 0) for kind in ("drop", "shrink", "replace", "move")) - moved_alone
        kept = self.text(staying)
        places = self.places(counts, staying, blocks=blocks)
        old, new, last = [], [], 0
        for place, was, comes in sorted(self.parts(counts, kept, places, blocks=blocks), key=lambda part: part[0]):
            old += [*kept[last:place], *was]
            new += [*kept[last:place], *comes]
            last = place
        return WordChange((*old, *kept[last:]), (*new, *kept[last:]), dict(counts))

    def parts(
        self, counts: Mapping[str, int], kept: Words, places: Mapping[str, Sequence[int]], *, blocks: bool
    ) -> Iterator[tuple[int, Words, Words]]:
        """Give what differs: after how many words that stay, what was there and what comes there."""
        for kind, count in counts.items():
            first, last = places[kind][0], places[kind][-1]
            if kind in ("copy", "shrink"):
                again = self.passage(kept, count) if blocks else tuple(self.chance.choices(kept, k=count))
                yield first, *(((), again) if kind == "copy" else (again, ()))
            elif kind == "move":
                run = self.fresh("w", count + (not blocks and count > 0))
                yield from [(first, run, ()), (last, (), run)] if blocks else [(first, run, run[::-1])]
            else:
                was = () if kind == "add" else self.fresh("w", count) if kind == "drop" else self.text(count)
                yield first, was, () if kind == "drop" else self.fresh("n", count)

    def places(self, counts: Mapping[str, int], staying: int, *, blocks: bool) -> dict[str, list[int]]:
        """Choose where each type stands: apart, as far as the page has room, so that none looks like another."""
        free = list(range(staying + 1))
        found: dict[str, list[int]] = {}
        for kind in sorted(counts, key=lambda kind: kind != "move"):
            if kind == "move" and blocks:  # across at least as many words, or moving those were less
                start = self.chance.randint(0, staying - counts[kind])
                found[kind] = self.chance.sample([start, self.chance.randint(start + counts[kind], staying)], 2)
            else:
                found[kind] = [self.chance.choice(free)]
            free = [place for place in free if place not in found[kind]] or free
        return found

    def passage(self, text: Sequence[str], count: int) -> Words:
        """Take a run of words, again from the start where they end."""
        start = self.chance.randrange(len(text))
        return tuple(islice(cycle(text), start, start + count))

    def text(self, count: int) -> Words:
        """Write words of a page."""
        return self.passage(self.source, count) if self.source else self.fresh("w", count)

    def fresh(self, letter: str, count: int) -> Words:
        """Write words that stand nowhere else."""
        self.used[letter] += count
        return tuple(f"{letter}{number}" for number in range(self.used[letter] - count + 1, self.used[letter] + 1))


@lru_cache(maxsize=4)
def natural_text(seed: int = 0) -> Words:
    """Write 20,000 made words that repeat about as those of real pages do: by the law of Zipf and Mandelbrot.

    >>> len(set(natural_text()[:1000]))
    505
    """
    weights = accumulate(1 / (rank + _FLAT) for rank in range(1, VOCABULARY + 1))
    ranks = random.Random(f"text {seed}").choices(range(1, VOCABULARY + 1), cum_weights=list(weights), k=20_000)
    return tuple(f"v{rank}" for rank in ranks)


def _page(words: Iterable[str]) -> PageVersion:
    return PageVersion(
        "https://example.org/", f"<!doctype html><meta charset=utf-8><p>{escape(' '.join(words))}".encode()
    )


@dataclass(frozen=True, slots=True)
class Deviation:
    """How far a metric is from a criterion; above it is positive."""

    cases: int
    mean: float  # of the distances, whatever their sign
    lowest: float
    highest: float

    @property
    def sense(self) -> str:
        """The word for it: effective, or always too high or too low, or now this and now that."""
        if max(-self.lowest, self.highest) <= EXACT:
            return "effective"
        if self.lowest > 0:
            return "oversensitive"
        return "undersensitive" if self.highest < 0 else "uneven"


def deviation(
    metric: Metric, changes: Iterable[WordChange], *, alpha: float = 0.75, beta: float = 0.75
) -> Deviation:
    """Compare a metric with the criterion on given changes.

    >>> everything = lambda old, new: float(old.words != new.words)
    >>> deviation(everything, [make_change("drop", 100, 25), make_change("drop", 100, 75)])
    Deviation(cases=2, mean=0.5, lowest=0.25, highest=0.75)
    """
    found = [metric(*change.pages()) - change.degree(alpha=alpha, beta=beta) for change in changes]
    if not found:
        raise InputError("no change to judge the metric by; pass at least one")
    return Deviation(len(found), math.fsum(map(abs, found)) / len(found), min(found), max(found))


def judge_metric(
    metric: Metric, *, alpha: float = 0.75, beta: float = 0.75, text: Sequence[str] = (), seed: int = 0
) -> dict[str, Deviation]:
    """Say how far a metric is from each of the six criteria, and from ours for mixed changes.

    A metric is any function of an old and a new page version. The six: 5 % to 50 % of a page of 1,000 words.
    Mixed: 100 pages of 30 to 3,000 words, 5 % to 50 % of each. The six have pages whose words are all different,
    or those of a `text`; mixed changes are of natural ones. The same `seed` gives the same changes.

    >>> def length(old, new):
    ...     return 1 - min(len(old.words), len(new.words)) / max(len(old.words), len(new.words))
    >>> judged = judge_metric(length)
    >>> judged["add"].sense, judged["copy"].sense, judged["move"].sense
    ('effective', 'oversensitive', 'undersensitive')
    """
    judged = {kind: list(pure_changes(kind, text=text, seed=seed)) for kind in CHANGES}
    judged["mixed"] = list(mixed_changes(100, texts=[text or natural_text()], seed=seed))
    return {name: deviation(metric, changes, alpha=alpha, beta=beta) for name, changes in judged.items()}


def pure_changes(
    kind: str,
    *,
    words: int = PAGE,
    text: Sequence[str] = (),
    seed: int = 0,
) -> Iterator[WordChange]:
    """Give changes of one type and growing size, on pages of a number of words."""
    for share in SHARES:
        yield make_change(kind, words, max(1, round(share * words)), text=text, seed=seed)


def mixed_changes(count: int, *, texts: Sequence[Sequence[str]], seed: int = 0) -> Iterator[WordChange]:
    """Give changes of several types at once, on pages of every size from a notice to a long article.

    A page is a passage of one of the texts, and no longer than it.
    """
    chance = random.Random(f"sizes {seed}")
    shortest, longest = map(math.log, SIZES)
    for number in range(count):
        text = chance.choice(texts)
        words = min(round(math.exp(chance.uniform(shortest, longest))), len(text))
        share = max(chance.choice(SHARES), 3 / words)  # at least three words, for two or three types
        yield make_mixed_change(words, share, text=text, seed=seed * 1_000_003 + number)
