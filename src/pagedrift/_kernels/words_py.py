"""The words of a page that can be read, in lower case (readable twin)."""

from __future__ import annotations

import re
from array import array
from typing import TYPE_CHECKING, Final, NamedTuple

from pagedrift._kernels.tree_py import ELEMENT, TEXT

if TYPE_CHECKING:
    from pagedrift._kernels.groups_py import Lists
    from pagedrift._kernels.tree_py import Columns

    Ints = array[int]

NEAR: Final = 4  # nodes from which on a link is not looked for below an element
_WORD: Final = re.compile(
    r"[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]|[^\W\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]+"
)

PLAIN_TEXT, PROSE, EMPTY, UNREAD = 0, 1, 2, -1  # kinds of texts that are no values; and what must be read to know
_VALUE: Final = re.compile(rb"[\d@\x80-\xff(:.]|[cC][oO][pP][yY]")  # signs of values, or not in ASCII


class WordColumns(NamedTuple):
    """The words of a page that can be read."""

    words: list[str]  # in order
    number: Ints  # of each of them
    numbers: dict[str, int]  # by word
    before: Ints  # by node, and at the end: the words before it
    texts: Ints  # the nodes that have words
    texts_before: Ints  # by node, and at the end


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


def has_text(columns: Columns, node: int) -> bool:
    """Return whether there is a text in a subtree that is not white space."""
    return any(
        columns.kind[each] == TEXT
        and columns.texts[columns.text_start[each] : columns.text_start[each + 1]]
        .decode("utf-8", "surrogatepass")
        .strip()
        for each in range(node, columns.end[node])
    )


def add_words(texts: list[str], numbers: dict[str, int], lists: Lists, meant: array[int]) -> bytes:
    """Add a list for each text: the numbers of its words, each once; new words get a new number.

    `meant` says by number what words mean, 0 for nothing. Given are the texts that may mean something: those with
    such a word, with one that is not in it, or with a sign that may be an arrow.
    """
    may = bytearray()
    for text in texts:
        found = dict.fromkeys([numbers.setdefault(word, len(numbers)) for word in words_of(text)])
        lists.nodes.extend(found)
        lists.starts.append(len(lists.nodes))
        meaning = any(number >= len(meant) or meant[number] for number in found)
        may.append(meaning or not text.isascii() or "<" in text or ">" in text)
    return bytes(may)


def join_texts(columns: Columns, nodes: array[int], starts: array[int], stops: array[int], most: int) -> list[str]:
    """Join the texts of each run of some nodes, with single spaces, up to a number of characters."""
    return [_join(columns, nodes[start:stop], most) for start, stop in zip(starts, stops, strict=True)]


def _join(columns: Columns, nodes: array[int], most: int) -> str:
    found, length = list[str](), 0
    for node in nodes:
        text = columns.texts[columns.text_start[node] : columns.text_start[node + 1]]
        found.append(" ".join(text.decode("utf-8", "surrogatepass").split()))
        length += len(found[-1]) + 1
        if length > most:
            break
    return " ".join(found)[:most]


def join_words(words: list[str], starts: array[int], stops: array[int], most: int) -> list[str]:
    """Join each run of some words with spaces, up to a number of words.

    >>> join_words("a b c".split(), array("i", [0, 1]), array("i", [3, 2]), 2)
    ['a b', 'b']
    """
    return [" ".join(words[start : min(stop, start + most)]) for start, stop in zip(starts, stops, strict=True)]


def mark_triples(words: list[str], sought: list[str]) -> bytes:
    """Mark the words that stand in three that stand in a row among others as well.

    >>> list(mark_triples("a b c d e b c d".split(), "b c d b".split()))
    [0, 1, 1, 1, 0, 1, 1, 1]
    """
    wanted = set(zip(sought, sought[1:], sought[2:], strict=False))
    marks = bytearray(len(words))
    for at, triple in enumerate(zip(words, words[1:], words[2:], strict=False)):
        if triple in wanted:
            marks[at : at + 3] = b"\1\1\1"
    return bytes(marks)


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


def read_words(columns: Columns, silent: bytes) -> WordColumns:
    """Read the words of the texts; `silent` has a byte per name, 1 for elements in which nothing is read."""
    words, texts, numbers = list[str](), array("i"), dict[str, int]()
    before, texts_before = (array("i", bytes(4 * (len(columns.kind) + 1))) for _ in range(2))
    silent_until = 0
    for node, kind in enumerate(columns.kind):
        before[node], texts_before[node] = len(words), len(texts)
        if node < silent_until:
            continue
        if kind == TEXT:
            text = columns.texts[columns.text_start[node] : columns.text_start[node + 1]]
            words += words_of(text.decode("utf-8", "surrogatepass"))
            if before[node] < len(words):
                texts.append(node)
        elif kind == ELEMENT and silent[columns.name[node]]:
            silent_until = columns.end[node]
    before[-1], texts_before[-1] = len(words), len(texts)
    number = array("i", [numbers.setdefault(word, len(numbers)) for word in words])
    return WordColumns(words, number, numbers, before, texts, texts_before)


def guess_shapes(texts: tuple[Ints, Ints], values: Ints, words: tuple[Ints, Ints], most: int) -> Ints:
    """Say what kinds of texts stand at some places, as far as they need not be read for that.

    `texts` are where those of each place begin and end, `values` counts those that may be values, and `words` are
    where the words of each place begin and end: more than `most` are prose.
    """
    found = array("i")
    for start, stop, first, last in zip(*texts, *words, strict=True):
        plain = PLAIN_TEXT if values[start] == values[stop] else UNREAD
        found.append(PROSE if last - first > most else EMPTY if start == stop else plain)
    return found
