"""Which documents of a stream are unlike all documents around them?"""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass
from statistics import median
from typing import TYPE_CHECKING, Final

from pagedrift.redesigned.history import page_shingles
from pagedrift.which_template.similarity import overlap

if TYPE_CHECKING:
    from array import array

    from pagedrift.page import PageVersion

AFTER: Final = 4  # documents that must have come since: the first of a new design has others like it by then
MIN_NEIGHBOURS: Final = 8  # documents around it, for their likeness to say something
FRACTION: Final = 0.5  # of what is usual: an outlier is less than half as like its neighbours


@dataclass(frozen=True, slots=True)
class Outlier:
    """A document like none of those around it."""

    back: int  # a number of documents before the last one
    similarity: float  # to the most similar one


class Outliers:
    """Looks at each document when a few more have come.

    >>> from pagedrift.page import PageVersion
    >>> outliers = Outliers(20)
    >>> pages = [b"<ul><li><a><b><i>"] * 10 + [b"<div><p><h1><p><h2>"] + [b"<ul><li><a><b><i>"] * 4
    >>> [found.back for page in pages if (found := outliers.add(PageVersion("", page)))]
    [4]
    """

    def __init__(self, size: int) -> None:
        self._recent: deque[tuple[array[int], float]] = deque(maxlen=size + AFTER)  # with the best likeness so far

    def add(self, page: PageVersion) -> Outlier | None:
        """Take the next document, and judge the one a few before it."""
        new, best = page_shingles(page), 0.0
        for place, (old, known) in enumerate(self._recent):
            similarity = overlap(new, old)
            best = max(best, similarity)
            self._recent[place] = (old, max(known, similarity))
        self._recent.append((new, best))
        if len(self._recent) <= max(MIN_NEIGHBOURS, AFTER):
            return None
        likeness = [known for _, known in self._recent]
        found = likeness.pop(-1 - AFTER)
        return Outlier(AFTER, found) if found < FRACTION * median(likeness) else None
