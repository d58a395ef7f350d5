"""LZW compression of a page's tags: its first references (readable twin).

Hachenberg & Gottron 2013, § 3.1. Tags come from the scanner one at a time, and both stop at the last entry that is
wanted: however long the page is, only its beginning is read.
"""

from __future__ import annotations

from pagedrift._kernels.scan_py import END_OF_FILE, START, Tokens


def lzw_references(data: bytes | bytearray, length: int, start: int = 0, end: int = -1) -> tuple[bytes, bool]:
    r"""Compress the tags, start and end tags alike, up to `length` entries (at most 255).

    They are those from an offset on, or between two, at the second of which a NUL stands. Returns for each entry
    the number, from 1, of the entry it extends by one tag, or 0; and whether what was read is the same in every
    encoding: ASCII names, nothing that UTF-16 starts with, no escape to other letters.

    >>> lzw_references(b"<p><b>bold</b></p><p>", 25)
    (b'\x00\x00\x02', True)
    """
    data = bytes(data[start : end if end >= 0 else len(data)])
    if data.startswith((b"\xfe\xff", b"\xff\xfe", b"<\0", b"\0<")):
        return b"", False
    tokens = Tokens(data, read_attributes=False)
    entries: dict[tuple[int, int], int] = {}  # entry and the tag after it: the entry for both
    references = bytearray()
    current, is_plain = 0, True
    while len(references) < length and (kind := tokens.advance()) != END_OF_FILE:
        if kind < START:
            continue
        is_plain = is_plain and tokens.name.isascii()
        known = entries.get((current, tokens.number))
        if known is None:
            references.append(current)
            entries[current, tokens.number] = len(references)
        current = known or 0
    return bytes(references), is_plain and b"\x1b" not in data[: tokens.position]


def is_one_edit(one: bytes, other: bytes) -> bool:
    """Return whether two sequences are equal but for one number, edited, put in or taken out.

    >>> is_one_edit(b"one", b"once"), is_one_edit(b"one", b"two")
    (True, False)
    """
    if len(one) > len(other):
        one, other = other, one
    if len(other) - len(one) > 1:
        return False
    at = next((at for at in range(len(one)) if one[at] != other[at]), len(one))
    return one[at + (len(one) == len(other)) :] == other[at + 1 :]
