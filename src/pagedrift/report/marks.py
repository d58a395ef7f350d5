"""Marks: where on a page each step of an edit script shows.

A step shows on an element (its outline and a label), in a text, or as a ghost: a copy of what is no longer there.
What shows nowhere, such as a script or a description in the head, is kept for a list below the page.
"""

from __future__ import annotations

from array import array
from collections import defaultdict
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, Literal

from pagedrift.facets.tree import ELEMENT, NONE, TEXT, Tree
from pagedrift.report.sanitiser import LEFT_OUT, PLACEHOLDERS, VOID
from pagedrift.what_changed.actions import Delete, Insert, Move
from pagedrift.what_changed.matching import match
from pagedrift.what_changed.node_paths import NAMES

if TYPE_CHECKING:
    from pagedrift.what_changed.actions import Action, EditScript
    from pagedrift.what_changed.descriptions import Description
    from pagedrift.what_changed.matching import Matching

Side = Literal["old", "new"]

# Marked as a whole: a mark inside would break them or not show.
ATOMS: Final = frozenset(
    {"svg:svg", "math:math", "select", "option", "textarea", "picture", "colgroup", *PLACEHOLDERS}
)
# No mark may stand directly below these.
STRICT: Final = frozenset(
    "table thead tbody tfoot tr ul ol dl menu dir select picture colgroup head html frameset optgroup".split()
)
NOWHERE: Final = -2


@dataclass(frozen=True, slots=True)
class Marked:
    """A step as it shows: its place in the script from 1, and for moves a number of their own."""

    index: int
    action: Action
    description: Description
    move: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Marks:
    """All steps of a script as they show on one side."""

    all: tuple[Marked, ...]
    elements: dict[int, list[Marked]]
    texts: dict[int, list[Marked]]
    first: dict[int, list[Marked]]  # ghosts that come first in an element
    behind: dict[int, list[Marked]]  # ghosts behind a node
    inside: dict[int, Marked]  # ghosts of moved nodes, by old node, that stand inside another ghost
    unseen: list[Marked]


def marks(old: Tree, new: Tree, script: EditScript, *, side: Side = "new") -> Marks:
    """Find out where each step shows on one side."""
    known = _numbered(script, old)
    finder = _Finder(old, new, known)
    for step in known:
        if side == "old":
            finder.mark_old(step)
        else:
            finder.mark_new(step)
    return finder.found


def _numbered(script: EditScript, old: Tree) -> tuple[Marked, ...]:
    moves, known = 0, []
    for index, action in enumerate(script, 1):
        moves += isinstance(action, Move)
        known.append(Marked(index, action, action.described(old), moves if isinstance(action, Move) else 0))
    return tuple(known)


class _Finder:
    def __init__(self, old: Tree, new: Tree, known: tuple[Marked, ...]) -> None:
        self.old, self.new, self.known = old, new, known
        self._matching: Matching | None = None
        self._moved = {step.action.node for step in known if isinstance(step.action, Move)}
        self._anchors: dict[int, dict[int, int]] = {}
        self._shelters: dict[int, array[int]] = {}
        self._numbers: dict[int, dict[str, int]] = {}
        self._ghostly: bytearray | None = None
        self.found = Marks(
            all=known,
            elements=defaultdict(list),
            texts=defaultdict(list),
            first=defaultdict(list),
            behind=defaultdict(list),
            inside={},
            unseen=[],
        )

    def mark_old(self, step: Marked) -> None:
        """Mark on the old page what goes, moves or changes."""
        node = getattr(step.action, "node", NONE)
        if node == NONE:
            return
        self._mark(self.old, node, step)

    def mark_new(self, step: Marked) -> None:
        """Mark on the new page what came, moved or changed, and leave ghosts of what went."""
        match step.action:
            case Delete(node=node):
                self._ghost(node, step)
            case Insert(nodes=nodes):
                self._mark(self.new, nodes[0].number, step)
            case Move(node=node, number=number):
                self._mark(self.new, number, step)
                if self._shelter(self.old)[node] == node and step.description.before:
                    self._ghost(node, step)
            case action:
                self._mark(self.new, self._at(action.new.exact if action.new else "/"), step)

    def _mark(self, tree: Tree, node: int, step: Marked) -> None:
        shelter = self._shelter(tree)[node]
        if shelter == NOWHERE:
            self.found.unseen.append(step)
        elif shelter != node or tree.kind[node] == ELEMENT:
            self.found.elements[shelter].append(step)
        elif not tree.text(node).strip() and not step.description.before.strip():
            self.found.unseen.append(step)  # white space alone is nothing to see
        elif tree.tag(tree.parent[node]) in STRICT:
            self.found.elements[tree.parent[node]].append(step)
        else:
            self.found.texts[node].append(step)

    def _ghost(self, node: int, step: Marked) -> None:
        """Put a copy of an old node where it was, or a mark on the atom it was in."""
        is_move = isinstance(step.action, Move)
        nothing = self.old.kind[node] != ELEMENT and not step.description.before.strip()
        if self._shelter(self.old)[node] == NOWHERE or nothing:
            self.found.unseen.append(step)
            return
        if self._inside_ghost(self.old.parent[node]):
            if is_move:
                self.found.inside[node] = step
            else:
                self.found.unseen.append(step)
            return
        parent, before = self._place(node)
        shelter = self._shelter(self.new)[parent]
        if shelter == parent and self.new.tag(parent) not in ATOMS | VOID:
            (self.found.behind[before] if before != NONE else self.found.first[parent]).append(step)
        elif not is_move:
            (self.found.elements[shelter] if shelter != NOWHERE else self.found.unseen).append(step)

    def _place(self, node: int) -> tuple[int, int]:
        """Find where on the new page an old node would stand: below which node, and behind which."""
        new_of = self._partners().new_of
        parent = self.old.parent[node]
        while new_of[parent] == NONE:
            node, parent = parent, self.old.parent[parent]
        if parent not in self._anchors:
            self._anchors[parent] = {}
            last = NONE
            for child in self.old.children(parent):
                self._anchors[parent][child] = last
                partner = NONE if child in self._moved else new_of[child]
                last = partner if partner != NONE and self.new.parent[partner] == new_of[parent] else last
        return new_of[parent], self._anchors[parent][node]

    def _partners(self) -> Matching:
        if self._matching is None:
            self._matching = match(self.old, self.new)
        return self._matching

    def _inside_ghost(self, node: int) -> bool:
        """Return whether an old node is part of what is deleted."""
        if self._ghostly is None:
            self._ghostly = bytearray(len(self.old))
            for step in self.known:
                if isinstance(step.action, Delete):
                    self._ghostly[step.action.node] = 1
            for below in range(1, len(self.old)):
                if below not in self._moved and self._ghostly[self.old.parent[below]]:
                    self._ghostly[below] = 1
        return bool(self._ghostly[node])

    def _shelter(self, tree: Tree) -> array[int]:
        """For each node the one that shows its marks: itself, the atom it is in, or none."""
        if id(tree) not in self._shelters:
            found: array[int] = array("i", [NOWHERE]) * len(tree)
            body = tree.find("body") if tree.find("body") != NONE else tree.find("frameset")
            for node in range(1, len(tree)):
                above = tree.parent[node]
                if node != body and found[above] == NOWHERE:
                    continue
                if tree.kind[node] not in (ELEMENT, TEXT) or tree.tag(node) in LEFT_OUT:
                    continue
                found[node] = found[above] if node != body and _is_closed(tree, above, found) else node
            self._shelters[id(tree)] = found
        return self._shelters[id(tree)]

    def _at(self, exact: str) -> int:
        """Find the node of the new page at an exact path."""
        node = 0
        for name in exact.split("/")[1:]:
            if name:
                node = self._named(node).get(name, 0)
        return node

    def _named(self, parent: int) -> dict[str, int]:
        if parent not in self._numbers:
            named: dict[str, int] = {}
            ranks: dict[str, int] = {}
            for child in self.new.children(parent):
                name = self.new.tag(child) or NAMES[self.new.kind[child]]
                ranks[name] = ranks.get(name, 0) + 1
                named[f"{name}[{ranks[name]}]"] = child
            self._numbers[parent] = named
        return self._numbers[parent]


def _is_closed(tree: Tree, node: int, shelter: array[int]) -> bool:
    return shelter[node] != node or tree.tag(node) in ATOMS
