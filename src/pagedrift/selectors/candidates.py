"""Which elements of a page may be what a selector meant on earlier ones, and how sure is that of each?"""

from __future__ import annotations

import json
from collections import Counter
from dataclasses import dataclass, field
from functools import cache, cached_property
from heapq import nlargest
from importlib.resources import files
from math import exp, log, log1p
from typing import TYPE_CHECKING, Any, Final

from pagedrift.selectors.groups import groups
from pagedrift.selectors.likeness import compare_looks, shared
from pagedrift.selectors.looks import PageLooks, clues_of, profile_clues
from pagedrift.selectors.meanings import meanings, name_words

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from pagedrift.selectors.looks import ElementLooks
    from pagedrift.selectors.selectable import SelectablePage

MAX_COMPARED: Final = 80  # candidates of a page compared in full, of those that share most with the old one
SURELY: Final = 100.0  # votes for what the old selector still matches
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
        return sum([weight * values[name] for name, weight in self.features.items()])

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


class ClueIndex:
    """Finds the elements of a page by clues; those that differ in their words alone are counted together."""

    def __init__(self, looks: PageLooks, nodes: Sequence[int]) -> None:
        self._size = len(looks.tree)
        profiles: dict[Any, list[int]] = {}
        self._by_word: dict[str, list[int]] = {}
        for node in nodes:
            profiles.setdefault(looks.profile(node), []).append(node)
            for word in dict.fromkeys(looks.clue_words(node)):
                self._by_word.setdefault(word, []).append(node)
        self._profiles = [(profile_clues(profile), alike) for profile, alike in profiles.items()]
        self._counts: Counter[str] = Counter()
        for clues, alike in self._profiles:
            for clue in clues:
                self._counts[clue] += len(alike)

    def votes(self, clues: Sequence[str]) -> list[float]:
        """Count for each node how many clues it shares; rare ones count more."""
        votes = [0.0] * self._size
        weights = {clue: _rarity(self._counts[clue]) for clue in clues if clue in self._counts}
        for shared_clues, alike in self._profiles:
            total = sum(weight for clue, weight in weights.items() if clue in shared_clues)
            for node in alike:
                votes[node] = total
        for clue in clues:
            nodes = self._by_word.get(clue.removeprefix("word "), ()) if clue.startswith("word ") else ()
            weight = _rarity(len(nodes))
            for node in nodes:
                votes[node] += weight
        return votes


def _rarity(count: int) -> float:
    return 1 / (1 + log1p(count))


class CandidateFinder:
    """Finds what selectors meant on one page; its elements are described once for all selectors."""

    def __init__(self, page: SelectablePage, weights: LikenessWeights | None = None) -> None:
        self.page = page
        self.looks = PageLooks(page)
        self._entries: dict[tuple[int, ...], ListText] = {}
        self._said: dict[tuple[int, ...], tuple[tuple[int, int], ...]] = {}
        self._uniformity: dict[tuple[int, ...], float] = {}
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
        if len(nodes) == 1:
            return 1.0
        key = tuple(nodes[:MAX_ENTRIES])
        if key not in self._uniformity:
            first, *others = (self.looks.signature(node) for node in key)
            self._uniformity[key] = (1 + others.count(first)) / (1 + len(others))
        return self._uniformity[key]

    def entries(self, nodes: Sequence[int]) -> ListText:
        """Give what the entries of a list say."""
        key = tuple(nodes[:MAX_ENTRIES])
        if len(key) < 2:  # noqa: PLR2004 - one element does not make a list
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
        shares = self._shares(scored)
        return [
            ElementCandidate(
                nodes, score, score / weights.largest, weights.probability(score, shares[self.said(nodes)])
            )
            for score, nodes in scored[:most]
        ]

    def _shares(self, scored: Sequence[tuple[float, tuple[int, ...]]]) -> dict[Any, float]:
        """Say what share of the odds of all candidates those have that say the same."""
        odds: dict[Any, float] = {}
        for score, nodes in scored:
            said = self.said(nodes)
            odds[said] = odds.get(said, 0.0) + exp(score - scored[0][0])
        total = sum(odds.values())
        return {said: odd / total for said, odd in odds.items()}

    def said(self, nodes: tuple[int, ...]) -> tuple[tuple[int, int], ...]:
        """Give the words that some elements take in; of those without words, the elements."""
        if nodes not in self._said:
            before, end = self.page.words_before, self.page.tree.end
            self._said[nodes] = tuple(
                [
                    (before[node], before[end[node]]) if before[node] < before[end[node]] else (-node, -node)
                    for node in nodes
                ]
            )
        return self._said[nodes]

    def described(
        self, samples: Sequence[ElementSample], matched: Sequence[int] = ()
    ) -> Iterator[tuple[tuple[int, ...], dict[str, float]]]:
        """Give each candidate with the figures about it; of several samples, their mean."""
        for nodes in self._lists if _are_lists(samples) else self._elements:
            yield nodes, self._compare(samples, nodes, matched)

    def _compare(
        self, samples: Sequence[ElementSample], nodes: Sequence[int], matched: Sequence[int] = ()
    ) -> dict[str, float]:
        return _mean([self._compare_one(sample, nodes, matched) for sample in samples])

    def _compare_one(self, sample: ElementSample, nodes: Sequence[int], matched: Sequence[int]) -> dict[str, float]:
        looks = self.looks.of(nodes[0])
        found = self._compare_looks(sample, looks)
        found["count"] = _count_likeness(sample.count, len(nodes))
        found["both many"] = float((sample.count > 1) == (len(nodes) > 1))
        found.update(_compare_entries(sample.entries, self.entries(nodes)))
        found.update(_compare_name(sample.named, looks) if sample.named else _UNNAMED)
        found.update(self._compare_fixed(sample, looks))
        found["still matched"] = _overlap(matched, nodes) if matched else 0.0
        found["uniform"] = 1 - abs(sample.uniform - self._uniform(nodes))
        return found

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
        clues = sorted({clue for sample in samples for clue in clues_of(sample.looks)})
        votes = self._index.votes(clues)
        for node in matched:
            votes[node] += SURELY
        firsts = [votes[nodes[0]] for nodes in every]
        return [every[at] for at in nlargest(MAX_COMPARED, range(len(every)), key=firsts.__getitem__)]

    @cached_property
    def _index(self) -> ClueIndex:
        return ClueIndex(self.looks, [node for (node,) in self._elements])

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


_NO_ENTRIES: Final = {"entries": 0.0, "entry words": 0.0, "entries kept": 0.0}


def _compare_entries(old: ListText, new: ListText) -> dict[str, float]:
    """Compare what two lists say: whole entries, and their words."""
    if not old.count or not new.count:
        return _NO_ENTRIES
    common = len(old.entries & new.entries)
    return {
        "entries": common / max(1, len(old.entries) + len(new.entries) - common),
        "entry words": shared(old.words, new.words),
        "entries kept": common / old.count,
    }


def _overlap(matched: Sequence[int], nodes: Sequence[int]) -> float:
    common = len(set(matched) & set(nodes))
    return common / (len(matched) + len(nodes) - common) if common else 0.0


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


_UNNAMED: Final = {
    "named": 0.0,
    "labelled": 0.0,
    "says what it does": 0.0,
    "not named otherwise": 1.0,
    "named above": 0.0,
    "named value": 0.0,
}


def _mean(every: list[dict[str, float]]) -> dict[str, float]:
    if len(every) == 1:
        return every[0]
    return {name: sum(values[name] for values in every) / len(every) for name in every[0]}
