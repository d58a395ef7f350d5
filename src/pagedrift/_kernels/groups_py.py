"""The lists of a page: elements reached in the same way from the same place (readable twin)."""

from __future__ import annotations

from array import array
from collections import defaultdict
from typing import TYPE_CHECKING, Final, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    Ints = array[int]

CHAIN: Final = 3  # elements around one whose names are read
WAYS: Final = 1 << 40  # from which numbers on ways have more than one step


class Lists(NamedTuple):
    """Lists of nodes, end to end; list number i goes from `starts[i]` up to `starts[i + 1]`."""

    starts: Ints
    nodes: Ints

    def at(self, index: int) -> tuple[int, ...]:
        """Give one list."""
        return tuple(self.nodes[self.starts[index] : self.starts[index + 1]])

    @property
    def size(self) -> int:
        """How many there are."""
        return len(self.starts) - 1


class ElementKinds(NamedTuple):
    """What kind each element is of, and what its kind has in common with others."""

    of_node: Ints  # by node; -1 for what is not an element
    bare: Ints  # by kind: the one of its tag without classes
    own_start: Ints  # by kind: where what its elements share at whatever depth begins in `own`
    own: Ints
    root: int  # the kind of the element around all others, -1 for none


def group_elements(parent: Ints, kinds: ElementKinds, levels: int) -> Lists:
    """Gather the elements that one way leads to from an element up to `levels` above, and those of one kind there.

    Lists of two and more come in order, each once.

    >>> of_node, own = array("i", [-1, 0, 1, 1]), array("i", [0, 1])
    >>> kinds = ElementKinds(of_node, own, array("i", [0, 1, 2]), own, -1)
    >>> group_elements(array("i", [-1, 0, 1, 1]), kinds, 6)
    Lists(starts=array('i', [0, 2]), nodes=array('i', [2, 3]))
    """
    numbers: dict[tuple[int, int], int] = {}  # a way: its first step, the rest
    found: defaultdict[tuple[int, int], list[int]] = defaultdict(list)
    for node, kind in enumerate(kinds.of_node):
        for place in _ways(node, parent, kinds, numbers, levels) if kind >= 0 else ():
            found[place].append(node)
    return as_lists(sorted({tuple(nodes) for nodes in found.values() if len(nodes) > 1}))


def _ways(
    node: int, parent: Ints, kinds: ElementKinds, numbers: dict[tuple[int, int], int], levels: int
) -> Iterator[tuple[int, int]]:
    """Give each element around one, with the ways that lead from there to it."""
    kind, above = kinds.of_node[node], parent[node]
    way, tags = kind, kinds.bare[kind]
    # A negative number is none of a way.
    own = [-1 - each for each in kinds.own[kinds.own_start[kind] : kinds.own_start[kind + 1]]]
    for _ in range(levels):
        around = kinds.of_node[above] if above >= 0 else -1
        if around in (-1, kinds.root):
            break
        for key in dict.fromkeys((way, tags, *own)):
            yield above, key
        above, bare = parent[above], kinds.bare[around]
        same = tags == way and bare == around
        way = numbers.setdefault((around, way), len(numbers) + WAYS)
        tags = way if same else numbers.setdefault((bare, tags), len(numbers) + WAYS)


class NodeSurroundings(NamedTuple):
    """What elements have around them, by node."""

    depth: Ints
    heading: Ints  # the number of the heading that it is or stands in
    part: Ints  # of the page
    chain: Ints  # the number of the names above it
    chains: list[tuple[int, ...]]  # by number: those of the next three elements around it, the nearest first


def look_around(parent: Ints, names: Ints, headings: Ints, parts: Ints) -> NodeSurroundings:
    """Go down a tree; `names`, `headings` and `parts` are each element's own, by node, names -1 for other nodes."""
    depth, heading, part, chain = (array("i", bytes(4 * len(parent))) for _ in range(4))
    numbers: dict[tuple[int, ...], int] = {(): 0}
    for node in range(1, len(parent)):
        if names[node] >= 0:
            above, way = parent[node], list[int]()
            depth[node] = depth[above] + 1 if above > 0 else 0
            heading[node] = headings[node] or heading[above]
            part[node] = parts[node] or part[above]
            while above > 0 and len(way) < CHAIN:
                way.append(names[above])
                above = parent[above]
            chain[node] = numbers.setdefault(tuple(way), len(numbers))
    return NodeSurroundings(depth, heading, part, chain, list(numbers))


def as_lists(found: Sequence[Sequence[int]]) -> Lists:
    """Put lists end to end."""
    starts, nodes = array("i", [0]), array("i")
    for each in found:
        nodes.extend(each)
        starts.append(len(nodes))
    return Lists(starts, nodes)
