"""Which elements and words of one page do selectors select?"""

from __future__ import annotations

import re
from array import array
from bisect import bisect_right
from functools import cached_property
from itertools import chain, islice, pairwise
from operator import le
from typing import TYPE_CHECKING, Any, Final, TypeAlias

from pagedrift._kernels import find_wanted, join_texts, number_attributes, read_words, take, total, words_of
from pagedrift.errors import LimitError
from pagedrift.facets.tree import NONE, TEXT
from pagedrift.selectors.expressions import Range
from pagedrift.text import fold

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from pagedrift._kernels.words_py import WordColumns
    from pagedrift.page import PageVersion
    from pagedrift.selectors.expressions import Part, Region, Selector

__all__ = ["MAX_ELEMENTS", "SelectablePage", "Span", "joined", "without", "words_of"]

MAX_ELEMENTS: Final = 100_000  # of a page that selectors are asked on
Span: TypeAlias = tuple[int, int]  # the nodes from the first number up to the second

_SPANS_AT_ONCE: Final = 15  # whose texts are read
_SILENT: Final = frozenset(
    "head script style noscript template iframe svg:svg".split()
)  # what they hold is not read
# Selectors in which every name is asked for: no lists, no brackets but those around numbers, nothing escaped.
_WITHOUT_CHOICE: Final = re.compile(r"(?:[\w\s.#*>+~-]|:[\w-]+(?:\([\dn\s+-]*\))?)+")
_ONE_CLASS: Final = re.compile(r"\.[A-Za-z_][A-Za-z0-9_-]*")
_SPACE: Final = re.compile(r"[\t\n\f\r ]+")  # as HTML has it
_ASKED_CLASS: Final = re.compile(r"\.([\w-]+)")


class SelectablePage:
    r"""A page that selectors are asked on; it is parsed once for all of them.

    >>> from pagedrift.page import PageVersion
    >>> from pagedrift.selectors.expressions import parse_selectors
    >>> page = SelectablePage(PageVersion("https://city.example/", b"<p class=price>$40"))
    >>> [page.matches(selector) for selector in parse_selectors("price .price\nname //h1")]
    [True, False]
    """

    def __init__(self, page: PageVersion) -> None:
        self.page = page
        self.tree = page.tree  # first: it refuses pages that a parser would take forever for
        if len(self.tree) > MAX_ELEMENTS and len(self.elements) > MAX_ELEMENTS:
            raise LimitError(
                f"the page has more than {MAX_ELEMENTS:,} elements, too many for selectors; leave it out"
            )
        self._matched: dict[Selector, tuple[bool, list[int]]] = {}
        self._spans: dict[Region, list[Span]] = {}

    @cached_property
    def _document(self) -> Any:
        from turbohtml import parse

        return parse(self.page.source, positions=False, allow_declarative_shadow_roots=False)

    @cached_property
    def _numbers(self) -> dict[Any, int]:
        # Both trees have the same elements in the same order, see what_changed/selection.py.
        return dict(zip(self._document.select("*"), self.elements, strict=True))

    def matches(self, selector: Selector) -> bool:
        """Return whether a selector means anything here."""
        return self._look_up(selector)[0]

    def nodes(self, selector: Selector) -> list[int]:
        """Give the elements that a selector means, in order; for texts and attributes, those they stand in."""
        return self._look_up(selector)[1]

    def nodes_in(self, selector: Selector, rows: Sequence[int]) -> list[int]:
        """Give the elements that a selector means in some others, which are in order, as from each of these."""
        if selector.language == "css":
            ends = [self.tree.end[row] for row in rows]
            return [
                node for node in self.nodes(selector) if (at := bisect_right(rows, node)) and node < ends[at - 1]
            ]
        elements = dict(zip(self._numbers.values(), self._numbers, strict=True))
        return sorted({node for row in rows for node in self._xpath(selector, elements[row])[1]})

    def _look_up(self, selector: Selector) -> tuple[bool, list[int]]:
        found = self._matched.get(selector)
        if found is None:
            found = self._css(selector) if selector.language == "css" else self._xpath(selector)
            self._matched[selector] = found
        return found

    def _css(self, selector: Selector) -> tuple[bool, list[int]]:
        if self._lacks_a_name(selector.expression):
            return False, []
        found = self._of_class(selector.expression)
        if found is None:
            found = [self._numbers[element] for element in self._document.select(selector.expression)]
        nodes = found
        if selector.extract:
            nodes = [node for node in nodes if self.has(node, selector.extract)]
        return bool(nodes), sorted(nodes)

    def _lacks_a_name(self, css: str) -> bool:
        """Return whether a selector asks for a class that no element has, as most broken ones do."""
        if not _WITHOUT_CHOICE.fullmatch(css):
            return False
        return any(name.lower() not in self._class_names for name in _ASKED_CLASS.findall(css))

    def _of_class(self, css: str) -> list[int] | None:
        """Give the elements of a class that is all a selector asks for; None if the answer is not as simple."""
        name = css[1:]
        if not _ONE_CLASS.fullmatch(css):
            return None
        numbers, classes = self._classes
        exact = bytes(name in each for each, _ in classes)
        # Pages without a doctype do not tell case apart.
        if exact != bytes(name.lower() in each for _, each in classes):
            return None
        return list(find_wanted(numbers, exact))

    @cached_property
    def _classes(self) -> tuple[array[int], list[tuple[list[str], list[str]]]]:
        """The number of each node by its classes, and the classes of each as written and in lower case."""
        numbers, firsts = number_attributes(self.tree.columns, bytes(name == "class" for name in self.tree.names))
        values = [self.tree.attribute(node, "class") or "" for node in firsts]
        return numbers, [(_SPACE.split(value), _SPACE.split(value.lower())) for value in values]

    @cached_property
    def _class_names(self) -> set[str]:
        return {name for _, names in self._classes[1] for name in names}

    def has(self, node: int, extract: str) -> bool:
        """Return whether an element has what is taken of it: a text directly in it, or an attribute."""
        if extract.startswith("@"):
            return self.tree.attribute(node, extract[1:]) is not None
        kind, following = self.tree.kind, self.tree.next_sibling
        child = self.tree.first_child[node] if extract else NONE
        while child != NONE and kind[child] != TEXT:
            child = following[child]
        return not extract or child != NONE

    def _xpath(self, selector: Selector, start: Any = None) -> tuple[bool, list[int]]:
        start = self._document if start is None else start
        value = start.xpath(selector.expression, smart_strings=True)
        found: list[Any] = value if isinstance(value, list) else [value] if value else []
        nodes = {number for each in found if (number := self._number(each)) is not None}
        return bool(found), sorted(nodes)

    def _number(self, found: Any) -> int | None:
        """Give the element that an expression found, or that a text or attribute which it found stands in."""
        return self._numbers.get(found.getparent() if hasattr(found, "getparent") else found)

    # What a region takes in

    def spans(self, region: Region) -> list[Span]:
        """Give the parts of the page that a region takes in, in order, each node once."""
        found = self._spans.get(region)
        if found is None:
            found, left_out = (
                joined(chain.from_iterable(map(self._of_part, parts))) for parts in (region.select, region.remove)
            )
            found = self._spans[region] = without(found, left_out) if left_out else found
        return found

    def _of_part(self, part: Part) -> list[Span]:
        if isinstance(part, Range):
            return self._of_range(part)
        return self.tree.spans(self.nodes(part))

    def _of_range(self, part: Range) -> list[Span]:
        starts, ends = self.nodes(part.start), self.nodes(part.end)
        if not starts or not ends:
            return []
        start = self.tree.end[starts[0]] if part.after_start else starts[0]
        end = next((node for node in ends if node >= start), ends[0])
        stop = self.tree.end[end] if part.after_end else end
        return [(start, stop)] if start < stop else []

    # Words

    @cached_property
    def read(self) -> WordColumns:
        """The words of the page, and where they stand."""
        return read_words(self.tree.columns, bytes(name in _SILENT for name in self.tree.names))

    @property
    def words(self) -> list[str]:
        """All words that can be read on the page, in lower case."""
        return self.read.words

    @property
    def words_before(self) -> array[int]:
        """The number of words before each node, and at the end of the page."""
        return self.read.before

    @cached_property
    def words_until(self) -> array[int]:
        """The number of words before the end of each node."""
        return take(self.words_before, self.tree.end)

    @cached_property
    def elements(self) -> array[int]:
        """The elements of the page, in order."""
        return self.tree.elements()

    def words_in(self, spans: Iterable[Span]) -> list[str]:
        """Give the words in some parts of the page."""
        words, before = self.words, self.words_before
        found: list[str] = []
        for start, stop in spans:
            found += words[before[start] : before[stop]]
        return found

    def count_words(self, spans: Sequence[Span]) -> int:
        """Count the words in some parts of the page."""
        starts, stops = zip(*spans, strict=True) if spans else ((), ())
        before = self.words_before.__getitem__
        return sum(map(before, stops)) - sum(map(before, starts))

    def count_words_of(self, nodes: Iterable[int]) -> int:
        """Count the words in some nodes."""
        chosen = array("i", nodes)
        return total(self.words_until, chosen) - total(self.words_before, chosen)

    def text_in(self, spans: Iterable[Span], longest: int) -> str:
        """Give the beginning of what some parts of the page say."""
        text, read, every = "", self.read, iter(spans)
        while len(text) <= longest + 1 and (some := [*islice(every, _SPANS_AT_ONCE)]):
            starts, stops = (take(read.texts_before, array("i", nodes)) for nodes in zip(*some, strict=True))
            # Two more: the cut must show, also where the last sign is a space.
            found = join_texts(self.tree.columns, read.texts, starts, stops, longest + 2)
            text = " ".join(filter(None, (text, *found)))
        return fold(text, longest)


def joined(spans: Iterable[Span]) -> list[Span]:
    """Put spans in order, and those together that overlap.

    >>> joined([(5, 7), (1, 3), (2, 4)])
    [(1, 4), (5, 7)]
    """
    found, made, last = sorted(spans), list[Span](), 0
    starts, stops = zip(*found, strict=True) if len(found) > 1 else ((), ())
    if all(map(le, stops, starts[1:])):
        return found
    for span in found:
        if span[0] < last:
            last = max(span[1], last)
            made[-1] = (made[-1][0], last)
        else:
            made.append(span)
            last = span[1]
    return made


def without(spans: list[Span], left_out: list[Span]) -> list[Span]:
    """Take some spans out of others; both are in order.

    >>> without([(1, 10)], [(2, 3), (8, 20)])
    [(1, 2), (3, 8)]
    """
    made: list[Span] = []
    for start, stop in spans:
        edges = [start]
        for first, last in left_out:
            if first < stop and last > start:
                edges += [max(first, start), min(last, stop)]
        edges.append(stop)
        made += [(one, other) for one, other in list(pairwise(edges))[::2] if one < other]
    return made
