"""What does an element look like to a scraper: its names, what they mean, its text, its place, its surroundings?"""

from __future__ import annotations

from array import array
from collections import Counter
from dataclasses import asdict, dataclass, fields
from functools import cached_property
from math import log1p
from typing import TYPE_CHECKING, Any, Final

from pagedrift._kernels import (
    count_covered,
    find_links,
    find_texts,
    find_wanted,
    guess_shapes,
    join_texts,
    join_words,
    number_attributes,
    number_pairs,
    take,
)
from pagedrift._kernels.groups_py import CHAIN
from pagedrift._kernels.looks_py import AROUND_WORDS, BEGINNING_WORDS, LABEL_WORDS
from pagedrift.facets.tree import ELEMENT
from pagedrift.selectors.meanings import link_kind, meanings, name_words, shape_of, text_meanings
from pagedrift.selectors.selectable import words_of
from pagedrift.selectors.varieties import MAX_VALUE_CHARS, Varieties

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from pagedrift.selectors.selectable import SelectablePage

MAX_TEXT_CHARS: Final = 120  # of an element's text that are kept
SHORT_WORDS: Final = 6  # texts of links such as “Next page”
MAX_SHAPED_WORDS: Final = 40  # of a value: a line or two
_TIPS: Final = ("title", "aria-label", "alt")
_HEADINGS: Final = frozenset("h1 h2 h3 h4 h5 h6".split())


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
        self._surroundings: dict[int, _Surroundings] = {}

    @cached_property
    def varieties(self) -> Varieties:
        """The elements by tag and names."""
        return Varieties(self.tree)

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
        address = self.address(node)
        return ElementLooks(
            tag=tree.tag(node),
            names=names,
            meanings=meanings(names),
            said=own | self.tips(node) | meanings(frozenset(label)),
            above=around.above,
            above_meanings=around.above_meanings,
            text=text,
            words=last - first,
            shape=shape_of(text) if last - first <= MAX_SHAPED_WORDS else "prose",
            label=tuple(label),
            title_share=share,
            title_first=at_start,
            titles_most=0 < share >= self.best_share,
            link=link_kind(address) if address else "",
            target=name_words(address[:MAX_VALUE_CHARS].rpartition("//")[2].partition("/")[2]),
            address=address[:MAX_VALUE_CHARS],
            heading=self.headings.get(node) or around.heading,
            place=first / max(1, len(words)),
            part=self._part(node) or around.part,
            main=node == self.main,
            alike=self._alike.get(self.signature(node), 1),
            depth=around.depth,
            around=frozenset(words[max(0, first - AROUND_WORDS) : first] + words[last : last + AROUND_WORDS]),
            gap=self._gap(first, last),
            beginning=self.beginning(node),
            own=own,
            linked=(self.linked_before[last] - self.linked_before[first]) / max(1, last - first),
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
        above = frozenset().union(*(self.names(each) for each in nodes[:CHAIN]))
        return _Surroundings(
            depth=len(nodes),
            above=above,
            above_meanings=meanings(above),
            heading=next((self.headings[each] for each in nodes if each in self.headings), 0),
            part=next((part for each in nodes if (part := self._part(each))), "main"),
        )

    def _part(self, node: int) -> str:
        return self.varieties.parts[self.varieties.of_node[node]]

    def address(self, node: int) -> str:
        """Give the address of a picture, or of the link that an element is, stands in or holds."""
        return self.tree.value(self.links[node] - 1) if self.links[node] else ""

    @cached_property
    def links(self) -> array[int]:
        """The attribute with the address of each element, counted from 1; 0 for none."""
        numbers = {name: number for number, name in enumerate(self.tree.names)}
        names = tuple(numbers.get(name, -1) for name in ("a", "img", "href", "src"))
        return find_links(self.tree.columns, names)  # type: ignore[arg-type]

    @cached_property
    def linked_before(self) -> array[int]:
        """The number of words before each that stand in links."""
        links = self.tree.elements("a")
        starts, stops = take(self.page.words_before, links), take(self.page.words_until, links)
        return count_covered(starts, stops, len(self.page.words))

    @cached_property
    def headings(self) -> dict[int, int]:
        """The number of each heading, from 1."""
        return {node: number for number, node in enumerate(self.tree.elements(*_HEADINGS), 1)}

    @cached_property
    def main(self) -> int:
        """The smallest element with most of the words; 0 for none."""
        tree, before, until = self.tree, self.page.words_before, self.page.words_until
        least = max(1, len(self.page.words)) / 2
        found = node = 0
        while node >= 0:  # they stand in each other, as no two apart have most of the words
            if tree.name[node] and tree.tag(node) not in ("html", "body"):
                found = node
            node = next((child for child in tree.children(node) if until[child] - before[child] > least), -1)
        return found

    # What it says

    def tips(self, node: int) -> frozenset[str]:
        """Say what the tooltip of an element and the like mean."""
        tips = dict(self.tree.attributes(node))
        text = " ".join(tips.get(name, "") for name in _TIPS)
        return text_meanings(text[:MAX_VALUE_CHARS]) if text.strip() else frozenset()

    @cached_property
    def tipped(self) -> array[int]:
        """The elements that have a tooltip or the like."""
        numbers, firsts = number_attributes(self.tree.columns, bytes(name in _TIPS for name in self.tree.names))
        return find_wanted(numbers, b"\0" + b"\1" * len(firsts))

    def text(self, node: int) -> str:
        """Give the beginning of what an element says."""
        place = self.places[0][node]
        return self.texts_at([place])[0]

    def texts_at(self, places: Iterable[int]) -> list[str]:
        """Give the beginnings of what elements say that take in the same texts, of each of some places."""
        texts = self._texts
        if unread := array("i", [place for place in places if texts[place] is None]):
            starts, stops = self._pieces_at
            given = self._pieces[0], take(starts, unread), take(stops, unread)
            for place, text in zip(unread, join_texts(self.tree.columns, *given, MAX_TEXT_CHARS), strict=True):
                texts[place] = text
        return list(map(texts.__getitem__, places))  # type: ignore[arg-type] # all of them are read

    @cached_property
    def _texts(self) -> list[str | None]:
        """The texts by place; None for those that are not read yet."""
        return [None] * len(self.places[1])

    def guess_shapes(self, most: int) -> array[int]:
        """Say what kinds of values elements are, by place; those of more than `most` words are prose.

        They are numbers in SHAPES, or -1 for those that must be read to know, as most need not be.
        """
        nodes = self.places[1]
        words = take(self.page.words_before, nodes), take(self.page.words_until, nodes)
        return guess_shapes(self._pieces_at, self._pieces[2], words, most)

    @cached_property
    def _pieces_at(self) -> tuple[array[int], array[int]]:
        """Where the texts of each place begin and end among those of the page."""
        nodes, before = self.places[1], self._pieces[1]
        return take(before, nodes), take(before, take(self.tree.end, nodes))

    @cached_property
    def _pieces(self) -> tuple[array[int], array[int], array[int]]:
        return find_texts(self.tree.columns)

    @cached_property
    def places(self) -> tuple[array[int], array[int]]:
        """The number of each node by the texts that it takes in, and the first node of each."""
        return number_pairs(self._pieces[1], take(self._pieces[1], self.tree.end))

    @cached_property
    def spans(self) -> tuple[array[int], array[int]]:
        """The number of each node by the words that it takes in, and the first node of each."""
        return number_pairs(self.page.words_before, self.page.words_until)

    def beginning(self, node: int) -> str:
        """Give the first words of an element."""
        before = self.page.words_before
        first = before[node]
        return " ".join(self.page.words[first : min(before[self.tree.end[node]], first + BEGINNING_WORDS)])

    @cached_property
    def beginnings(self) -> tuple[array[int], list[str]]:
        """The numbers of what the elements take in of the words, and the first words of each."""
        elements = self.page.elements
        spans = number_pairs(take(self.page.words_before, elements), take(self.page.words_until, elements))
        firsts = take(elements, spans[1])
        return take(self.spans[0], firsts), self.beginnings_of(firsts)

    def beginnings_of(self, nodes: array[int]) -> list[str]:
        """Give the first words of each of some elements, joined."""
        starts, stops = take(self.page.words_before, nodes), take(self.page.words_until, nodes)
        return join_words(self.page.words, starts, stops, BEGINNING_WORDS)

    def first_words_of(self, nodes: Iterable[int]) -> list[list[str]]:
        """Give the first words of each of some elements."""
        words, before, until = self.page.words, self.page.words_before, self.page.words_until
        return [words[before[node] : min(until[node], before[node] + BEGINNING_WORDS)] for node in nodes]

    def names(self, node: int) -> frozenset[str]:
        """Split what an element is called into words."""
        return self.varieties.names[self.varieties.of_node[node]]

    def signature(self, node: int) -> tuple[str, str]:
        """Give the tag and the classes, which elements of one kind share."""
        return self.varieties.signatures[self.varieties.of_node[node]]

    @cached_property
    def _alike(self) -> Counter[tuple[str, str]]:
        found: Counter[tuple[str, str]] = Counter()
        for signature, count in zip(self.varieties.signatures, self.varieties.counts, strict=True):
            found[signature] += count
        return found

    # The title of the page

    @cached_property
    def _title(self) -> list[str]:
        return words_of(self.page.page.title)

    def _title_share(self, first: int, last: int) -> tuple[float, bool]:
        """Say how much of the title of the page some words are, and whether it begins with them."""
        count, words, title = last - first, self.page.words, self._title
        if not 0 < count <= len(title) or words[first] not in title:
            return 0.0, False
        said = words[first:last]
        starts = [at for at in range(len(title) - count + 1) if title[at : at + count] == said]
        return (count / len(title), starts[0] == 0) if starts else (0.0, False)

    @cached_property
    def title_shares(self) -> dict[int, float]:
        """The elements that say a part of the title of the page, and how much of it."""
        before, until, elements = self.page.words_before, self.page.words_until, self.page.elements
        read, titled = self.page.read, bytearray(len(self.page.words) + 1)
        for place in find_wanted(read.number, bytes(map(frozenset(self._title).__contains__, read.numbers))):
            titled[place] = 1
        found = take(elements, find_wanted(take(before, elements), bytes(titled)))
        shares = {node: self._title_share(before[node], until[node])[0] for node in found}
        return {node: share for node, share in shares.items() if share > 0}

    @cached_property
    def _titled(self) -> tuple[float, int]:
        """The element that says most of the title; of several, the last heading or the first other."""
        best = max(
            ((share, int(self.tree.tag(node) in _HEADINGS), -node) for node, share in self.title_shares.items()),
            default=(0.0, 0, 0),
        )
        return best[0], -best[2]

    @property
    def best_share(self) -> float:
        """The largest part of the title that an element says."""
        return self._titled[0]

    @cached_property
    def title_place(self) -> tuple[int, int]:
        """Where the words of the title begin and end in the text of the page."""
        node, before = self._titled[1], self.page.words_before
        return (before[node], before[self.tree.end[node]]) if node else (0, 0)

    def _gap(self, first: int, last: int) -> float | None:
        start, stop = self.title_place
        if stop <= start:
            return None
        if first >= stop:
            return log1p(first - stop)
        return -log1p(start - last) if last <= start else 0.0
