"""How alike are the last documents of a stream to those before them? (Gottron 2009, §§ 3 and 4.2)"""

from __future__ import annotations

import base64
import sys
from array import array
from collections import deque
from dataclasses import dataclass
from itertools import accumulate
from typing import TYPE_CHECKING, Any, Final

from pagedrift._kernels import overlaps, shingles

if TYPE_CHECKING:
    from collections.abc import Sequence

    from pagedrift.page import PageVersion

LENGTH: Final = 4  # tags in a shingle; the paper gives none, see experiments/gottron2009/README.md
MAX_KEPT_SHINGLES: Final = 30_000  # of one page, those with the smallest hashes: 240 kB, whatever the page


def page_shingles(page: PageVersion, length: int = LENGTH) -> array[int]:
    """Read off a page the shingles that are kept of it.

    >>> from pagedrift.page import PageVersion
    >>> len(page_shingles(PageVersion("", b"<p>a<p>b<p>c<p>d<p>e")))
    1
    """
    return shingles(page.tags.codes, length)[:MAX_KEPT_SHINGLES]


def _similarities(new: array[int], sets: Sequence[array[int]]) -> list[float]:
    """Compare a set with some, as CTSS does (`overlap` of which_template.similarity), in one call of the kernel."""
    size = len(new)
    larger = [max(size, len(old)) for old in sets]
    return [shared / most if most else 1.0 for shared, most in zip(overlaps(new, sets), larger, strict=True)]


@dataclass(frozen=True, slots=True)
class Vector:
    """The similarities of one document to those before it, nearest first, and their sums from each place on.

    The sums make a triangle of the matrix the sum of one number per column: h steps for a new document, not h².
    """

    similarities: tuple[float, ...]
    sums: tuple[float, ...]
    squares: tuple[float, ...]
    maxima: tuple[float, ...]

    @classmethod
    def of(cls, similarities: Sequence[float]) -> Vector:
        """Add up from each place to the end."""
        backwards = similarities[::-1]
        return cls(
            tuple(similarities),
            tuple(accumulate(backwards))[::-1],
            tuple(accumulate(value * value for value in backwards))[::-1],
            tuple(accumulate(backwards, max))[::-1],
        )

    @property
    def average(self) -> float:
        """How alike the document is to those before it: avgsim of § 4.3."""
        return self.sums[0] / len(self.sums) if self.sums else 0.0


@dataclass(frozen=True, slots=True)
class Triangle:
    """One triangle of the matrix, as far as the detectors look at it."""

    count: int
    total: float
    squares: float

    @property
    def average(self) -> float:
        """The mean of its values."""
        return self.total / self.count

    @property
    def spread(self) -> float:
        """The sum of the squared distances from the mean."""
        return max(0.0, self.squares - self.total * self.total / self.count)


class History:
    """The shingles of the last `size` documents, and the stripe of their similarities; never the documents.

    >>> from pagedrift.page import PageVersion
    >>> history = History(size=2)
    >>> for body in (b"<p><b><i><u>", b"<p><b><i><u><s>", b"<ul><li><a><li>"):
    ...     vector = history.add(PageVersion("", body))
    >>> vector.similarities
    (0.0, 0.0)
    """

    def __init__(self, *, size: int, length: int = LENGTH) -> None:
        self.size = size
        self.length = length
        self.documents = 0
        self._sets: deque[array[int]] = deque(maxlen=size)
        self.vectors: deque[Vector] = deque(maxlen=size)

    def add(self, page: PageVersion) -> Vector:
        """Compare a document with the history, and let it take the place of the oldest in it."""
        new = page_shingles(page, self.length)
        vector = Vector.of(_similarities(new, list(reversed(self._sets))))
        self._sets.append(new)
        self.vectors.append(vector)
        self.documents += 1
        return vector

    @property
    def is_square(self) -> bool:
        """Return whether the matrix is complete: every document in the history had a full one before it."""
        return self.documents >= 2 * self.size

    def matrix(self) -> list[tuple[float, ...]]:
        """Give the matrix S by rows: row j holds the similarities to the document j before (§ 4.2)."""
        return list(zip(*(vector.similarities for vector in self.vectors), strict=True))

    def lower(self) -> Triangle:
        """Sum up the lower triangle: documents of the history next to those before it."""
        # Column k, from 1, has its rows k to h there.
        columns = list(enumerate(self.vectors))
        return Triangle(
            self.size * (self.size + 1) // 2,
            sum(vector.sums[k] for k, vector in columns),
            sum(vector.squares[k] for k, vector in columns),
        )

    def lower_maximum(self) -> float:
        """Find the most similar pair of the lower triangle."""
        return max(vector.maxima[k] for k, vector in enumerate(self.vectors))

    def upper_average(self) -> float:
        """Average the upper triangle, for those who need no more of it."""
        total = sum(vector.sums[0] - vector.sums[k] for k, vector in enumerate(self.vectors))
        return total / (self.size * (self.size - 1) // 2)

    def upper(self) -> Triangle:
        """Sum up the upper triangle: documents of the history next to each other."""
        columns = list(enumerate(self.vectors))
        return Triangle(
            self.size * (self.size - 1) // 2,
            sum(vector.sums[0] - vector.sums[k] for k, vector in columns),
            sum(vector.squares[0] - vector.squares[k] for k, vector in columns),
        )

    def state(self) -> dict[str, Any]:
        """Give the state to continue from later, as JSON-compatible data."""
        return {
            "documents": self.documents,
            "shingles": [packed(kept) for kept in self._sets],
            "stripe": [list(vector.similarities) for vector in self.vectors],
        }

    def restore(self, state: dict[str, Any]) -> None:
        """Continue from a state."""
        self.documents = int(state["documents"])
        self._sets.extend(unpacked(kept) for kept in state["shingles"])
        self.vectors.extend(Vector.of([float(value) for value in row]) for row in state["stripe"])


def packed(hashes: array[int]) -> str:
    """Write hashes as base64 of little-endian numbers: JSON readers elsewhere round numbers of 64 bits."""
    return base64.b64encode(_little(hashes).tobytes()).decode()


def unpacked(text: str) -> array[int]:
    """Read hashes back."""
    hashes: array[int] = array("Q")
    hashes.frombytes(base64.b64decode(text, validate=True))
    return _little(hashes)


def _little(hashes: array[int]) -> array[int]:
    if sys.byteorder == "big":
        hashes = hashes[:]
        hashes.byteswap()
    return hashes
