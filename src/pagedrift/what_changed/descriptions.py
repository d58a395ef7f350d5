"""How is a step described to people, in one line?"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, Literal

from pagedrift.facets.tree import COMMENT, DOCTYPE, ELEMENT, INSTRUCTION, TEXT

if TYPE_CHECKING:
    from pagedrift.facets.tree import Tree

Mark = Literal["added", "removed", "edited", "moved", "changed"]

KIND_NAMES: Final = {TEXT: "text", COMMENT: "comment", DOCTYPE: "doctype", INSTRUCTION: "instruction"}
MAX_NODES: Final = 2_000  # of a subtree that are read for its text


@dataclass(frozen=True, slots=True)
class Description:
    """What a step does: its mark, what it does it to, and how that read before and after."""

    mark: Mark
    what: str
    before: str
    after: str


def name_of(tree: Tree, node: int) -> str:
    """Give the tag of an element; of other nodes, what they are."""
    return tree.tag(node) or KIND_NAMES[tree.kind[node]]


def shown_text(tree: Tree, node: int) -> str:
    """Give the text of a node and all below it; an element without text is described by its attributes."""
    if tree.kind[node] not in (ELEMENT, TEXT):
        return tree.text(node)
    end = min(tree.end[node], node + MAX_NODES)
    texts = " ".join(tree.text(below) for below in range(node, end) if tree.kind[below] == TEXT)
    return " ".join(texts.split()) or written_attributes(tree.attributes(node))


def written_attributes(given: tuple[tuple[str, str], ...]) -> str:
    """Write attributes as they stand in HTML.

    >>> written_attributes((("src", "/map.png"), ("alt", "Map")))
    'src="/map.png" alt="Map"'
    """
    return " ".join(f'{name}="{value}"' for name, value in given)
