"""The elements of a page by tag and names: what is known of one is known of all of its variety."""

from __future__ import annotations

from functools import cached_property
from itertools import pairwise
from typing import TYPE_CHECKING, Final

from pagedrift._kernels import gather, number_attributes, number_pairs
from pagedrift.selectors.meanings import meanings, name_words

if TYPE_CHECKING:
    from pagedrift._kernels.groups_py import Lists
    from pagedrift.facets.tree import Tree

MAX_VALUE_CHARS: Final = 300  # of an attribute that are read
PARTS: Final = {
    "nav": "navigation",
    "header": "header",
    "footer": "footer",
    "aside": "side",
    "navigation": "navigation",
    "menu": "navigation",
    "side": "side",
}
_NAMING: Final = frozenset("id class itemprop property rel role name type".split())


class Varieties:
    """The varieties of elements of one tree: those of one tag and with the same naming attributes are one.

    >>> from pagedrift.facets.tree import read_tree
    >>> varieties = Varieties(read_tree("<p class=fee id=a>1<p class=fee>2<p class=fee>3"))
    >>> [varieties.tags[each] for each in varieties.of_node], [sorted(names) for names in varieties.names][-2:]
    (['', 'html', 'head', 'body', 'p', '', 'p', '', 'p', ''], [['fee'], ['fee']])
    """

    def __init__(self, tree: Tree) -> None:
        self._tree = tree
        wanted = bytes(name in _NAMING or name.startswith("data-") for name in tree.names)
        attributes, firsts = number_attributes(tree.columns, wanted)
        self.of_node, nodes = number_pairs(tree.name, attributes)
        values = [
            {name: value for name, value in tree.attributes(node) if name in _NAMING or name.startswith("data-")}
            if number
            else {}
            for number, node in enumerate(firsts)
        ]
        self.tags = [tree.names[tree.name[node]] for node in nodes]
        self.attributes = [values[attributes[node]] for node in nodes]  # that name something

    @cached_property
    def nodes(self) -> Lists:
        """The nodes of each."""
        return gather(self.of_node, len(self.tags))

    @cached_property
    def counts(self) -> list[int]:
        """How many nodes are of each."""
        return [stop - start for start, stop in pairwise(self.nodes.starts)]

    @cached_property
    def names(self) -> list[frozenset[str]]:
        """The words of what the elements are called."""
        return [
            frozenset().union(*(name_words(value[:MAX_VALUE_CHARS]) for value in values.values()))
            for values in self.attributes
        ]

    @cached_property
    def meanings(self) -> list[frozenset[str]]:
        """What these mean."""
        return [meanings(names) for names in self.names]

    @cached_property
    def classes(self) -> list[list[str]]:
        """The classes of the elements, in order."""
        return [sorted(values.get("class", "").split()) for values in self.attributes]

    @cached_property
    def signatures(self) -> list[tuple[str, str]]:
        """The tag and the classes, which elements of one kind share."""
        return [(tag, " ".join(classes)) for tag, classes in zip(self.tags, self.classes, strict=True)]

    @cached_property
    def parts(self) -> list[str]:
        """The part of the page that the elements are by their tag and names; empty for none."""
        return [_part(tag, meant) for tag, meant in zip(self.tags, self.meanings, strict=True)]


def _part(tag: str, meant: frozenset[str]) -> str:
    if part := PARTS.get(tag):
        return part
    return next((part for meaning in sorted(meant) if (part := PARTS.get(meaning))), "") if meant else ""
