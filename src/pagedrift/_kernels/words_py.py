"""The words of a page that can be read, in lower case (readable twin)."""

from __future__ import annotations

import re
from array import array
from typing import TYPE_CHECKING, Final

from pagedrift._kernels.tree_py import ELEMENT, TEXT

if TYPE_CHECKING:
    from pagedrift._kernels.tree_py import Columns

NEAR: Final = 4  # nodes from which on a link is not looked for below an element
_WORD: Final = re.compile(
    r"[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]|[^\W\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]+"
)

_VALUE: Final = re.compile(rb"[\d@\x80-\xff(:.]|[cC][oO][pP][yY]")  # signs of values, or not in ASCII


def words_of(text: str) -> list[str]:
    """Split a text into words in lower case; ideographs stand for themselves.

    >>> words_of("Fish & Chips: 日本")
    ['fish', 'chips', '日', '本']
    """
    return _WORD.findall(text.lower())


def find_texts(columns: Columns) -> tuple[array[int], array[int], array[int]]:
    """Give the texts that are not blank, count those before each node and at the end, and those that may be values.

    A value has a digit or another sign that texts in words do not have; the last count is by text, and at the end.
    """
    found, before = array("i"), array("i", bytes(4 * (len(columns.kind) + 1)))
    values = array("i", [0])
    for node, kind in enumerate(columns.kind):
        before[node] = len(found)
        if kind == TEXT:
            text = columns.texts[columns.text_start[node] : columns.text_start[node + 1]]
            if text.decode("utf-8", "surrogatepass").strip():
                found.append(node)
                values.append(values[-1] + bool(_VALUE.search(text)))
    before[len(columns.kind)] = len(found)
    return found, before, values


def add_words(text: str, numbers: dict[str, int], words: array[int]) -> None:
    """Add the numbers of the words of a text to others, each once; new words get a new number."""
    words.extend(dict.fromkeys([numbers.setdefault(word, len(numbers)) for word in words_of(text)]))


def join_texts(columns: Columns, nodes: array[int], first: int, last: int, most: int) -> str:
    """Join the texts of some nodes, with single spaces, up to a number of characters."""
    found, length = list[str](), 0
    for node in nodes[first:last]:
        text = columns.texts[columns.text_start[node] : columns.text_start[node + 1]]
        found.append(" ".join(text.decode("utf-8", "surrogatepass").split()))
        length += len(found[-1]) + 1
        if length > most:
            break
    return " ".join(found)[:most]


def number_spans(before: array[int], end: array[int]) -> tuple[array[int], array[int]]:
    """Give numbers to nodes by what they take in: that of each, and the first node of each number.

    >>> number_spans(array("i", [0, 0, 1, 1, 2]), array("i", [4, 2, 3, 4]))
    (array('i', [0, 1, 2, 3]), array('i', [0, 1, 2, 3]))
    """
    numbers: dict[tuple[int, int], int] = {}
    found, firsts = array("i"), array("i")
    for node, stop in enumerate(end):
        found.append(numbers.setdefault((before[node], before[stop]), len(numbers)))
        if len(firsts) < len(numbers):
            firsts.append(node)
    return found, firsts


def find_links(columns: Columns, names: tuple[int, int, int, int]) -> array[int]:
    """Find the attribute with the address of each picture, or of the link that a node is, stands in or holds.

    `names` are those of links, pictures, and of their addresses. Attributes count from 1; 0 is for none. A node
    stands in a link if its parent or the parent of that is one, and holds it among the first nodes below it.
    """
    link, picture, target, source = names
    found = array("i")
    for node, name in enumerate(columns.name):
        if picture == name > 0:
            found.append(1 + _find_attribute(columns, node, source))
            continue
        parent = max(0, columns.parent[node])
        below = range(node + 1, min(columns.end[node], node + NEAR))
        places = [node, parent, max(0, columns.parent[parent])]
        places += [each for each in below if columns.name[each] == link][:1]
        linked = [_find_attribute(columns, each, target) for each in places if columns.name[each] == link > 0]
        found.append(1 + next((at for at in linked if at >= 0), -1))
    return found


def _find_attribute(columns: Columns, node: int, name: int) -> int:
    attributes = range(columns.attribute_start[node], columns.attribute_start[node + 1])
    return next((at for at in attributes if columns.attribute_name[at] == name), -1)


def read_words(columns: Columns, silent: bytes) -> tuple[list[str], array[int]]:
    """Read the words of the texts, and count those before each node and at the end.

    `silent` has a byte per name, 1 for elements in which nothing is read.
    """
    words, before = list[str](), array("i", bytes(4 * (len(columns.kind) + 1)))
    silent_until = 0
    for node, kind in enumerate(columns.kind):
        before[node] = len(words)
        if node < silent_until:
            continue
        if kind == TEXT:
            text = columns.texts[columns.text_start[node] : columns.text_start[node + 1]]
            words += words_of(text.decode("utf-8", "surrogatepass"))
        elif kind == ELEMENT and silent[columns.name[node]]:
            silent_until = columns.end[node]
    before[len(columns.kind)] = len(words)
    return words, before
