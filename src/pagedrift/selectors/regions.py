"""Where on a page does a region stand now, by the words it had?"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from itertools import compress, pairwise
from operator import itemgetter
from typing import TYPE_CHECKING, Final

from pagedrift._kernels import compare_spans, count_before, mark_triples, take
from pagedrift.facets.tree import ELEMENT

if TYPE_CHECKING:
    from array import array
    from collections.abc import Iterator, Sequence

    from pagedrift.selectors.selectable import SelectablePage, Span

LONG_WORDS: Final = 20  # a region of as many words is known by them
MANY_CHILDREN: Final = 3  # of an element, for a run of some of them to be looked at
AS_GOOD: Final = 0.002  # of the likeness: elements around each other that differ by less say the same
_ROUNDS: Final = 6  # until a run of children is the best one; it settles in three or four


@dataclass(frozen=True, slots=True)
class FoundRegion:
    """A part of a page that says what a region said."""

    likeness: float  # the F1 of its words with those of the region, counted in threes
    span: Span
    node: int  # the element that is the region, or that holds the run of children which is
    whole: bool  # it is the element, and not a run of its children


def word_likeness(one: Sequence[str], other: Sequence[str]) -> float:
    """Compare the words of two texts, in any order: the F1 of one to the other.

    >>> word_likeness("a permit costs 40".split(), "a permit costs 45".split())
    0.75
    """
    if one == other:
        return 1.0
    counts, others = Counter(one), Counter(other)
    common = counts.keys() & others.keys()
    shared = sum(map(min, map(counts.__getitem__, common), map(others.__getitem__, common)))
    return 2 * shared / (len(one) + len(other))


def find_region(page: SelectablePage, words: Sequence[str]) -> Iterator[FoundRegion]:
    """Find the elements whose words are most like those of a region, the best one first.

    Words count that stand in threes as they did: single ones stand everywhere. Where no element is the region, some
    children in a row are looked at as well.
    """
    if not words:
        return
    matched = _matched(page, words)
    elements = _elements(page, matched, len(words))
    if not elements:
        return
    found = (_whole(page, *each) for each in elements)
    best = _innermost(page, (_whole(page, *each) for each in elements))
    if (run := _best_run(page, matched, len(words), best)) is not None:
        yield run
    yield best
    yield from (each for each in found if each.span != best.span)


def _matched(page: SelectablePage, words: Sequence[str]) -> array[int]:
    """Count, up to each word of the page, those that stand in threes of the region."""
    return count_before(mark_triples(page.words, list(words)))


def _elements(page: SelectablePage, matched: array[int], wanted: int) -> list[tuple[float, int]]:
    """Give the likeness of each element that has words of the region, the best one first."""
    starts, stops = (take(words, page.elements) for words in (page.words_before, page.words_until))
    likeness = compare_spans(matched, starts, stops, wanted)
    found = compress(zip(likeness, page.elements, strict=True), likeness)
    return sorted(found, key=itemgetter(0), reverse=True)


def _whole(page: SelectablePage, likeness: float, node: int) -> FoundRegion:
    return FoundRegion(likeness, (node, page.tree.end[node]), node, True)


def _innermost(page: SelectablePage, found: Iterator[FoundRegion]) -> FoundRegion:
    """Of elements around each other that say the same, take the innermost but what only lays it out."""
    best = next(found)
    for each in found:
        if each.likeness < best.likeness - AS_GOOD:
            break
        if (
            best.span[0] < each.span[0]
            and each.span[1] <= best.span[1]
            and page.tree.tag(each.node) not in ("p", "td")
        ):
            best = each
    return best


def _best_run(page: SelectablePage, matched: array[int], wanted: int, best: FoundRegion) -> FoundRegion | None:
    """Find children in a row that together are more like the region than any element."""
    tree, node = page.tree, best.node
    found, around = best, [node]
    while (node := tree.parent[node]) > 0 and len(around) < 4:  # noqa: PLR2004 - higher, it is the page
        around.append(node)
    for each in around:
        children = [child for child in tree.children(each) if tree.kind[child] == ELEMENT]
        if len(children) >= MANY_CHILDREN:
            run = _run(page, matched, wanted, each, children)
            found = max(found, run, key=lambda region: region.likeness)
    return found if not found.whole and found.likeness > best.likeness + 0.05 else None


def _run(page: SelectablePage, matched: array[int], wanted: int, node: int, children: list[int]) -> FoundRegion:
    """Find the run of children of the largest F1, by Dinkelbach's method: each round is a largest partial sum."""
    before, end = page.words_before, page.tree.end
    edges = [before[child] for child in children] + [before[end[children[-1]]]]
    totals = [last - first for first, last in pairwise(edges)]
    shared = [matched[last] - matched[first] for first, last in pairwise(edges)]
    likeness, run = 0.0, (0, 0)
    for _ in range(_ROUNDS):
        run = _largest_sum([2 * m - likeness * t for m, t in zip(shared, totals, strict=True)])
        total, common = sum(totals[slice(*run)]), min(sum(shared[slice(*run)]), wanted)
        better = 2 * common / (total + wanted) if total + wanted else 0.0
        if better <= likeness:
            break
        likeness = better
    first, last = run
    if first >= last:
        return FoundRegion(0.0, (node, node), node, False)
    return FoundRegion(likeness, (children[first], end[children[last - 1]]), node, False)


def _largest_sum(values: list[float]) -> tuple[int, int]:
    """Find the run with the largest sum.

    >>> _largest_sum([-1, 2, 3, -9, 4])
    (1, 3)
    """
    best, where, total, start = 0.0, (0, 0), 0.0, 0
    for at, value in enumerate(values):
        if total <= 0:
            total, start = 0.0, at
        total += value
        if total > best:
            best, where = total, (start, at + 1)
    return where
