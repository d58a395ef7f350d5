"""Which elements of a page may be what a selector meant on earlier ones, and how sure is that of each?"""

from __future__ import annotations

import json
from array import array
from dataclasses import dataclass, field
from functools import cache, cached_property
from importlib.resources import files
from itertools import chain, islice, pairwise
from math import exp, log
from typing import TYPE_CHECKING, Any, Final

from pagedrift._kernels import (
    compare_candidates,
    count_before,
    find_same_words,
    find_wanted,
    most_voted,
    rank_candidates,
    share_odds,
    take,
    weigh_candidates,
)
from pagedrift._kernels.groups_py import Lists
from pagedrift._kernels.looks_py import FIGURES, MAX_ENTRIES
from pagedrift.selectors.clues import ClueIndex
from pagedrift.selectors.element_table import ElementTable
from pagedrift.selectors.groups import groups
from pagedrift.selectors.likeness import Seeker, compare_with_itself
from pagedrift.selectors.looks import PageLooks
from pagedrift.selectors.meanings import meanings, name_words

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from pagedrift.selectors.looks import ElementLooks
    from pagedrift.selectors.selectable import SelectablePage

MAX_COMPARED: Final = 80  # candidates of a page compared in full, of those that share most with the old one
SURELY: Final = 100.0  # votes for what the old selector still matches
MAX_CANDIDATES: Final = 20_000  # elements of one page that are compared
_NEVER: Final = frozenset(
    "html head body script style noscript template meta link title base br hr wbr source track param".split()
)


@dataclass(frozen=True, slots=True)
class ListText:
    """What the entries of a list say."""

    entries: frozenset[str] = frozenset()  # their beginnings
    words: frozenset[str] = frozenset()
    count: int = 0

    @classmethod
    def of(cls, entries: Sequence[Sequence[str]]) -> ListText:
        """Take it from the first words of each entry."""
        return cls(frozenset(map(" ".join, entries)), frozenset(chain.from_iterable(entries)), len(entries))


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
    likeness: float  # its score as a share of the one that what is looked for has itself
    probability: float  # that it is what was meant


@dataclass(frozen=True, slots=True, kw_only=True)
class LikenessWeights:
    """What each figure about two elements counts, and how scores become probabilities; both are learned."""

    features: Mapping[str, float]
    bias: float
    by_likeness: float
    by_margin: float
    likely: float  # probability from which an element is proposed
    wrong: float  # and from which a selector that matches something else is called wrong

    @property
    def in_order(self) -> array[float]:
        """What each figure counts, in the order of the figures."""
        return array("d", [self.features.get(name, 0.0) for name in FIGURES])

    def probability(self, likeness: float, share: float) -> float:
        """Say how likely the best candidate is the right one, by its likeness and its share among all."""
        return 1 / (1 + exp(-(self.bias + self.by_likeness * likeness + self.by_margin * log(max(share, 1e-9)))))


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
        by_likeness=sure["likeness"],
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
        self._counts = self.weights.in_order

    def sample(self, nodes: Sequence[int], name: str = "") -> ElementSample:
        """Describe what a selector of a field means here."""
        return ElementSample(
            looks=self.looks.of(nodes[0]),
            count=len(nodes),
            entries=self.entries(nodes),
            named=meanings(name_words(name)),
            page_texts=self.texts,
            uniform=self._uniform(nodes[:MAX_ENTRIES]),
        )

    def _uniform(self, nodes: Sequence[int]) -> float:
        varieties = self.looks.varieties
        signatures = [varieties.signatures[each] for each in map(varieties.of_node.__getitem__, nodes)]
        return signatures.count(signatures[0]) / len(signatures)

    def entries(self, nodes: Sequence[int]) -> ListText:
        """Give what the entries of a list say."""
        key = tuple(nodes[:MAX_ENTRIES])
        if len(key) < 2:  # noqa: PLR2004 - one element does not make a list
            return _NO_LIST
        if key not in self._entries:
            self._entries[key] = ListText.of(self.looks.first_words_of(key))
        return self._entries[key]

    @cached_property
    def texts(self) -> frozenset[str]:
        """What the elements of the page say."""
        return frozenset(self.looks.beginnings[1])

    def find(
        self, samples: Sequence[ElementSample], *, matched: Sequence[int] = (), most: int = 5, extract: str = ""
    ) -> list[ElementCandidate]:
        """Give the likeliest candidates, the best one first; `matched` is what the old selector means here.

        With `extract`, only those that have it: a text directly in them, or an attribute.
        """
        every = self._candidates(samples)
        chosen = self._shortlist(samples, every, matched)
        scores = weigh_candidates(self._compare(samples, every, chosen, matched), self._counts)
        ranked = rank_candidates(scores, every, chosen)
        said = find_same_words(self._table.columns, every, chosen)
        shares = share_odds(scores, said, ranked)
        largest = self._largest(samples)
        able = (at for at in ranked if not extract or self._gives(every.at(chosen[at]), extract))
        return [
            self._candidate(every.at(chosen[at]), scores[at] / largest, shares[said[at]])
            for at in islice(able, most)
        ]

    def _gives(self, nodes: tuple[int, ...], extract: str) -> bool:
        """Say whether the first one and most of some elements have what is taken of them."""
        if not self.page.has(nodes[0], extract):
            return False
        having = (True for node in nodes if self.page.has(node, extract))
        return sum(islice(having, (len(nodes) + 1) // 2)) * 2 >= len(nodes)  # half of them are enough

    def _candidate(self, nodes: tuple[int, ...], likeness: float, share: float) -> ElementCandidate:
        return ElementCandidate(nodes, min(1.0, likeness), self.weights.probability(likeness, share))

    def _largest(self, samples: Sequence[ElementSample]) -> float:
        """Give the score of what is looked for compared with itself."""
        itself = [compare_with_itself(sample) for sample in samples]
        scores = [weigh_candidates(figures, self._counts)[0] for figures in itself]
        return max(1.0, sum(scores) / len(scores))

    def said(self, nodes: tuple[int, ...]) -> tuple[tuple[int, int], ...]:
        """Give the words that some elements take in; of those without words, the elements."""
        before, end = self.page.words_before, self.page.tree.end
        places = [(before[node], before[end[node]]) for node in nodes]
        return tuple(
            [place if place[0] < place[1] else (-node, -node) for node, place in zip(nodes, places, strict=True)]
        )

    def described(
        self, samples: Sequence[ElementSample], matched: Sequence[int] = ()
    ) -> Iterator[tuple[tuple[int, ...], dict[str, float]]]:
        """Give each candidate with the figures about it; of several samples, their mean."""
        every = self._candidates(samples)
        figures = self._compare(samples, every, array("i", range(every.size)), matched)
        for index in range(every.size):
            values = figures[index * len(FIGURES) : (index + 1) * len(FIGURES)]
            yield every.at(index), dict(zip(FIGURES, values, strict=True))

    def _compare(
        self, samples: Sequence[ElementSample], every: Lists, chosen: array[int], matched: Sequence[int]
    ) -> array[float]:
        self._table.read(take(every.nodes, take(every.starts, chosen)))
        columns = self._table.columns
        figures = [
            compare_candidates(self._seeker.seek(sample, matched), columns, every, chosen) for sample in samples
        ]
        if len(figures) == 1:
            return figures[0]
        return array("d", [sum(values) / len(values) for values in zip(*figures, strict=True)])

    def _shortlist(self, samples: Sequence[ElementSample], every: Lists, matched: Sequence[int] = ()) -> array[int]:
        """Give the candidates that share most words, names or kinds of values with what is looked for."""
        if every.size <= MAX_COMPARED:
            return array("i", range(every.size))
        votes = self._index.votes([sample.looks for sample in samples])
        for node in matched:
            votes[node] += SURELY
        return most_voted(votes, every, MAX_COMPARED)

    def _candidates(self, samples: Sequence[ElementSample]) -> Lists:
        return self._lists if all(sample.count > 1 for sample in samples) else self._singles

    @cached_property
    def _table(self) -> ElementTable:
        return ElementTable(self.looks)

    @cached_property
    def _seeker(self) -> Seeker:
        return Seeker(self._table)

    @cached_property
    def _index(self) -> ClueIndex:
        return ClueIndex(self._table, self._singles.nodes)

    @cached_property
    def _singles(self) -> Lists:
        wanted = bytes(bool(name) and name not in _NEVER for name in self.page.tree.names)
        nodes = find_wanted(self.page.tree.name, wanted)[:MAX_CANDIDATES]
        return Lists(count_before(b"\1" * len(nodes)), nodes)

    @cached_property
    def _lists(self) -> Lists:
        found, single = groups(self.page.tree, self.looks.varieties), self._singles.nodes
        tags = [name not in _NEVER for name in self.page.tree.names]
        firsts = take(self.page.tree.name, take(found.nodes, found.starts[:-1]))
        starts, nodes = found.starts[:], found.nodes
        if not all(map(tags.__getitem__, firsts)):
            starts, nodes = array("i", [0]), array("i")
            for (first, last), tag in zip(pairwise(found.starts), firsts, strict=True):
                if tags[tag]:
                    nodes.extend(found.nodes[first:last])
                    starts.append(len(nodes))
        starts, kept = starts[: MAX_CANDIDATES + 1], max(0, MAX_CANDIDATES + 1 - len(starts))
        nodes = nodes[: starts[-1]] + single[:kept]
        return Lists(starts + count_before(b"\1" * len(nodes))[starts[-1] + 1 :], nodes)
