"""The tags of a page, in document order."""

from __future__ import annotations

from array import array
from collections.abc import Sequence
from typing import overload

from pagedrift._kernels import name_id, scan
from pagedrift._kernels.names import KNOWN, UNKNOWN


class Tags(Sequence[str]):
    """The start and end tags of a page.

    `codes` is an array of twice the number of the tag's name, plus one for an end tag. A name has the same number
    on every page, so codes of different pages can be compared.

    >>> tags = read_tags(b"<ul><li>One<LI class=x>Two</ul>")
    >>> list(tags)
    ['ul', 'li', 'li', '/ul']
    >>> tags.folded() == read_tags(b"<ul><li></li></ul>").folded()
    True
    """

    __slots__ = ("_names", "codes")

    def __init__(self, codes: array[int], names: dict[int, str]) -> None:
        self.codes = codes
        self._names = names

    def __len__(self) -> int:
        return len(self.codes)

    @overload
    def __getitem__(self, index: int) -> str: ...
    @overload
    def __getitem__(self, index: slice) -> Tags: ...
    def __getitem__(self, index: int | slice) -> str | Tags:
        if isinstance(index, slice):
            return Tags(self.codes[index], self._names)
        code = self.codes[index]
        return "/" + self.name(code) if code & 1 else self.name(code)

    def __contains__(self, tag: object) -> bool:
        # A search for the bytes of the code: five times faster than one for the number.
        if not isinstance(tag, str):
            return False
        wanted, data = array("I", [_code(tag)]).tobytes(), self.codes.tobytes()
        at = data.find(wanted)
        while at > 0 and at % self.codes.itemsize:
            at = data.find(wanted, at + 1)
        return at >= 0

    def count(self, tag: str) -> int:
        """Count a tag: `count("p")` the start tags, `count("/p")` the end tags.

        >>> read_tags(b"<p>One<p>Two</p>").count("p")
        2
        """
        return self.codes.count(_code(tag))

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Tags) and self.codes == other.codes

    def __hash__(self) -> int:
        return hash(self.codes.tobytes())

    def __repr__(self) -> str:
        return f"Tags({' '.join(self[:8])}{' …' if len(self) > 8 else ''}; {len(self)} tags)"  # noqa: PLR2004

    def name(self, code: int) -> str:
        """Name the tag of a code."""
        number = code >> 1
        return KNOWN[number] if number < UNKNOWN else self._names[number]

    def is_ascii(self) -> bool:
        """Return whether all names are ASCII, and so the same in every encoding."""
        return not self._names or all(map(str.isascii, self._names.values()))

    def folded(self) -> array[int]:
        """Give the tags by name alone: a start tag and its end tag are the same."""
        return array("I", [code >> 1 for code in self.codes])


def _code(tag: str) -> int:
    return name_id(tag.removeprefix("/").encode()) << 1 | tag.startswith("/")


def read_tags(data: bytes, *, limit: int = -1) -> Tags:
    """Scan the tags of a page, at most `limit` of them, from bytes in an ASCII-compatible encoding."""
    codes, names, _ = scan(data, limit)
    return Tags(codes, {number: name.decode("utf-8", "replace") for number, name in names.items()})
