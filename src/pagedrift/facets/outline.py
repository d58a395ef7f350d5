"""The outline of a page: the tags, names and links that show its design, read in one pass."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from pagedrift._kernels import outline

if TYPE_CHECKING:
    from array import array


class Outline(NamedTuple):
    """The tags of a page, the names that its author gave, and where it leads.

    `codes` are those of its tags; `names` are hashes, in order, of its classes, ids, style sheets and scripts;
    `links` those of the paths that it links to, whatever their host.
    """

    codes: array[int]
    names: array[int]
    links: array[int]


def read_outline(data: bytes) -> Outline:
    """Scan a page, from bytes in an ASCII-compatible encoding.

    >>> page = read_outline(b'<div class="nav dark" id=top><a class=nav>')
    >>> len(page.codes), len(page.names)
    (2, 4)
    """
    return Outline(*outline(data))
