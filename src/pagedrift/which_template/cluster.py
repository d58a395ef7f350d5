"""Which pages were made from one template, where nobody has said which templates there are?"""

from __future__ import annotations

from array import array
from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING

from pagedrift.which_template.fingerprint import DEFAULT, Fingerprint, fingerprint
from pagedrift.which_template.index import TemplateIndex

if TYPE_CHECKING:
    from collections.abc import Iterable

    from pagedrift.page import PageVersion


@dataclass(frozen=True, slots=True)
class Cluster:
    """Pages that were made from one template."""

    id: int
    pages: int
    fingerprints: int  # different ones
    example: str  # the address of the first page


class TemplateClusterer:
    """Put pages of one template into one cluster, in a single pass.

    Two pages belong together if their fingerprints are of one template, or if other pages link them. The clusters
    do not depend on the order of the pages; their ids do. A cluster has the id it got with its first page, for
    ever: pages that are added later change it only where they join two clusters, of which the older gives its id
    to both. `current` says what became of an id.

    >>> clusterer = TemplateClusterer("lzw")
    >>> pages = ["lzw:0,1,2,3", "lzw:0,0,0,0,0,0", "lzw:0,1,2,2", "lzw:0,1,1,1"]
    >>> list(clusterer.fit(map(Fingerprint.parse, pages)).labels_)
    [0, 1, 0, 3]
    >>> list(clusterer.partial_fit([Fingerprint.parse("lzw:0,1,1,2")]).labels_), clusterer.current(3)
    ([0, 1, 0, 0, 0], 0)
    """

    def __init__(self, algorithm: str = DEFAULT, **options: int) -> None:
        self.algorithm = algorithm
        self.options = options
        self._forget()

    def _forget(self) -> None:
        self.index_ = TemplateIndex(self.algorithm, **self.options)
        self._parents = array("I")  # of each entry of the index: an older one of its cluster, or itself
        self._entries = array("I")  # of each page

    def fit(self, pages: Iterable[PageVersion | Fingerprint], y: object = None) -> TemplateClusterer:
        """Cluster these pages, and forget all before."""
        self._forget()
        return self.partial_fit(pages, y)

    def partial_fit(self, pages: Iterable[PageVersion | Fingerprint], y: object = None) -> TemplateClusterer:  # noqa: ARG002 - scikit-learn's
        """Add pages to the clusters."""
        for page in pages:
            if isinstance(page, Fingerprint):
                self.add(page)
            else:
                self.add(fingerprint(page, algorithm=self.algorithm), example=page.url)
        return self

    def add(self, page: Fingerprint, *, example: str = "", pages: int = 1) -> int:
        """Add one page, or several alike, by its fingerprint; `current` of what this gives is its cluster's id."""
        references = self.index_.own(page)
        entry, is_new = self.index_.insert(references, example=example, pages=pages)
        if is_new:
            self._parents.append(entry)
            for other in self.index_.links(references, but=entry):
                self._join(entry, other)
        if pages == 1:
            self._entries.append(entry)
        else:
            self._entries.extend((entry,) * pages)
        return entry

    @property
    def labels_(self) -> array[int]:
        """The id of its cluster for each page, in the order they came."""
        roots = array("I", map(self.current, range(len(self._parents))))
        return array("I", map(roots.__getitem__, self._entries))

    def current(self, cluster: int) -> int:
        """Give the id that a cluster has now: its own, or that of an older one it was joined with."""
        parents = self._parents
        while parents[cluster] != cluster:
            parents[cluster] = cluster = parents[parents[cluster]]
        return cluster

    def _join(self, one: int, other: int) -> None:
        one, other = self.current(one), self.current(other)
        self._parents[max(one, other)] = min(one, other)

    def predict(self, pages: Iterable[PageVersion | Fingerprint]) -> list[int | None]:
        """Say to which cluster each page would belong, the oldest of several; None where it would be a new one."""
        return list(map(self._predict, pages))

    def _predict(self, page: PageVersion | Fingerprint) -> int | None:
        taken = page if isinstance(page, Fingerprint) else fingerprint(page, algorithm=self.algorithm)
        return min(map(self.current, self.index_.links(self.index_.own(taken))), default=None)

    def count(self) -> int:
        """Count the clusters."""
        return sum(parent == entry for entry, parent in enumerate(self._parents))

    def clusters(self, most: int | None = None) -> list[Cluster]:
        """List the clusters, the largest first, at most so many."""
        pages: Counter[int] = Counter()
        fingerprints: Counter[int] = Counter()
        for entry in range(len(self._parents)):
            root = self.current(entry)
            fingerprints[root] += 1
            pages[root] += self.index_.pages(entry)
        ranked = sorted(pages.items(), key=lambda item: (-item[1], item[0]))[:most]
        return [Cluster(root, count, fingerprints[root], self.index_.example(root)) for root, count in ranked]
