"""Which template, by the class names, ids and nesting of a page's tags?"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from pagedrift._kernels import shares_key, sketch, sketch_keys
from pagedrift._kernels.sketch_py import BITS_BYTES, KEY_BYTES, KEYS, LENGTH
from pagedrift.facets.source import decode, is_ascii_compatible
from pagedrift.which_template.consensus import similarity

if TYPE_CHECKING:
    from pagedrift.page import PageVersion

MAX_READ_BYTES: Final = 1 << 20  # that are read: nearly every page, and of a hundred megabytes no more
LENGTHS: Final = range(LENGTH, LENGTH + 1)
PIECES: Final = (BITS_BYTES, KEY_BYTES, KEYS)  # where the keys stand
LEAST_SIMILAR: Final = 0.7  # share of common features of two pages that are one template, with nothing else known
is_same = shares_key
keys = sketch_keys


def references(page: PageVersion) -> bytes:
    """Sum up the features of a page's tags in 94 bytes; text has no part in it."""
    head = page.body[:MAX_READ_BYTES]
    if is_ascii_compatible(head, page.content_type or page.header("content-type")):
        return sketch(head)
    return sketch(decode(head, page.encoding.name).encode("utf-8", "replace"))


def look(
    body: bytes | bytearray, content_type: str | None, is_all: bool, start: int = 0, end: int | None = None
) -> bytes | None:
    """Give the fingerprint of a page by its first bytes, if those are enough and need not be decoded."""
    if end is None:
        end = len(body)
    if end - start >= MAX_READ_BYTES:
        body, start, end, is_all = body[start : start + MAX_READ_BYTES], 0, MAX_READ_BYTES, True
    return sketch(body, start, end) if is_all and is_ascii_compatible(body, content_type, start, end) else None


def features(references: bytes) -> int:
    """Give the features of a page as the bits of a number."""
    return int.from_bytes(references[:BITS_BYTES], "little")


def is_alike(one: bytes, other: bytes) -> bool:
    """Return whether two pages are probably of one template, where no others are known."""
    return is_same(one, other) or similarity(features(one), features(other)) >= LEAST_SIMILAR
