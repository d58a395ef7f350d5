"""What changed between two versions of a page, as the steps that lead from one to the other?"""

from __future__ import annotations

from dataclasses import fields
from functools import cached_property
from typing import TYPE_CHECKING, Any, Final

from pagedrift._kernels import find_steps, make_record, step_id
from pagedrift._kernels.steps_py import CHANGED, INSERTED, MOVED
from pagedrift.arguments import as_page
from pagedrift.errors import InputError
from pagedrift.facets.tree import ELEMENT, NONE
from pagedrift.what_changed.actions import (
    Action,
    AddAttribute,
    ChangeAttribute,
    Delete,
    EditScript,
    Insert,
    Kind,
    Move,
    NewNode,
    Reference,
    RemoveAttribute,
    Rename,
    UpdateText,
)
from pagedrift.what_changed.matching import Matching, match
from pagedrift.what_changed.node_paths import NodePaths, kind_of_attribute
from pagedrift.what_changed.signatures import match_by_signature

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from pagedrift.arguments import PageLike
    from pagedrift.facets.tree import Tree
    from pagedrift.what_changed.noise import Noise


MATCHERS: Final[dict[str, Callable[[Tree, Tree], Matching]]] = {
    "pagedrift": match,
    "signatures": match_by_signature,
}

_FIELDS: Final[dict[type, tuple[str, ...]]] = {
    each: tuple(field.name for field in fields(each))
    for each in (NewNode, Delete, Insert, Move, UpdateText, Rename, AddAttribute, RemoveAttribute, ChangeAttribute)
}


def diff(old: PageLike, new: PageLike, *, algorithm: str = "pagedrift", noise: Noise | None = None) -> EditScript:
    """Find the steps that make the tree of the new version out of that of the old one.

    They are complete unless `noise` says what to leave out, or `algorithm="signatures"` asks for the paper's way,
    which does not see everything.

    >>> from pagedrift import PageVersion
    >>> old = PageVersion("https://city.example/fees", b"<ul><li>Fence: $40<li>Roof: $85</ul>")
    >>> new = PageVersion("https://city.example/fees", b"<ul><li>Fence: $45<li>Roof: $85</ul>")
    >>> [(step.before, step.after) for step in diff(old, new)]
    [('Fence: $40', 'Fence: $45')]
    """
    old, new = as_page(old), as_page(new)
    script = diff_trees(old.tree, new.tree, algorithm=algorithm)
    return noise.removed_from(script, old, new) if noise else script


def diff_trees(old: Tree, new: Tree, *, algorithm: str = "pagedrift") -> EditScript:
    """Find the steps between two trees."""
    if algorithm not in MATCHERS:
        raise InputError(f"unknown algorithm {algorithm!r}; choose one of: {', '.join(MATCHERS)}")
    return write_script(MATCHERS[algorithm](old, new))


def write_script(matching: Matching) -> EditScript:
    """Write the steps that a matching of two trees amounts to."""
    return _Writer(matching).script()


class _Writer:
    """Two matched trees, and what differs between them."""

    def __init__(self, matching: Matching) -> None:
        self.matching = matching
        self.old, self.new = matching.old, matching.new
        self._found = find_steps(self.old.columns, self.new.columns, matching.partners)

    @cached_property
    def old_places(self) -> NodePaths:
        """Where the nodes of the old page stand."""
        return NodePaths(self.old)

    @cached_property
    def new_places(self) -> NodePaths:
        """Where the nodes of the new page stand."""
        return NodePaths(self.new)

    def script(self) -> EditScript:
        """Collect all steps, in the order of the page."""
        return EditScript(tuple(action for what, i, j in self._found for action in self._actions(what, i, j)))

    def _actions(self, what: int, i: int, j: int) -> Iterable[Action]:
        if what == CHANGED:
            return self._updates(i, j)
        if what == INSERTED:
            return (self._insertion(j),)
        if what == MOVED:
            return (self._move(i, j),)
        return (self._step(Delete, self.old_places.kind(i), i, NONE, i),)

    def _insertion(self, root: int) -> Action:
        """Insert a node that is new, with all new nodes that hang on it."""
        nodes = {root: self._new_node(root)}
        for j in range(root + 1, self.new.end[root]):
            if self.matching.old_of[j] == NONE and self.new.parent[j] in nodes:
                nodes[j] = self._new_node(j)
        return self._step(Insert, self.new_places.kind(root), NONE, root, tuple(nodes.values()))

    def _new_node(self, j: int) -> NewNode:
        new = self.new
        parent, position = self._reference(new.parent[j]), self.new_places.position(j)
        kind = new.kind[j]
        content = (new.tag(j), new.attributes(j), "") if kind == ELEMENT else ("", (), new.text(j))
        return make_record(NewNode, _FIELDS[NewNode], (j, parent, position, kind, *content))

    def _move(self, i: int, j: int) -> Action:
        parent, position = self._reference(self.new.parent[j]), self.new_places.position(j)
        return self._step(Move, self.new_places.kind(j), i, j, i, j, parent, position)

    def _updates(self, i: int, j: int) -> Iterator[Action]:
        old, new = self.old, self.new
        if old.kind[i] != ELEMENT:
            before, after = old.text(i), new.text(j)
            if before != after:
                yield self._step(UpdateText, self.new_places.kind(j), i, j, i, before, after)
            return
        if old.tag(i) != new.tag(j):
            yield self._step(Rename, "structure", i, j, i, old.tag(i), new.tag(j))
        has_now, has_then = dict(new.attributes(j)), dict(old.attributes(i))
        for name in {**has_then, **has_now} if has_then != has_now else ():
            yield from self._attribute(i, j, name, has_then.get(name), has_now.get(name))

    def _attribute(self, i: int, j: int, name: str, before: str | None, after: str | None) -> Iterator[Action]:
        kind = kind_of_attribute(self.new.tag(j), name)
        if before is None:
            yield self._step(AddAttribute, kind, i, j, i, name, after, name=name)
        elif after is None:
            yield self._step(RemoveAttribute, kind, i, j, i, name, before, name=name)
        elif before != after:
            yield self._step(ChangeAttribute, kind, i, j, i, name, before, after, name=name)

    def _reference(self, j: int) -> Reference:
        i = self.matching.old_of[j]
        return i if i != NONE else ~j

    def _step(
        self, action: type[Action], kind: Kind, i: int, j: int, *fields: Any, name: str | None = None
    ) -> Action:
        """Make a step; `fields` are those that not all have, in their order."""
        before, old = (self.old_places.number(i), self.old_places.path(i)) if i != NONE else (None, None)
        after, new = (self.new_places.number(j), self.new_places.path(j)) if j != NONE else (None, None)
        identity = step_id(action.__name__, before, after, name)
        return make_record(action, _FIELDS[action], (identity, kind, old, new, *fields))
