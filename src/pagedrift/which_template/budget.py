"""Have enough pages of this template been seen, while a crawl is under way?"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from pagedrift.arguments import as_page
from pagedrift.which_template.cluster import TemplateClusterer
from pagedrift.which_template.fingerprint import DEFAULT, Fingerprint, fingerprint

if TYPE_CHECKING:
    from pagedrift.arguments import PageLike

GROWTH: Final = 8  # templates are looked for again when there is an eighth more to go by


@dataclass(frozen=True, slots=True, kw_only=True)
class TemplateCount:
    """What is known of the template of a page that was just seen."""

    template: int  # the id of its cluster
    is_known: bool  # pages of it were seen before
    pages: int  # that were seen of it, with this one
    since_news: int  # pages since one last had a fingerprint that none before it had
    is_enough: bool  # many pages were seen, or many in a row taught nothing new


class TemplateBudget:
    """Say of each page of a stream whether its template is known by now, so that a crawler can turn to others.

    Enough is `most` pages of a template, or `quiet` pages in a row that had fingerprints already seen.

    >>> budget = TemplateBudget(most=3, quiet=2)
    >>> [budget.see(f"<main class=fees>Day {day}</main>").is_enough for day in range(3)]
    [False, False, True]
    """

    def __init__(self, *, most: int = 100, quiet: int = 20, algorithm: str = DEFAULT) -> None:
        self.most = most
        self.quiet = quiet
        self._clusterer = TemplateClusterer(algorithm).fit(())
        self._templates: dict[int, int] = {}  # of each fingerprint, as of the last time they were looked for
        self._pages: Counter[int] = Counter()  # of each template
        self._quiet: Counter[int] = Counter()  # of each template, since something new was seen
        self._looked = 0

    def see(self, page: PageLike | Fingerprint) -> TemplateCount:
        """Count a page, and say what is known of its template."""
        algorithm = self._clusterer.algorithm
        taken = page if isinstance(page, Fingerprint) else fingerprint(as_page(page), algorithm=algorithm)
        linked = self._clusterer.linked(taken)
        entry = self._clusterer.add(taken)
        if is_new := entry not in self._templates:
            self._templates[entry] = self._templates.get(linked, entry)
        self._pages[self._templates[entry]] += 1
        self._look_again()
        template = self._templates[entry]
        self._quiet[template] = 0 if is_new else self._quiet[template] + 1
        pages, quiet = self._pages[template], self._quiet[template]
        return TemplateCount(
            template=template,
            is_known=pages > 1,
            pages=pages,
            since_news=quiet,
            is_enough=pages >= self.most or quiet >= self.quiet,
        )

    def _look_again(self) -> None:
        """Find the templates again when there is more to go by: so seldom that a page costs the same forever."""
        entries = len(self._templates)
        if entries - self._looked <= self._looked // GROWTH:
            return
        self._looked = entries
        self._templates = {entry: self._clusterer.current(entry) for entry in self._templates}
        self._pages.clear()
        for entry, template in self._templates.items():
            self._pages[template] += self._clusterer.index_.pages(entry)
        before, self._quiet = self._quiet, Counter()
        for old, quiet in before.items():
            new = self._templates[old]
            self._quiet[new] = min(quiet, self._quiet.get(new, quiet))
