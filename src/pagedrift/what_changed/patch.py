"""Which tree results when a script is applied to an old one?

The proof of a script: among the children of each node, those that go or move away are taken out, and those that
arrive are put at the places they have in the new page; the others fill the rest in their order.
"""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING, Final

from pagedrift._kernels import TreeBuilder
from pagedrift._kernels.tree_py import PREFIXES
from pagedrift.arguments import as_page
from pagedrift.facets.tree import ELEMENT, MAX_TREE_NODES, Tree
from pagedrift.what_changed.actions import (
    AttributeAction,
    Delete,
    Insert,
    Move,
    NewNode,
    Rename,
    UpdateText,
)

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pagedrift.arguments import PageLike
    from pagedrift.what_changed.actions import Action, EditScript, Reference

_URIS: Final = {prefix: uri for uri, prefix in PREFIXES.items()}


def patch(old: PageLike, script: EditScript) -> Tree:
    """Apply a script to the version it starts from."""
    return patch_tree(as_page(old).tree, script)


def patch_tree(old: Tree, script: EditScript) -> Tree:
    """Apply a script to a tree."""
    page = _Page(old)
    for action in script:
        page.apply(action)
    return page.built()


class _Page:
    """A tree that can be changed: what leaves and arrives, and what differs from the old tree."""

    def __init__(self, old: Tree) -> None:
        self.old = old
        self.leaving: set[int] = set()
        self.arriving: dict[Reference, dict[int, Reference]] = defaultdict(dict)  # by parent and place
        self.added: dict[Reference, NewNode] = {}
        self.texts: dict[Reference, str] = {}
        self.tags: dict[Reference, str] = {}
        self.attributes: dict[Reference, dict[str, str]] = {}

    def apply(self, action: Action) -> None:
        """Take note of one step."""
        match action:
            case Insert():
                for node in action.nodes:
                    self.added[~node.number] = node
                    self.arriving[node.parent][node.position] = ~node.number
            case Delete():
                self.leaving.add(action.node)
            case Move():
                self.leaving.add(action.node)
                self.arriving[action.parent][action.position] = action.node
            case _:
                self.update(action)

    def update(self, action: Action) -> None:
        """Change what a node is or has."""
        match action:
            case UpdateText():
                self.texts[action.node] = action.after
            case Rename():
                self.tags[action.node] = action.after
            case AttributeAction():
                self._change_attribute(action.node, action.name, action.values[1])

    def _change_attribute(self, node: int, name: str, value: str | None) -> None:
        if value is None:
            del self._attributes(node)[name]
        else:
            self._attributes(node)[name] = value

    def _attributes(self, node: int) -> dict[str, str]:
        return self.attributes.setdefault(node, dict(self.old.attributes(node)))

    def below(self, node: Reference) -> Iterator[Reference]:
        """Give the children of a node as they are now."""
        stays = (child for child in self.old.children(node) if child not in self.leaving) if node >= 0 else iter(())
        arrives = self.arriving.get(node, {})
        place = 0
        for child in stays:
            while place in arrives:
                yield arrives[place]
                place += 1
            yield child
            place += 1
        yield from (arrives[late] for late in sorted(arrives) if late >= place)

    def built(self) -> Tree:
        """Build the tree that this has become."""
        builder = TreeBuilder(MAX_TREE_NODES)
        root = builder.create_document()
        pending = [(child, root) for child in reversed(list(self.below(0)))]
        while pending:
            node, parent = pending.pop()
            handle = self._create(node, builder)
            builder.append(parent, handle)
            pending += [(child, handle) for child in reversed(list(self.below(node)))]
        return Tree(builder.finish(), tuple(builder.names))

    def _create(self, node: Reference, builder: TreeBuilder) -> int:
        added = self.added.get(node)
        kind = added.kind if added else self.old.kind[node]
        if kind == ELEMENT:
            tag = added.tag if added else self.tags.get(node, self.old.tag(node))
            known = added.attributes if added else tuple(self._attributes(node).items())
            prefix = next((prefix for prefix in _URIS if prefix and tag.startswith(prefix)), "")
            return builder.create_element(tag.removeprefix(prefix), _URIS[prefix], known)
        text = added.text if added else self.texts.get(node, self.old.text(node))
        return builder.create_leaf(kind, text)
