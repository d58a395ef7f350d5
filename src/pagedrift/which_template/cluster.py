"""Which pages were made from one template, where nobody has said which templates there are?"""

from __future__ import annotations

from array import array
from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING, Self

from pagedrift.arguments import as_page
from pagedrift.which_template.estimator import Estimator
from pagedrift.which_template.fingerprint import DEFAULT, Fingerprint, fingerprint
from pagedrift.which_template.index import TemplateIndex

if TYPE_CHECKING:
    from collections.abc import Iterable

    from pagedrift.arguments import PageLike


@dataclass(frozen=True, slots=True)
class Cluster:
    """Pages that were made from one template."""

    id: int
    pages: int
    fingerprints: int  # different ones
    example: str  # the address of the first page


class TemplateClusterer(Estimator):
    """Put pages of one template into one cluster, in a single pass.

    Two pages belong together if their fingerprints are of one template, or if other pages link them. The clusters
    do not depend on the order of the pages; their ids do. A cluster has the id it got with its first page, for
    ever: pages that are added later change it only where they join two clusters, of which the older gives its id
    to both. `current` says what became of an id. It is an estimator as scikit-learn's.

    >>> clusterer = TemplateClusterer("lzw")
    >>> pages = ["lzw:0,1,2,3", "lzw:0,0,0,0,0,0", "lzw:0,1,2,2", "lzw:0,1,1,1"]
    >>> list(clusterer.fit(map(Fingerprint.parse, pages)).labels_)
    [0, 1, 0, 3]
    >>> list(clusterer.partial_fit([Fingerprint.parse("lzw:0,1,1,2")]).labels_), clusterer.current(3)
    ([0, 1, 0, 0, 0], 0)
    """

    _estimator_type = "clusterer"
    _index: TemplateIndex | None = None  # of the fingerprints that were added

    def __init__(self, algorithm: str = DEFAULT, *, split: int | None = None) -> None:
        self.algorithm = algorithm
        self.split = split

    @property
    def index_(self) -> TemplateIndex:
        """The fingerprints that were added."""
        self._check_fitted()
        assert self._index is not None
        return self._index

    def _is_fitted(self) -> bool:
        return self._index is not None

    def _begin(self) -> TemplateIndex:
        """Begin without any pages."""
        options = {} if self.split is None else {"split": self.split}
        self._index = TemplateIndex(self.algorithm, **options)
        self._parents = array("I")  # of each entry of the index: an older one of its cluster, or itself
        self._entries = array("I")  # of each page
        return self._index

    def fit(self, X: Iterable[PageLike | Fingerprint], y: object = None) -> Self:  # noqa: N803 - scikit-learn's
        """Cluster these pages, and forget all before."""
        self._begin()
        return self.partial_fit(X, y)

    def partial_fit(self, X: Iterable[PageLike | Fingerprint], y: object = None) -> Self:  # noqa: ARG002, N803 - the same
        """Add pages to the clusters."""
        index = self._begin() if self._index is None else self._index
        for given in X:
            if isinstance(given, Fingerprint):
                self.add(given)
            else:
                page = as_page(given)
                self.add(fingerprint(page, algorithm=index.algorithm), example=page.url)
        return self

    def fit_predict(self, X: Iterable[PageLike | Fingerprint], y: object = None) -> array[int]:  # noqa: N803 - the same
        """Cluster these pages, and give the id of its cluster for each."""
        return self.fit(X, y).labels_

    def add(self, page: Fingerprint, *, example: str = "", pages: int = 1) -> int:
        """Add one page, or several alike, by its fingerprint; `current` of what this gives is its cluster's id."""
        index = self._begin() if self._index is None else self._index
        references = index.own(page)
        entry, is_new = index.insert(references, example=example, pages=pages)
        if is_new:
            self._parents.append(entry)
            for other in index.links(references, but=entry):
                self._join(entry, other)
        if pages == 1:
            self._entries.append(entry)
        else:
            self._entries.extend((entry,) * pages)
        return entry

    @property
    def labels_(self) -> array[int]:
        """The id of its cluster for each page, in the order they came."""
        self._check_fitted()
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

    def predict(self, X: Iterable[PageLike | Fingerprint]) -> list[int | None]:  # noqa: N803 - scikit-learn's
        """Say to which cluster each page would belong, the oldest of several; None where it would be a new one."""
        self._check_fitted()
        return list(map(self._predict, X))

    def _predict(self, page: PageLike | Fingerprint) -> int | None:
        index = self.index_
        taken = page if isinstance(page, Fingerprint) else fingerprint(page, algorithm=index.algorithm)
        return min(map(self.current, index.links(index.own(taken))), default=None)

    def count(self) -> int:
        """Count the clusters."""
        return sum(parent == entry for entry, parent in enumerate(self._parents)) if self._is_fitted() else 0

    def clusters(self, most: int | None = None) -> list[Cluster]:
        """List the clusters, the largest first, at most a number of."""
        pages: Counter[int] = Counter()
        fingerprints: Counter[int] = Counter()
        for entry in range(len(self._parents) if self._is_fitted() else 0):
            root = self.current(entry)
            fingerprints[root] += 1
            pages[root] += self.index_.pages(entry)
        ranked = sorted(pages.items(), key=lambda item: (-item[1], item[0]))[:most]
        return [Cluster(root, count, fingerprints[root], self.index_.example(root)) for root, count in ranked]
