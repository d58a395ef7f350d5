"""Which template, by the first 25 LZW references of a page's tags? After Hachenberg & Gottron 2013."""

from __future__ import annotations

from itertools import chain
from typing import TYPE_CHECKING, Final

from pagedrift._kernels import is_one_edit, lzw_references
from pagedrift.facets.source import decode, is_opaque

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pagedrift.page import PageVersion

LENGTH: Final = 25  # entries of the dictionary, § 3.1; more would reach into the content
LENGTHS: Final = range(LENGTH + 1)
SPLIT: Final = 17  # references in the first of two parts, § 3.4
is_same = is_one_edit  # definition 3.1
_HEADS: Final = (1 << 12, 1 << 14)  # bytes to decode at first: nearly always enough


def references(page: PageVersion) -> bytes:
    """Compress the tags of a page, start and end tags alike, up to the 25th entry of the dictionary.

    Each entry is a sequence of tags, and its reference the number of the entry that it extends by one tag; 0 where
    it is a single tag. The page is read no further than that takes.
    """
    body = page.body
    found = look(body, page.content_type or page.header("content-type"), True)
    if found is not None:
        return found
    for size in _HEADS:
        if len(body) > size:
            head = decode(body[:size], page.encoding.name)
            found, _ = lzw_references(head.encode("utf-8", "replace"), LENGTH)
            if len(found) == LENGTH:
                return found
    return lzw_references(page.source.encode("utf-8", "replace"), LENGTH)[0]


def look(
    body: bytes | bytearray, content_type: str | None, is_all: bool, start: int = 0, end: int | None = None
) -> bytes | None:
    """Give the references of a page by its first bytes, if those are enough and need not be decoded."""
    found, is_plain = lzw_references(body, LENGTH, start, len(body) if end is None else end)
    if is_plain and (is_all or len(found) == LENGTH) and not (content_type and is_opaque(content_type)):
        return found
    return None


def keys(fingerprint: bytes, *, split: int = SPLIT) -> Iterator[bytes]:
    """Give the parts of which two fingerprints that are the same template share one at least.

    The paper has two, the first `split` references and the others: one difference leaves one of them as it is
    (lemma 3.1). That is so for fingerprints of one length only: behind a reference that one has more, all are
    shifted. So what comes last is counted from the end here. And a part so short is shared by ever more
    fingerprints; so each of the two is taken together with the half of the other that has no difference either.

    In detail: let m be the length of the longer of the two, cut into four stretches at h, p = m * split / 25 and q.
    Where the difference stands in one of them, what is before it and what is behind it, counted from the end, are
    equal. So there are four keys, and as many where a fingerprint may be the shorter of the two; none is longer
    than 25.

    >>> [len(key) - 1 for key in keys(bytes(25))], len(list(keys(bytes(24))))
    ([17, 16, 21, 21], 8)
    """
    size = len(fingerprint)
    for length in (size,) if size >= LENGTH else (size, size + 1):
        first = length * split // LENGTH
        ends = (0, first // 2, first, (first + length) // 2, length)
        for number in range(4):
            start, end = ends[number], ends[number + 1]
            if start < end:
                yield (
                    bytes((4 * length + number,)) + fingerprint[:start] + fingerprint[max(0, size - length + end) :]
                )


def neighbours(fingerprint: bytes) -> Iterator[bytes]:
    """Give every fingerprint that is the same template as this one: some seven hundred, whatever is known.

    >>> sorted(map(tuple, neighbours(bytes([0]))))
    [(), (0,), (0, 0), (0, 1)]
    """
    size = len(fingerprint)
    edited = (fingerprint[:at] + bytes((n,)) + fingerprint[at + 1 :] for at in range(size) for n in range(at + 1))
    shorter = (fingerprint[:at] + fingerprint[at + 1 :] for at in range(size))
    longer = (fingerprint[:at] + bytes((n,)) + fingerprint[at:] for at in range(size + 1) for n in range(at + 1))
    return iter(dict.fromkeys(chain((fingerprint,), edited, shorter, longer if size < LENGTH else ())))
