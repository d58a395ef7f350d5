"""Which names does the frame of a page carry: classes, ids, style sheets, scripts?"""

from __future__ import annotations

from typing import TYPE_CHECKING

from pagedrift._kernels import frame

if TYPE_CHECKING:
    from array import array


def read_frame(data: bytes) -> array[int]:
    """Give the names as a sorted array of hashes, from bytes in an ASCII-compatible encoding.

    >>> len(read_frame(b'<div class="nav dark" id=top><a class=nav>'))
    4
    """
    return frame(data)
