"""Which item of an old version is which item of the new one, by identity instead of position?

An item is what a selector means: a row, a card, a link. Two are the same, in this order, if they alone have the
same long text, the same id, a first link to the same place, or (rows) the same first cell; if the matching of the
pages pairs them between the same neighbours and they are alike; if they say the same; if they are like each other
and clearly less like all others, so that the minutes of one meeting are not taken for those of another.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from pagedrift.facets.links import base_of, resolve
from pagedrift.facets.tree import NONE
from pagedrift.reading.page_selection import loose
from pagedrift.what_changed.matching import WEIGHT, match
from pagedrift.what_changed.node_paths import NodePaths
from pagedrift.what_changed.selection import select, text_of

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from pagedrift.facets.tree import Tree
    from pagedrift.page import PageVersion

MAX_SHORT_WORDS: Final = 5  # words up to which texts are compared by their signs: $40 and $45 are alike
ALIKE: Final = 0.6  # share of signs or words that two texts have in common, in order; unlike texts reach a half
CLEARLY: Final = 0.1  # by so much more must an item be like one than like all others
COMPARISONS: Final = 20_000  # in the last step; lists with more that is new do without it
COMPARED: Final = 200  # words of a text that are looked at

Mark = tuple[str, str]


@dataclass(frozen=True, slots=True, kw_only=True)
class SeenItem:
    """An item as one version shows it."""

    node: int
    value: str
    identity: str | None  # its id
    link: str | None  # where its first link leads
    label: str | None  # the first cell of a row that has a letter
    path: str

    @property
    def target(self) -> str | None:
        """Where the first link leads, http or https, with or without www."""
        return loose(self.link) if self.link else None

    def differs(self, other: SeenItem) -> bool:
        """Say whether two versions of an item differ for a reader: in text, or in where the link leads."""
        return (self.value, self.target) != (other.value, other.target)

    def marks(self) -> list[Mark]:
        """List by what the item can be known again, best first; by its text only if there is nothing better."""
        named = {"id": self.identity, "link": self.target, "label": self.label}
        found = [(name, value) for name, value in named.items() if value]
        return found or ([("text", self.value)] if self.value else [])

    def contradicts(self, other: SeenItem) -> bool:
        """Say whether two items have ids or links that differ."""
        pairs = ((self.identity, other.identity), (self.target, other.target))
        return any(one and another and one != another for one, another in pairs)


@dataclass(frozen=True, slots=True)
class ShownItems:
    """The items of one version, in document order."""

    tree: Tree
    items: tuple[SeenItem, ...]

    def unique_marks(self) -> dict[Mark, int]:
        """Map what only one item has to its place: a link to the category is on all cards."""
        times = Counter(mark for item in self.items for mark in item.marks())
        return {mark: place for place, item in enumerate(self.items) for mark in item.marks() if times[mark] == 1}


def items_of(page: PageVersion, css: str) -> ShownItems:
    """Find the items on a page.

    >>> from pagedrift import PageVersion
    >>> page = PageVersion("https://city.example/", b"<ul><li><a href=/fees>Fees</a><li>Hours</ul>")
    >>> [(item.value, item.link, item.path) for item in items_of(page, "li").items]
    [('Fees', 'https://city.example/fees', 'ul › li[1]'), ('Hours', None, 'ul › li[2]')]
    """
    nodes, tree = select(page, css), page.tree
    base, places = base_of(tree, page.url), NodePaths(tree)
    return ShownItems(
        tree,
        tuple(
            SeenItem(
                node=node,
                value=text_of(tree, node),
                identity=tree.attribute(node, "id") or None,
                link=_first_link(tree, node, base),
                label=_first_cell(tree, node),
                path=places.path(node).readable,
            )
            for node in nodes
        ),
    )


def _first_link(tree: Tree, node: int, base: str) -> str | None:
    for below in range(node, tree.end[node]):
        if tree.tag(below) == "a" and (href := tree.attribute(below, "href")):
            # A link into the page itself distinguishes nothing: fragments are dropped.
            return None if href.startswith("#") else resolve(base, href)
    return None


def _first_cell(tree: Tree, node: int) -> str | None:
    """Read the first cell of a row that has a letter: numbers of rows change when one comes in."""
    if tree.tag(node) != "tr":
        return None
    cells = (text_of(tree, child) for child in tree.children(node) if tree.tag(child) in ("td", "th"))
    return next((text for text in cells if any(character.isalpha() for character in text)), None)


def follow(old: ShownItems, new: ShownItems) -> dict[int, int]:
    """Map the places of the items in the new list to those of the same items in the old one.

    >>> from pagedrift import PageVersion
    >>> old = PageVersion("https://city.example/", b"<ul><li>Fence: $40<li>Roof: $85</ul>")
    >>> new = PageVersion("https://city.example/", b"<ul><li>Pool: $300<li>Fence: $45<li>Roof: $85</ul>")
    >>> sorted(follow(items_of(old, "li"), items_of(new, "li")).items())
    [(1, 0), (2, 1)]
    """
    following = _Following(old, new)
    following.by(lambda item: item.value if len(item.value) >= WEIGHT else None)  # no coincidence
    following.by(lambda item: item.identity)
    following.by(lambda item: item.target)
    following.by(lambda item: item.label)
    following.by_matching()
    following.by_value()
    following.by_likeness()
    return following.old_of


class _Following:
    """What was found so far about which item is which."""

    def __init__(self, old: ShownItems, new: ShownItems) -> None:
        self.old, self.new = old, new
        self.old_of: dict[int, int] = {}
        self.followed: set[int] = set()  # places in the old list

    def by(self, key: Callable[[SeenItem], str | None]) -> None:
        """Pair items that have a key which no other item of their version has."""
        before, after = _unique(self.old.items, key), _unique(self.new.items, key)
        for text, j in after.items():
            self._pair(before.get(text), j)

    def by_matching(self) -> None:
        """Pair items that the matching of the pages pairs between the same neighbours, if they are alike."""
        if not self._is_open():
            return
        matching = match(self.old.tree, self.new.tree)
        places = {item.node: i for i, item in enumerate(self.old.items)}
        between = self._neighbours()
        for j, item in enumerate(self.new.items):
            i = places.get(matching.old_of[item.node])
            if i is not None and between[j][0] < i < between[j][1] and _may_be_same(self.old.items[i], item):
                self._pair(i, j)

    def _neighbours(self) -> list[tuple[int, int]]:
        """Give for each new item the old places of the nearest followed items before and behind it."""
        count, ends = len(self.new.items), len(self.old.items)
        before, behind = [NONE] * count, [ends] * count
        for j in range(1, count):
            before[j] = self.old_of.get(j - 1, before[j - 1])
        for j in range(count - 2, -1, -1):
            behind[j] = self.old_of.get(j + 1, behind[j + 1])
        return list(zip(before, behind, strict=True))

    def by_value(self) -> None:
        """Pair what is left and says the same, in order."""
        places: dict[str, list[int]] = defaultdict(list)
        for i in range(len(self.old.items) - 1, -1, -1):
            if i not in self.followed:
                places[self.old.items[i].value].append(i)
        for j, item in enumerate(self.new.items):
            if j in self.old_of or not item.value or not places[item.value]:
                continue
            if not self.old.items[places[item.value][-1]].contradicts(item):
                self._pair(places[item.value].pop(), j)

    def by_likeness(self) -> None:
        """Pair what is left where each is what the other is most like, of all items."""
        old, new = self.old.items, self.new.items
        left = [j for j in range(len(new)) if j not in self.old_of]
        if not self._is_open() or len(left) * (len(old) + len(new)) > COMPARISONS:
            return
        for j in left:
            i = _most_alike(new[j], old)
            if i is not None and _most_alike(old[i], new) == j:
                self._pair(i, j)

    def _is_open(self) -> bool:
        return len(self.followed) < len(self.old.items) and len(self.old_of) < len(self.new.items)

    def _pair(self, i: int | None, j: int) -> None:
        if i is not None and i not in self.followed and j not in self.old_of:
            self.old_of[j] = i
            self.followed.add(i)


def _unique(items: Sequence[SeenItem], key: Callable[[SeenItem], str | None]) -> dict[str, int]:
    times = Counter(map(key, items))
    return {text: place for place, item in enumerate(items) if (text := key(item)) and times[text] == 1}


def _may_be_same(old: SeenItem, new: SeenItem) -> bool:
    """Say whether an item may have become another: the same words lead elsewhere, or alike words to the same."""
    return bool(old.value and old.value == new.value) or _likeness(old, new) >= ALIKE


def _most_alike(item: SeenItem, others: Sequence[SeenItem]) -> int | None:
    """Find the one item that is clearly most like another."""
    likeness = sorted((_likeness(item, other), place) for place, other in enumerate(others))
    (second, _), (best, place) = likeness[-2] if len(likeness) > 1 else (0.0, 0), likeness[-1]
    return place if best >= max(ALIKE, second + CLEARLY) else None


def _likeness(one: SeenItem, other: SeenItem) -> float:
    """Say how much of two items is the same: of the labels of rows, otherwise of the texts."""
    from rapidfuzz.distance import Indel  # 15 ms, for those who compare

    if one.contradicts(other):
        return 0.0
    texts = (one.label, other.label) if one.label and other.label else (one.value, other.value)
    words, others = (text.split()[:COMPARED] for text in texts)
    if min(len(words), len(others)) > MAX_SHORT_WORDS:
        return Indel.normalized_similarity(words, others)
    return Indel.normalized_similarity(" ".join(words), " ".join(others))
