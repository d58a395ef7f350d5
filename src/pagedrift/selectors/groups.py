"""Which elements of a page are entries of one list?"""

from __future__ import annotations

from array import array
from collections import Counter
from itertools import chain
from typing import TYPE_CHECKING, Final

from pagedrift._kernels import group_elements, take
from pagedrift._kernels.groups_py import ElementKinds

if TYPE_CHECKING:
    from pagedrift._kernels.groups_py import Lists
    from pagedrift.facets.tree import Tree
    from pagedrift.selectors.varieties import Varieties

_STATES: Final = frozenset("active current selected first last odd even open closed hover disabled".split())
_LEVELS: Final = 6  # that an entry may stand below its list
_CLASSES: Final = 4  # of an element that are looked at

Kind = tuple[str, str]  # tag and classes


def groups(tree: Tree, varieties: Varieties) -> Lists:
    """Gather the elements that are entries of one list, or stand at the same place in its entries.

    Looked at are, below each element, those reached by the same way, and all of one kind at whatever depth.

    >>> from pagedrift.facets.tree import read_tree
    >>> from pagedrift.selectors.varieties import Varieties
    >>> tree = read_tree("<ul><li><a>A</a><li class=active><a>B</a></ul><p>C")
    >>> found = groups(tree, Varieties(tree))
    >>> [[tree.text_below(node) for node in found.at(index)] for index in range(found.size)]
    [['A', 'B'], ['A', 'B']]
    """
    return group_elements(tree.parent, _kinds(varieties), _LEVELS)


def _kinds(varieties: Varieties) -> ElementKinds:
    """Give numbers to the kinds of elements: by tag and classes, by tag, and by class."""
    numbers: dict[Kind, int] = {}
    signatures = [
        (tag, " ".join(sorted(set(classes) - _STATES)))
        for tag, classes in zip(varieties.tags, varieties.classes, strict=True)
    ]
    kinds = [numbers.setdefault(kind, len(numbers)) if kind[0] else -1 for kind in signatures]
    known = list(numbers)  # others are added, of which no element is
    bare, own, starts, shared = array("i"), array("i"), array("i", [0]), list[list[int]]()
    for tag, classes in known:
        bare.append(numbers.setdefault((tag, ""), len(numbers)))
        named = [numbers.setdefault(("", name), len(numbers)) for name in classes.split()[:_CLASSES]]
        shared.append([bare[-1], *named])
    counts = Counter(chain.from_iterable(map(set, shared)))
    for number, others in enumerate(shared):
        # What elements have in common at whatever depth: tag and classes, the tag, or one of the classes. What only
        # one kind has gives no other lists than the kind.
        own.extend(dict.fromkeys((number, *(other for other in others if counts[other] > 1))))
        starts.append(len(own))
    of_node = take(array("i", kinds), varieties.of_node)
    return ElementKinds(of_node, bare, starts, own, numbers.get(("html", ""), -1))
