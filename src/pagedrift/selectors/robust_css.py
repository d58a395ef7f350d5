"""Which short selector means an element today, and will tomorrow?"""

from __future__ import annotations

import re
from bisect import bisect_right
from functools import cached_property, lru_cache
from itertools import chain, combinations
from typing import TYPE_CHECKING, Final

from pagedrift._kernels import place_nodes
from pagedrift.facets.tree import ELEMENT
from pagedrift.selectors.varieties import Varieties

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Sequence

    from pagedrift._kernels.steps_py import Placed
    from pagedrift.facets.tree import Tree

MAX_CLASSES: Final = 4  # of an element that are tried
MAX_ANCESTORS: Final = 6  # around it whose names are tried
MAX_REMEMBERED: Final = 10_000  # attributes whose stable names are remembered
_NAMING: Final = frozenset("id itemprop rel role property class".split())
_FIELD_NAMING: Final = _NAMING | {"name", "type"}  # of fields and buttons, also what a form sends them as
_FIELD_NAME: Final = re.compile(r"[\w.:\[\]$-]+")  # that needs no escaping in quotes
_TAG: Final = re.compile(r"[a-z][a-z0-9-]*")
_NAME: Final = re.compile(r"-?[A-Za-z_][\w-]*")  # that needs no escaping in CSS
_STATES: Final = frozenset("active current selected first last odd even open closed hover show in".split())
_GENERATED: Final = re.compile(
    r"^(?:css|sc|jsx|svelte|emotion|styled|ng|v|data-v|_)-?(?=[\w-]*[\dA-Z])[\w-]{4,}$"  # made by a tool
    r"|(?=[A-Za-z_-]*\d)(?=[\d_-]*[A-Za-z])[A-Za-z0-9]{6,}$"  # letters and digits at the end
    r"|__?[A-Za-z0-9]{5,}$(?<![a-z]{5})"  # CSS modules: title__3xYzA
    r"|\d{4,}"
)
_CONTROLS: Final = frozenset("a button input select textarea".split())
_MEANINGFUL: Final = frozenset("main article h1 nav header footer aside time address table form figure".split())


def is_generated(name: str) -> bool:
    """Say whether a name was made by a program, so that the next build makes another.

    >>> [is_generated(name) for name in ("css-1x2y3z", "sc-bdVaJa", "post-12345", "entry-title", "col-md-8", "h1")]
    [True, True, True, False, False, False]
    """
    return bool(_GENERATED.search(name))


@lru_cache(MAX_REMEMBERED)
def stable_names(attributes: tuple[tuple[str, str], ...]) -> tuple[str, ...]:
    """Give the stable names among some attributes as selectors, those that say most first.

    >>> stable_names((("class", "lead css-1x2y3z"), ("id", "fees")))
    ('#fees', '.lead')
    >>> stable_names((("name", "user[mail]"), ("type", "email")))
    ('[name="user[mail]"]', '[type=email]')
    """
    return tuple(_stable_names(dict(attributes)))


def _stable_names(values: dict[str, str]) -> Iterator[str]:
    identity = values.get("id", "")
    if _NAME.fullmatch(identity) and not is_generated(identity):
        yield f"#{identity}"
    sent_as = values.get("name", "")
    if _FIELD_NAME.fullmatch(sent_as) and not is_generated(sent_as):
        yield f"[name={sent_as}]" if _NAME.fullmatch(sent_as) else f'[name="{sent_as}"]'
    for name in ("itemprop", "rel", "role", "property", "type"):
        if _NAME.fullmatch(values.get(name, "")):
            yield f"[{name}={values[name]}]"
    for name in values.get("class", "").split()[:MAX_CLASSES]:
        if _NAME.fullmatch(name) and not is_generated(name) and name not in _STATES:
            yield f".{name}"


class SelectorWriter:
    """Writes selectors for the elements of a page: short, by stable names, and only else by place.

    With `of_fields`, also by the names and types that fields and buttons of forms have.
    """

    def __init__(self, tree: Tree, varieties: Varieties | None = None, *, of_fields: bool = False) -> None:
        self._tree = tree
        self._of_fields = of_fields
        self._naming = _FIELD_NAMING if of_fields else _NAMING
        self._varieties = varieties or Varieties(tree)
        self._written: dict[tuple[int, ...], str] = {}
        self._having_name: dict[str, frozenset[int]] = {}
        self._in_order: dict[str, list[int]] = {}  # what a selector matches

    def write(self, nodes: Sequence[int]) -> str:
        """Write a selector that means these elements and no others; empty if there is none short enough.

        >>> from pagedrift.facets.tree import read_tree
        >>> tree = read_tree('<div id=main><p class="css-1x2y3z lead">A</p><p>B</p></div>')
        >>> SelectorWriter(tree).write([tree.find("p")])
        '.lead'
        """
        key = tuple(nodes)
        if key not in self._written:
            self._written[key] = self._write(key) if key else ""
        return self._written[key]

    def _write(self, nodes: tuple[int, ...]) -> str:
        wanted = frozenset(nodes)
        simple = []
        alone = ""
        for css, matched in self._simple(nodes):
            if matched == wanted and not self._is_any_control(css):
                return css
            alone = alone or (css if matched == wanted else "")
            simple.append((css, matched))
        for above, css in self._below(nodes, simple):
            return f"{above} {css}"
        if alone:
            return alone
        return self._by_place(nodes[0]) if len(wanted) == 1 else self._in_place(nodes, simple)

    def _is_any_control(self, css: str) -> bool:
        """Say whether a selector means the only button or link of a page, which will soon have another."""
        return self._of_fields and css in _CONTROLS

    def write_in(self, rows: Sequence[int], nodes: Sequence[int]) -> str:
        """Write a selector that means these elements and no others from each of some rows; empty if there is none.

        >>> from pagedrift.facets.tree import read_tree
        >>> tree = read_tree("<li><p><b>A</b></p><b>B</b><li><p><b>C</b></p><b>D</b>")
        >>> inner = [node for node in tree.elements("b") if tree.tag(tree.parent[node]) == "p"]
        >>> SelectorWriter(tree).write_in(list(tree.elements("li")), inner)
        'p > b'
        """
        wanted, simple = frozenset(nodes), list(self._simple(nodes))
        for css, matched in simple:
            if self._among(matched, rows) == wanted:
                return css
        for way in self._ways_in(rows, nodes[0]):
            if self._among(self._reached(way), rows) == wanted:
                return " > ".join(way)
        return ""

    def _among(self, nodes: Collection[int], rows: Sequence[int]) -> set[int]:
        found = ((node, bisect_right(rows, node)) for node in nodes)
        return {node for node, at in found if at and node < self._tree.end[rows[at - 1]]}

    def _ways_in(self, rows: Sequence[int], node: int) -> Iterator[list[str]]:
        """Give ever longer ways to an element from those around it in its row, by their best names or tags."""
        row, way = rows[bisect_right(rows, node) - 1], list[str]()
        while node > row:
            tag = self._tree.tag(node)
            way.insert(0, next(iter(self._names(node)), tag) if way else tag)
            yield way
            node = self._tree.parent[node]

    def _reached(self, way: list[str]) -> set[int]:
        """Give the elements that end a way, each step of which is the parent of the next."""
        found, *others = [self._having(name) for name in way]
        for step in others:
            found = frozenset(node for node in step if self._tree.parent[node] in found)
        return set(found)

    def _in_place(self, nodes: Sequence[int], simple: list[tuple[str, frozenset[int]]]) -> str:
        """Name the element around a list by its place, if a simple selector means the list in it."""
        above, wanted = self._common(nodes), frozenset(nodes)
        if above <= 0 or self._tree.kind[above] != ELEMENT:
            return ""
        end = self._tree.end[above]
        for css, matched in simple:
            if {node for node in matched if above < node < end} == wanted:
                return f"{self._by_place(above)} {css}"
        return self._child_by_child(nodes, above)

    def _child_by_child(self, nodes: Sequence[int], above: int) -> str:
        """Name each element between a list and what is around it by its tag, if that means the list alone."""
        first, end = nodes[0], self._tree.end[above]
        tags = self._way(first, above)
        if self._on_same_way(nodes, first, above) < len(nodes):
            return ""
        others = [node for node in self._having(tags[-1]).difference(nodes) if above < node < end]
        if self._on_same_way(others, first, above) or not all(map(_TAG.fullmatch, tags)):
            return ""
        named = next((name for name in self._names(above) if len(self._having(name)) == 1), "")
        return " > ".join((named or self._by_place(above), *tags))

    def _way(self, node: int, above: int) -> list[str]:
        """Give the tags from below an element down to one in it."""
        tags: list[str] = []
        while node > above:
            tags.append(self._tree.tag(node))
            node = self._tree.parent[node]
        return tags[::-1]

    def _on_same_way(self, nodes: Sequence[int], first: int, above: int) -> int:
        """Count the nodes to which the same tags lead from an element above as to another one in it."""
        name, parent, found = self._tree.name, self._tree.parent, 0
        left = list(nodes)
        while left:
            found += left.count(first)  # from here on it is one way
            if first <= above:
                break
            tag = name[first]
            left = [parent[node] for node in left if name[node] == tag and node > above and node != first]
            first = parent[first]
        return found

    def _having(self, name: str) -> frozenset[int]:
        """Give the elements of a tag, id, class or other name as a selector names them."""
        found = self._having_name.get(name)
        if found is None:
            of_variety = self._varieties.nodes.at
            found = frozenset(chain.from_iterable(map(of_variety, self._varieties_of.get(name, ()))))
            self._having_name[name] = found
        return found

    @cached_property
    def _varieties_of(self) -> dict[str, list[int]]:
        """The varieties that have each name."""
        found: dict[str, list[int]] = {}
        for number, (tag, names) in enumerate(zip(self._varieties.tags, self._named, strict=True)):
            for name in (tag, *names) if tag else ():
                found.setdefault(name, []).append(number)
        return found

    @cached_property
    def _placed(self) -> Placed:
        return place_nodes(self._tree.columns)

    @cached_property
    def _named(self) -> list[tuple[str, ...]]:
        """The stable names of the elements of each variety."""
        return [
            stable_names(tuple((name, value) for name, value in values.items() if name in self._naming))
            for values in self._varieties.attributes
        ]

    def _names(self, node: int) -> tuple[str, ...]:
        """Give the stable names of an element, those that say most first."""
        return self._named[self._varieties.of_node[node]]

    def _simple(self, nodes: Sequence[int]) -> Iterator[tuple[str, frozenset[int]]]:
        """Give the selectors of one element that all of these have, with what they match; the best come first."""
        varieties = set(map(self._varieties.of_node.__getitem__, nodes))
        tags = {self._varieties.tags[variety] for variety in varieties}
        common = frozenset(self._names(nodes[0])).intersection(*(self._named[variety] for variety in varieties))
        names = [name for name in self._names(nodes[0]) if name in common]
        tag = tags.pop() if len(tags) == 1 else ""
        if not _TAG.fullmatch(tag):
            tag = ""
        for name in names:
            yield name, self._having(name)
        if tag in _MEANINGFUL:
            yield tag, self._having(tag)
        for name in names if tag else ():
            both = self._having(tag) & self._having(name)
            if len(both) < len(self._having(name)):  # else the name alone means as much
                yield f"{tag}{name}", both
        for one, other in combinations([name for name in names if name.startswith(".")], 2):
            yield one + other, self._having(one) & self._having(other)
        if tag and tag not in _MEANINGFUL:
            yield tag, self._having(tag)

    def _below(self, nodes: Sequence[int], simple: list[tuple[str, frozenset[int]]]) -> Iterator[tuple[str, str]]:
        """Name an element around all of these in which a simple selector means them alone, the nearest first."""
        above = self._common(nodes)
        wanted = frozenset(nodes)
        for _ in range(MAX_ANCESTORS):
            if above <= 0 or self._tree.kind[above] != ELEMENT:
                return
            own = [*self._names(above)] + [tag for tag in [self._tree.tag(above)] if tag in _MEANINGFUL]
            for name in own:
                places = self._having(name)
                for css, matched in simple:
                    if not self._is_other_below(css, matched, wanted, places):
                        yield name, css
            above = self._tree.parent[above]

    def _common(self, nodes: Sequence[int]) -> int:
        """Find the element around all of these."""
        above, first, last = self._tree.parent[nodes[0]], min(nodes), max(nodes)
        while above > 0 and not above < first <= last < self._tree.end[above]:
            above = self._tree.parent[above]
        return above

    def _is_other_below(
        self, css: str, matched: frozenset[int], wanted: frozenset[int], places: Collection[int]
    ) -> bool:
        """Say whether any node that a selector matches, but those wanted, stands below one of some elements."""
        if css not in self._in_order:
            self._in_order[css] = sorted(matched)
        nodes = self._in_order[css]
        for place in places:
            at, end = bisect_right(nodes, place), self._tree.end[place]
            while at < len(nodes) and nodes[at] < end:
                if nodes[at] not in wanted:
                    return True
                at += 1
        return False

    def _by_place(self, node: int) -> str:
        """Count children from the nearest element that a name means."""
        steps: list[str] = []
        while node > 0 and self._tree.kind[node] == ELEMENT:
            named = next((name for name in self._names(node) if len(self._having(name)) == 1), "")
            tag = self._tree.tag(node)
            if steps and (named or tag in ("body", "html")):
                return " > ".join((named or tag, *reversed(steps)))
            steps.append(self._step(node, tag))
            node = self._tree.parent[node]
        return ""

    def _step(self, node: int, tag: str) -> str:
        name = tag.rpartition(":")[2]
        return name if self._placed.number[node] == 1 else f"{name}:nth-of-type({self._placed.rank[node]})"
