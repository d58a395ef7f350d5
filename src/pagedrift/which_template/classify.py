"""Which known template was a page made from, and how sure is that?"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final, Self

from pagedrift.arguments import as_page
from pagedrift.errors import InputError
from pagedrift.which_template.consensus import MOST, RULE, Cores, PageGroup, gather, sampled, similarity
from pagedrift.which_template.estimator import Estimator
from pagedrift.which_template.fingerprint import DEFAULT, Fingerprint, fingerprint
from pagedrift.which_template.index import TemplateIndex

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from pagedrift.arguments import PageLike
    from pagedrift.which_template.consensus import TemplateRule
    from pagedrift.which_template.index import KnownFingerprint


_MISSING: Final = object()
_UNEVEN: Final = "there are not as many labels as pages; give one label for each page"


@dataclass(frozen=True, slots=True)
class TemplateMatch:
    """The template of a page, and what that rests on."""

    template: Any  # its label; None: no known template
    sure: float  # the share of the known pages with such a fingerprint that are of this template
    pages: int  # known pages of this template with such a fingerprint
    example: str  # the address of one


@dataclass(frozen=True, slots=True)
class Conflict:
    """One fingerprint that pages of several templates have."""

    fingerprint: Fingerprint
    templates: dict[Any, int]  # pages of each, the most frequent first


class _Votes:
    """Known pages that decide on the template of another."""

    def __init__(self, known: Iterable[KnownFingerprint], sure: float = 1.0) -> None:
        self.sure = sure  # that the page is of one of these templates
        self.pages: Counter[str] = Counter()
        self.examples: dict[str, str] = {}
        for one in known:
            self.pages[one.template or ""] += one.pages
            if one.example:
                self.examples.setdefault(one.template or "", one.example)


def _most_similar(
    known: list[KnownFingerprint], taken: Fingerprint, features: Callable[[bytes], int] | None
) -> list[KnownFingerprint]:
    """Give those that have the most features in common with a page; all where features are not known."""
    if features is None or not known:
        return known
    own = features(bytes(taken))
    shares = [similarity(own, features(bytes(one.fingerprint))) for one in known]
    return [one for one, share in zip(known, shares, strict=True) if share == max(shares)]


class TemplateClassifier(Estimator):
    """Finds the template of pages, after learning from pages of each.

    Known pages with the same fingerprint decide, and where there are none, the most similar of those that are of
    one template with it by the algorithm. If they were given different labels, the more frequent one wins (of
    equals, the first by name), and `TemplateMatch.sure` says so; `conflicts` lists such fingerprints. A page like
    none of them is of the template whose pages have nearly all in common with it.

    An estimator as scikit-learn's: labels may be anything that differs as text. With an `index` it knows
    what that holds, and `partial_fit` adds to it.

    >>> seen = [Fingerprint.parse(text) for text in ("lzw:0,1,2,3", "lzw:0,0,0,0,0,0")]
    >>> classifier = TemplateClassifier("lzw").fit(seen, ["news", "shop"])
    >>> classifier.predict([Fingerprint.parse("lzw:0,1,2,2"), Fingerprint.parse("lzw:0,0")])
    ['news', None]
    """

    _estimator_type = "classifier"
    _index: TemplateIndex | None = None  # what was learned
    _known_cores: tuple[tuple[TemplateIndex, int, TemplateRule], Cores] | None = None
    _labels: dict[str, Any] | None = None  # those learned, by the text that stands for them in the index

    def __init__(
        self,
        algorithm: str = DEFAULT,
        *,
        index: TemplateIndex | None = None,
        strict: bool = False,  # only known pages with the same fingerprint decide: other states are others
        rule: TemplateRule | None = None,
    ) -> None:
        self.algorithm = algorithm
        self.index = index  # which has an algorithm of its own, that counts
        self.strict = strict
        self.rule = rule  # when a page has enough in common with a template

    @property
    def index_(self) -> TemplateIndex:
        """What is known."""
        self._check_fitted()
        known = self._index if self._index is not None else self.index
        assert known is not None
        return known

    @property
    def classes_(self) -> list[Any]:
        """The labels of all known templates, in the order of their names."""
        return [self._label(name) for name in sorted(self.index_.templates())]

    def _is_fitted(self) -> bool:
        return self._index is not None or self.index is not None

    def fit(self, X: Iterable[PageLike | Fingerprint], y: Iterable[Any]) -> Self:  # noqa: N803 - scikit-learn's
        """Learn these pages with their labels, and forget all before."""
        like = self.index if self.index is not None else TemplateIndex(self.algorithm)
        self._index = TemplateIndex(like.algorithm, **like.options)
        self._labels = None
        return self.partial_fit(X, y)

    def partial_fit(self, X: Iterable[PageLike | Fingerprint], y: Iterable[Any]) -> Self:  # noqa: N803 - the same
        """Learn more pages."""
        if not self._is_fitted():
            self._index = TemplateIndex(self.algorithm)
        index = self.index_
        labels = iter(y)
        for page in X:
            label = next(labels, _MISSING)
            if label is _MISSING:
                raise InputError(_UNEVEN)
            taken, example = self._taken(page)
            index.add(taken, template=self._name(label), example=example)
        if next(labels, _MISSING) is not _MISSING:
            raise InputError(_UNEVEN)
        return self

    def predict(self, X: Iterable[PageLike | Fingerprint]) -> list[Any]:  # noqa: N803 - the same
        """Give the label of each page's template; None where it is none of those known."""
        self._check_fitted()
        return [self.match(page).template for page in X]

    def score(self, X: Iterable[PageLike | Fingerprint], y: Iterable[Any]) -> float:  # noqa: N803 - the same
        """Give the share of pages whose label is found."""
        right = [found == _plain(label) for found, label in zip(self.predict(X), y, strict=True)]
        return sum(right) / len(right) if right else 0.0

    def predict_proba(self, X: Iterable[PageLike | Fingerprint]) -> list[list[float]]:  # noqa: N803 - the same
        """Give the probability of each template for each page, in the order of `classes_`.

        What a row lacks to 1 is the probability that it is none of those known.
        """
        names = sorted(self.index_.templates())
        found = [self._votes(self._taken(page)[0]) for page in X]
        return [[votes.sure * votes.pages[name] / max(1, votes.pages.total()) for name in names] for votes in found]

    def match(self, page: PageLike | Fingerprint) -> TemplateMatch:
        """Find the template of one page, and what that is based on."""
        votes = self._votes(self._taken(page)[0])
        if not votes.pages:
            return TemplateMatch(None, 0.0, 0, "")
        template, count = min(votes.pages.items(), key=lambda item: (-item[1], item[0]))
        sure = votes.sure * count / max(1, votes.pages.total())  # of a damaged index, all may be zero
        return TemplateMatch(self._label(template), sure, count, votes.examples.get(template, ""))

    def _votes(self, taken: Fingerprint) -> _Votes:
        """Ask the known pages that are nearest; where none is near, what the pages of a template have in common."""
        index = self.index_
        known = [one for one in index.nearest(taken) if one.template is not None]
        nearest = [one for one in known if one.fingerprint == taken]
        if nearest or self.strict:
            return _Votes(nearest)
        nearest = _most_similar(known, taken, index.features)
        if not nearest and index.features is not None:
            best = self._cores().best(PageGroup.of(0, [sampled(index.features(index.own(taken)))]))
            return _Votes([index.known(best[0])], best[1] / MOST) if best else _Votes([])
        return _Votes(nearest)

    def _cores(self) -> Cores:
        """Give what the pages of each template have in common; all that is known is read for it, once."""
        index = self.index_
        rule = self.rule or RULE
        of_what = (index, index.changes, rule)
        if self._known_cores is None or self._known_cores[0] != of_what:
            self._known_cores = of_what, Cores(gather(index.samples()), rule)
        return self._known_cores[1]

    def conflicts(self) -> Iterator[Conflict]:
        """Give the fingerprints that were learned with different labels."""
        for known in self.index_.shared():
            pages = Counter({self._label(one.template or ""): one.pages for one in known})
            yield Conflict(known[0].fingerprint, dict(pages.most_common()))

    def _taken(self, page: PageLike | Fingerprint) -> tuple[Fingerprint, str]:
        """Give the fingerprint of a page, and its address."""
        if isinstance(page, Fingerprint):
            return page, ""
        version = as_page(page)
        return fingerprint(version, algorithm=self.index_.algorithm), version.url

    def _name(self, label: Any) -> str | None:
        """Give the text that stands for a label in the index; None is none."""
        label = _plain(label)
        if label is None:
            return None
        self._labels = self._labels or {}
        known = self._labels.setdefault(str(label), label)
        if known != label or type(known) is not type(label):
            raise InputError(f"the labels {known!r} and {label!r} look the same as text; give both as text")
        return str(label)

    def _label(self, name: str) -> Any:
        return (self._labels or {}).get(name, name)


def _plain(label: Any) -> Any:
    """Give the plain value of one of numpy's."""
    return label.item() if hasattr(label, "item") and hasattr(label, "dtype") else label
