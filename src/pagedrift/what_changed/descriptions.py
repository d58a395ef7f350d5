"""How is a step described to people, in one line?"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, Literal

from pagedrift.facets.tree import COMMENT, DOCTYPE, ELEMENT, INSTRUCTION, TEXT
from pagedrift.what_changed.actions import (
    Action,
    AddAttribute,
    ChangeAttribute,
    Delete,
    Insert,
    Move,
    RemoveAttribute,
    Rename,
    UpdateText,
)

if TYPE_CHECKING:
    from pagedrift.facets.tree import Tree

Mark = Literal["added", "removed", "edited", "moved", "changed"]

MARKS: Final[dict[type[Action], Mark]] = {
    Insert: "added",
    Delete: "removed",
    UpdateText: "edited",
    Move: "moved",
    Rename: "changed",
    AddAttribute: "changed",
    RemoveAttribute: "changed",
    ChangeAttribute: "changed",
}
WHAT: Final = {TEXT: "text", COMMENT: "comment", DOCTYPE: "doctype", INSTRUCTION: "instruction"}
NODES: Final = 2_000  # of a subtree that are read for its text


@dataclass(frozen=True, slots=True)
class Description:
    """What a step does: its mark, what it does it to, and how that read before and after."""

    mark: Mark
    what: str
    before: str
    after: str


def describe(action: Action, old: Tree) -> Description:
    """Tell a step in words.

    >>> from pagedrift.facets.tree import read_tree
    >>> from pagedrift.what_changed import diff_trees
    >>> old = read_tree("<p>See <a href=/fees>the fees</a>")
    >>> new = read_tree("<p>See <a href=/prices>the fees</a>")
    >>> [describe(action, old) for action in diff_trees(old, new)]
    [Description(mark='changed', what='href', before='/fees', after='/prices')]
    """
    mark = MARKS[type(action)]
    match action:
        case Insert(nodes=nodes):
            first = nodes[0]
            text = first.text or " ".join(node.text for node in nodes[:NODES] if node.kind == TEXT)
            after = " ".join(text.split()) or _attributes(first.attributes)
            return Description(mark, first.tag or WHAT[first.kind], "", after)
        case Delete(node=node):
            return Description(mark, _what(old, node), _text(old, node), "")
        case Move(node=node):
            text = _text(old, node)
            return Description(mark, _what(old, node), text, text)
        case UpdateText(node=node, before=before, after=after):
            return Description(mark, _what(old, node), before, after)
        case Rename(before=before, after=after):
            return Description(mark, "element", before, after)
        case AddAttribute(name=name, value=value):
            return Description(mark, name, "", value)
        case RemoveAttribute(name=name, value=value):
            return Description(mark, name, value, "")
        case ChangeAttribute(name=name, before=before, after=after):
            return Description(mark, name, before, after)
    raise TypeError(f"no description of {action!r}; add one to what_changed/descriptions.py")


def _what(tree: Tree, node: int) -> str:
    return tree.tag(node) or WHAT[tree.kind[node]]


def _text(tree: Tree, node: int) -> str:
    if tree.kind[node] not in (ELEMENT, TEXT):
        return tree.text(node)
    end = min(tree.end[node], node + NODES)
    texts = " ".join(tree.text(below) for below in range(node, end) if tree.kind[below] == TEXT)
    return " ".join(texts.split()) or _attributes(tree.attributes(node))


def _attributes(given: tuple[tuple[str, str], ...]) -> str:
    """Tell an element without text by its attributes."""
    return " ".join(f'{name}="{value}"' for name, value in given)
