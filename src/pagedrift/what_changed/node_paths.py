"""Where does a node stand on a page, and what kind of thing is it to a reader?"""

from __future__ import annotations

from bisect import bisect_right
from collections import Counter
from functools import cached_property
from itertools import repeat
from typing import TYPE_CHECKING, Final

from pagedrift._kernels import has_text, make_record, nearest, place_nodes
from pagedrift.facets.tree import COMMENT, DOCTYPE, ELEMENT, INSTRUCTION, NONE, TEXT, Tree
from pagedrift.what_changed.actions import Kind, Path

if TYPE_CHECKING:
    from collections.abc import Set

_PLAIN: Final = {"html", "body", "tbody"}  # says nothing on the way to a node
NAMES: Final = {TEXT: "text()", COMMENT: "comment()", DOCTYPE: "doctype()", INSTRUCTION: "instruction()"}

_TAGS: Final[dict[str, Kind]] = {
    **dict.fromkeys(("h1", "h2", "h3", "h4", "h5", "h6", "hgroup"), "heading"),
    **dict.fromkeys(("img", "picture", "source", "svg:svg", "video", "canvas", "map", "area"), "image"),
    **dict.fromkeys(("a", "svg:a"), "link"),
    **dict.fromkeys(("form", "input", "select", "option", "optgroup", "textarea", "button", "fieldset"), "form"),
    **dict.fromkeys(("label", "legend", "caption", "figcaption", "summary"), "caption"),
    **dict.fromkeys(("head", "title", "meta", "link", "base", "script", "noscript", "template"), "metadata"),
    **dict.fromkeys(("style", "font", "center"), "style"),
}
_KINDS: Final = tuple(sorted(set(_TAGS.values())))
_KIND_NUMBERS: Final = {tag: _KINDS.index(kind) + 1 for tag, kind in _TAGS.items()}
_ATTRIBUTES: Final[dict[str, Kind]] = {
    **dict.fromkeys(("href", "xlink:href", "ping", "target", "rel", "download"), "link"),
    **dict.fromkeys(("src", "srcset", "data-src", "data-srcset", "poster", "sizes"), "image"),
    **dict.fromkeys(("class", "style", "color", "bgcolor", "face", "size", "align", "valign", "width"), "style"),
    **dict.fromkeys(("height", "border", "background", "cellpadding", "cellspacing"), "style"),
    **dict.fromkeys(("title", "alt", "label", "placeholder", "aria-label", "summary"), "caption"),
    **dict.fromkeys(("action", "method", "value", "checked", "selected", "disabled", "type", "for"), "form"),
    **dict.fromkeys(("lang", "content", "charset", "http-equiv", "property", "itemprop"), "metadata"),
}

_SLOTS: Final = ("_node", "_places")


class NodePaths:
    """The paths of the nodes of one tree."""

    def __init__(self, tree: Tree) -> None:
        self._tree = tree
        self._placed = place_nodes(tree.columns)
        self._paths: dict[int, tuple[tuple[str, ...], str]] = {}

    @cached_property
    def _named(self) -> Set[int]:
        """The elements whose id no other has: a path may begin at one."""
        attributes, starts = self._tree.columns, self._tree.columns.attribute_start
        name = self._tree.names.index("id") if "id" in self._tree.names else NONE
        found = [
            bisect_right(starts, at) - 1 for at, other in enumerate(attributes.attribute_name) if other == name
        ]
        ids = [self._tree.attribute(node, "id") for node in found]
        counts = Counter(ids)
        return {node for node, identity in zip(found, ids, strict=True) if identity and counts[identity] == 1}

    def path(self, node: int) -> Path:
        """Say where a node stands."""
        return make_record(_PathOfNode, _SLOTS, (node, self))

    def position(self, node: int) -> int:
        """Say at which place among its siblings a node stands, from 0."""
        return self._placed.position[node]

    def number(self, node: int) -> int:
        """Give a number for the exact path."""
        return self._placed.place[node]

    def kind(self, node: int) -> Kind:
        """Say what kind of thing a node is: the nearest meaningful element, from the node up."""
        tree = self._tree
        if tree.kind[node] in (DOCTYPE, COMMENT, INSTRUCTION):
            return "metadata"
        if around := nearest(tree.name, tree.parent, self._kinds, node):
            return _KINDS[around - 1]
        return "text" if has_text(tree.columns, node) else "structure"

    @cached_property
    def _kinds(self) -> bytes:
        """By name: one more than the number of the kind that elements are; 0 for none."""
        return bytes(map(_KIND_NUMBERS.get, self._tree.names, repeat(0)))

    def write(self, node: int) -> tuple[str, str]:
        """Write both paths of a node."""
        way = []
        while node > 0 and node not in self._paths:
            way.append(node)
            node = self._tree.parent[node]
        readable, exact = self._paths.get(node, ((), ""))
        for below in reversed(way):
            rank = self._placed.rank[below]
            exact = f"{exact}/{self._name(below)}[{rank}]"
            if self._tree.kind[below] == ELEMENT and self._tree.tag(below) not in _PLAIN:
                label = self._label(below)
                if below in self._named:
                    readable = (label,)
                else:
                    readable = (*readable, label + (f"[{rank}]" if self._placed.number[below] > 1 else ""))
            self._paths[below] = readable, exact
        return " › ".join(readable), exact or "/"

    def _name(self, node: int) -> str:
        return self._tree.tag(node) or NAMES[self._tree.kind[node]]

    def _label(self, node: int) -> str:
        tag = self._tree.tag(node)
        if identity := self._tree.attribute(node, "id"):
            return f"{tag}#{identity}"
        classes = (self._tree.attribute(node, "class") or "").split()
        return f"{tag}.{classes[0]}" if classes else tag


class _PathOfNode(Path):
    """A path that is written when it is asked for: most never are, and writing costs more than finding a step."""

    __slots__ = _SLOTS
    _places: NodePaths
    _node: int

    @property
    def readable(self) -> str:
        """The path for people."""
        return self._places.write(self._node)[0]

    @property
    def exact(self) -> str:
        """The exact path."""
        return self._places.write(self._node)[1]

    def __reduce__(self) -> tuple[type[Path], tuple[str, str]]:
        return Path, self._places.write(self._node)


def kind_of_attribute(tag: str, name: str) -> Kind:
    """Say what kind of thing an attribute is."""
    if _TAGS.get(tag) == "metadata":
        return "metadata"
    return _ATTRIBUTES.get(name, "structure")
