"""The DOM tree of a page, as flat arrays with a signature per node."""

from __future__ import annotations

from array import array
from typing import TYPE_CHECKING, Final

from pagedrift._kernels import NATIVE, TreeBuilder, TreeReader, find_wanted, is_utf8, read_well_formed
from pagedrift._kernels.tree_py import (
    COMMENT,
    DOCTYPE,
    DOCUMENT,
    ELEMENT,
    INSTRUCTION,
    NONE,
    PREFIXES,
    TEXT,
    Columns,
)
from pagedrift.errors import LimitError
from pagedrift.facets.tags import read_tags

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    import turbohtml

__all__ = ["COMMENT", "DOCTYPE", "DOCUMENT", "ELEMENT", "INSTRUCTION", "NONE", "TEXT", "Tree", "read_tree"]

MAX_TREE_NODES: Final = 20_000_000
# Each further <html> or <body> tag is compared with all attributes of the first: quadratic in every parser.
ROOT_TAGS: Final = 10_000


class Tree(TreeReader):
    """The nodes of a page in document order; node 0 is the document, -1 stands for none.

    `kind`, `name` (an index into `names`), `parent`, `first_child`, `next_sibling`, `end` and `signature` are
    arrays with an entry per node. A subtree is the range `node` to `end[node]`. Equal signatures mean equal
    subtrees: same kinds, names, texts and children in the same order, and same attributes in whatever order.

    >>> tree = read_tree("<p class=fee>A permit costs <b>$120</b>")
    >>> paragraph = tree.find("p")
    >>> tree.attributes(paragraph), [tree.text(child) or tree.tag(child) for child in tree.children(paragraph)]
    ((('class', 'fee'),), ['A permit costs ', 'b'])
    """

    __slots__ = (
        "end",
        "first_child",
        "kind",
        "name",
        "next_sibling",
        "parent",
        "signature",
    )

    def __init__(self, columns: Columns, names: tuple[str, ...]) -> None:
        super().__init__(columns, names)
        self.kind, self.name, self.parent, self.first_child, self.next_sibling = columns[:5]
        self.end, self.signature = columns[5:7]

    def __len__(self) -> int:
        return len(self.kind)

    def __eq__(self, other: object) -> bool:
        # Not by signature alone: a collision must not make two pages equal.
        return (
            isinstance(other, Tree)
            and self.signature == other.signature
            and self.kind == other.kind
            and self.columns.texts == other.columns.texts
            and all(
                self.tag(node) == other.tag(node)
                and sorted(self.attributes(node)) == sorted(other.attributes(node))
                for node in self.elements()
            )
        )

    def __hash__(self) -> int:
        return self.signature[0]

    def __reduce__(self) -> tuple[type[Tree], tuple[Columns, tuple[str, ...]]]:
        return Tree, (self.columns, self.names)

    def __repr__(self) -> str:
        return f"Tree({len(self)} nodes)"

    def children(self, node: int) -> Iterator[int]:
        """Go through the children of a node."""
        child = self.first_child[node]
        while child != NONE:
            yield child
            child = self.next_sibling[child]

    def spans(self, nodes: Sequence[int]) -> list[tuple[int, int]]:
        """Give some nodes each with the end of what it takes in."""
        return list(zip(nodes, map(self.end.__getitem__, nodes), strict=True))

    def elements(self, *tags: str) -> array[int]:
        """Give the elements of some names, or of all, in document order."""
        return find_wanted(self.name, bytes(map({*tags}.__contains__ if tags else bool, self.names)))

    def live_elements(self, *tags: str) -> Iterator[int]:
        """Go through the elements of some names that do not stand in a template.

        >>> tree = read_tree("<template><title>No</title></template><title>Yes</title>")
        >>> [tree.text_below(node) for node in tree.live_elements("title")]
        ['Yes']
        """
        inert_until = 0
        for node in self.elements(*tags, "template"):
            if node >= inert_until:
                if self.tag(node) == "template":
                    inert_until = self.end[node]
                else:
                    yield node

    def find(self, tag: str) -> int:
        """Find the first element of a name, or -1."""
        return next(iter(self.elements(tag)), NONE)

    def text_below(self, node: int, *, limit: int | None = None) -> str:
        """Join the texts in a subtree; of a number of nodes, if there is a limit."""
        end = self.end[node] if limit is None else min(self.end[node], node + limit)
        return "".join(self.text(below) for below in range(node, end) if self.kind[below] == TEXT)

    def depth(self) -> int:
        """Count the levels below the document.

        >>> read_tree("<p>").depth()
        3
        """
        level: array[int] = array("i", bytes(4 * len(self)))
        for node in range(1, len(self)):
            level[node] = level[self.parent[node]] + 1
        return max(level, default=0)


def read_tree(source: str | bytes, *, limit: int = MAX_TREE_NODES) -> Tree:
    """Build the tree of HTML, decoded or in UTF-8, as a browser without scripts does.

    >>> tree = read_tree("<p>A<b>B</b>")
    >>> [tree.tag(node) for node in tree.elements()]
    ['html', 'head', 'body', 'p', 'b']
    """
    try:
        builder = _read(source, limit)
    except OverflowError:
        raise _too_many(limit) from None
    return Tree(builder.finish(), tuple(builder.names))


def _read(source: str | bytes, limit: int) -> TreeBuilder:
    """Read the tree off the source if it is well-formed, which is fastest, or off what the parser makes of it."""
    if isinstance(source, bytes) and not is_utf8(source):
        source = source.decode("utf-8", "replace")
    builder, data = TreeBuilder(limit), source if isinstance(source, bytes) else _encoded(source)
    if data is not None and read_well_formed(builder, data):
        return builder
    if isinstance(source, bytes):
        source = source.decode("utf-8")
    _check(source, limit)
    return (NATIVE and _read_back(source, limit)) or _build(source, limit)


def _encoded(source: str) -> bytes | None:
    try:
        return source.encode("utf-8")
    except UnicodeEncodeError:  # half a surrogate pair
        return None


def _check(source: str, limit: int) -> None:
    """Refuse what the parser would take gigabytes or quadratic time for."""
    if len(source) > limit and source.count("<") > limit:
        raise _too_many(limit)
    if len(source) > ROOT_TAGS * len("<html>") and source.count("<") > ROOT_TAGS:
        tags = read_tags(source.encode("utf-8", "replace"))
        if tags.count("html") + tags.count("body") > ROOT_TAGS:
            raise LimitError(
                f"the page has more than {ROOT_TAGS:,} <html> or <body> tags, which only attacks have; leave it out"
            )


def _read_back(source: str, limit: int) -> TreeBuilder | None:
    """Read the tree off the markup that the parser writes of it: half the time of a call per node.

    None for the few pages whose tree does not follow from the markup.
    """
    from turbohtml import Doctype, parse  # 50 ms, for those who need a tree

    document = parse(source, positions=False, allow_declarative_shadow_roots=False)
    doctype = next((child for child in document.children if isinstance(child, Doctype)), None)
    found = " ".join(filter(None, (doctype.name, doctype.public_id, doctype.system_id))) if doctype else ""
    markup = "".join(document.serialize_iter())  # in pieces: as a whole it takes four times the memory
    del document, doctype  # large, and no longer needed
    builder = TreeBuilder(limit)
    return builder if builder.read(markup, found) else None


def _build(source: str, limit: int) -> TreeBuilder:
    """Build the tree with a call per node."""
    builder = TreeBuilder(limit)
    if "shadowrootmode" in source.lower():
        _build_with_templates(source, builder)
    else:
        from turbohtml.treebuild import parse_into

        parse_into(source, builder)
    return builder


def _too_many(limit: int) -> LimitError:
    return LimitError(
        f"the page has more than {limit:,} tags or nodes; leave it out, or build it with read_tree(…, limit=…)"
    )


def _build_with_templates(source: str, builder: TreeBuilder) -> None:
    """Build with declarative shadow roots as plain templates; parse_into would leave their content out."""
    from turbohtml import DocumentFragment, parse

    document = parse(source, positions=False, allow_declarative_shadow_roots=False)
    root = builder.create_document()
    pending = [(child, root) for child in reversed(document.children)]
    while pending:
        node, parent = pending.pop()
        if isinstance(node, DocumentFragment):  # what a template holds
            handle = parent
        else:
            handle = _create(node, builder)
            builder.append(parent, handle)
        pending += [(child, handle) for child in reversed(node.children)]


def _create(node: turbohtml.Node, builder: TreeBuilder) -> int:
    import turbohtml

    match node:
        case turbohtml.Element():
            attributes = tuple((key, node.attr(key)) for key in node.attrs)
            return builder.create_element(node.tag, _NAMESPACES[node.namespace.value], attributes)
        case turbohtml.Doctype():
            return builder.create_doctype(node.name, node.public_id, node.system_id)
        case turbohtml.Comment():
            return builder.create_comment(node.data)
        case turbohtml.ProcessingInstruction():
            return builder.create_pi(node.target, node.data)
        case _:
            return builder.create_text(node.text)


_NAMESPACES: Final = {prefix.rstrip(":") or "html": uri for uri, prefix in PREFIXES.items()}
