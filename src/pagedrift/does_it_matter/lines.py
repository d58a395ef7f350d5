"""Texts of a page as lines of words, and whether only machines write such a line."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Final, NamedTuple

from pagedrift._kernels import hash_bytes
from pagedrift._kernels.names import IDEOGRAPH

_SHORT_TEXT: Final = 500  # characters of texts that are remembered from one version to the next
_SECONDS: Final = re.compile(r"\d:\d\d:\d\d(?!\d)")
_CHECKSUM: Final = re.compile(r"(?=\D*\d)[0-9a-f]{32,64}")
_CHECKSUM_CHARS: Final = 32
_NUMBER: Final = re.compile(r"\d+")
_IDEOGRAPH: Final = re.compile(f"({IDEOGRAPH})")


class Line(NamedTuple):
    """A text without its white space."""

    written: str
    words: tuple[str, ...]
    by_machine: bool  # it has a time with seconds, or a checksum
    said: int  # a hash of what it says, whatever its numbers; the same in every process


def split(text: str) -> tuple[str, ...]:
    """Split a text into words in lower case; ideographs stand for themselves.

    >>> split("Fees  日本")
    ('fees', '日', '本')
    """
    if text.isascii():  # most are, and it takes a fifth of the time
        return tuple(text.lower().split())
    return tuple(" ".join(_IDEOGRAPH.split(text)).lower().split())


def read_line(text: str) -> Line:
    """Collapse the white space of a text, split it into words, and say whether only machines write such a text."""
    return _remembered(text) if len(text) <= _SHORT_TEXT else _read(text)


def _read(text: str) -> Line:
    written = " ".join(text.split())
    words = split(written)
    by_machine = len(text) <= _SHORT_TEXT and (
        (":" in written and _SECONDS.search(written) is not None)
        or any(len(word) >= _CHECKSUM_CHARS and _CHECKSUM.fullmatch(word) for word in words)
    )
    return Line(written, words, bool(by_machine), hash_said(written))


def hash_said(text: str) -> int:
    """Give a number for what a text says, whatever its numbers; the same in every process.

    >>> hash_said("12 visitors") == hash_said("13 visitors") != hash_said("12 visits")
    True
    """
    return hash_bytes((_NUMBER.sub("0", text)).encode("utf-8", "surrogatepass"))


_remembered: Final = lru_cache(maxsize=4_096)(_read)  # the next version of a page says mostly the same
