"""Elements of a page as written, by tag, names and role: what is known of one is known of all alike."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final, NamedTuple

from pagedrift._kernels import number_attributes, number_pairs
from pagedrift._kernels.names import FLAGS, INLINE, KNOWN

if TYPE_CHECKING:
    from array import array

    from pagedrift.facets.tree import Tree

UNSEEN: Final = frozenset(
    ("script", "style", "noscript", "template", "head", "title", "textarea", "datalist", "iframe")
)
# Attributes from which a script takes what it shows: a telephone number when asked for it, a number to count up to.
_STATING: Final = (
    "data-tel",
    "data-phone",
    "data-telefon",
    "data-email",
    "data-mail",
    "data-to-value",
    "data-countup",
)
_TELLING: Final = frozenset(("class", "id", "role", "hidden", "style", *_STATING))
_UNSEEN_STYLE: Final = re.compile(r"display\s*:\s*none|visibility\s*:\s*hidden", re.IGNORECASE)
_INLINE_TAGS: Final = frozenset(name for name, flags in zip(KNOWN, FLAGS, strict=False) if flags & INLINE) | {
    "img",
    "br",
}


class WrittenElement(NamedTuple):
    """What an element says of itself."""

    tag: str
    names: str  # classes and id
    role: str
    inline: bool
    hidden: bool  # it says so
    stated: str = ""  # by an attribute, and shown by a script


def read_elements(tree: Tree) -> tuple[array[int], list[WrittenElement]]:
    """Give a number to each node of a tree by what its element says, and what each number says.

    >>> from pagedrift.facets.tree import read_tree
    >>> numbers, found = read_elements(read_tree("<p class=fee>A<p class=fee>B"))
    >>> numbers[4] == numbers[6], found[numbers[4]].names
    (True, 'fee')
    """
    attributes, firsts = number_attributes(tree.columns, bytes(name in _TELLING for name in tree.names))
    numbers, nodes = number_pairs(tree.name, attributes)
    given = [dict(tree.attributes(node)) if number else {} for number, node in enumerate(firsts)]
    return numbers, [_element(tree.tag(node), given[attributes[node]]) for node in nodes]


def _element(tag: str, given: dict[str, str]) -> WrittenElement:
    if not given:
        return WrittenElement(tag, "", "", tag in _INLINE_TAGS, False)
    names = f"{given.get('class', '')} {given.get('id', '')}".strip()
    hidden = "hidden" in given or ("style" in given and _UNSEEN_STYLE.search(given["style"]) is not None)
    stated = next((given[name] for name in _STATING if name in given), "")
    return WrittenElement(tag, names, given.get("role", ""), tag in _INLINE_TAGS, hidden, stated)
