"""Which known template was a page made from, and how sure is that?"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING

from pagedrift.errors import InputError
from pagedrift.which_template.fingerprint import DEFAULT, Fingerprint, fingerprint
from pagedrift.which_template.index import TemplateIndex

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from pagedrift.page import PageVersion


@dataclass(frozen=True, slots=True)
class Match:
    """The template of a page, and what that rests on."""

    template: str | None  # None: no known template
    sure: float  # the share of the known pages with such a fingerprint that are of this template
    pages: int  # known pages of this template with such a fingerprint
    example: str  # the address of one


@dataclass(frozen=True, slots=True)
class Conflict:
    """One fingerprint that pages of several templates have."""

    fingerprint: Fingerprint
    templates: dict[str, int]  # pages of each, the most frequent first


class TemplateClassifier:
    """Tell the template of pages, after it was shown pages of each.

    Known pages with the same fingerprint decide, and where there are none, those of the same template by the
    algorithm. If they were given different labels, the more frequent one wins (of equals, the first by name), and
    `Match.sure` says so; `conflicts` lists such fingerprints.

    >>> seen = [Fingerprint.parse(text) for text in ("lzw:0,1,2,3", "lzw:0,0,0,0,0,0")]
    >>> classifier = TemplateClassifier("lzw").fit(seen, ["news", "shop"])
    >>> classifier.predict([Fingerprint.parse("lzw:0,1,2,2"), Fingerprint.parse("lzw:0,0")])
    ['news', None]
    """

    def __init__(self, algorithm: str = DEFAULT, *, index: TemplateIndex | None = None) -> None:
        self.algorithm = index.algorithm if index is not None else algorithm
        self.index_ = index if index is not None else TemplateIndex(algorithm)

    def fit(self, pages: Iterable[PageVersion | Fingerprint], labels: Iterable[str]) -> TemplateClassifier:
        """Learn these pages, and forget all before."""
        self.index_ = TemplateIndex(self.algorithm, **self.index_.options)
        return self.partial_fit(pages, labels)

    def partial_fit(self, pages: Iterable[PageVersion | Fingerprint], labels: Iterable[str]) -> TemplateClassifier:
        """Learn more pages."""
        try:
            for page, label in zip(pages, labels, strict=True):
                example = "" if isinstance(page, Fingerprint) else page.url
                self.index_.add(self._taken(page), template=label, example=example)
        except ValueError:
            raise InputError("there are not as many labels as pages; give one label for each page") from None
        return self

    def predict(self, pages: Iterable[PageVersion | Fingerprint]) -> list[str | None]:
        """Name the template of each page; None where it is none of those known."""
        return [self.match(page).template for page in pages]

    def match(self, page: PageVersion | Fingerprint) -> Match:
        """Tell the template of one page, and what that rests on."""
        taken = self._taken(page)
        known = [one for one in self.index_.nearest(taken) if one.template is not None]
        nearest = [one for one in known if one.fingerprint == taken] or known
        if not nearest:
            return Match(None, 0.0, 0, "")
        pages: Counter[str] = Counter()
        for one in nearest:
            pages[one.template or ""] += one.pages
        template, count = min(pages.items(), key=lambda item: (-item[1], item[0]))
        example = next((one.example for one in nearest if one.template == template and one.example), "")
        return Match(template, count / pages.total(), count, example)

    def conflicts(self) -> Iterator[Conflict]:
        """Give the fingerprints that were learned with different labels."""
        for known in self.index_.shared():
            pages = Counter({one.template or "": one.pages for one in known})
            yield Conflict(known[0].fingerprint, dict(pages.most_common()))

    def _taken(self, page: PageVersion | Fingerprint) -> Fingerprint:
        return page if isinstance(page, Fingerprint) else fingerprint(page, algorithm=self.algorithm)
