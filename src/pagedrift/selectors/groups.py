"""Which elements of a page are entries of one list?"""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from pagedrift.facets.tree import Tree

_STATES: Final = frozenset("active current selected first last odd even open closed hover disabled".split())
_LEVELS: Final = 6  # that an entry may stand below its list
_CLASSES: Final = 4  # of an element that are looked at
_WAYS: Final = 1 << 40  # from which numbers on ways have more than one step

Kind = tuple[str, str]  # tag and classes


def groups(tree: Tree) -> list[tuple[int, ...]]:
    """Gather the elements that are entries of one list, or stand at the same place in its entries.

    Looked at are, below each element, those reached by the same way, and all of one kind at whatever depth.

    >>> from pagedrift.facets.tree import read_tree
    >>> tree = read_tree("<ul><li><a>A</a><li class=active><a>B</a></ul><p>C")
    >>> [[tree.text_below(node) for node in nodes] for nodes in groups(tree)]
    [['A', 'B'], ['A', 'B']]
    """
    kinds, numbers = _Kinds(tree), dict[tuple[int, int], int]()  # a way: its first step, the rest
    found: defaultdict[tuple[int, int], list[int]] = defaultdict(list)
    for node, kind in kinds.of.items():
        way, tags, own = kind, kinds.bare[kind], kinds.own[kind]
        above = tree.parent[node]
        for _ in range(_LEVELS):
            around = kinds.of.get(above)
            if around is None or around == kinds.root:
                break
            found[above, way].append(node)
            if tags != way:
                found[above, tags].append(node)
            for key in own:
                found[above, key].append(node)
            above = tree.parent[above]
            same = tags == way and kinds.bare[around] == around
            way = numbers.setdefault((around, way), len(numbers) + _WAYS)
            tags = way if same else numbers.setdefault((kinds.bare[around], tags), len(numbers) + _WAYS)
    return sorted({tuple(nodes) for nodes in found.values() if len(nodes) > 1})


class _Kinds:
    """The kinds of elements of a page, by number."""

    def __init__(self, tree: Tree) -> None:
        self._numbers: dict[Kind, int] = {}
        self.bare: dict[int, int] = {}  # of a kind: the one of its tag without classes
        self.own: dict[int, list[int]] = {}  # what elements of a kind have in common at whatever depth
        self.of = {node: self._number(_kind(tree, node)) for node in tree.elements()}
        self.root = self._numbers.get(("html", ""), -1)

    def _number(self, kind: Kind) -> int:
        if kind not in self._numbers:
            number = self._numbers[kind] = len(self._numbers)
            self.bare[number] = self._number((kind[0], ""))
            # Tag and classes, the tag, or one of the classes; a negative number is none of a way.
            names = [self._number(("", name)) for name in kind[1].split()[:_CLASSES]] if kind[0] else []
            self.own[number] = [-1 - each for each in dict.fromkeys((number, self.bare[number], *names))]
        return self._numbers[kind]


def _kind(tree: Tree, node: int) -> Kind:
    classes = sorted(set((tree.attribute(node, "class") or "").split()) - _STATES)
    return tree.tag(node), " ".join(classes)
