"""What does an element look like to a scraper: its names, what they mean, its text, its place, its surroundings?"""

from __future__ import annotations

from array import array
from collections import Counter
from dataclasses import asdict, dataclass, fields
from functools import cached_property
from itertools import accumulate
from math import log1p
from typing import TYPE_CHECKING, Any, Final

from pagedrift.facets.tree import ELEMENT, TEXT
from pagedrift.selectors.meanings import link_kind, meanings, name_words, shape_of, text_meanings
from pagedrift.selectors.selectable import words_of

if TYPE_CHECKING:
    from collections.abc import Mapping

    from pagedrift.selectors.selectable import SelectablePage

MAX_TEXT_CHARS: Final = 120  # of an element's text that are kept
MAX_VALUE_CHARS: Final = 300  # of an attribute that are read
SHORT_WORDS: Final = 6  # texts of links such as “Next page”
AROUND_WORDS: Final = 6  # before and after an element
BEGINNING_WORDS: Final = 16  # of an element that are compared with others
CLUE_WORDS: Final = 8  # of them by which it is found
LABEL_WORDS: Final = 3  # before an element: “Posted on”
_ABOVE: Final = 3  # elements around one whose names are read
_SAID: Final = frozenset("id class itemprop property rel role name type".split())
_TIPS: Final = ("title", "aria-label", "alt")
_HEADINGS: Final = frozenset("h1 h2 h3 h4 h5 h6".split())
_PARTS: Final = {
    "nav": "navigation",
    "header": "header",
    "footer": "footer",
    "aside": "side",
    "navigation": "navigation",
    "menu": "navigation",
    "side": "side",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class ElementLooks:
    """What is known of an element, enough to find it again on a page with another layout."""

    tag: str
    names: frozenset[str]  # words of its id, classes and other names
    meanings: frozenset[str]  # what these mean
    said: frozenset[str]  # what its label, its text if that is short, and its tooltip mean
    above: frozenset[str]  # words of the names around it
    above_meanings: frozenset[str]
    text: str
    words: int
    shape: str  # of its text: a date, an amount of money …
    label: tuple[str, ...]  # the words before it
    title_share: float  # of the title of the page that its text is, from 0 to 1
    title_first: bool  # the title begins with it
    titles_most: bool  # no other element says more of the title
    link: str  # to where, if it is a link or in one: here, elsewhere, mail
    target: frozenset[str]  # words of the address that it links to or shows
    address: str
    heading: int  # the number of the heading it is or stands in, from 1; 0 for none
    place: float  # in the text of the page, from 0 to 1
    part: str  # of the page
    main: bool  # it holds most of the running text, and nothing around it does more closely
    alike: int  # elements of its tag and classes on the page
    depth: int
    around: frozenset[str] = frozenset()  # the words just before and after it
    gap: float | None = None  # words after the title, or before it if negative, on a logarithmic scale
    linked: float = 0.0  # the share of its words that stand in links
    own: frozenset[str] = frozenset()  # what its text means, if that is short
    beginning: str = ""  # its first words

    @property
    def side(self) -> int | None:
        """Whether it stands before the title, in it, or after it: -1, 0 or 1; None if no element says the title."""
        return None if self.gap is None else (self.gap > 0) - (self.gap < 0)

    def to_json(self) -> dict[str, Any]:
        """Give them as plain data."""
        return {
            name: sorted(value) if isinstance(value, frozenset) else value for name, value in asdict(self).items()
        }

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> ElementLooks:
        """Read them back; what is missing or wrong raises a TypeError."""
        sets = {each.name for each in fields(cls) if str(each.type).startswith("frozenset")}
        values: dict[str, Any] = {name: frozenset(value) if name in sets else value for name, value in data.items()}
        return cls(**values | {"label": tuple(values["label"])})


@dataclass(frozen=True, slots=True, kw_only=True)
class _Surroundings:
    """What all children of an element have around them."""

    depth: int = 0
    above: frozenset[str] = frozenset()
    above_meanings: frozenset[str] = frozenset()
    heading: int = 0
    part: str = "main"


_NOTHING: Final = _Surroundings()


class PageLooks:
    """The looks of the elements of one page, each worked out once."""

    def __init__(self, page: SelectablePage) -> None:
        self.page, self.tree = page, page.tree
        self._made: dict[int, ElementLooks] = {}
        self._names: dict[int, frozenset[str]] = {}
        self._signatures: dict[int, tuple[str, str]] = {}
        self._surroundings: dict[int, _Surroundings] = {}
        self._shares: dict[tuple[int, int], tuple[float, bool]] = {}

    def of(self, node: int) -> ElementLooks:
        """Describe an element."""
        if node not in self._made:
            self._made[node] = self._describe(node)
        return self._made[node]

    def _describe(self, node: int) -> ElementLooks:
        tree, words, before = self.tree, self.page.words, self.page.words_before
        first, last = before[node], before[tree.end[node]]
        text, names = self.text(node), self.names(node)
        around = self._around(tree.parent[node])
        label = words[max(0, first - LABEL_WORDS) : first]
        own = text_meanings(text) if last - first <= SHORT_WORDS else frozenset[str]()
        share, at_start = self._title_share(first, last)
        address = self._address(node)
        return ElementLooks(
            tag=tree.tag(node),
            names=names,
            meanings=meanings(names),
            said=own | self._tips(node) | meanings(frozenset(label)),
            above=around.above,
            above_meanings=around.above_meanings,
            text=text,
            words=last - first,
            shape=shape_of(text) if last - first <= 40 else "prose",  # noqa: PLR2004 - a line or two
            label=tuple(label),
            title_share=share,
            title_first=at_start,
            titles_most=0 < share >= self._best_share,
            link=link_kind(address) if address else "",
            target=name_words(address[:MAX_VALUE_CHARS].rpartition("//")[2].partition("/")[2]),
            address=address[:MAX_VALUE_CHARS],
            heading=self._headings.get(node) or around.heading,
            place=first / max(1, len(words)),
            part=self._own_part(node) or around.part,
            main=node == self._main,
            alike=self._alike.get(self.signature(node), 1),
            depth=around.depth,
            around=frozenset(words[max(0, first - AROUND_WORDS) : first] + words[last : last + AROUND_WORDS]),
            gap=self._gap(first, last),
            beginning=self.beginning(node),
            own=own,
            linked=(self._linked_before[last] - self._linked_before[first]) / max(1, last - first),
        )

    # Around an element

    def _around(self, parent: int) -> _Surroundings:
        if parent not in self._surroundings:
            self._surroundings[parent] = self._look_around(parent)
        return self._surroundings[parent]

    def _look_around(self, parent: int) -> _Surroundings:
        """Describe what the children of an element have around them."""
        nodes = []
        node = parent
        while node > 0 and self.tree.kind[node] == ELEMENT:
            nodes.append(node)
            node = self.tree.parent[node]
        if not nodes:
            return _NOTHING
        above = frozenset().union(*(self.names(each) for each in nodes[:_ABOVE]))
        return _Surroundings(
            depth=len(nodes),
            above=above,
            above_meanings=meanings(above),
            heading=next((self._headings[each] for each in nodes if each in self._headings), 0),
            part=next((part for each in nodes if (part := self._own_part(each))), "main"),
        )

    def _own_part(self, node: int) -> str:
        """Give the part of the page that an element is by its own tag and names; empty for none."""
        if part := _PARTS.get(self.tree.tag(node)):
            return part
        meant = meanings(self.names(node))
        return next((part for meaning in sorted(meant) if (part := _PARTS.get(meaning))), "") if meant else ""

    def _address(self, node: int) -> str:
        """Give the address of a picture, or of the link that an element is, stands in or holds."""
        tree, link = self.tree, self._link_name
        if tree.tag(node) == "img":
            return tree.attribute(node, "src") or ""
        parent = tree.parent[node]
        places = [node, parent, tree.parent[parent] if parent > 0 else 0]
        places += [each for each in range(node + 1, min(tree.end[node], node + 4)) if tree.name[each] == link][:1]
        for each in places:
            if tree.name[each] == link and (address := tree.attribute(each, "href")) is not None:
                return address
        return ""

    @cached_property
    def _link_name(self) -> int:
        return self.tree.names.index("a") if "a" in self.tree.names else -1

    @cached_property
    def _linked_before(self) -> list[int]:
        marks = bytearray(len(self.page.words))
        before = self.page.words_before
        for node in self.tree.elements("a"):
            first, last = before[node], before[self.tree.end[node]]
            marks[first:last] = b"\1" * (last - first)
        return [0, *accumulate(marks)]

    @cached_property
    def _headings(self) -> dict[int, int]:
        return {node: number for number, node in enumerate(self.tree.elements(*_HEADINGS), 1)}

    @cached_property
    def _main(self) -> int:
        """The smallest element with most of the words."""
        tree, before = self.tree, self.page.words_before
        total = max(1, len(self.page.words))
        best = 0
        for node in tree.elements():
            if before[tree.end[node]] - before[node] > total / 2 and tree.tag(node) not in ("html", "body"):
                best = node
        return best

    # What it says

    def _tips(self, node: int) -> frozenset[str]:
        tips = {name: value for name, value in self.tree.attributes(node) if name in _TIPS and value}
        text = " ".join(tips.get(name, "") for name in _TIPS) if tips else ""
        return text_meanings(text[:MAX_VALUE_CHARS]) if text else frozenset()

    def text(self, node: int) -> str:
        """Give the beginning of what an element says."""
        starts, pieces = self._pieces
        first, last = starts[node], starts[self.tree.end[node]]
        if last - first <= 1:
            return pieces[first][:MAX_TEXT_CHARS] if first < last else ""
        found, length = list[str](), 0
        for at in range(first, last):
            found.append(pieces[at])
            length += len(pieces[at]) + 1
            if length > MAX_TEXT_CHARS:
                break
        return " ".join(found)[:MAX_TEXT_CHARS]

    @cached_property
    def _pieces(self) -> tuple[array[int], list[str]]:
        """The texts of the page that are not empty, and how many stand before each node."""
        tree, pieces, starts = self.tree, list[str](), array("l", bytes(8 * (len(self.tree) + 1)))
        for node, kind in enumerate(tree.kind):
            starts[node] = len(pieces)
            if kind == TEXT and (piece := " ".join(tree.text(node).split())):
                pieces.append(piece)
        starts[len(tree)] = len(pieces)
        return starts, pieces

    def beginning(self, node: int) -> str:
        """Give the first words of an element."""
        before = self.page.words_before
        first = before[node]
        return " ".join(self.page.words[first : min(before[self.tree.end[node]], first + BEGINNING_WORDS)])

    # What it is found by

    def profile(self, node: int) -> tuple[str, frozenset[str], str, bool, bool]:
        """Give what an element is found by but its words, without describing it in full; see `clues_of`."""
        first, last = self._first_and_last(node)
        shape = shape_of(self.text(node)) if last - first <= CLUE_WORDS else "prose"
        titled = bool(self._title_share(first, last)[0])
        return self.tree.tag(node), self.names(node), shape, titled, node == self._main

    def clue_words(self, node: int) -> list[str]:
        """Give the words that an element is found by."""
        first, last = self._first_and_last(node)
        return self.page.words[first : min(last, first + CLUE_WORDS)]

    def _first_and_last(self, node: int) -> tuple[int, int]:
        before = self.page.words_before
        return before[node], before[self.tree.end[node]]

    def names(self, node: int) -> frozenset[str]:
        """Split what an element is called into words."""
        if node not in self._names:
            attributes = self.tree.attributes(node)
            said = [value for key, value in attributes if key in _SAID or key.startswith("data-")]
            self._names[node] = frozenset().union(*(name_words(value[:MAX_VALUE_CHARS]) for value in said))
        return self._names[node]

    def signature(self, node: int) -> tuple[str, str]:
        """Give the tag and the classes, which elements of one kind share."""
        if node not in self._signatures:
            classes = (self.tree.attribute(node, "class") or "").split()
            self._signatures[node] = self.tree.tag(node), " ".join(sorted(classes))
        return self._signatures[node]

    @cached_property
    def _alike(self) -> Counter[tuple[str, str]]:
        return Counter(map(self.signature, self.tree.elements()))

    # The title of the page

    @cached_property
    def _title(self) -> list[str]:
        return words_of(self.page.page.title)

    def _title_share(self, first: int, last: int) -> tuple[float, bool]:
        """Say how much of the title of the page some words are, and whether it begins with them."""
        count, words = last - first, self.page.words
        if not 0 < count <= len(self._title) or words[first] not in self._title:
            return 0.0, False
        if (first, last) not in self._shares:
            title, said = self._title, words[first:last]
            starts = [at for at in range(len(title) - count + 1) if title[at : at + count] == said]
            self._shares[first, last] = (count / len(title), starts[0] == 0) if starts else (0.0, False)
        return self._shares[first, last]

    @cached_property
    def _titled(self) -> tuple[float, int, int, int, int]:
        """The element that says most of the title; of several, the last heading or the first other."""
        before, end, best = self.page.words_before, self.tree.end, (0.0, 0, 0, 0, 0)
        for node in self.tree.elements() if self._title else ():
            first, last = before[node], before[end[node]]
            share = self._title_share(first, last)[0]
            if share > 0:
                best = max(best, (share, int(self.tree.tag(node) in _HEADINGS), -node, first, last))
        return best

    @property
    def _best_share(self) -> float:
        return self._titled[0]

    def _gap(self, first: int, last: int) -> float | None:
        start, stop = self._titled[3:]
        if stop <= start:
            return None
        if first >= stop:
            return log1p(first - stop)
        return -log1p(start - last) if last <= start else 0.0


def clues_of(looks: ElementLooks) -> set[str]:
    """Give what an element can be found by: names, meanings, first words, kind of value, place in the title."""
    shape = looks.shape if looks.words <= CLUE_WORDS else "prose"
    found = profile_clues((looks.tag, looks.names, shape, bool(looks.title_share), looks.main))
    return found | {f"word {word}" for word in looks.beginning.split()[:CLUE_WORDS]}


def profile_clues(profile: tuple[str, frozenset[str], str, bool, bool]) -> set[str]:
    """Name the clues of a profile."""
    tag, names, shape, titled, main = profile
    found = {f"tag {tag}", *names, *(f"meaning {each}" for each in meanings(names)), f"shape {shape}"}
    return found | ({"title"} if titled else set()) | ({"main"} if main else set())
