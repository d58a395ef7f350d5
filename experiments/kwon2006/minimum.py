"""What does the least expensive sequence of operations cost, really? By trying them all, on small pages.

Equation (5) of the paper takes a minimum over all sequences of its six operations and does not define them further.
Here a page is a sequence of words, and an operation turns one page into another:

- add (1) puts in a word that the page does not have, copy (a) one that it has;
- drop (1) takes out a word that occurs once, shrink (a) one that occurs more often;
- replace (1) puts a different word in the place of a word;
- move (b) takes a word elsewhere.

A sequence may touch a word once only: what was put in, replaced or moved is neither replaced, moved nor taken out
again. The paper's procedure keeps to that (each word left over is counted in one operation), and its criteria mean
that. With `again`, a sequence may do anything; then a drop and an add far from each other are cheaper as one
replacement that also moves (1 + b < 2), which nobody would say of them.
"""

from __future__ import annotations

import heapq
from collections import Counter
from functools import cache
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

Token = tuple[str, bool]  # a word, and whether it was touched
Page = tuple[Token, ...]
Left = tuple[int, ...]  # how many of each word are left over


def minimum(
    old: Sequence[str], new: Sequence[str], *, a: float = 0.75, b: float = 0.75, again: bool = False
) -> float:
    """Find the cost of the least expensive sequence by trying every alignment; for pages of up to about ten words.

    An alignment pairs words in order: equal ones stay, different ones are replaced. Of the words it leaves over,
    the cost depends only on how many there are of each. Tests compare with `search`, which knows nothing of this.

    >>> minimum("x y k k k".split(), "k k k y z".split())  # replace x by z? It stands elsewhere: move y, drop, add
    2.75
    >>> minimum(["x", "k"], ["k", "z"], again=True), minimum(["x", "k"], ["k", "z"])
    (1.75, 2.0)
    """
    pages = _Pages(old, new, a, b)
    finish = pages.finish_again if again else pages.finish
    return min(replaced + finish(*left) for left, replaced in _alignments(pages).items())


class _Pages:
    """Two pages with their words as numbers, and what words left over cost."""

    def __init__(self, old: Sequence[str], new: Sequence[str], a: float, b: float) -> None:
        numbers = {word: number for number, word in enumerate(dict.fromkeys([*old, *new]))}
        self.old, self.new = [numbers[word] for word in old], [numbers[word] for word in new]
        self.all_old = tuple(self.old.count(number) for number in numbers.values())
        self.all_new = tuple(self.new.count(number) for number in numbers.values())
        self.a, self.b = a, b
        self.finish_again: Callable[[Left, Left], float] = cache(self._finish_again)

    def finish(self, old_left: Left, new_left: Left) -> float:
        """Add up what is left: words of both pages move, or are copied before they are shrunk."""
        cost = 0.0
        for gone, come, was, comes in zip(old_left, new_left, self.all_old, self.all_new, strict=True):
            if was and comes:
                pairs = min(gone, come)
                cost += pairs * min(self.b, 2 * self.a) + (gone + come - 2 * pairs) * self.a
            else:  # of a word that one page does not have, one costs 1, unless a replacement brings or takes one
                cost += (gone + come) * self.a + ((1 - self.a) if gone + come == was + comes else 0)
        return cost

    def _finish_again(self, old_left: Left, new_left: Left) -> float:
        """Add up the same, where words left over may also be replaced and moved."""
        costs = [self.finish(old_left, new_left)]
        for gone in range(len(old_left)):
            for come in range(len(new_left)):
                if gone != come and old_left[gone] and new_left[come]:
                    rest = self.finish_again(_less(old_left, gone), _less(new_left, come))
                    costs.append(1 + self.b + rest)
        return min(costs)


def _less(left: Left, word: int) -> Left:
    return (*left[:word], left[word] - 1, *left[word + 1 :])


def _alignments(pages: _Pages) -> dict[tuple[Left, Left], int]:
    """Find what every alignment leaves over of the two pages, and the fewest replacements for it."""
    none: Left = (0,) * len(pages.all_old)
    table: dict[tuple[int, int], dict[tuple[Left, Left], int]] = {}
    for i in range(len(pages.old) + 1):
        for j in range(len(pages.new) + 1):
            cell = {(none, none): 0} if i == j == 0 else {}
            if i:
                for (gone, come), many in table[i - 1, j].items():
                    _offer(cell, _more(gone, pages.old[i - 1]), come, many)
            if j:
                for (gone, come), many in table[i, j - 1].items():
                    _offer(cell, gone, _more(come, pages.new[j - 1]), many)
            if i and j:
                for (gone, come), many in table[i - 1, j - 1].items():
                    _offer(cell, gone, come, many + (pages.old[i - 1] != pages.new[j - 1]))
            table[i, j] = cell
    return table[len(pages.old), len(pages.new)]


def _more(left: Left, word: int) -> Left:
    return (*left[:word], left[word] + 1, *left[word + 1 :])


def _offer(cell: dict[tuple[Left, Left], int], gone: Left, come: Left, many: int) -> None:
    cell[gone, come] = min(many, cell.get((gone, come), many))


class _Step(NamedTuple):
    cost: float
    page: Page


def search(
    old: Sequence[str], new: Sequence[str], *, a: float = 0.75, b: float = 0.75, again: bool = False
) -> float:
    """Find the same by doing operation after operation, cheapest pages first (Dijkstra); for up to four words.

    >>> search("w1 w2".split(), "w2 w1".split())
    0.75
    """
    start: Page = tuple((word, False) for word in old)
    vocabulary = sorted({*old, *new})
    reached: dict[Page, float] = {start: 0.0}
    queue = [_Step(0.0, start)]
    while queue:
        cost, page = heapq.heappop(queue)
        if [word for word, _ in page] == list(new):
            return cost
        if cost > reached[page]:
            continue
        for price, after in _operations(page, vocabulary, a, b):
            after = tuple((word, touched and not again) for word, touched in after)  # noqa: PLW2901
            if len(after) <= len(old) + len(new) and cost + price < reached.get(after, float("inf")):
                reached[after] = cost + price
                heapq.heappush(queue, _Step(cost + price, after))
    raise AssertionError("every page can be reached by drops and adds")


def _operations(page: Page, vocabulary: Sequence[str], a: float, b: float) -> Iterator[_Step]:
    counts = Counter(word for word, _ in page)
    for place in range(len(page) + 1):
        for word in vocabulary:
            yield _Step(a if counts[word] else 1.0, (*page[:place], (word, True), *page[place:]))
    for place, (word, touched) in enumerate(page):
        if touched:
            continue
        rest = (*page[:place], *page[place + 1 :])
        yield _Step(a if counts[word] > 1 else 1.0, rest)
        for other in vocabulary:
            if other != word:
                yield _Step(1.0, (*page[:place], (other, True), *page[place + 1 :]))
        for target in range(len(page)):
            if target != place:
                yield _Step(b, (*rest[:target], (word, True), *rest[target:]))
