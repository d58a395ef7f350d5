"""Which elements of a page share most with what is looked for?"""

from __future__ import annotations

from array import array
from collections import Counter
from itertools import pairwise
from math import log1p
from typing import TYPE_CHECKING

from pagedrift._kernels import gather, index_clues, number_pairs, take, vote
from pagedrift._kernels.looks_py import CLUE_WORDS, SHAPES
from pagedrift.selectors.meanings import meanings

if TYPE_CHECKING:
    from collections.abc import Sequence

    from pagedrift.selectors.element_table import ElementTable
    from pagedrift.selectors.looks import ElementLooks


class ClueIndex:
    """Finds the elements of a page by clues; those that differ in their words alone are counted together."""

    def __init__(self, table: ElementTable, nodes: array[int]) -> None:
        self._table, self._nodes = table, nodes
        columns, varieties = table.columns, table.looks.varieties
        share, shapes = columns.title_share, table.clue_shapes()
        self._words = index_clues(columns, nodes)
        self._of_node, firsts = number_pairs(varieties.of_node, _values(table, shapes))
        self._profiles = len(firsts)
        starts = gather(take(self._of_node, nodes), self._profiles).starts
        counts = {number: stop - start for number, (start, stop) in enumerate(pairwise(starts)) if start < stop}
        self._by_clue: dict[str, list[int]] = {}
        self._counts: Counter[str] = Counter()  # elements that have a clue
        for number, count in counts.items():
            node = firsts[number]
            variety, shape = varieties.of_node[node], SHAPES[shapes[columns.place[node]]]
            tag, names = varieties.tags[variety], varieties.names[variety]
            for clue in profile_clues(tag, names, shape, share[node] > 0, node == columns.main):
                self._by_clue.setdefault(clue, []).append(number)
                self._counts[clue] += count

    def votes(self, sought: Sequence[ElementLooks]) -> array[float]:
        """Count for each node how many clues it shares; rare ones count more."""
        totals, numbers = array("d", bytes(8 * max(1, self._profiles))), self._table.words
        size = self._words.size
        for clue in sorted({clue for looks in sought for clue in _clues_of(looks)}):
            weight = 1 / (1 + log1p(self._counts[clue]))
            for number in self._by_clue.get(clue, ()):
                totals[number] += weight
        words = sorted({word for looks in sought for word in looks.beginning.split()[:CLUE_WORDS]})
        known = array("i", [numbers[word] for word in words if numbers.get(word, size) < size])
        return vote(self._nodes, (self._of_node, totals), self._words, known)


def _values(table: ElementTable, shapes: array[int]) -> array[int]:
    """Give each node a number for what its text is: the kind of value, a part of the title, the main text."""
    found = take(array("i", [4 * shape for shape in shapes]), table.columns.place)
    for node in table.looks.title_shares:
        found[node] += 2
    found[table.columns.main] += 1
    return found


def _clues_of(looks: ElementLooks) -> set[str]:
    """Name what an element can be found by but its words: names, meanings, kind of value, place in the title."""
    shape = looks.shape if looks.words <= CLUE_WORDS else "prose"
    return profile_clues(looks.tag, looks.names, shape, bool(looks.title_share), looks.main)


def profile_clues(tag: str, names: frozenset[str], shape: str, titled: bool, main: bool) -> set[str]:
    """Name the clues of elements that are alike.

    >>> sorted(profile_clues("b", frozenset({"headline"}), "text", True, False))
    ['headline', 'meaning title', 'shape text', 'tag b', 'title']
    """
    found = {f"tag {tag}", *names, *(f"meaning {each}" for each in meanings(names)), f"shape {shape}"}
    return found | ({"title"} if titled else set()) | ({"main"} if main else set())
