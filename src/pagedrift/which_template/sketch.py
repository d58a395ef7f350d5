"""Which template, by the class names, ids and nesting of a page's tags?"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from pagedrift._kernels import shares_key, sketch, sketch_keys
from pagedrift._kernels.sketch_py import LENGTH
from pagedrift.facets.source import decode, is_ascii_compatible

if TYPE_CHECKING:
    from pagedrift.page import PageVersion

MAX_READ_BYTES: Final = 1 << 20  # that are read: nearly every page, and of a hundred megabytes no more
LENGTHS: Final = range(LENGTH, LENGTH + 1)
is_same = shares_key
keys = sketch_keys


def references(page: PageVersion) -> bytes:
    """Sum up the features of a page's tags in 136 bytes; text has no part in it."""
    head = page.body[:MAX_READ_BYTES]
    if is_ascii_compatible(head, page.content_type or page.header("content-type")):
        return sketch(head)
    return sketch(decode(head, page.encoding.name).encode("utf-8", "replace"))


def look(body: bytes, content_type: str | None, is_all: bool) -> bytes | None:
    """Give the fingerprint of a page by its first bytes, if those are enough and need not be decoded."""
    if (is_all or len(body) >= MAX_READ_BYTES) and is_ascii_compatible(body[:MAX_READ_BYTES], content_type):
        return sketch(body[:MAX_READ_BYTES])
    return None
