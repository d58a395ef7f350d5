"""The matching of nodes: which node of the old page is which of the new one (readable twin).

In this order: what is where it was; what is on both pages once, wherever it stands: large unchanged subtrees, ids,
elements that are unchanged themselves; parents of what was matched; from the top down, the children of matched
parents: unchanged ones in order and out of order, those that an element was put around or taken from, what is left
by likeness. Then the same with smaller things: by now, what is still in its place has a partner there.

Scores are whole numbers, so that every machine comes to the same matching.
"""

from __future__ import annotations

from array import array
from bisect import bisect_left
from collections import Counter, defaultdict
from typing import TYPE_CHECKING, Final, NamedTuple

from pagedrift._kernels.hashing_py import hash_bytes, step
from pagedrift._kernels.tree_py import ELEMENT, NONE, TEXT

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from pagedrift._kernels.tree_py import Columns

WEIGHT: Final = 24  # bytes of text and attributes that make a subtree worth finding anywhere on the page
LIGHT: Final = 8  # the same among what nothing else was found for
FULL: Final = 1_000_000  # the similarity of what says the same
SIMILAR: Final = FULL // 4  # what is left is matched from here on
PAIRS: Final = 2_500  # comparisons between the children of two parents; more are matched by label alone
TABLE: Final = 4_096  # cells of a table in which a longest common subsequence is found step by step
CELLS: Final = 400_000_000  # and of one for rapidfuzz, in bits: 50 MB
SAMPLE: Final = 60  # nodes of a subtree that are looked at for its words
OWN: Final = 3  # one in a number of words that no sibling has makes elements the same, wherever they stand
READ: Final = 2_000  # bytes of each of their texts

_ID, _CLASS = hash_bytes(b"id"), hash_bytes(b"class")
_KEYS: Final = tuple(hash_bytes(name) for name in (b"id", b"name", b"href", b"src"))


class Partners(NamedTuple):
    """For each node its partner on the other page, or -1; and whether it and all below it are unchanged."""

    new_of: array[int]
    old_of: array[int]
    same_old: bytearray
    same_new: bytearray


def match_columns(old: Columns, new: Columns) -> Partners:
    """Match the nodes of two trees."""
    matcher = _Matcher(old, new)
    matcher.pair(0, 0)
    if old.signature[0] != new.signature[0]:
        matcher.in_place()
        for least in (WEIGHT, LIGHT):
            before, after = matcher.free(old, 0), matcher.free(new, 1)
            matcher.unique(before, after, least)
            matcher.parents(after)
            matcher.children()
    return matcher.partners


def weight(tree: Columns, node: int) -> int:
    """Count the bytes of text and attribute values in a subtree."""
    end = tree.end[node]
    texts = tree.text_start[end] - tree.text_start[node]
    first, last = tree.attribute_start[node], tree.attribute_start[end]
    return texts + tree.value_start[last] - tree.value_start[first]


class _Matcher:
    """Two trees, and what has been matched so far."""

    def __init__(self, old: Columns, new: Columns) -> None:
        self.old, self.new = old, new
        nothing = array("i", [NONE])
        self.partners = Partners(
            nothing * len(old.kind), nothing * len(new.kind), bytearray(len(old.kind)), bytearray(len(new.kind))
        )
        self.new_of, self.old_of, self.same_old, self.same_new = self.partners
        self._aligned = bytearray(len(new.kind))  # whether the children of a new node were matched

    def pair(self, i: int, j: int) -> None:
        """Match two nodes; unchanged subtrees as a whole, unless something in them is matched elsewhere."""
        size = self.old.end[i] - i
        if self.old.signature[i] == self.new.signature[j] and self._is_free(i, j, size):
            self.new_of[i : i + size] = array("i", range(j, j + size))
            self.old_of[j : j + size] = array("i", range(i, i + size))
            self.same_old[i : i + size] = self.same_new[j : j + size] = b"\1" * size
        else:
            self.new_of[i], self.old_of[j] = j, i

    def _is_free(self, i: int, j: int, size: int) -> bool:
        free = array("i", [NONE]) * size
        return self.new.end[j] - j == size and self.new_of[i : i + size] == free == self.old_of[j : j + size]

    def in_place(self) -> None:
        """Match nodes that are where they were: unchanged children at both ends, and between them what is plain."""
        old, new = self.old, self.new
        all_old, all_new = set(old.signature), set(new.signature)
        pending = [(0, 0)]
        while pending:
            i, j = pending.pop()
            before, after = _children(old, i), _children(new, j)
            while before and after and old.signature[before[-1]] == new.signature[after[-1]]:
                self.pair(before.pop(), after.pop())
            start = 0
            while start < min(len(before), len(after)) and (
                old.signature[before[start]] == new.signature[after[start]]
            ):
                self.pair(before[start], after[start])
                start += 1
            labels = [_label(old, c) for c in before[start:]]
            if len(set(labels)) < len(labels) or labels != [_label(new, c) for c in after[start:]]:
                continue
            for one, other in zip(before[start:], after[start:], strict=True):
                # Not if either stands elsewhere on the other page: then it was moved.
                if old.signature[one] not in all_new and new.signature[other] not in all_old:
                    self.pair(one, other)
                    pending.append((one, other))

    def free(self, tree: Columns, side: int) -> list[int]:
        """List the elements that have no partner."""
        partner, same = (self.old_of, self.same_new) if side else (self.new_of, self.same_old)
        nodes, node = [], 1
        while node < len(tree.kind):
            if partner[node] == NONE and tree.kind[node] == ELEMENT:
                nodes.append(node)
            node = tree.end[node] if same[node] else node + 1
        return nodes

    def unique(self, before: list[int], after: list[int], least: int) -> None:
        """Match what is once among what is free on each page: subtrees and elements of some weight, and ids."""
        for key in (_subtree_key, _id_key, _element_key):
            old = _keys(self.old, self._free_old(before), key, least)
            new = _keys(self.new, self._free_new(after), key, least)
            for identity, j in new.items():
                i = old.get(identity, 0)
                if i > 0 and j > 0 and self.new_of[i] == self.old_of[j] == NONE:
                    self.pair(i, j)

    def parents(self, after: list[int]) -> None:
        """Match elements by what they hold: matched children vote for the parent of their partner, by weight."""
        old, new, new_of, old_of = self.old, self.new, self.new_of, self.old_of
        for j in reversed(after):
            if old_of[j] != NONE:
                continue
            votes: dict[int, int] = defaultdict(int)
            for child in _children(new, j):
                if old_of[child] != NONE:
                    votes[old.parent[old_of[child]]] += 1 + weight(new, child)
            able = [i for i in votes if i > 0 and new_of[i] == NONE and _label(old, i) == _label(new, j)]
            if able:
                self.pair(max(able, key=votes.__getitem__), j)

    def children(self) -> None:
        """Match the children of matched parents, from the top down, and of each pair of parents once."""
        j, end = 0, len(self.new.kind)
        while j < end:
            if self.same_new[j]:
                j = self.new.end[j]
                continue
            if self.old_of[j] != NONE and not self._aligned[j]:
                self._aligned[j] = 1
                self._align(self.old_of[j], j)
            j += 1

    def _align(self, i: int, j: int) -> None:
        # Children matched with each other keep their places between the others; those matched elsewhere are gone.
        before = [c for c in _children(self.old, i) if self._stays(self.new_of[c], self.new, j)]
        after = [c for c in _children(self.new, j) if self._stays(self.old_of[c], self.old, i)]
        if not (self._free_old(before) and self._free_new(after)):
            return
        left = self._in_order(before, after)
        self._out_of_order([c for one, _ in left for c in one], [c for _, other in left for c in other])
        self._wrapped(before, after)
        for one, other in left:
            rest = self._free_old(one), self._free_new(other)
            if all(rest):
                self._similar(*rest)
        self._by_own_words(before, after)

    def _stays(self, partner: int, tree: Columns, parent: int) -> bool:
        return partner == NONE or tree.parent[partner] == parent

    def _in_order(self, before: list[int], after: list[int]) -> list[tuple[list[int], list[int]]]:
        """Match unchanged children that stand in order; give what is free between those."""
        left, a, b = [], 0, 0
        one = [self.old.signature[c] if self.new_of[c] == NONE else ~self.new_of[c] for c in before]
        other = [self.new.signature[c] if self.old_of[c] == NONE else ~c for c in after]
        for next_a, next_b in (*common(one, other), (len(one), len(other))):
            left.append((self._free_old(before[a:next_a]), self._free_new(after[b:next_b])))
            if next_a < len(one) and self.new_of[before[next_a]] == NONE:
                self.pair(before[next_a], after[next_b])
            a, b = next_a + 1, next_b + 1
        return left

    def _free_old(self, nodes: list[int]) -> list[int]:
        return [i for i in nodes if self.new_of[i] == NONE]

    def _free_new(self, nodes: list[int]) -> list[int]:
        return [j for j in nodes if self.old_of[j] == NONE]

    def _out_of_order(self, before: list[int], after: list[int]) -> None:
        """Match unchanged children wherever they stand, the first with the first."""
        places: dict[int, list[int]] = defaultdict(list)
        for i in reversed(before):
            places[self.old.signature[i]].append(i)
        for j in after:
            if places.get(self.new.signature[j]):
                self.pair(places[self.new.signature[j]].pop(), j)

    def _wrapped(self, before: list[int], after: list[int]) -> None:
        """Match unchanged children that an element was put around, or taken from."""
        old, new = self.old, self.new
        below = self._free_new([c for j in self._free_new(after) for c in _children(new, j)])
        self._out_of_order([i for i in self._free_old(before) if weight(old, i) >= LIGHT], below)
        below = self._free_old([c for i in self._free_old(before) for c in _children(old, i)])
        self._out_of_order(below, [j for j in self._free_new(after) if weight(new, j) >= LIGHT])

    def _similar(self, before: list[int], after: list[int]) -> None:
        """Match what is left of a stretch, in order, so that the sum of similarities is largest."""
        if len(before) * len(after) > PAIRS:
            one, other = [_look(self.old, i) for i in before], [_look(self.new, j) for j in after]
            pairs = common(one, other)
        else:
            old_words, new_words = [_words(self.old, i) for i in before], [_words(self.new, j) for j in after]
            pairs = _best_alignment(
                [
                    [self._similarity(i, j, one, other) for j, other in zip(after, new_words, strict=True)]
                    for i, one in zip(before, old_words, strict=True)
                ]
            )
        for a, b in pairs:
            self.pair(before[a], after[b])

    def _by_own_words(self, before: list[int], after: list[int]) -> None:
        """Match elements that moved past an unchanged sibling and were edited.

        Only elements that were read whole count, and words that no sibling has: minutes differ only in dates.
        """
        before = [i for i in before if self.old.kind[i] == ELEMENT]
        after = [j for j in after if self.new.kind[j] == ELEMENT]
        if not (self._free_old(before) and self._free_new(after)):
            return
        owner = _own_words(self.old, before)
        number = Counter(owner.values())
        own: dict[int, list[bytes]] = defaultdict(list)
        for word, j in _own_words(self.new, after).items():
            own[j].append(word)
        for j in self._free_new(after):
            shared = Counter(owner[word] for word in own[j] if word in owner)
            able = [
                i
                for i, times in shared.items()
                if self.new_of[i] == NONE
                and _label(self.old, i) == _label(self.new, j)
                and max(self.old.end[i] - i, self.new.end[j] - j) <= SAMPLE
                and times * OWN >= number[i] + len(own[j]) - times
            ]
            if able:
                self.pair(max(able, key=lambda i: (shared[i], -i)), j)

    def _similarity(self, i: int, j: int, one: frozenset[bytes], other: frozenset[bytes]) -> int:
        """Compare two nodes: 0 if they cannot be the same, up to FULL if they say the same."""
        old, new = self.old, self.new
        if old.kind[i] != new.kind[j]:
            return 0
        shared, all_words = len(one & other), len(one | other)
        words = FULL * shared // all_words if all_words else FULL
        if old.kind[i] != ELEMENT:
            return (3 * FULL + 7 * words) // 10
        if _label(old, i) != _label(new, j):
            return 8 * words // 10 if 2 * words > FULL else 0  # half the words make it the same thing
        key = any(
            _attribute(old, i, name) and _attribute(old, i, name) == _attribute(new, j, name) for name in _KEYS
        )
        classes = _attribute(old, i, _CLASS) == _attribute(new, j, _CLASS)
        return ((3 + classes + 2 * key) * FULL + 4 * words) // 10


def _children(tree: Columns, node: int) -> list[int]:
    found, child = [], tree.first_child[node]
    while child != NONE:
        found.append(child)
        child = tree.next_sibling[child]
    return found


def _label(tree: Columns, node: int) -> int:
    """Name an element, or the kind of another node, by a number that is the same for every tree."""
    return tree.name_hash[tree.name[node]] if tree.kind[node] == ELEMENT else tree.kind[node]


def _attribute(tree: Columns, node: int, name: int) -> bytes | None:
    """Look up an attribute by the hash of its name."""
    for index in range(tree.attribute_start[node], tree.attribute_start[node + 1]):
        if tree.name_hash[tree.attribute_name[index]] == name:
            return tree.values[tree.value_start[index] : tree.value_start[index + 1]]
    return None


def _keys(tree: Columns, nodes: list[int], key: Callable[[Columns, int, int], int], least: int) -> dict[int, int]:
    """Find nodes by their keys; those that share one map to 0."""
    found: dict[int, int] = {}
    for node in nodes:
        if identity := key(tree, node, least):
            found[identity] = 0 if identity in found else node
    return found


def _subtree_key(tree: Columns, node: int, least: int) -> int:
    """Identify an element with all below it by its signature; 0 if that is too little."""
    return tree.signature[node] if weight(tree, node) >= least else 0


def _id_key(tree: Columns, node: int, _: int) -> int:
    """Identify an element by tag and id; 0 if it has none."""
    identity = _attribute(tree, node, _ID)
    return step(step(0, _label(tree, node)), hash_bytes(identity)) or 1 if identity else 0


def _element_key(tree: Columns, node: int, least: int) -> int:
    """Identify an element by its attributes and its own texts, whatever its tag is; 0 if those are too little."""
    first, last = tree.attribute_start[node], tree.attribute_start[node + 1]
    values = tree.values[tree.value_start[first] : tree.value_start[last]]
    size, key = len(values), hash_bytes(values)
    for name in tree.attribute_name[first:last]:
        key = step(key, tree.name_hash[name])
    for child in _children(tree, node):
        start, end = tree.text_start[child], tree.text_start[child + 1]
        if tree.kind[child] == TEXT and not tree.texts[start:end].isspace():
            key = step(key, tree.signature[child])
            size += end - start
    return key or 1 if size >= least else 0


def _look(tree: Columns, node: int) -> int:
    """Identify a node by its label and class."""
    classes = _attribute(tree, node, _CLASS)
    return step(step(0, _label(tree, node)), 0 if classes is None else hash_bytes(classes))


def _words(tree: Columns, node: int) -> frozenset[bytes]:
    """Collect the words of a subtree; of a comment and the like, its own."""
    found: set[bytes] = set()
    for below in range(node, min(tree.end[node], node + SAMPLE)):
        if tree.kind[below] in (TEXT, tree.kind[node]):
            start, end = tree.text_start[below], tree.text_start[below + 1]
            found.update(tree.texts[start : min(end, start + READ)].split())
    return frozenset(found)


def _own_words(tree: Columns, nodes: list[int]) -> dict[bytes, int]:
    """Find the words that only one of some nodes has."""
    owner: dict[bytes, int] = {}
    for node in nodes:
        for word in _words(tree, node):
            owner[word] = NONE if word in owner else node
    return {word: node for word, node in owner.items() if node != NONE}


def common(one: Sequence[int], other: Sequence[int]) -> list[tuple[int, int]]:
    """Find a longest common subsequence, as places in both lists."""
    start, end = 0, 0
    least = min(len(one), len(other))
    while start < least and one[start] == other[start]:
        start += 1
    while end < least - start and one[-1 - end] == other[-1 - end]:
        end += 1
    found = [(at, at) for at in range(start)]
    middle, facing = one[start : len(one) - end], other[start : len(other) - end]
    if middle and facing:
        find = _common_table if len(middle) * len(facing) <= TABLE else common_of_many
        found += [(start + a, start + b) for a, b in find(middle, facing)]
    return found + [(len(one) - back, len(other) - back) for back in range(end, 0, -1)]


def _common_table(one: Sequence[int], other: Sequence[int]) -> list[tuple[int, int]]:
    longest = [[0] * (len(other) + 1) for _ in range(len(one) + 1)]
    for a in range(len(one) - 1, -1, -1):
        for b in range(len(other) - 1, -1, -1):
            both = longest[a + 1][b + 1] + 1
            longest[a][b] = both if one[a] == other[b] else max(longest[a + 1][b], longest[a][b + 1])
    found, a, b = [], 0, 0
    while a < len(one) and b < len(other):
        if one[a] == other[b]:
            found.append((a, b))
            a, b = a + 1, b + 1
        elif longest[a + 1][b] >= longest[a][b + 1]:
            a += 1
        else:
            b += 1
    return found


def common_of_many(one: Sequence[int], other: Sequence[int]) -> list[tuple[int, int]]:
    """Find a common subsequence of long lists: a longest one, unless they are very long."""
    if len(one) * len(other) > CELLS:
        return _common_landmarks(one, other)
    from rapidfuzz.distance import LCSseq  # 15 ms, for those who need it

    blocks = LCSseq.opcodes(one, other).as_matching_blocks()
    return [(block.a + offset, block.b + offset) for block in blocks for offset in range(block.size)]


def _common_landmarks(one: Sequence[int], other: Sequence[int]) -> list[tuple[int, int]]:
    """Find a common subsequence of what is in both lists once, in time that grows with their length."""
    once = {item for item, times in Counter(one).items() if times == 1}
    place = {item: index for index, item in enumerate(one) if item in once}
    times = Counter(other)
    places = [(place[item], index) for index, item in enumerate(other) if item in place and times[item] == 1]
    kept = longest_increasing([index for index, _ in places])
    return [(a, b) for a, b in places if a in kept]


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


def _best_alignment(scores: Sequence[Sequence[int]]) -> list[tuple[int, int]]:
    """Pair rows with columns, in order, for the largest sum of scores that are high enough."""
    rows, columns = len(scores), len(scores[0])
    best = [[0] * (columns + 1) for _ in range(rows + 1)]
    for a in range(rows - 1, -1, -1):
        for b in range(columns - 1, -1, -1):
            paired = best[a + 1][b + 1] + scores[a][b] if scores[a][b] >= SIMILAR else 0
            best[a][b] = max(paired, best[a + 1][b], best[a][b + 1])
    pairs, a, b = [], 0, 0
    while a < rows and b < columns:
        if scores[a][b] >= SIMILAR and best[a][b] == best[a + 1][b + 1] + scores[a][b]:
            pairs.append((a, b))
            a, b = a + 1, b + 1
        elif best[a][b] == best[a + 1][b]:
            a += 1
        else:
            b += 1
    return pairs
