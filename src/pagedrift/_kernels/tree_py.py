"""The tree builder: the tree of a page, as flat arrays with a signature per node (readable twin).

A builder that a WHATWG parser drives: `create_*` for each node in document order, each followed by `append`. So a
node's number is its place in document order, a parent comes before its children, and a subtree is a range. Texts
and attribute values are put end to end into one buffer each: a million small objects cost more than the parse.
"""

from __future__ import annotations

from array import array
from typing import Final, NamedTuple

from pagedrift._kernels.hashing_py import MASK, finish, hash_bytes, step

DOCUMENT, DOCTYPE, ELEMENT, TEXT, COMMENT, INSTRUCTION = range(6)
NONE: Final = -1

PREFIXES: Final = {
    "http://www.w3.org/1999/xhtml": "",
    "http://www.w3.org/2000/svg": "svg:",
    "http://www.w3.org/1998/Math/MathML": "math:",
}


class Columns(NamedTuple):
    """The nodes of a tree, a column each; the starts have one more entry, where the last node ends."""

    kind: array[int]
    name: array[int]
    parent: array[int]
    first_child: array[int]
    next_sibling: array[int]
    end: array[int]
    signature: array[int]
    text_start: array[int]
    texts: bytes
    attribute_start: array[int]
    attribute_name: array[int]
    value_start: array[int]
    values: bytes
    name_hash: array[int]  # an entry per name


class TreeBuilder:
    """Collect the nodes of one page."""

    def __init__(self, limit: int) -> None:
        self.limit = limit
        self.names: dict[str, int] = {"": 0}  # of elements and attributes
        self._hashes: list[int] = [_hash(b"")]  # of the names
        self._kind: array[int] = array("b")
        self._own: array[int] = array("Q")  # hash of a node without its children
        self._name, self._parent = array("i"), array("i")
        self._first_child, self._last_child, self._next_sibling = array("i"), array("i"), array("i")
        self._text_start, self._texts = array("i"), bytearray()
        self._attribute_start, self._attribute_name = array("i"), array("i")
        self._value_start, self._values = array("i"), bytearray()

    def read(self, markup: str, doctype: str) -> bool:  # noqa: ARG002
        """Read the tree off the markup that a parser wrote of it; only the native twin does, being faster so."""
        return False

    def create_document(self) -> int:
        """Start with the document."""
        return self._add(DOCUMENT, 0, 0)

    def create_doctype(self, name: str, public: str | None, system: str | None) -> int:
        """Add the doctype; its text is what stood in it."""
        return self.create_leaf(DOCTYPE, " ".join(part for part in (name, public, system) if part))

    def create_element(self, name: str, namespace: str, attributes: tuple[tuple[str, str | None], ...]) -> int:
        """Add an element; SVG and MathML names get a prefix."""
        number = self._number(PREFIXES.get(namespace, "") + name)
        node = self._add(ELEMENT, number, 0)
        mixed = 0
        for key, value in attributes:
            encoded = _encode(value or "")
            self._attribute_name.append(self._number(key))
            self._value_start.append(len(self._values))
            self._values += encoded
            # Two steps, for one is the same both ways round: checked=checked is not disabled=disabled.
            mixed += finish(step(step(0, self._hashes[self._attribute_name[-1]]), _hash(encoded)))
        self._own[node] = finish(step(self._hashes[number], mixed & MASK))
        return node

    def create_text(self, data: str) -> int:
        """Add a text node."""
        return self.create_leaf(TEXT, data)

    def create_comment(self, data: str) -> int:
        """Add a comment."""
        return self.create_leaf(COMMENT, data)

    def create_pi(self, target: str, data: str) -> int:
        """Add a processing instruction."""
        return self.create_leaf(INSTRUCTION, f"{target} {data}")

    def create_leaf(self, kind: int, text: str) -> int:
        """Add a node that is nothing but text."""
        encoded = _encode(text)
        node = self._add(kind, 0, _hash(encoded))
        self._texts += encoded
        return node

    def append(self, parent: int, child: int) -> None:
        """Put the node made last under its parent."""
        self._parent[child] = parent
        last = self._last_child[parent]
        if last == NONE:
            self._first_child[parent] = child
        else:
            self._next_sibling[last] = child
        self._last_child[parent] = child

    def finish(self) -> Columns:
        """Compute signatures and ends, from the last node to the first, so children come before parents."""
        count = len(self._kind)
        signature = array("Q", bytes(8 * count))
        children = array("Q", bytes(8 * count))
        end = array("i", range(1, count + 1))
        for node in range(count - 1, -1, -1):
            signature[node] = finish(step(self._own[node] ^ self._kind[node], children[node]))
            parent = self._parent[node]
            if parent != NONE:
                children[parent] = step(children[parent], signature[node])
                end[parent] = max(end[parent], end[node])
        return Columns(
            self._kind,
            self._name,
            self._parent,
            self._first_child,
            self._next_sibling,
            end,
            signature,
            self._text_start + array("i", [len(self._texts)]),
            bytes(self._texts),
            self._attribute_start + array("i", [len(self._attribute_name)]),
            self._attribute_name,
            self._value_start + array("i", [len(self._values)]),
            bytes(self._values),
            array("Q", self._hashes),
        )

    def _add(self, kind: int, name: int, own: int) -> int:
        node = len(self._kind)
        if node >= self.limit:
            raise OverflowError
        self._kind.append(kind)
        self._name.append(name)
        self._own.append(own)
        for column in (self._parent, self._first_child, self._last_child, self._next_sibling):
            column.append(NONE)
        self._text_start.append(len(self._texts))
        self._attribute_start.append(len(self._attribute_name))
        return node

    def _number(self, name: str) -> int:
        number = self.names.setdefault(name, len(self.names))
        if number == len(self._hashes):
            self._hashes.append(_hash(_encode(name)))
        return number


class TreeReader:
    """What stands in the columns of a tree: tags, texts and attributes, by the numbers of nodes."""

    __slots__ = ("columns", "names")

    def __init__(self, columns: Columns, names: tuple[str, ...]) -> None:
        self.columns = columns
        self.names = names  # of elements and attributes; SVG and MathML elements begin with svg: and math:

    def tag(self, node: int) -> str:
        """Name an element; empty for other nodes."""
        return self.names[self.columns.name[node]]

    def text(self, node: int) -> str:
        """Read a text, comment, doctype or instruction; empty for elements."""
        starts = self.columns.text_start
        return self.columns.texts[starts[node] : starts[node + 1]].decode("utf-8", "surrogatepass")

    def attributes(self, node: int) -> tuple[tuple[str, str], ...]:
        """List the attributes of an element as they stand in the source."""
        starts, names = self.columns.attribute_start, self.columns.attribute_name
        return tuple(
            (self.names[names[index]], self.value(index)) for index in range(starts[node], starts[node + 1])
        )

    def attribute(self, node: int, name: str) -> str | None:
        """Look up one attribute of an element."""
        starts, names = self.columns.attribute_start, self.columns.attribute_name
        for index in range(starts[node], starts[node + 1]):
            if self.names[names[index]] == name:
                return self.value(index)
        return None

    def value(self, index: int) -> str:
        """Read the value of an attribute by its place in the columns."""
        starts = self.columns.value_start
        return self.columns.values[starts[index] : starts[index + 1]].decode("utf-8", "surrogatepass")


def read_well_formed(builder: TreeBuilder, source: bytes) -> bool:  # noqa: ARG001
    """Read the tree off a source that is well-formed; only the native kernels do, being faster than the parser."""
    return False


def is_utf8(data: bytes) -> bool:
    r"""Return whether bytes are valid UTF-8.

    >>> is_utf8("größer".encode()), is_utf8(b"gr\xf6\xdfer")
    (True, False)
    """
    try:
        data.decode("utf-8")
    except UnicodeDecodeError:
        return False
    return True


_hash = hash_bytes


def _encode(text: str) -> bytes:
    return text.encode("utf-8", "surrogatepass")
