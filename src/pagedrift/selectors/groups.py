"""Which elements of a page are entries of one list?"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from pagedrift.facets.tree import Tree

_STATES: Final = frozenset("active current selected first last odd even open closed hover disabled".split())
_LEVELS: Final = 6  # that an entry may stand below its list
_ANYWHERE: Final = ("", "")

Kind = tuple[str, str]  # tag and classes
GroupKey = tuple[int, tuple[Kind, ...]]  # an element, and the way from it down to what is in each of its entries


def groups(tree: Tree) -> list[tuple[int, ...]]:
    """Gather the elements that are entries of one list, or stand at the same place in its entries.

    Looked at are, below each element, those reached by the same way, and all of one kind at whatever depth.

    >>> from pagedrift.facets.tree import read_tree
    >>> tree = read_tree("<ul><li><a>A</a><li class=active><a>B</a></ul><p>C")
    >>> [[tree.text_below(node) for node in nodes] for nodes in groups(tree)]
    [['A', 'B'], ['A', 'B']]
    """
    kinds = {node: _kind(tree, node) for node in tree.elements()}
    found: dict[GroupKey, list[int]] = {}
    for node, kind in kinds.items():
        way: tuple[Kind, ...] = (kind,)
        above = tree.parent[node]
        for _ in range(_LEVELS):
            if above not in kinds or tree.tag(above) == "html":
                break
            for key in {(above, way), (above, (_ANYWHERE, kind)), (above, (_ANYWHERE, (kind[0], "")))}:
                found.setdefault(key, []).append(node)
            way, above = (kinds[above], *way), tree.parent[above]
    return sorted({tuple(nodes) for nodes in found.values() if len(nodes) > 1})


def _kind(tree: Tree, node: int) -> Kind:
    classes = sorted(set((tree.attribute(node, "class") or "").split()) - _STATES)
    return tree.tag(node), " ".join(classes)
