"""What happened to the design of a site, document by document?"""

from __future__ import annotations

from array import array
from collections import deque
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from pagedrift.redesigned.history import History
from pagedrift.redesigned.outliers import Outliers
from pagedrift.redesigned.template_shares import TemplateShares

if TYPE_CHECKING:
    from collections.abc import Iterable
    from datetime import datetime

    from pagedrift.page import PageVersion
    from pagedrift.redesigned.detectors import RedesignDetector
    from pagedrift.redesigned.events import PassingDesign, Redesign, TemplateEdit
    from pagedrift.redesigned.stream import Document
    from pagedrift.selectors.health import SelectorHealth, Stopped

MAX_REMEMBERED_PLACES: Final = 1_000  # addresses of documents: an event names one of the last
MAX_KEPT_PAGE_BYTES: Final = 2_000_000  # of a page that is kept for a report
MAX_KEPT_PAGES: Final = 10  # before and after an event that are kept


@dataclass(frozen=True, slots=True, kw_only=True)
class RedesignEvent:
    """Something that happened: a redesign, an edit, a passing design, an outlier, or a selector that stopped."""

    kind: str  # "redesign", "edit", "passing", "outlier" or "selector"
    site: str  # "" where sites are not separated
    document: int  # index, from 0, of the document where it began
    published_at: datetime | None
    url: str
    told_at: int  # index of the document at which it was noticed
    event: Redesign | TemplateEdit | PassingDesign | None = None
    similarity: float | None = None  # of an outlier to the most similar document around it
    selectors: tuple[Stopped, ...] = ()
    before: tuple[PageVersion, ...] = ()  # the pages before a redesign or edit, where pages are kept


class StreamMonitor:
    """A detector on its way through a stream, with what people want to see of it; memory is bounded.

    >>> from pagedrift.page import PageVersion
    >>> from pagedrift.redesigned.detectors import RedesignDetector
    >>> from pagedrift.redesigned.stream import Document
    >>> course = StreamMonitor(RedesignDetector(detector="max-avg-diff", history=3))
    >>> for number in range(12):
    ...     body = b"<ul><li><a><b><i>" if number < 6 else b"<div><p><h1><p><h2>"
    ...     page = PageVersion(f"https://city.example/{number}", body)
    ...     for event in course.take(Document(page, None, "capture")):
    ...         print(event.kind, event.url)
    redesign https://city.example/6
    """

    def __init__(
        self,
        detector: RedesignDetector,
        *,
        site: str = "",
        keep_pages: bool = False,
        keep_stripe: bool = False,
        outliers: bool = False,
        templates: bool = False,
        selectors: SelectorHealth | None = None,
        places: Iterable[tuple[str, datetime | None]] = (),
    ) -> None:
        size = detector.history
        self.site = site
        self.detector = detector
        self.selectors = selectors
        self.first: datetime | None = None
        self.last: datetime | None = None
        self.redesigns = 0
        self.edits = 0
        self._templates = TemplateShares() if templates else None
        self.stripe = Stripe(size) if keep_stripe else None
        self._outliers = Outliers(size) if outliers else None
        self.places: deque[tuple[str, datetime | None]] = deque(places, maxlen=MAX_REMEMBERED_PLACES)
        self._pages: deque[PageVersion | None] = deque(maxlen=2 * size + MAX_KEPT_PAGES if keep_pages else 0)
        self._after: dict[int, list[PageVersion]] = {}  # by the first document of a design

    def take(self, document: Document) -> list[RedesignEvent]:
        """Take the next document, and report what it shows."""
        page, when = document.page, document.published_at
        self.detector.update(page, published_at=when)
        self.first, self.last = self.first or when, when or self.last
        self.places.append((page.url, when))
        self._keep(page)
        if self.stripe:
            self.stripe.add(page)
        if self._templates:
            self._templates.add(page)
        return [*self._outlier(page), *self._passing(), *self._edit(), *self._redesign(page)]

    @property
    def templates(self) -> list[float]:
        """The share of the documents that each template has, the commonest first; empty if not counted."""
        return self._templates.shares if self._templates else []

    def after(self, event: RedesignEvent) -> tuple[PageVersion, ...]:
        """Give pages since a redesign or edit, as far as they have come and are kept."""
        return tuple(self._after.get(event.document, ()))

    def _keep(self, page: PageVersion) -> None:
        if self._pages.maxlen and len(page.body) <= MAX_KEPT_PAGE_BYTES:
            self._pages.append(page)
            for pages in [*self._after.values()][-2:]:
                if len(pages) < MAX_KEPT_PAGES:
                    pages.append(page)
        else:
            self._pages.append(None)

    def _redesign(self, page: PageVersion) -> list[RedesignEvent]:
        """Report a redesign with the selectors that it broke, or selectors that stopped without one."""
        event = self.detector.event if self.detector.redesigned else None
        needed = event.needed if event else None
        stopped = self.selectors.take(page, redesigned_since=needed) if self.selectors else ()
        if event is not None:
            self.redesigns += 1
            return [self._told("redesign", event.document, event=event, selectors=stopped)]
        if not stopped:
            return []
        first = self.detector.documents - max(one.documents for one in stopped)
        return [self._told("selector", first, selectors=stopped)]

    def _edit(self) -> list[RedesignEvent]:
        edit = self.detector.edit
        if not self.detector.edited or edit is None:
            return []
        self.edits += 1
        return [self._told("edit", edit.document, event=edit)]

    def _passing(self) -> list[RedesignEvent]:
        passing = self.detector.passing
        return [self._told("passing", passing.document, event=passing)] if passing else []

    def _outlier(self, page: PageVersion) -> list[RedesignEvent]:
        found = self._outliers.add(page) if self._outliers else None
        if found is None:
            return []
        return [self._told("outlier", self.detector.documents - 1 - found.back, similarity=found.similarity)]

    def _told(self, kind: str, document: int, **what: Any) -> RedesignEvent:
        last = self.detector.documents - 1
        back = last - document
        url, when = self.places[-1 - back] if 0 <= back < len(self.places) else ("", None)
        around: dict[str, Any] = {}
        if kind in ("redesign", "edit") and self._pages:
            pages = list(self._pages)
            cut = max(0, len(pages) - 1 - back)
            around["before"] = tuple(each for each in pages[max(0, cut - MAX_KEPT_PAGES) : cut] if each is not None)
            self._after[document] = [each for each in pages[cut : cut + MAX_KEPT_PAGES] if each is not None]
        return RedesignEvent(
            kind=kind, site=self.site, document=document, published_at=when, url=url, told_at=last, **around, **what
        )


class Stripe:
    """The similarity stripe of a whole stream, and the two indicators of MAX-AVG-DIFF next to it."""

    def __init__(self, size: int) -> None:
        self.size = size
        self.columns: list[array[float]] = []  # of each document its similarities to those before, nearest first
        self.lower: array[float] = array("f")  # maximum of the lower triangle; nan where it is not complete
        self.upper: array[float] = array("f")  # average of the upper one
        self._history = History(size=size)

    def add(self, page: PageVersion) -> None:
        """Compare a document with those before it."""
        self.columns.append(array("f", self._history.add(page).similarities))
        square = self._history.is_square
        self.lower.append(self._history.lower_maximum() if square else float("nan"))
        self.upper.append(self._history.upper().average if square else float("nan"))

    @property
    def averages(self) -> list[float]:
        """How alike each document is to those before it."""
        return [sum(column) / len(column) if column else float("nan") for column in self.columns]
