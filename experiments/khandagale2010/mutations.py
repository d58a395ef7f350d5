"""Mutated pages of which every element is known: delete, insert, move, wrap, rename, new attributes, new text."""

from __future__ import annotations

import random
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

from pagedrift._kernels import TreeBuilder
from pagedrift._kernels.tree_py import PREFIXES
from pagedrift.facets.tree import DOCUMENT, ELEMENT, TEXT, Tree

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

SMALL: Final = 10  # elements of a subtree that is deleted or copied as a whole
FIXED: Final = frozenset({"html", "head", "body"})  # every page has them, and they stay
# Without contents, or with text that is not for readers: nothing is moved into them, their text is not changed.
CLOSED: Final = frozenset(
    "area base br col embed hr img input link meta param source track wbr script style title template".split()
)
WRAPPERS: Final = ("div", "section", "span")
NAMES: Final = ("article", "div", "h3", "li", "p", "section", "span", "strong")  # to rename to
ATTRIBUTES: Final = ("class", "data-state", "style", "title")  # to add
_NAMESPACES: Final = {prefix: uri for uri, prefix in PREFIXES.items()}


@dataclass(slots=True, eq=False)
class MutableNode:
    """A node that can be changed, and which node of the original page it is; none, if it is new."""

    kind: int
    name: str = ""
    text: str = ""
    attributes: list[tuple[str, str]] = field(default_factory=list)
    children: list[MutableNode] = field(default_factory=list)
    parent: MutableNode | None = None
    origin: int | None = None

    def adopt(self, place: int, child: MutableNode) -> None:
        """Take a node in as a child."""
        self.children.insert(place, child)
        child.parent = self

    def leave(self) -> tuple[MutableNode, int]:
        """Take this node out, and say where it was."""
        above = _parent(self)
        place = above.children.index(self)
        del above.children[place]
        self.parent = None
        return above, place

    def below(self) -> Iterator[MutableNode]:
        """Go through this node and all below it, in document order."""
        pending = [self]
        while pending:
            node = pending.pop()
            yield node
            pending += reversed(node.children)

    def elements(self) -> list[MutableNode]:
        """List the elements of the subtree."""
        return [node for node in self.below() if node.kind == ELEMENT]


@dataclass(frozen=True, slots=True)
class Mutant:
    """A mutated page: its root, and what was done to the elements of the original that are still there."""

    root: MutableNode
    done: dict[int, str]  # the last mutation of an element itself

    def survivors(self) -> set[int]:
        """Name the elements of the original page that are still there."""
        return {node.origin for node in self.root.elements() if node.origin is not None}


def mutate(tree: Tree, rate: float, seed: int) -> Mutant:
    """Mutate a share of the elements of a page, each in one of the ways that it allows, all equally likely."""
    mutation = _Mutation(copy_tree(tree), random.Random(seed))
    chosen = [node for node in mutation.root.elements() if node.name not in FIXED]
    for node in mutation.chance.sample(chosen, round(rate * len(chosen))):
        if mutation.holds(node):  # not deleted by now
            mutation.change(node)
    return Mutant(mutation.root, mutation.done)


def copy_tree(tree: Tree) -> MutableNode:
    """Copy a page, nothing changed."""
    copies = [
        MutableNode(tree.kind[node], tree.tag(node), tree.text(node), list(tree.attributes(node)), origin=node)
        for node in range(len(tree))
    ]
    for node in range(1, len(tree)):
        above = copies[tree.parent[node]]
        above.adopt(len(above.children), copies[node])
    return copies[0]


def build_tree(root: MutableNode) -> tuple[Tree, list[int | None]]:
    """Build a tree without a parser, and list the origins of its nodes."""
    builder = TreeBuilder(limit=10**9)
    numbers: dict[MutableNode, int] = {}
    for node in root.below():
        numbers[node] = number = _create(builder, node)
        if node.parent is not None:
            builder.append(numbers[node.parent], number)
    return Tree(builder.finish(), tuple(builder.names)), [node.origin for node in numbers]


def _create(builder: TreeBuilder, node: MutableNode) -> int:
    if node.kind == DOCUMENT:
        return builder.create_document()
    if node.kind != ELEMENT:
        return builder.create_leaf(node.kind, node.text)
    prefix, _, name = node.name.rpartition(":")
    prefix = f"{prefix}:" if prefix else ""
    if prefix not in _NAMESPACES:  # <o:p> of HTML itself
        prefix, name = "", node.name
    return builder.create_element(name, _NAMESPACES[prefix], tuple(node.attributes))


class _Mutation:
    """One page on its way to a mutant."""

    def __init__(self, root: MutableNode, chance: random.Random) -> None:
        self.root, self.chance = root, chance
        self.done: dict[int, str] = {}
        texts = (node for node in root.below() if node.kind == TEXT and _parent(node).name not in CLOSED)
        self.words = [word for node in texts for word in node.text.split()] or ["word"]

    def holds(self, node: MutableNode) -> bool:
        """Tell whether a node still stands on the page."""
        above: MutableNode | None = node
        while above is not None and above is not self.root:
            above = above.parent
        return above is not None

    def change(self, node: MutableNode) -> None:
        """Do one of the things that can be done to an element."""
        ways: dict[str, Callable[[MutableNode], None]] = {
            "delete": self.delete,
            "insert": self.insert,
            "move": self.move,
            "wrap": self.wrap,
            "rename": self.rename,
            "attributes": self.change_attributes,
        }
        if _own_texts(node):
            ways["text"] = self.change_text
        way = self.chance.choice(list(ways))
        ways[way](node)
        if node.origin is not None and way != "insert":
            self.done[node.origin] = way

    def delete(self, node: MutableNode) -> None:
        """Delete a small subtree; of a large one the element alone, and its children take its place."""
        above, place = node.leave()
        if len(node.elements()) > SMALL:
            for offset, child in enumerate(node.children):
                above.adopt(place + offset, child)

    def insert(self, node: MutableNode) -> None:
        """Put a new element behind this one: a copy with other words if it is small, else an empty one."""
        above, place = _parent(node), _parent(node).children.index(node)
        small = len(node.elements()) <= SMALL
        above.adopt(place + 1, self._new_like(node) if small else MutableNode(ELEMENT, node.name))

    def _new_like(self, node: MutableNode) -> MutableNode:
        new = MutableNode(node.kind, node.name, node.text, list(node.attributes))
        if node.kind == TEXT and node.text.strip() and _parent(node).name not in CLOSED:
            new.text = " ".join(self.chance.choices(self.words, k=len(node.text.split())))
        for child in node.children:
            new.adopt(len(new.children), self._new_like(child))
        return new

    def move(self, node: MutableNode) -> None:
        """Move an element: as often to another place among its siblings as to anywhere on the page."""
        above, place = node.leave()
        if self.chance.choice((True, False)) and len(above.children) > 1:
            places = [other for other in range(len(above.children) + 1) if other != place]
            above.adopt(self.chance.choice(places), node)
            return
        able = [other for other in self.root.elements() if other.name not in {*CLOSED, "html", "head"}]
        target = self.chance.choice(able) if able else above
        target.adopt(self.chance.randint(0, len(target.children)), node)

    def wrap(self, node: MutableNode) -> None:
        """Put a new element around this one."""
        above, place = node.leave()
        wrapper = MutableNode(ELEMENT, self.chance.choice(WRAPPERS))
        above.adopt(place, wrapper)
        wrapper.adopt(0, node)

    def rename(self, node: MutableNode) -> None:
        """Give an element another name."""
        node.name = self.chance.choice([name for name in NAMES if name != node.name])

    def change_attributes(self, node: MutableNode) -> None:
        """Drop an attribute, give it another value, or add one."""
        absent = [name for name in ATTRIBUTES if name not in dict(node.attributes)]
        way = self.chance.choice(["drop", "change", "add"] if node.attributes else ["add"])
        if way == "add":
            node.attributes.append((self.chance.choice(absent or ["data-new"]), self.chance.choice(self.words)))
            return
        place = self.chance.randrange(len(node.attributes))
        name, _ = node.attributes.pop(place)
        if way == "change":
            node.attributes.insert(place, (name, self.chance.choice(self.words)))

    def change_text(self, node: MutableNode) -> None:
        """Put other words in place of half the words of one text, at least one."""
        text = self.chance.choice(_own_texts(node))
        words = text.text.split()
        for place in self.chance.sample(range(len(words)), (len(words) + 1) // 2):
            words[place] = self.chance.choice(self.words)
        text.text = " ".join(words)


def _own_texts(node: MutableNode) -> list[MutableNode]:
    if node.name in CLOSED:
        return []
    return [child for child in node.children if child.kind == TEXT and child.text.strip()]


def _parent(node: MutableNode) -> MutableNode:
    if node.parent is None:
        raise ValueError("the document stands under nothing; mutate elements only")
    return node.parent
