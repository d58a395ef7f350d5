"""Which steps turn an old page into a new one?

Nodes of the old page are named by their numbers. Nodes that only the new page has are named by `~number`, which is
negative, after their numbers there.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, ClassVar, Literal

from pagedrift.facets.tree import TEXT
from pagedrift.notebook_views import ShownInNotebooks
from pagedrift.what_changed.descriptions import (
    KIND_NAMES,
    MAX_NODES,
    Description,
    name_of,
    shown_text,
    written_attributes,
)

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pagedrift.facets.tree import Tree
    from pagedrift.what_changed.descriptions import Mark

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


@dataclass(frozen=True, slots=True, kw_only=True)
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
class Action(ABC):
    """One step: what kind of thing it changes, and where that stands in the old and the new page."""

    mark: ClassVar[Mark]
    done: ClassVar[str]  # what was done, more exactly than the mark says

    id: str
    kind: Kind
    old: Path | None
    new: Path | None

    @property
    @abstractmethod
    def old_node(self) -> int | None:
        """The number of the node in the old page; None where only the new one has it."""

    @property
    def new_node(self) -> int | None:
        """The number of the node in the new page, where it came or moved there."""
        return None

    @abstractmethod
    def described(self, old: Tree) -> Description:
        """Describe the step in words.

        >>> from pagedrift.facets.tree import read_tree
        >>> from pagedrift.what_changed import diff_trees
        >>> old = read_tree("<p>See <a href=/fees>the fees</a>")
        >>> new = read_tree("<p>See <a href=/prices>the fees</a>")
        >>> [action.described(old) for action in diff_trees(old, new)]
        [Description(mark='changed', what='href', before='/fees', after='/prices')]
        """


@dataclass(frozen=True, slots=True, kw_only=True)
class Insert(Action):
    """Put new nodes, which hang together, into the page."""

    mark = "added"
    done = "added"

    nodes: tuple[NewNode, ...]

    @property
    def old_node(self) -> None:
        """None: the old page has none of them."""

    @property
    def new_node(self) -> int:
        """The number of the first one in the new page."""
        return self.nodes[0].number

    def described(self, old: Tree) -> Description:  # noqa: ARG002 - it is in the new page
        """Describe what was added by its text, or its attributes."""
        first = self.nodes[0]
        text = first.text or " ".join(node.text for node in self.nodes[:MAX_NODES] if node.kind == TEXT)
        after = " ".join(text.split()) or written_attributes(first.attributes)
        return Description(self.mark, first.tag or KIND_NAMES[first.kind], "", after)


@dataclass(frozen=True, slots=True, kw_only=True)
class NodeAction(Action):
    """A step that is about one node of the old page."""

    node: int

    @property
    def old_node(self) -> int:
        """The number of the node in the old page."""
        return self.node


@dataclass(frozen=True, slots=True, kw_only=True)
class Delete(NodeAction):
    """Take a node out, with all below it that was not moved elsewhere."""

    mark = "removed"
    done = "removed"

    def described(self, old: Tree) -> Description:
        """Describe what was removed."""
        return Description(self.mark, name_of(old, self.node), shown_text(old, self.node), "")


@dataclass(frozen=True, slots=True, kw_only=True)
class Move(NodeAction):
    """Put a node, with all below it, elsewhere."""

    mark = "moved"
    done = "moved"

    number: int  # in the new page
    parent: Reference
    position: int

    @property
    def new_node(self) -> int:
        """The number of the node in the new page."""
        return self.number

    def described(self, old: Tree) -> Description:
        """Describe what moved; it reads the same."""
        text = shown_text(old, self.node)
        return Description(self.mark, name_of(old, self.node), text, text)


@dataclass(frozen=True, slots=True, kw_only=True)
class UpdateText(NodeAction):
    """Give a text, a comment or the doctype another content."""

    mark = "edited"
    done = "edited"

    before: str
    after: str

    def described(self, old: Tree) -> Description:
        """Give both contents."""
        return Description(self.mark, name_of(old, self.node), self.before, self.after)


@dataclass(frozen=True, slots=True, kw_only=True)
class Rename(NodeAction):
    """Give an element another name, as <b> becomes <strong>."""

    mark = "changed"
    done = "renamed"

    before: str
    after: str

    def described(self, old: Tree) -> Description:  # noqa: ARG002 - the names are known
        """Give both names."""
        return Description(self.mark, "element", self.before, self.after)


@dataclass(frozen=True, slots=True, kw_only=True)
class AttributeAction(NodeAction):
    """A step that is about one attribute of an element."""

    mark = "changed"

    name: str

    @property
    @abstractmethod
    def values(self) -> tuple[str | None, str | None]:
        """The value before and after; None where the element does not have the attribute."""

    def described(self, old: Tree) -> Description:  # noqa: ARG002 - the values are known
        """Give both values."""
        before, after = self.values
        return Description(self.mark, self.name, before or "", after or "")


@dataclass(frozen=True, slots=True, kw_only=True)
class AddAttribute(AttributeAction):
    """Give an element an attribute it did not have."""

    done = "added"

    value: str

    @property
    def values(self) -> tuple[None, str]:
        """None before."""
        return None, self.value


@dataclass(frozen=True, slots=True, kw_only=True)
class RemoveAttribute(AttributeAction):
    """Take an attribute away from an element."""

    done = "removed"

    value: str

    @property
    def values(self) -> tuple[str, None]:
        """None after."""
        return self.value, None


@dataclass(frozen=True, slots=True, kw_only=True)
class ChangeAttribute(AttributeAction):
    """Give an attribute another value."""

    done = "changed"

    before: str
    after: str

    @property
    def values(self) -> tuple[str, str]:
        """Both."""
        return self.before, self.after


@dataclass(frozen=True, slots=True)
class EditScript(ShownInNotebooks):
    """The steps from an old page to a new one, in the order of the page."""

    actions: tuple[Action, ...] = field(default=())
    unmatched_selectors: tuple[str, ...] = ()  # of the noise to leave out, those that mean nothing on either page

    def __len__(self) -> int:
        return len(self.actions)

    def __iter__(self) -> Iterator[Action]:
        return iter(self.actions)
