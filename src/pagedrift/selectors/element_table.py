"""What is known of all elements of one page, as columns of numbers that kernels compare."""

from __future__ import annotations

from array import array
from itertools import compress, count
from typing import TYPE_CHECKING, Final

from pagedrift._kernels import add_words, look_around, take
from pagedrift._kernels.groups_py import Lists
from pagedrift._kernels.looks_py import CLUE_WORDS, SHAPES, LooksColumns
from pagedrift.selectors.looks import MAX_SHAPED_WORDS, SHORT_WORDS
from pagedrift.selectors.meanings import (
    LINKS,
    bits_of,
    kind_of,
    link_kind,
    meanings,
    name_words,
    shape_of,
    text_bits,
    word_bits,
)
from pagedrift.selectors.varieties import MAX_VALUE_CHARS, PARTS

if TYPE_CHECKING:
    from collections.abc import Iterable

    from pagedrift._kernels.groups_py import NodeSurroundings
    from pagedrift.selectors.looks import PageLooks

    Ints = array[int]

SHAPE_NUMBERS: Final = {shape: number for number, shape in enumerate(SHAPES)}
PART_NUMBERS: Final = {part: number for number, part in enumerate(("main", *sorted(set(PARTS.values()))))}
LINK_NUMBERS: Final = {link: number for number, link in enumerate(LINKS)}
_UNREAD: Final = -1
# What a field means that has a value of this kind, and then one that has a title, running text or a picture.
_VALUES: Final = {"date": "date", "time": "date", "money": "price", "copyright": "footer"}
_OTHER_VALUES: Final = ("title", "body", "picture")


class ElementTable:
    """The columns of one page, and the numbers of its words, names and kinds.

    What is quick to know is known of all elements; texts and links are read of those that are asked for.
    """

    def __init__(self, looks: PageLooks) -> None:
        self.looks, self.tree = looks, looks.tree
        self.beginnings: dict[str, int] = {}  # the number of the first words of each element
        self.addresses: dict[str, int] = {}
        self._linked: dict[str, tuple[int, int]] = {}  # to where an address leads, and what its words mean
        self.kinds: dict[str, int] = {}
        self.tags = {name: number for number, name in enumerate(self.tree.names)}
        self._sets: dict[frozenset[str], int] = {}
        self._starts, self._members = array("i", [0]), array("i")
        self.words = looks.page.read.numbers.copy()  # the number of each word
        self._set_of(frozenset())
        self.columns = self._make()

    def _set_of(self, words: frozenset[str]) -> int:
        if words not in self._sets:
            self._sets[words] = len(self._starts) - 1
            self._members.extend([self.words.setdefault(word, len(self.words)) for word in words])
            self._starts.append(len(self._members))
        return self._sets[words]

    def _make(self) -> LooksColumns:
        looks, page, tree, varieties = self.looks, self.looks.page, self.tree, self.looks.varieties
        around = self._surroundings()
        above = [frozenset().union(*(varieties.names[each] for each in chain)) for chain in around.chains]
        places, links = len(looks.places[1]), len(tree.columns.attribute_name) + 1
        signature, alike = self._signatures()
        return LooksColumns(
            tag=tree.name,
            variety=varieties.of_node,
            chain=around.chain,
            span=looks.spans[0],
            place=looks.places[0],
            link=looks.links,
            tip=self._tips(),
            heading=around.heading,
            part=around.part,
            depth=around.depth,
            first_word=page.words_before,
            last_word=page.words_until,
            kind=array("i", [self.kinds.setdefault(kind_of(name), len(self.kinds)) for name in tree.names]),
            names=array("i", map(self._set_of, varieties.names)),
            meanings=array("i", map(bits_of, varieties.meanings)),
            signature=signature,
            above=array("i", map(self._set_of, above)),
            above_meanings=array("i", [bits_of(meanings(names)) for names in above]),
            beginning=self._beginnings(),
            text=array("i", [_UNREAD]) * places,
            shape=looks.guess_shapes(MAX_SHAPED_WORDS),
            own=array("i", bytes(4 * places)),
            address=array("i", [-1]) * links,
            link_kind=array("i", [0]) + array("i", [_UNREAD]) * (links - 1),
            target=array("i", bytes(4 * links)),
            alike=alike,
            meant=array("i", map(word_bits, self.words)),
            values=_values(),
            words=page.read.number,
            linked_before=looks.linked_before,
            title_share=self._title_shares(),
            best_share=looks.best_share,
            main=looks.main,
            picture=self.tags.get("img", -1),
            title=looks.title_place,
            sets=Lists(self._starts, self._members),
        )

    # Known of all elements

    def _surroundings(self) -> NodeSurroundings:
        """Go down the tree: how deep, under which heading, in which part, and with which names above."""
        varieties, headings = self.looks.varieties, array("i", bytes(4 * len(self.tree)))
        for node, number in self.looks.headings.items():
            headings[node] = number
        firsts: dict[frozenset[str], int] = {}  # of varieties with the same names
        same = [firsts.setdefault(names, number) for number, names in enumerate(varieties.names)]
        own = [number if tag else -1 for tag, number in zip(varieties.tags, same, strict=True)]
        parts = [PART_NUMBERS.get(each, 0) for each in varieties.parts]
        of_node = varieties.of_node
        named, parted = (take(array("i", values), of_node) for values in (own, parts))
        return look_around(self.tree.parent, named, headings, parted)

    def _title_shares(self) -> array[float]:
        found = array("d", bytes(8 * len(self.tree)))
        for node, share in self.looks.title_shares.items():
            found[node] = share
        return found

    def _signatures(self) -> tuple[Ints, Ints]:
        numbers: dict[tuple[str, str], int] = {}
        varieties = self.looks.varieties
        own = array("i", [numbers.setdefault(each, len(numbers)) for each in varieties.signatures])
        counts = array("i", bytes(4 * len(numbers)))
        for number, more in zip(own, varieties.counts, strict=True):
            counts[number] += more
        return own, counts

    def _beginnings(self) -> Ints:
        found, (spans, said) = array("i", bytes(4 * len(self.looks.spans[1]))), self.looks.beginnings
        self.beginnings = {text: number for number, text in enumerate(dict.fromkeys(said))}
        for span, number in zip(spans, map(self.beginnings.__getitem__, said), strict=True):
            found[span] = number
        return found

    def _tips(self) -> Ints:
        found = array("i", bytes(4 * len(self.tree)))
        for node in self.looks.tipped:
            found[node] = bits_of(self.looks.tips(node))
        return found

    # Read of those that are asked for

    def read(self, nodes: Ints) -> None:
        """Read the texts and links of some elements."""
        columns = self.columns
        text, kind = columns.text, columns.link_kind
        if unread := [place for place in set(take(columns.place, nodes)) if text[place] == _UNREAD]:
            self._read_texts(unread)
        for link in [link for link in set(take(columns.link, nodes)) if kind[link] == _UNREAD]:
            self._read_link(link)

    def _read_texts(self, places: list[int]) -> None:
        """Read the words of some texts, the kinds of values that they are, and what they mean if they are short."""
        columns, texts, nodes = self.columns, self.looks.texts_at(places), self.looks.places[1]
        sets, numbers = count(len(self._starts) - 1), columns.text
        may = add_words(texts, self.words, columns.sets, columns.meant)
        for place, number in zip(places, sets, strict=False):
            numbers[place] = number
        self._read_shapes(columns.shape, places)
        for place, text in compress(zip(places, texts, strict=True), may):
            if columns.last_word[nodes[place]] - columns.first_word[nodes[place]] <= SHORT_WORDS:
                columns.own[place] = text_bits(text)

    def _read_shapes(self, shapes: Ints, places: Iterable[int]) -> None:
        """Read the kinds of values at those of some places where they are not known yet."""
        unread = [place for place in places if shapes[place] == _UNREAD]
        for place, text in zip(unread, self.looks.texts_at(unread), strict=True):
            shapes[place] = SHAPE_NUMBERS[shape_of(text)]

    def _read_link(self, link: int) -> None:
        columns, address = self.columns, self.tree.value(link - 1)[:MAX_VALUE_CHARS]
        if address not in self._linked:
            target = meanings(name_words(address.rpartition("//")[2].partition("/")[2]))
            self._linked[address] = LINK_NUMBERS[link_kind(address)] if address else 0, bits_of(target)
        columns.link_kind[link], columns.target[link] = self._linked[address]
        if address:
            columns.address[link] = self.addresses.setdefault(address, len(self.addresses))

    def clue_shapes(self) -> Ints:
        """Say of each place of texts what kind of value it is, if it is short."""
        found = self.looks.guess_shapes(CLUE_WORDS)
        self._read_shapes(found, range(len(found)))
        return found


def value_bits(shape: str) -> int:
    """Say what a field means that has a value of this kind."""
    return bits_of(frozenset({_VALUES[shape]})) if shape in _VALUES else 0


def _values() -> Ints:
    return array("i", [*map(value_bits, SHAPES), *(bits_of(frozenset({each})) for each in _OTHER_VALUES)])
