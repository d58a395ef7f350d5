"""What is the fingerprint of a page's structure, and do two pages share a template?"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from pagedrift.arguments import as_page
from pagedrift.errors import InputError
from pagedrift.which_template import lzw, sketch

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from pagedrift.arguments import PageLike
    from pagedrift.page import PageVersion

VERSION: Final = 1  # of the byte form
_AGAIN: Final = "make it again with: pagedrift.fingerprint(page)"


@dataclass(frozen=True, slots=True, kw_only=True)
class Algorithm:
    """What a kind of fingerprint must be able to do; fingerprints are bytes here.

    Whenever `is_same(a, b)`, `keys(a)` and `keys(b)` must have one in common: this makes an index exact.
    """

    references: Callable[[PageVersion], bytes]  # the fingerprint of a page
    is_same: Callable[[bytes, bytes], bool]  # of one template?
    lengths: range  # how many bytes one may have
    keys: Callable[..., Iterable[bytes]]  # where to look for others of one template; options are the index's
    neighbours: Callable[[bytes], Iterable[bytes]] | None = None  # all that are the same, where they can be listed
    # the fingerprint by the first bytes of a body, its content type, whether they are all, and between which
    # offsets they stand, at the second of which is a NUL; None: more is needed
    look: Callable[[bytes | bytearray, str | None, bool, int, int], bytes | None] | None = None
    by_start: bool = False  # mostly the beginning of a page is enough for that look
    # where the keys stand in the fingerprint itself: from which byte on, of how many bytes each, and how many
    pieces: tuple[int, int, int] | None = None
    by_keys: bool = False  # sharing a key is all that makes two the same, so one of each key speaks for all
    # the features of the page as bits, where groups of pages are compared by what they have in common
    features: Callable[[bytes], int] | None = None
    is_alike: Callable[[bytes, bytes], bool] | None = None  # of one template, where only the two are known?


FINGERPRINTS: Final = {
    "lzw": Algorithm(
        references=lzw.references,
        is_same=lzw.is_same,
        lengths=lzw.LENGTHS,
        keys=lzw.keys,
        neighbours=lzw.neighbours,
        look=lzw.look,
        by_start=True,
    ),
    "pagedrift": Algorithm(
        references=sketch.references,
        is_same=sketch.is_same,
        lengths=sketch.LENGTHS,
        keys=sketch.keys,
        look=sketch.look,
        pieces=sketch.PIECES,
        by_keys=True,
        features=sketch.features,
        is_alike=sketch.is_alike,
    ),
}
DEFAULT: Final = "pagedrift"


@dataclass(frozen=True, slots=True, order=True)
class Fingerprint:
    r"""A short summary of a page's structure; pages of one template have the same or nearly the same.

    >>> known = Fingerprint("lzw", bytes([0, 0, 2]))
    >>> str(known), bytes(known)
    ('lzw:0,0,2', b'\x00\x00\x02')
    >>> Fingerprint.parse("lzw:0,0,2") == Fingerprint.from_bytes(known.to_bytes()) == known
    True
    """

    algorithm: str
    references: bytes

    def __bytes__(self) -> bytes:
        return self.references

    def __str__(self) -> str:
        return f"{self.algorithm}:{','.join(map(str, self.references))}"

    @classmethod
    def parse(cls, text: str) -> Fingerprint:
        """Read the printed form."""
        algorithm, colon, numbers = text.strip().partition(":")
        algorithm_named(algorithm)
        try:
            references = bytes(map(int, numbers.split(","))) if numbers else b""
        except ValueError:
            colon = ""
        if not colon:
            raise InputError(f"{text[:80]!r} is not a fingerprint such as lzw:0,0,2; {_AGAIN}")
        return cls(algorithm, references).checked()

    def to_bytes(self) -> bytes:
        """Write it with its algorithm and the version of this form, to be kept."""
        name = self.algorithm.encode()
        return bytes((VERSION, len(name))) + name + self.references

    @classmethod
    def from_bytes(cls, data: bytes) -> Fingerprint:
        """Read what `to_bytes` wrote."""
        if data[:1] != bytes((VERSION,)):
            found = f"version {data[0]}" if data else "empty"
            raise InputError(f"the fingerprint is {found}, and only version {VERSION} is known; {_AGAIN}")
        name = data[2 : 2 + data[1]] if len(data) > 1 else b""
        algorithm_named(name.decode("ascii", "replace"))
        return cls(name.decode("ascii"), data[2 + len(name) :]).checked()

    def checked(self) -> Fingerprint:
        """Give it back, unless it has a length that no page gives: the keys of such a one would not be exact."""
        lengths = algorithm_named(self.algorithm).lengths
        if len(self.references) not in lengths:
            expected = f"{lengths[0]} to {lengths[-1]}" if len(lengths) > 1 else f"{lengths[0]}"
            raise InputError(
                f"this fingerprint {self.algorithm} has {len(self.references)} bytes, not {expected}; {_AGAIN}"
            )
        return self


def algorithm_named(name: str) -> Algorithm:
    """Look up an algorithm."""
    if name not in FINGERPRINTS:
        raise InputError(f"unknown fingerprint {name[:80]!r}; choose one of: {', '.join(FINGERPRINTS)}")
    return FINGERPRINTS[name]


def fingerprint(page: PageLike, *, algorithm: str = DEFAULT) -> Fingerprint:
    """Take the fingerprint of a page.

    >>> from pagedrift.page import PageVersion
    >>> page = PageVersion("https://city.example/", b"<p>A <b>bold</b> move</p>")
    >>> str(fingerprint(page, algorithm="lzw"))
    'lzw:0,0,2'
    """
    return Fingerprint(algorithm, algorithm_named(algorithm).references(as_page(page)))


def same_template(one: Fingerprint, other: Fingerprint) -> bool:
    """Return whether two fingerprints say that their pages were made from one template.

    >>> same_template(Fingerprint.parse("lzw:0,0,2"), Fingerprint.parse("lzw:0,0,2,0"))
    True
    """
    if one.algorithm != other.algorithm:
        raise InputError(
            f"fingerprints {one.algorithm} and {other.algorithm} cannot be compared; use the same algorithm"
        )
    how = algorithm_named(one.algorithm)
    return (how.is_alike or how.is_same)(one.references, other.references)
