"""Which words of a visual vocabulary does a picture use, and how differently do two pictures speak?"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache, lru_cache
from importlib.resources import as_file, files
from math import sqrt
from typing import TYPE_CHECKING, Any, Final

from pagedrift.does_it_matter.vision import STEP, TOP, WHOLE, colours, decode, edges
from pagedrift.extras import need

if TYPE_CHECKING:
    from collections.abc import Mapping

SIZES: Final = (100, 200)  # words: Law 2012, § 4
KINDS: Final = ("sift", "color")
_FARTHEST: Final = {"l2": sqrt(2), "chi2": 2.0}


@dataclass(frozen=True, eq=False)
class Description:
    """The words of a picture: how often each occurs, by kind, size of the vocabulary, and part of the page.

    One more word than the vocabulary has counts what is flat.
    """

    bags: Mapping[tuple[str, int, str], Any]


@cache
def codebooks() -> dict[tuple[str, int], Any]:
    """Load the vocabularies that come with Pagedrift."""
    numpy = need("vision", "numpy")
    with as_file(files(__package__).joinpath("models", "codebooks.npz")) as path, numpy.load(path) as held:
        return {(kind, size): held[f"{kind}{size}"].astype(numpy.float32) for kind in KINDS for size in SIZES}


@lru_cache(maxsize=256)
def describe(picture: bytes, *, step: int = STEP) -> Description:
    """Describe a picture, once for equal pictures."""
    numpy = need("vision", "numpy")
    image = decode(picture)[:WHOLE]
    bags = {
        (kind, size, part): numpy.zeros(size + 1, numpy.float32)
        for kind in KINDS
        for size in SIZES
        for part in ("whole", "top")
    }
    for ends, found in edges(image, step=step):
        _count(bags, "sift", ends, found)
    _count(bags, "color", *colours(image))
    return Description(bags)


def _count(bags: dict[tuple[str, int, str], Any], kind: str, ends: Any, found: Any) -> None:
    """Count each descriptor as its nearest word; the nearest to all vocabularies in one product of matrices."""
    numpy = need("vision", "numpy")
    flat = ~found.any(axis=1)
    words = numpy.concatenate([codebooks()[kind, size] for size in SIZES])
    near = found @ words.T
    near -= (words**2).sum(axis=1) / 2
    start = 0
    for size in SIZES:
        told = (
            numpy.where(flat, size, near[:, start : start + size].argmax(axis=1))
            if len(found)
            else flat.astype(int)
        )
        bags[kind, size, "whole"] += numpy.bincount(told, minlength=size + 1)
        bags[kind, size, "top"] += numpy.bincount(told[ends <= TOP], minlength=size + 1)
        start += size


def visual_features(old: Description, new: Description) -> dict[str, float]:
    """Give the sixteen distances of the paper between two pictures; 0 for equal ones."""
    found = {}
    for (kind, size, part), before in old.bags.items():
        after = new.bags[kind, size, part]
        for metric, distance in (("l2", _euclidean), ("chi2", _chi_square)):
            empty = [not bag.any() for bag in (before, after)]
            value = (0.0 if all(empty) else _FARTHEST[metric]) if any(empty) else distance(before, after)
            found[f"{kind}.{size}.{part}.{metric}"] = value
    return found


def _euclidean(old: Any, new: Any) -> float:
    one, other = (bag / sqrt(float(bag @ bag)) for bag in (old, new))
    return sqrt(max(0.0, float(((one - other) ** 2).sum())))


def _chi_square(old: Any, new: Any) -> float:
    one, other = (bag / bag.sum() for bag in (old, new))
    both = one + other
    used = both > 0
    return float((((one - other) ** 2)[used] / both[used]).sum())
