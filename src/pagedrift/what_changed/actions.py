"""Which steps turn an old page into a new one?

Nodes of the old page are named by their numbers. Nodes that only the new page has are named by `~number`, which is
negative, after their numbers there.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from collections.abc import Iterator

Kind = Literal["text", "link", "image", "heading", "style", "caption", "form", "metadata", "structure"]
Reference = int


@dataclass(frozen=True, slots=True, eq=False)
class Path:
    """Where a node stands: for people, and exactly."""

    readable: str  # main › section.fees › tr[3] › td[2]
    exact: str  # /html[1]/body[1]/main[1]/section[2]/table[1]/tbody[1]/tr[3]/td[2]

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Path) and (self.readable, self.exact) == (other.readable, other.exact)

    def __hash__(self) -> int:
        return hash((self.readable, self.exact))

    def __repr__(self) -> str:
        return f"Path(readable={self.readable!r}, exact={self.exact!r})"


@dataclass(frozen=True, slots=True)
class NewNode:
    """A node that only the new page has, and its place among the children of its parent there."""

    number: int
    parent: Reference
    position: int
    kind: int
    tag: str
    attributes: tuple[tuple[str, str], ...]
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Action:
    """One step: what kind of thing it changes, and where that stands in the old and the new page."""

    id: str
    kind: Kind
    old: Path | None
    new: Path | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Insert(Action):
    """Put new nodes, which hang together, into the page."""

    nodes: tuple[NewNode, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Delete(Action):
    """Take a node out, with all below it that was not moved elsewhere."""

    node: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Move(Action):
    """Put a node, with all below it, elsewhere."""

    node: int
    number: int  # in the new page
    parent: Reference
    position: int


@dataclass(frozen=True, slots=True, kw_only=True)
class UpdateText(Action):
    """Give a text, a comment or the doctype another content."""

    node: int
    before: str
    after: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Rename(Action):
    """Give an element another name, as <b> becomes <strong>."""

    node: int
    before: str
    after: str


@dataclass(frozen=True, slots=True, kw_only=True)
class AddAttribute(Action):
    """Give an element an attribute it did not have."""

    node: int
    name: str
    value: str


@dataclass(frozen=True, slots=True, kw_only=True)
class RemoveAttribute(Action):
    """Take an attribute away from an element."""

    node: int
    name: str
    value: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ChangeAttribute(Action):
    """Give an attribute another value."""

    node: int
    name: str
    before: str
    after: str


@dataclass(frozen=True, slots=True)
class EditScript:
    """The steps from an old page to a new one, in the order of the page."""

    actions: tuple[Action, ...] = field(default=())

    def __len__(self) -> int:
        return len(self.actions)

    def __iter__(self) -> Iterator[Action]:
        return iter(self.actions)
