"""Which node of the old page is which node of the new one?

In this order: large subtrees that are on both pages once and unchanged, wherever they stand; elements with the same
id; parents of what was matched; then, from the top down, the children of matched parents: unchanged ones in order,
unchanged ones out of order, and what is left by how similar it is.
"""

from __future__ import annotations

from array import array
from bisect import bisect_left
from collections import Counter, defaultdict
from typing import TYPE_CHECKING, Final, NamedTuple

from pagedrift.facets.tree import ELEMENT, NONE, TEXT, Tree

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from rapidfuzz.distance import MatchingBlock

WEIGHT: Final = 24  # bytes of text and attributes that make a subtree worth finding anywhere on the page
SIMILAR: Final = 0.25  # what is left is matched from here on
PAIRS: Final = 2_500  # comparisons between the children of two parents; more are matched by label alone
CELLS: Final = 400_000_000  # of the table in which a longest common subsequence is found: 50 MB
SAMPLE: Final = 60  # nodes of a subtree that are looked at for its words


class Matching:
    """For each node its partner on the other page, or -1."""

    def __init__(self, old: Tree, new: Tree) -> None:
        self.old, self.new = old, new
        self.new_of = array("i", [NONE]) * len(old)
        self.old_of = array("i", [NONE]) * len(new)
        self.same_old = bytearray(len(old))  # the node and all below it are matched and unchanged
        self.same_new = bytearray(len(new))
        # Slices of these are copied and compared as one block of memory, not number by number.
        self._nothing = array("i", [NONE]) * max(len(old), len(new))
        self._numbers = array("i", range(max(len(old), len(new))))

    def pair(self, i: int, j: int) -> None:
        """Match two nodes; unchanged subtrees as a whole, unless something in them is matched elsewhere."""
        if self.old.signature[i] != self.new.signature[j]:
            self.new_of[i], self.old_of[j] = j, i
            return
        size = self.old.end[i] - i
        if size == 1:  # most are; slices would take three times as long
            self.new_of[i], self.old_of[j] = j, i
            self.same_old[i] = self.same_new[j] = 1
        elif self._is_free(i, j, size):
            self.new_of[i : i + size] = self._numbers[j : j + size]
            self.old_of[j : j + size] = self._numbers[i : i + size]
            self.same_old[i : i + size] = self.same_new[j : j + size] = b"\1" * size
        else:
            self.new_of[i], self.old_of[j] = j, i

    def discard(self, i: int, j: int) -> None:
        """Take two subtrees for unchanged, whatever is in them."""
        for partner, same, start, end, other in (
            (self.new_of, self.same_old, i, self.old.end[i], j),
            (self.old_of, self.same_new, j, self.new.end[j], i),
        ):
            partner[start:end] = array("i", [other]) * (end - start)
            same[start:end] = b"\1" * (end - start)

    def free(self) -> tuple[list[int], list[int]]:
        """List the nodes of both pages that have no partner yet."""
        return (
            [i for i in outside(self.old, self.same_old) if self.new_of[i] == NONE],
            [j for j in outside(self.new, self.same_new) if self.old_of[j] == NONE],
        )

    def _is_free(self, i: int, j: int, size: int) -> bool:
        free = self._nothing[:size]
        return self.new.end[j] - j == size and self.new_of[i : i + size] == free == self.old_of[j : j + size]


def match(old: Tree, new: Tree) -> Matching:
    """Match the nodes of two trees."""
    matching = Matching(old, new)
    if old.signature[0] == new.signature[0]:
        matching.pair(0, 0)
        return matching
    matching.pair(0, 0)
    _match_in_place(matching)
    before, after = matching.free()
    _match_unique_subtrees(matching, before, after)
    _match_ids(matching, before, after)
    _match_parents(matching)
    _Children(matching).match()
    return matching


def weight(tree: Tree, node: int) -> int:
    """Count the bytes of text and attribute values in a subtree."""
    columns, end = tree.columns, tree.end[node]
    texts = columns.text_start[end] - columns.text_start[node]
    first, last = columns.attribute_start[node], columns.attribute_start[end]
    return texts + columns.value_start[last] - columns.value_start[first]


def outside(tree: Tree, same: bytearray) -> list[int]:
    """List the nodes below the root that are not below an unchanged one."""
    nodes, node, end = [], 1, len(tree)
    while node < end:
        nodes.append(node)
        node = tree.end[node] if same[node] else node + 1
    return nodes


def _match_in_place(matching: Matching) -> None:
    """Match what stands where it stood: unchanged children at both ends, and between them what is plain."""
    old, new = matching.old, matching.new
    all_old, all_new = old.signature.tobytes(), new.signature.tobytes()
    pending = [(0, 0)]
    while pending:
        i, j = pending.pop()
        before, after = list(old.children(i)), list(new.children(j))
        while before and after and old.signature[before[-1]] == new.signature[after[-1]]:
            matching.pair(before.pop(), after.pop())
        start = 0
        while start < min(len(before), len(after)) and old.signature[before[start]] == new.signature[after[start]]:
            matching.pair(before[start], after[start])
            start += 1
        labels = [(old.kind[c], old.tag(c)) for c in before[start:]]
        if len(set(labels)) < len(labels) or labels != [(new.kind[c], new.tag(c)) for c in after[start:]]:
            continue
        for one, other in zip(before[start:], after[start:], strict=True):
            # Not if either stands elsewhere on the other page: then it was moved.
            if not (_has(all_new, old.signature[one]) or _has(all_old, new.signature[other])):
                matching.pair(one, other)
                pending.append((one, other))


def _has(signatures: bytes, wanted: int) -> bool:
    return array("Q", [wanted]).tobytes() in signatures


def _match_unique_subtrees(matching: Matching, before: list[int], after: list[int]) -> None:
    old, new = matching.old, matching.new
    old_times = Counter(old.signature[i] for i in before)
    new_times = Counter(new.signature[j] for j in after)
    place = {old.signature[i]: i for i in before}
    for j in after:
        signature = new.signature[j]
        if (
            old_times.get(signature) == 1
            and new_times[signature] == 1
            and matching.old_of[j] == NONE
            and new.kind[j] == ELEMENT
            and weight(new, j) >= WEIGHT
        ):
            matching.pair(place[signature], j)


def _match_ids(matching: Matching, before: list[int], after: list[int]) -> None:
    old, new = _ids(matching.old, before), _ids(matching.new, after)
    for key, j in new.items():
        i = old.get(key, NONE)
        if i > 0 and j > 0 and matching.new_of[i] == matching.old_of[j] == NONE:
            matching.pair(i, j)


def _ids(tree: Tree, nodes: list[int]) -> dict[tuple[str, str], int]:
    """Find elements by tag and id; those that share one map to 0."""
    found: dict[tuple[str, str], int] = {}
    for node in nodes if "id" in tree.names else ():
        if identity := tree.attribute(node, "id"):
            key = (tree.tag(node), identity)
            found[key] = 0 if key in found else node
    return found


def _match_parents(matching: Matching) -> None:
    """Match elements by what they hold: each matched child votes for the parent of its partner, by its weight."""
    old, new = matching.old, matching.new
    votes: dict[int, Counter[int]] = defaultdict(Counter)
    old_of, parents = matching.old_of, new.parent
    for j in reversed(outside(new, matching.same_new)):
        if j in votes and old_of[j] == NONE:
            for i, _ in votes.pop(j).most_common():
                if i > 0 and matching.new_of[i] == NONE and old.tag(i) == new.tag(j):
                    matching.pair(i, j)
                    break
        i, above = old_of[j], parents[j]
        if i > 0 and old_of[above] == NONE:
            votes[above][old.parent[i]] += 1 + weight(new, j)


class _Children:
    """Match the children of matched parents, from the top down."""

    def __init__(self, matching: Matching) -> None:
        self.matching = matching
        self._words: tuple[dict[int, frozenset[str]], dict[int, frozenset[str]]] = ({}, {})

    def match(self) -> None:
        matching, j, end = self.matching, 0, len(self.matching.new)
        while j < end:
            if matching.same_new[j]:
                j = matching.new.end[j]
                continue
            if matching.old_of[j] != NONE:
                self._align(matching.old_of[j], j)
            j += 1

    def _align(self, i: int, j: int) -> None:
        matching = self.matching
        # Children matched with each other keep their places between the others; those matched elsewhere are gone.
        before = [c for c in matching.old.children(i) if self._partner_parent(c) in (NONE, j)]
        after = [c for c in matching.new.children(j) if self._partner_parent(~c) in (NONE, i)]
        if NONE in map(matching.new_of.__getitem__, before) and NONE in map(matching.old_of.__getitem__, after):
            for one, other in self._stretches(before, after):
                if one and other:
                    self._similar(one, other)

    def _partner_parent(self, child: int) -> int:
        """Find the parent of the partner of an old node, or of a new one, ~number; -1 if it has none."""
        matching = self.matching
        if child >= 0:
            j = matching.new_of[child]
            return j if j == NONE else matching.new.parent[j]
        i = matching.old_of[~child]
        return i if i == NONE else matching.old.parent[i]

    def _stretches(self, before: list[int], after: list[int]) -> Iterator[tuple[list[int], list[int]]]:
        """Match unchanged children, first those in order; give what is left between those."""
        matching, left, i, j = self.matching, [], 0, 0
        one = [matching.old.signature[c] if matching.new_of[c] == NONE else ~matching.new_of[c] for c in before]
        other = [matching.new.signature[c] if matching.old_of[c] == NONE else ~c for c in after]
        for block in _common(one, other):
            left.append((before[i : block.a], after[j : block.b]))
            i, j = block.a + block.size, block.b + block.size
            for old, new in zip(before[block.a : i], after[block.b : j], strict=True):
                if matching.new_of[old] == NONE:
                    matching.pair(old, new)
        free = [(self._free_old(one), self._free_new(other)) for one, other in left]
        self._out_of_order([c for one, _ in free for c in one], [c for _, other in free for c in other])
        for one, other in free:
            yield self._free_old(one), self._free_new(other)

    def _free_old(self, nodes: list[int]) -> list[int]:
        return [i for i in nodes if self.matching.new_of[i] == NONE]

    def _free_new(self, nodes: list[int]) -> list[int]:
        return [j for j in nodes if self.matching.old_of[j] == NONE]

    def _out_of_order(self, before: list[int], after: list[int]) -> None:
        """Match unchanged children wherever they stand."""
        old, new = self.matching.old, self.matching.new
        places: dict[int, list[int]] = defaultdict(list)
        for i in reversed(before):
            places[old.signature[i]].append(i)
        for j in after:
            if places.get(new.signature[j]):
                self.matching.pair(places[new.signature[j]].pop(), j)

    def _similar(self, before: list[int], after: list[int]) -> None:
        """Match what is left of a stretch, in order, so that the sum of similarities is largest."""
        if len(before) * len(after) > PAIRS:
            self._by_label(before, after)
            return
        scores = [[self._similarity(i, j) for j in after] for i in before]
        for i, j in _best_alignment(scores):
            self.matching.pair(before[i], after[j])

    def _by_label(self, before: list[int], after: list[int]) -> None:
        old, new = self.matching.old, self.matching.new
        one = [hash((old.kind[i], old.tag(i), old.attribute(i, "class"))) for i in before]
        other = [hash((new.kind[j], new.tag(j), new.attribute(j, "class"))) for j in after]
        for block in _common(one, other):
            for offset in range(block.size):
                self.matching.pair(before[block.a + offset], after[block.b + offset])

    def _similarity(self, i: int, j: int) -> float:
        """Compare two nodes: 0 if they cannot be the same, 1 if they say the same."""
        old, new = self.matching.old, self.matching.new
        if old.kind[i] != new.kind[j]:
            return 0.0
        words = _overlap(self._words_of(0, i), self._words_of(1, j))
        if old.kind[i] != ELEMENT:
            return 0.3 + 0.7 * words
        if old.tag(i) != new.tag(j):
            return 0.8 * words if words > 0.5 else 0.0  # noqa: PLR2004 - half the words make it the same thing
        before, after = dict(old.attributes(i)), dict(new.attributes(j))
        key = any(
            before.get(name) and before.get(name) == after.get(name) for name in ("id", "name", "href", "src")
        )
        return 0.3 + 0.1 * (before.get("class") == after.get("class")) + 0.2 * key + 0.4 * words

    def _words_of(self, side: int, node: int) -> frozenset[str]:
        known = self._words[side]
        if node not in known:
            tree = self.matching.new if side else self.matching.old
            end = min(tree.end[node], node + SAMPLE)
            texts = (tree.text(below) for below in range(node, end) if tree.kind[below] in (TEXT, tree.kind[node]))
            known[node] = frozenset(word for text in texts for word in text[:2000].split())
        return known[node]


class _Block(NamedTuple):
    """A stretch that two lists have in common: where it begins in each, and its length."""

    a: int
    b: int
    size: int


def _common(one: list[int], other: list[int]) -> Sequence[_Block | MatchingBlock]:
    """Find a longest common subsequence, as blocks; the last block is empty and stands at the end."""
    if len(one) * len(other) > CELLS:
        return _common_landmarks(one, other)
    from rapidfuzz.distance import LCSseq  # 15 ms, for those who compare

    return LCSseq.opcodes(one, other).as_matching_blocks()


def _common_landmarks(one: list[int], other: list[int]) -> list[_Block]:
    """Find a common subsequence of what is in both lists once, in time that grows with their length."""
    once = {item for item, times in Counter(one).items() if times == 1}
    place = {item: index for index, item in enumerate(one) if item in once}
    times = Counter(other)
    places = [(place[item], index) for index, item in enumerate(other) if item in place and times[item] == 1]
    kept = longest_increasing([index for index, _ in places])
    return [*(_Block(a, b, 1) for a, b in places if a in kept), _Block(len(one), len(other), 0)]


def longest_increasing(numbers: list[int]) -> set[int]:
    """Find the largest set of numbers that stand in order."""
    ends: list[int] = []  # the smallest last number of an increasing run of each length
    before: dict[int, int | None] = {}
    for number in numbers:
        length = bisect_left(ends, number)
        before[number] = ends[length - 1] if length else None
        ends[length : length + 1] = [number]
    kept, at = set(), ends[-1] if ends else None
    while at is not None:
        kept.add(at)
        at = before[at]
    return kept


def _overlap(one: frozenset[str], other: frozenset[str]) -> float:
    return len(one & other) / len(one | other) if one or other else 1.0


def _best_alignment(scores: Sequence[Sequence[float]]) -> list[tuple[int, int]]:
    """Pair rows with columns, in order, for the largest sum of scores that are high enough."""
    rows, columns = len(scores), len(scores[0])
    best = [[0.0] * (columns + 1) for _ in range(rows + 1)]
    for i in range(rows - 1, -1, -1):
        for j in range(columns - 1, -1, -1):
            score = scores[i][j]
            paired = best[i + 1][j + 1] + score if score >= SIMILAR else 0.0
            best[i][j] = max(paired, best[i + 1][j], best[i][j + 1])
    pairs, i, j = [], 0, 0
    while i < rows and j < columns:
        if scores[i][j] >= SIMILAR and best[i][j] == best[i + 1][j + 1] + scores[i][j]:
            pairs.append((i, j))
            i, j = i + 1, j + 1
        elif best[i][j] == best[i + 1][j]:
            i += 1
        else:
            j += 1
    return pairs
