"""Which elements of a page may be what a selector meant on earlier ones, and how sure is that of each?"""

from __future__ import annotations

import json
from collections import Counter
from dataclasses import dataclass, field
from functools import cache, cached_property
from importlib.resources import files
from math import exp, log, log1p
from typing import TYPE_CHECKING, Any, Final

from pagedrift.selectors.groups import groups
from pagedrift.selectors.likeness import compare_looks, shared
from pagedrift.selectors.looks import PageLooks, clues_of, meanings, name_words

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

    from pagedrift.selectors.looks import ElementLooks
    from pagedrift.selectors.selectable import SelectablePage

MAX_COMPARED: Final = 80  # candidates of a page compared in full, of those that share most with the old one
MAX_ENTRIES: Final = 30  # of a list whose texts are compared
MAX_CANDIDATES: Final = 20_000  # elements of one page that are compared
_NEVER: Final = frozenset(
    "html head body script style noscript template meta link title base br hr wbr source track param".split()
)


# What an element is that a field of this meaning has.
_IS: Final[Mapping[str, Callable[[ElementLooks], bool]]] = {
    "title": lambda looks: looks.titles_most,
    "date": lambda looks: looks.shape in ("date", "time"),
    "price": lambda looks: looks.shape == "money",
    "footer": lambda looks: looks.shape == "copyright",
    "body": lambda looks: looks.main,
    "picture": lambda looks: looks.tag == "img",
}


_OF_FIRST: Final = ("text", "holds text", "same target", "label", "around")  # says nothing about a list
_DO: Final = frozenset("previous next more share steps comments".split())  # what links say; values do not


@dataclass(frozen=True, slots=True)
class ListText:
    """What the entries of a list say."""

    entries: frozenset[str] = frozenset()  # their beginnings
    words: frozenset[str] = frozenset()
    count: int = 0

    @classmethod
    def of(cls, texts: Sequence[str]) -> ListText:
        """Take it from the beginnings of the entries."""
        return cls(frozenset(texts), frozenset(word for text in texts for word in text.split()), len(texts))


@dataclass(frozen=True, slots=True, kw_only=True)
class ElementSample:
    """What a selector meant on one page: the first element, and how many there were."""

    looks: ElementLooks
    count: int
    entries: ListText = field(default_factory=ListText)  # of a list
    named: frozenset[str] = frozenset()  # what the name of the field in the scraper means
    page_texts: frozenset[str] = frozenset()  # what the elements of that page say
    uniform: float = 1.0  # the share of the entries of a list that have the tag and classes of the first


_NO_LIST: Final = ListText()


@dataclass(frozen=True, slots=True)
class ElementCandidate:
    """An element, or the entries of a list, that may be what was meant."""

    nodes: tuple[int, ...]
    score: float
    likeness: float  # its score as a share of the largest possible one
    probability: float  # that it is what was meant


@dataclass(frozen=True, slots=True, kw_only=True)
class LikenessWeights:
    """What each figure about two elements counts, and how scores become probabilities; both are learned."""

    features: Mapping[str, float]
    bias: float
    by_score: float
    by_margin: float
    likely: float  # probability from which an element is proposed
    wrong: float  # and from which a selector that matches something else is called wrong

    def score(self, values: Mapping[str, float]) -> float:
        """Weigh the figures."""
        return sum(weight * values[name] for name, weight in self.features.items())

    @property
    def largest(self) -> float:
        """The largest possible score."""
        return sum(self.features.values())

    def probability(self, score: float, share: float) -> float:
        """Say how likely the best candidate is the right one, by its score and its share among all."""
        return 1 / (1 + exp(-(self.bias + self.by_score * score + self.by_margin * log(max(share, 1e-9)))))


@cache
def shipped_weights() -> LikenessWeights:
    """Read the weights that come with Pagedrift."""
    text = (files("pagedrift.selectors") / "weights.json").read_text("utf-8")
    return weights_from(json.loads(text))


def weights_from(data: Mapping[str, Any]) -> LikenessWeights:
    """Read weights."""
    sure = data["sure"]
    return LikenessWeights(
        features=data["features"],
        bias=sure["bias"],
        by_score=sure["score"],
        by_margin=sure["margin"],
        likely=sure["likely"],
        wrong=sure["wrong"],
    )


class CandidateFinder:
    """Finds what selectors meant on one page; its elements are described once for all selectors."""

    def __init__(self, page: SelectablePage, weights: LikenessWeights | None = None) -> None:
        self.page = page
        self.looks = PageLooks(page)
        self._entries: dict[tuple[int, ...], ListText] = {}
        self.weights = weights or shipped_weights()

    def sample(self, nodes: Sequence[int], name: str = "") -> ElementSample:
        """Describe what a selector of a field means here."""
        return ElementSample(
            looks=self.looks.of(nodes[0]),
            count=len(nodes),
            entries=self.entries(nodes),
            named=meanings(name_words(name)),
            page_texts=self.texts,
            uniform=self._uniform(nodes),
        )

    def _uniform(self, nodes: Sequence[int]) -> float:
        first, *others = (self.looks.signature(node) for node in nodes[:MAX_ENTRIES])
        return (1 + others.count(first)) / (1 + len(others))

    def entries(self, nodes: Sequence[int]) -> ListText:
        """Give what the entries of a list say."""
        key = tuple(nodes[:MAX_ENTRIES])
        if len(key) < 2:  # noqa: PLR2004 - an element is no list
            return _NO_LIST
        if key not in self._entries:
            self._entries[key] = ListText.of([self.looks.beginning(node) for node in key])
        return self._entries[key]

    @cached_property
    def texts(self) -> frozenset[str]:
        """What the elements of the page say."""
        return frozenset(self.looks.beginning(node) for node in self.page.tree.elements())

    def find(
        self, samples: Sequence[ElementSample], *, matched: Sequence[int] = (), most: int = 5
    ) -> list[ElementCandidate]:
        """Give the likeliest candidates, the best one first; `matched` is what the old selector means here."""
        weights = self.weights
        scored = sorted(
            (
                (weights.score(self._compare(samples, nodes, matched)), nodes)
                for nodes in self._shortlist(samples, matched)
            ),
            key=lambda pair: (-pair[0], pair[1]),
        )
        return [
            ElementCandidate(
                nodes, score, score / weights.largest, weights.probability(score, self.share(scored, nodes))
            )
            for score, nodes in scored[:most]
        ]

    def share(self, scored: Sequence[tuple[float, tuple[int, ...]]], nodes: tuple[int, ...]) -> float:
        """Say what share of the odds of all candidates one has, with those around and in it that say the same."""
        best, said = scored[0][0], self.said(nodes)
        odds = [(exp(score - best), each) for score, each in scored]
        return sum(odd for odd, each in odds if each == nodes or self.said(each) == said) / sum(
            odd for odd, _ in odds
        )

    def said(self, nodes: tuple[int, ...]) -> tuple[tuple[int, int], ...]:
        """Give the words that some elements take in; of those without words, the elements."""
        before, end = self.page.words_before, self.page.tree.end
        return tuple(
            (before[node], before[end[node]]) if before[node] < before[end[node]] else (-node, -node)
            for node in nodes
        )

    def described(
        self, samples: Sequence[ElementSample], matched: Sequence[int] = ()
    ) -> Iterator[tuple[tuple[int, ...], dict[str, float]]]:
        """Give each candidate with the figures about it; of several samples, their mean."""
        for nodes in self._lists if _are_lists(samples) else self._elements:
            yield nodes, self._compare(samples, nodes, matched)

    def _compare(
        self, samples: Sequence[ElementSample], nodes: Sequence[int], matched: Sequence[int] = ()
    ) -> dict[str, float]:
        looks, entries = self.looks.of(nodes[0]), self.entries(nodes)
        return _mean(
            self._compare_looks(sample, looks)
            | {
                "count": _count_likeness(sample.count, len(nodes)),
                "both many": float((sample.count > 1) == (len(nodes) > 1)),
            }
            | _compare_entries(sample.entries, entries)
            | _compare_name(sample.named, looks)
            | self._compare_fixed(sample, looks)
            | _compare_matched(matched, nodes)
            | {"uniform": 1 - abs(sample.uniform - self._uniform(nodes))}
            for sample in samples
        )

    def _compare_looks(self, sample: ElementSample, looks: ElementLooks) -> dict[str, float]:
        found = compare_looks(sample.looks, looks)
        if sample.count > 1:
            for name in _OF_FIRST:
                found[name] = 0.0
        return found

    def _compare_fixed(self, sample: ElementSample, looks: ElementLooks) -> dict[str, float]:
        """Say whether both elements have a text that stands on both pages, or none has."""
        known = bool(sample.page_texts and sample.looks.text and looks.text)
        was, now = sample.looks.beginning in self.texts, looks.beginning in sample.page_texts
        return {"both fixed": float(known and was and now), "both new": float(known and not was and not now)}

    def _shortlist(self, samples: Sequence[ElementSample], matched: Sequence[int] = ()) -> list[tuple[int, ...]]:
        """Give the candidates that share most words, names or kinds of values with what is looked for."""
        every = self._lists if _are_lists(samples) else self._elements
        if len(every) <= MAX_COMPARED:
            return every
        votes: Counter[int] = Counter(dict.fromkeys(matched, 100))
        for clue in sorted({clue for sample in samples for clue in clues_of(sample.looks)}):
            nodes = self._by_clue.get(clue, ())
            for node in nodes:
                votes[node] += 1 / (1 + log1p(len(nodes)))  # type: ignore[assignment]
        return sorted(every, key=lambda nodes: -votes[nodes[0]])[:MAX_COMPARED]

    @cached_property
    def _by_clue(self) -> dict[str, list[int]]:
        found: dict[str, list[int]] = {}
        for (node,) in self._elements:
            for clue in self.looks.clues(node):
                found.setdefault(clue, []).append(node)
        return found

    @cached_property
    def _elements(self) -> list[tuple[int, ...]]:
        tree = self.page.tree
        found: list[tuple[int, ...]] = [(node,) for node in tree.elements() if tree.tag(node) not in _NEVER]
        return found[:MAX_CANDIDATES]

    @cached_property
    def _lists(self) -> list[tuple[int, ...]]:
        tree = self.page.tree
        found = [nodes for nodes in groups(tree) if tree.tag(nodes[0]) not in _NEVER]
        return (found + self._elements)[:MAX_CANDIDATES]


def _are_lists(samples: Sequence[ElementSample]) -> bool:
    return all(sample.count > 1 for sample in samples)


def _count_likeness(old: int, new: int) -> float:
    return 1 / (1 + abs(log1p(old) - log1p(new)))


def _compare_entries(old: ListText, new: ListText) -> dict[str, float]:
    """Compare what two lists say: whole entries, and their words."""
    common = len(old.entries & new.entries)
    return {
        "entries": common / max(1, len(old.entries) + len(new.entries) - common),
        "entry words": shared(old.words, new.words),
        "entries kept": common / old.count if old.count else 0.0,
    }


def _compare_matched(matched: Sequence[int], nodes: Sequence[int]) -> dict[str, float]:
    common = len(set(matched) & set(nodes))
    return {
        "still matched": common / (len(matched) + len(nodes) - common) if common else 0.0,
    }


def _compare_name(named: frozenset[str], looks: ElementLooks) -> dict[str, float]:
    """Compare what a field is called with what an element is called, says, and is."""
    labelled = looks.said - looks.own
    return {
        "named": float(bool(named & looks.meanings)),
        "labelled": float(bool(named & labelled)),
        "says what it does": float(bool(named & looks.own & _DO)),
        "not named otherwise": float(not (named and looks.meanings) or bool(named & looks.meanings)),
        "named above": float(not looks.meanings and bool(named & looks.above_meanings)),
        "named value": float(any(_IS[name](looks) for name in named if name in _IS)),
    }


def _mean(described: Iterable[dict[str, float]]) -> dict[str, float]:
    every = list(described)
    if len(every) == 1:
        return every[0]
    return {name: sum(values[name] for values in every) / len(every) for name in every[0]}
