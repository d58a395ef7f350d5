"""Which visual words does a picture show, and how much do two pictures differ in them?"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from hashlib import blake2b
from importlib.resources import as_file, files
from itertools import pairwise
from math import sqrt
from typing import TYPE_CHECKING, Any, Final

from pagedrift.does_it_matter.cache import remembering
from pagedrift.does_it_matter.picture_descriptors import STEP, TOP, WHOLE, colours, decode, edges
from pagedrift.errors import InputError
from pagedrift.extras import need

if TYPE_CHECKING:
    from collections.abc import Mapping

SIZES: Final = (100, 200)  # words: Law 2012, § 4
KINDS: Final = ("sift", "color")
PARTS: Final = ("whole", "top")
_FARTHEST: Final = {"l2": sqrt(2), "chi2": 2.0}
_MAX_REMEMBERED_PICTURES: Final = 4_096  # descriptions, of 10 KB each
_SIGN: Final = b"PDV1"  # what a kept description begins with: the way of describing, and its version
_BAGS: Final = tuple((kind, size, part) for kind in KINDS for size in SIZES for part in PARTS)


@dataclass(frozen=True, eq=False)
class PictureWords:
    """The words of a picture: how often each occurs, by kind, size of the vocabulary, and part of the page.

    One more word than the vocabulary has counts what is flat.
    """

    bags: Mapping[tuple[str, int, str], Any]
    step: int = STEP

    def to_bytes(self) -> bytes:
        """Give it in a form to keep, 5 KB, with the name of the vocabularies that its numbers refer to."""
        numpy = need("vision", "numpy")
        counts = numpy.concatenate([self.bags[name] for name in _BAGS]).astype("<u4")
        return _SIGN + vocabulary() + self.step.to_bytes(2, "little") + bytes(counts.tobytes())


def from_bytes(kept: bytes) -> PictureWords:
    """Read a description back.

    >>> from_bytes(b"PDV0")
    Traceback (most recent call last):
    pagedrift.errors.InputError: this description was made in another way; describe the picture again
    """
    numpy = need("vision", "numpy")
    head = _SIGN + vocabulary()
    sizes = [size + 1 for _, size, _ in _BAGS]
    if not kept.startswith(head) or len(kept) != len(head) + 2 + 4 * sum(sizes):
        raise InputError("this description was made in another way; describe the picture again")
    counts = numpy.frombuffer(kept, "<u4", offset=len(head) + 2).astype(numpy.float32)
    bags = dict(zip(_BAGS, numpy.split(counts, numpy.cumsum(sizes)[:-1]), strict=True))
    return PictureWords(bags, int.from_bytes(kept[len(head) : len(head) + 2], "little"))


@cache
def codebooks() -> dict[tuple[str, int], Any]:
    """Load the vocabularies that come with Pagedrift."""
    numpy = need("vision", "numpy")
    with as_file(files(__package__).joinpath("models", "codebooks.npz")) as path, numpy.load(path) as held:
        return {(kind, size): held[f"{kind}{size}"].astype(numpy.float32) for kind in KINDS for size in SIZES}


@cache
def vocabulary() -> bytes:
    """Name the vocabularies in eight bytes: other words, another name."""
    digest = blake2b(digest_size=8)
    for words in codebooks().values():
        digest.update(words.astype("<f4").tobytes())
    return digest.digest()


@cache
def _words(kind: str) -> Any:
    """Give the words of all sizes side by side, and below each half the square of its length, to be taken off."""
    numpy = need("vision", "numpy")
    words = numpy.concatenate([codebooks()[kind, size] for size in SIZES])
    return numpy.ascontiguousarray(numpy.c_[words, -(words**2).sum(axis=1) / 2].T)


@remembering(_MAX_REMEMBERED_PICTURES)
def describe(picture: bytes, *, step: int = STEP) -> PictureWords:
    """Describe a picture, once for equal pictures."""
    numpy = need("vision", "numpy")
    image = decode(picture)[:WHOLE]
    bags = {(kind, size, part): numpy.zeros(size + 1, numpy.float32) for kind, size, part in _BAGS}
    for ends, found in edges(image, step=step):
        _count(bags, "sift", ends, found)
    for ends, found in colours(image):
        _count(bags, "color", ends, found)
    return PictureWords(bags, step)


def _count(bags: dict[tuple[str, int, str], Any], kind: str, ends: Any, found: Any) -> None:
    """Count each descriptor as its nearest word, for the whole page and for its top."""
    numpy = need("vision", "numpy")
    top = int(numpy.searchsorted(ends, TOP, side="right"))  # descriptors come from top to bottom
    for size, data in zip(SIZES, _told(kind, found), strict=True):
        bags[kind, size, "whole"] += numpy.bincount(data, minlength=size + 1)
        bags[kind, size, "top"] += numpy.bincount(data[:top], minlength=size + 1)


def _told(kind: str, found: Any) -> list[Any]:
    """Name the nearest words, of each size; for flat places and patches of one colour, most of a page, by table."""
    numpy = need("vision", "numpy")
    if kind == "sift":
        rest = numpy.flatnonzero(found.any(axis=1))
        data = [numpy.full(len(found), size) for size in SIZES]
    else:
        colour = found.argmax(axis=1)
        rest = numpy.flatnonzero(found[numpy.arange(len(found)), colour] < 1)
        data = [words[colour] for words in _plain_words(kind)]
    for words, near in zip(data, _nearest(kind, found[rest]), strict=True):
        words[rest] = near
    return data


def _nearest(kind: str, found: Any) -> list[Any]:
    """Give the nearest word of each size: those of all vocabularies in one product of matrices."""
    numpy = need("vision", "numpy")
    wide = numpy.ones((len(found), found.shape[1] + 1), numpy.float32)
    wide[:, :-1] = found
    near = wide @ _words(kind)  # the nearest word is the one with the largest product less half its square
    ends = (0, SIZES[0], sum(SIZES))
    return [near[:, start:end].argmax(axis=1) for start, end in pairwise(ends)]


@cache
def _plain_words(kind: str) -> list[Any]:
    """Give the nearest words to patches of each single colour."""
    numpy = need("vision", "numpy")
    return _nearest(kind, numpy.eye(_words(kind).shape[0] - 1, dtype=numpy.float32))


def visual_features(old: PictureWords, new: PictureWords) -> dict[str, float]:
    """Give the sixteen distances of the paper between two pictures; 0 for equal ones."""
    if old.step != new.step:
        raise InputError(f"descriptions with steps {old.step} and {new.step} cannot be compared; use one for both")
    found = {}
    for (kind, size, part), before in old.bags.items():
        after = new.bags[kind, size, part]
        for metric, distance in (("l2", _euclidean), ("chi2", _chi_square)):
            empty = [not bag.any() for bag in (before, after)]
            value = (0.0 if all(empty) else _FARTHEST[metric]) if any(empty) else distance(before, after)
            found[f"{kind}.{size}.{part}.{metric}"] = min(value, _FARTHEST[metric])  # rounding goes beyond
    return found


def _euclidean(old: Any, new: Any) -> float:
    one, other = (bag / sqrt(float(bag @ bag)) for bag in (old, new))
    return sqrt(max(0.0, float(((one - other) ** 2).sum())))


def _chi_square(old: Any, new: Any) -> float:
    one, other = (bag / bag.sum() for bag in (old, new))
    both = one + other
    used = both > 0
    return float((((one - other) ** 2)[used] / both[used]).sum())
