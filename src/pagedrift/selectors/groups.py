"""Which elements of a page are entries of one list?"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from pagedrift.facets.tree import Tree

_STATES: Final = frozenset("active current selected first last odd even open closed hover disabled".split())
_LEVELS: Final = 6  # that an entry may stand below its list
_CLASSES: Final = 4  # of an element that are looked at
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
        own = _own_keys(kind)
        way: tuple[Kind, ...] = (kind,)
        tags: tuple[Kind, ...] = ((kind[0], ""),)
        above = tree.parent[node]
        for _ in range(_LEVELS):
            if above not in kinds or tree.tag(above) == "html":
                break
            for key in {way, tags, *own}:
                found.setdefault((above, key), []).append(node)
            around, above = kinds[above], tree.parent[above]
            way, tags = (around, *way), ((around[0], ""), *tags)
    return sorted({tuple(nodes) for nodes in found.values() if len(nodes) > 1})


def _own_keys(kind: Kind) -> list[tuple[Kind, ...]]:
    """Give what elements at whatever depth have in common: tag and classes, the tag, or one of the classes."""
    classes = kind[1].split()[:_CLASSES]
    return [(_ANYWHERE, kind), (_ANYWHERE, (kind[0], "")), *((_ANYWHERE, ("", name)) for name in classes)]


def _kind(tree: Tree, node: int) -> Kind:
    classes = sorted(set((tree.attribute(node, "class") or "").split()) - _STATES)
    return tree.tag(node), " ".join(classes)
