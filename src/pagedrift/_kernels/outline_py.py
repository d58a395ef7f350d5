"""The outline of a page's design: tags, names of classes, ids and files, and links (readable twin).

A design shows in names that its author gave: those of elements with their class or id, and those of the files that
give it its looks. Each becomes a hash of 64 bits. Runs of digits count as one 0, so that `post-17` and `post-18`
are one name, and a new version of a library is none. Where the page leads is kept apart: the paths of its links,
without host, query, dots and the ending of a file, so that `../fees.html` and `https://city.example/fees/` are one.
"""

from __future__ import annotations

import re
from array import array
from typing import TYPE_CHECKING, Final

from pagedrift._kernels.hashing_py import finish, hash_bytes, step
from pagedrift._kernels.names import IDS
from pagedrift._kernels.scan_py import END, END_OF_FILE, START, Tokens

if TYPE_CHECKING:
    from collections.abc import Iterator

LONGEST: Final = 256  # bytes of a name that count
CLASS, ID, FILE, LINK = range(4)

_DIGITS = re.compile(rb"[0-9]+")
_SPACE = re.compile(rb"[\t\n\f\r ]+")
_ATTRIBUTE = re.compile(
    rb"[\t\n\f\r /]*([^\t\n\f\r />][^\t\n\f\r />=]*)"
    rb"(?:[\t\n\f\r ]*=[\t\n\f\r ]*(?:\"([^\"]*)\"|'([^']*)'|([^\t\n\f\r >]*)))?"
)


_HREF = re.compile(rb"(?:(?:[A-Za-z][A-Za-z0-9+.-]*:)?//[^/?#]*)?([^?#:]*)(?:[?#]|\Z)")


class _Tags(Tokens):
    """The tokens of a page, with the place where the attributes of a tag begin."""

    attributes_at = 0

    def _attributes(self, at: int) -> bool:
        self.attributes_at = at
        return super()._attributes(at)


def outline(data: bytes) -> tuple[array[int], array[int], array[int]]:
    """Read the code of each tag, as `scan` gives it, and the different names and links, as hashes in order.

    >>> outline(b"<p class='post-17 a'>")[1] == outline(b"<p class='a post-2'><p class=a>")[1]
    True
    >>> codes, names, links = outline(b"<link href='/css/main.css?v=3'><i class=a id=b><a href=/fees.html>")
    >>> len(codes), len(names), len(links)
    (3, 3, 1)
    """
    codes: array[int] = array("I")
    names, links = set(), set()
    tags = _Tags(data, read_attributes=False)
    while (kind := tags.advance()) != END_OF_FILE:
        if kind in (START, END):
            codes.append(tags.number << 1 | (kind == END))
        if kind == START:
            for what, name in _names(tags.number, data[tags.attributes_at : tags.position - 1]):
                if what == LINK:
                    links.add(hash_bytes(name))
                else:
                    folded = _DIGITS.sub(b"0", name)[:LONGEST]
                    names.add(finish(step(hash_bytes(folded), tags.number << 2 | what)))
    return codes, array("Q", sorted(names)), array("Q", sorted(links))


def _names(tag: int, attributes: bytes) -> Iterator[tuple[int, bytes]]:
    for match in _ATTRIBUTE.finditer(attributes):
        key, value = match[1].lower(), match[2] or match[3] or match[4]
        if not value:
            continue
        if key == b"class":
            yield from ((CLASS, name) for name in _SPACE.split(value) if name)
        elif key == b"id":
            yield ID, value
        elif key == b"href" and tag == IDS["a"]:
            if path := _path(value):
                yield LINK, path
        elif (key == b"href" and tag == IDS["link"]) or (key == b"src" and tag == IDS["script"]):
            name = value.partition(b"?")[0].partition(b"#")[0].rpartition(b"/")[2]
            if name and (tag == IDS["script"] or name.endswith(b".css")):
                yield FILE, name


def _path(href: bytes) -> bytes:
    """Give the path that a link names; empty for a home page, and for what is not a page."""
    match = _HREF.match(href)
    if not match:
        return b""
    path = match[1].lstrip(b"./").removesuffix(b"index.html").rstrip(b"/")
    return path.removesuffix(b".html").removesuffix(b".htm")
