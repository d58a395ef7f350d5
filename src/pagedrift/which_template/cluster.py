"""Which pages were made from one template, where nobody has said which templates there are?"""

from __future__ import annotations

from array import array
from collections import Counter, defaultdict
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, Self

from pagedrift.arguments import as_page
from pagedrift.which_template.consensus import RULE, Cores, Joined, PageGroup, gather, join, sampled
from pagedrift.which_template.estimator import Estimator
from pagedrift.which_template.fingerprint import DEFAULT, Fingerprint, fingerprint
from pagedrift.which_template.index import TemplateIndex
from pagedrift.which_template.naming import name_of

if TYPE_CHECKING:
    from collections.abc import Iterable

    from pagedrift.arguments import PageLike
    from pagedrift.which_template.consensus import TemplateRule

MAX_NAMED: Final = 200  # addresses out of which the name of a cluster is made


@dataclass(frozen=True, slots=True, kw_only=True)
class Cluster:
    """Pages that were made from one template."""

    id: int
    pages: int
    fingerprints: int  # different ones
    example: str  # the address of the first page
    name: str = ""  # what the addresses of its pages have in common
    sure: float = 1.0  # how alike its pages are: the mean share of features that each has in common with most


@dataclass(slots=True, eq=False)
class _Found:
    """Which groups are one template, as far as anybody has asked: a page more may change that."""

    joined: Joined | None = None
    cores: Cores | None = None


class TemplateClusterer(Estimator):
    """Put pages of one template into one cluster, in a single pass.

    Two pages belong together if their fingerprints are of one template, or if other pages link them; groups of such
    pages belong together by what nearly all of their pages have in common (`consensus`), unless `strict`. The
    clusters do not depend on the order of the pages; their ids do. A cluster has the id that its first page got:
    where two become one, that of the older. `current` says what became of an id. It is an estimator as
    scikit-learn's.

    >>> clusterer = TemplateClusterer("lzw")
    >>> pages = ["lzw:0,1,2,3", "lzw:0,0,0,0,0,0", "lzw:0,1,2,2", "lzw:0,1,1,1"]
    >>> list(clusterer.fit(map(Fingerprint.parse, pages)).labels_)
    [0, 1, 0, 3]
    >>> list(clusterer.partial_fit([Fingerprint.parse("lzw:0,1,1,2")]).labels_), clusterer.current(3)
    ([0, 1, 0, 0, 0], 0)
    """

    _estimator_type = "clusterer"
    _index: TemplateIndex | None = None  # of the fingerprints that were added

    def __init__(
        self,
        algorithm: str = DEFAULT,
        *,
        split: int | None = None,
        strict: bool = False,  # pages must be the same in all that counts: other states are other templates
        rule: TemplateRule | None = None,  # when groups are one template; None: as it was chosen
    ) -> None:
        self.algorithm = algorithm
        self.split = split
        self.strict = strict
        self.rule = rule

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
        self._parents = array("I")  # of each entry of the index: an older one of its group, or itself
        self._found = _Found()
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
        self._found = _Found()
        if is_new:
            self._parents.append(entry)
            for other in () if self.strict else index.links(references, but=entry):
                self._unite(entry, other)
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
        """Give the id that a cluster has now: its own, or that of an older one it is one with."""
        group = self._group(cluster)
        return self._joined().roots.get(group, group)

    def _group(self, entry: int) -> int:
        """Give the first entry of those that keys link with this one."""
        parents = self._parents
        while parents[entry] != entry:
            parents[entry] = entry = parents[parents[entry]]
        return entry

    def _unite(self, one: int, other: int) -> None:
        one, other = self._group(one), self._group(other)
        self._parents[max(one, other)] = min(one, other)

    def _joined(self) -> Joined:
        """Say which groups are one template."""
        if self._found.joined is None:
            is_by_keys = self.strict or self.index_.features is None
            self._found.joined = Joined({}, {}) if is_by_keys else join(self._groups(), self.rule or RULE)
        return self._found.joined

    def _cores(self) -> Cores:
        if self._found.cores is None:
            self._found.cores = Cores(self._joined().groups, self.rule or RULE)
        return self._found.cores

    def _groups(self) -> dict[int, PageGroup]:
        """Count the pages of each group, and sample them."""
        index, features = self.index_, self.index_.features
        assert features is not None
        return gather(
            (self._group(entry), features(index.references(entry)), index.pages(entry))
            for entry in range(len(self._parents))
        )

    def predict(self, X: Iterable[PageLike | Fingerprint]) -> list[int | None]:  # noqa: N803 - scikit-learn's
        """Say to which cluster each page would belong, the oldest of several; None where it would be a new one."""
        self._check_fitted()
        return list(map(self._predict, X))

    def _predict(self, page: PageLike | Fingerprint) -> int | None:
        index = self.index_
        taken = page if isinstance(page, Fingerprint) else fingerprint(page, algorithm=index.algorithm)
        references = index.own(taken)
        if self.strict:
            return index.find(references)
        linked = min(map(self.current, index.links(references)), default=None)
        if linked is not None or index.features is None:
            return linked
        best = self._cores().best(PageGroup.of(0, [sampled(index.features(references))]))
        return best[0] if best else None

    def linked(self, page: Fingerprint) -> int:
        """Give the oldest page that keys link with one, whatever groups have in common; -1 where there is none."""
        index = self.index_
        return min(map(self._group, index.links(index.own(page))), default=-1)

    def count(self) -> int:
        """Count the clusters."""
        return len(set(map(self.current, range(len(self._parents))))) if self._is_fitted() else 0

    def clusters(self, most: int | None = None) -> list[Cluster]:
        """List the clusters, the largest first, at most a number of."""
        pages: Counter[int] = Counter()
        entries: defaultdict[int, list[int]] = defaultdict(list)
        for entry in range(len(self._parents) if self._is_fitted() else 0):
            root = self.current(entry)
            entries[root].append(entry)
            pages[root] += self.index_.pages(entry)
        ranked = sorted(pages, key=lambda root: (-pages[root], root))[:most]
        return [self._cluster(root, pages[root], entries[root]) for root in ranked]

    def _cluster(self, root: int, pages: int, entries: list[int]) -> Cluster:
        examples = [self.index_.example(entry) for entry in entries[:MAX_NAMED]]
        group = self._joined().groups.get(root)
        return Cluster(
            id=root,
            pages=pages,
            fingerprints=len(entries),
            example=examples[0],
            name=name_of(examples),
            sure=group.sure() if group else 1.0,
        )
