"""Does a selector still mean what it meant, and if not, which one does now?"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from functools import cached_property
from itertools import islice
from typing import TYPE_CHECKING, Final

from pagedrift.arguments import as_page
from pagedrift.errors import InputError
from pagedrift.interstitials import recognise
from pagedrift.selectors.candidates import CandidateFinder
from pagedrift.selectors.expressions import Range, Region, Selector, as_region, with_extract
from pagedrift.selectors.regions import LONG_WORDS, find_region, word_likeness
from pagedrift.selectors.robust_css import SelectorWriter
from pagedrift.selectors.selectable import SelectablePage
from pagedrift.what_changed.node_paths import NodePaths

if TYPE_CHECKING:
    from pagedrift.arguments import PageLike
    from pagedrift.interstitials import PageCheck
    from pagedrift.selectors.candidates import ElementCandidate, ElementSample, LikenessWeights
    from pagedrift.selectors.expressions import SelectorLike
    from pagedrift.selectors.regions import FoundRegion
    from pagedrift.selectors.selectable import Span

MAX_OLD_PAGES: Final = 20  # of which is learned what about an element stays
MAX_TEXT_CHARS: Final = 300  # of a region that are shown
MAX_ALTERNATIVES: Final = 3
SAME_WORDS: Final = 0.5  # F1: a region with as many of its words is the same one
SAME_ROWS: Final = 0.9  # F1: rows with as many of their words are the same ones
SAY_THE_SAME: Final = 0.8  # F1: an element around or inside another with as many of its words is as right
NOTHING_LEFT: Final = 0.1  # F1: any two texts of a language have more in common
CLEARLY_MORE: Final = 0.25  # by which another region must be more like the old one, for the selector to be wrong
FOUND: Final = 0.4  # F1 of a region that was found again: what is gone has below 0.15, what was found above 0.8
WORTH_NAMING: Final = 0.05  # probability from which another element is named as an alternative
NO_PAGE_SURE: Final = 0.95
GONE_SURE: Final = 0.95  # of 12 regions whose words are nowhere, 12 are gone
UNSURE: Final = 0.5
NAMELESS_LIKELY: Final = 0.5  # probability from which an element without any name of the old one is proposed
SAME_SURE: Final = 0.95  # that an element with the old names, tag and kind of value is what was meant


class SelectorStatus(StrEnum):
    """What became of a selector."""

    WORKS = "works"
    MOVED = "moved"  # it matches nothing; what it meant stands elsewhere
    WRONG = "wrong"  # it matches something else
    GONE = "gone"  # what it meant is not on the page
    UNKNOWN = "unknown"  # it matched nothing before either
    NO_PAGE = "no page"  # an error, a login, a consent wall or the like stands in place of the page


@dataclass(frozen=True, slots=True, kw_only=True)
class Proposal:
    """A selector for what another one meant."""

    selector: str  # CSS; empty for what only a range can mean
    range: Range | None = None
    text: str = ""  # the beginning of what it means
    path: str = ""  # where that stands, for people
    count: int = 1  # elements
    likeness: float = 0.0  # from 0 to 1
    probability: float = 0.0  # that it is right
    spans: tuple[Span, ...] = ()  # the nodes of the new page that it takes in

    @property
    def written(self) -> str:
        """The selector or range for people."""
        return self.range.written if self.range else self.selector


@dataclass(frozen=True, slots=True, kw_only=True)
class Relocation:
    """What became of a selector, and what it should be now."""

    region: Region
    status: SelectorStatus
    probability: float  # that the status is right, and the proposal if there is one
    reason: str = ""  # how it is known that the page is not there
    proposal: Proposal | None = None
    alternatives: tuple[Proposal, ...] = ()
    old_text: str = ""
    new_text: str = ""  # of what the selector matches now
    old_spans: tuple[Span, ...] = ()  # the nodes of the old page that it takes in
    new_spans: tuple[Span, ...] = ()  # and of the new one

    @property
    def matched(self) -> int:
        """How many parts of the new page it matches."""
        return len(self.new_spans)

    @property
    def broken(self) -> bool:
        """Whether a scraper with this selector no longer gets what it should."""
        return self.status in (SelectorStatus.MOVED, SelectorStatus.WRONG, SelectorStatus.GONE)


def relocate(
    old: PageLike | Sequence[PageLike], new: PageLike, selector: SelectorLike, *, same_page: bool | None = None
) -> Relocation:
    """Say whether a selector still means on a new page what it meant on an old one, and which one does if not.

    `selector` is CSS or XPath, with Scrapy's `::text` and `::attr(name)`; a list of these; a range between two
    elements; or a mapping with `select` and `remove`. With several old pages it is learned what about the element
    stays. `same_page` says whether old and new are versions of one page, which have words in common; if it is not
    given, that is so if their addresses are the same.

    >>> found = relocate("<p class=price>$40</p><p>Bulbs", "<b class=product-price>$45</b><p>Bulbs", ".price")
    >>> found.status.value, found.proposal.selector
    ('moved', '.product-price')
    """
    pages = list(old) if isinstance(old, Sequence) and not isinstance(old, str | bytes) else [old]
    if not pages:
        raise InputError("there is no old page to learn from; give at least one on which the selector worked")
    return Relocator(
        [as_page(page) for page in pages[-MAX_OLD_PAGES:]], as_page(new), same_page=same_page
    ).relocate(selector)


class Relocator:
    """Relocates many selectors between the same pages, which are read once."""

    def __init__(
        self,
        old: Sequence[PageLike | CandidateFinder],
        new: PageLike | CandidateFinder,
        *,
        same_page: bool | None = None,
        weights: LikenessWeights | None = None,
    ) -> None:
        self._old = [_finder(page) for page in old]
        self._finder = _finder(new, weights)
        self._new = self._finder.page
        self._writer = SelectorWriter(self._new.tree, self._finder.looks.varieties)
        self._paths = NodePaths(self._new.tree)
        last = self._old[-1].page.page.url
        self._same_page = last == self._new.page.url if same_page is None else same_page

    def relocate(self, selector: SelectorLike) -> Relocation:
        """Relocate one selector."""
        region = as_region(selector)
        old, spans = next(
            ((each.page, spans) for each in reversed(self._old) if (spans := each.page.spans(region))), (None, [])
        )
        if old is None:
            return Relocation(region=region, status=SelectorStatus.UNKNOWN, probability=1.0)
        if self._stand_in is not None:
            return self._no_page(region, old, self._stand_in)
        # The running text of another page has other words: there an element is known by its looks.
        prose = (self._same_page or _one_selector(region) is None) and self._is_prose(region, old)
        words = old.words_in(spans) if prose else []
        found = self._as_list(region, words) if prose else None
        if found is None and prose:
            found = self._by_words(region, words)
        if found is None and not (prose and self._same_page):
            found = self._by_looks(region)
        found = found or self._not_found(region, old.words_in(spans))
        now = self._new.spans(region)
        return replace(
            found,
            old_text=old.text_in(spans, MAX_TEXT_CHARS),
            new_text=self._new.text_in(now, MAX_TEXT_CHARS),
            old_spans=tuple(spans),
            new_spans=tuple(now),
        )

    @cached_property
    def _stand_in(self) -> PageCheck | None:
        """What stands in place of the new page; an empty page is one on which everything is gone."""
        page = self._new.page
        found = recognise(page, status=page.status or 200, previous=self._old[-1].page.page)
        return None if found.is_page or found.kind == "empty" else found

    def _no_page(self, region: Region, old: SelectablePage, instead: PageCheck) -> Relocation:
        return Relocation(
            region=region,
            status=SelectorStatus.NO_PAGE,
            probability=NO_PAGE_SURE,
            reason=instead.reason,
            old_text=old.text_in(old.spans(region), MAX_TEXT_CHARS),
            old_spans=tuple(old.spans(region)),
        )

    def _as_list(self, region: Region, words: list[str]) -> Relocation | None:
        """Look for rows as rows; None if it is not a list, or if the best one has other words."""
        selector = _one_selector(region)
        if (
            selector is None
            or self._new.nodes(selector)
            or not any(len(each.page.nodes(selector)) > 1 for each in self._old)
        ):
            return None
        found = self._by_looks(region)
        if found is None or found.proposal is None or not found.proposal.selector:
            return None
        same = word_likeness(words, self._new.words_in(found.proposal.spans))
        return found if found.proposal.count > 1 and same >= SAME_ROWS else None

    # By what it says

    def _is_prose(self, region: Region, old: SelectablePage) -> bool:
        """Say whether a region is known by its words: it has several parts, or an element of it has many words."""
        selector = _one_selector(region)
        if selector is None:
            return True
        nodes, spans = old.nodes(selector), old.spans(region)
        # Elements that do not stand in each other are counted in one go.
        words = old.count_words_of(nodes) if len(spans) == len(nodes) else old.count_words(spans)
        return words >= LONG_WORDS * max(1, len(nodes))

    def _by_words(self, region: Region, words: list[str]) -> Relocation | None:
        """Look for a region by its words; None if they stand nowhere."""
        spans = self._new.spans(region)
        now = word_likeness(words, self._new.words_in(spans)) if spans else 0.0
        if now >= SAME_WORDS:
            return Relocation(region=region, status=SelectorStatus.WORKS, probability=sure_of_words(now))
        found = list(islice(find_region(self._new, words), MAX_ALTERNATIVES + 1))
        if not found or found[0].likeness < max(FOUND, now + CLEARLY_MORE):
            return None
        best, *others = (self._of_region(each) for each in found)
        status = SelectorStatus.WRONG if spans else SelectorStatus.MOVED
        return Relocation(
            region=region,
            status=status,
            probability=best.probability,
            proposal=best,
            alternatives=tuple(others),
        )

    def _of_region(self, found: FoundRegion) -> Proposal:
        return Proposal(
            selector=self._writer.write([found.node]) if found.whole else "",
            range=None if found.whole else self._range(found),
            text=self._new.text_in([found.span], MAX_TEXT_CHARS),
            path=self._paths.path(found.node).readable,
            likeness=round(found.likeness, 3),
            probability=sure_of_words(found.likeness),
            spans=(found.span,),
        )

    def _range(self, found: FoundRegion) -> Range:
        """Name the first and the last element of a run of children."""
        last = max(node for node in self._new.tree.children(found.node) if node < found.span[1])
        first, end = (Selector("", self._writer.write([node]), "css") for node in (found.span[0], last))
        return Range(start=first, end=end, after_end=True)

    # By what it looks like

    def _by_looks(self, region: Region) -> Relocation | None:
        """Look for an element, or the entries of a list, by names, place and kind; None if nothing is like it."""
        selector = _one_selector(region)
        if selector is None:
            return None
        samples = [
            finder.sample(nodes, selector.name) for finder in self._old if (nodes := finder.page.nodes(selector))
        ]
        matched = self._new.nodes(selector)
        all_of_it = bool(matched) and self._new.tree.tag(matched[0]) == "html" and bool(self._new.words)
        if matched and (all_of_it or self._looks_the_same(samples, matched)):
            return Relocation(region=region, status=SelectorStatus.WORKS, probability=SAME_SURE)
        candidates = self._finder.find(
            samples, matched=matched, most=MAX_ALTERNATIVES + 1, extract=selector.extract
        )
        if not candidates:
            return None
        sure = candidates[0].probability
        if matched and not self._is_wrong(samples[-1], matched, candidates[0], selector.name):
            same = overlap(matched, candidates[0].nodes)
            return Relocation(
                region=region, status=SelectorStatus.WORKS, probability=max(UNSURE, sure if same else 1 - sure)
            )
        if not matched and (sure < self._finder.weights.likely or self._is_unlike(samples[-1], candidates[0])):
            return Relocation(region=region, status=SelectorStatus.GONE, probability=1 - sure)
        proposals = [
            self._of_candidate(each, selector)
            for each in candidates
            if each is candidates[0] or each.probability >= WORTH_NAMING
        ]
        best, *others = proposals
        return Relocation(
            region=region,
            status=SelectorStatus.WRONG if matched else SelectorStatus.MOVED,
            probability=best.probability,
            proposal=best,
            alternatives=tuple(others),
        )

    def _looks_the_same(self, samples: list[ElementSample], matched: list[int]) -> bool:
        """Say whether what a selector matches has the tag, the names and the kind of value that it had."""
        now, was = self._finder.looks.of(matched[0]), samples[-1].looks
        same = (now.tag, now.names, now.shape, now.above) == (was.tag, was.names, was.shape, was.above)
        return same and len(matched) == samples[-1].count

    def _is_unlike(self, sample: ElementSample, best: ElementCandidate) -> bool:
        """Say whether an element is too unlike to be proposed: neither it nor those around it share a name."""
        if best.probability >= NAMELESS_LIKELY or not sample.looks.names:
            return False
        found = self._finder.looks.of(best.nodes[0])
        return sample.looks.names.isdisjoint(found.names | found.above)

    def _is_wrong(self, sample: ElementSample, matched: list[int], best: ElementCandidate, name: str) -> bool:
        """Say whether a selector means something else: another element is likelier, or one of many is meant."""
        if len(matched) > 1 == sample.count == len(best.nodes) and not is_plural(name):
            return bool(name)
        if best.probability < self._finder.weights.wrong or overlap(matched, best.nodes):
            return False
        now, other = (self._words(nodes) for nodes in (matched, best.nodes))
        return not now or word_likeness(now, other) < SAY_THE_SAME

    def _words(self, nodes: Sequence[int]) -> list[str]:
        return self._new.words_in((node, self._new.tree.end[node]) for node in nodes)

    def _of_candidate(self, candidate: ElementCandidate, selector: Selector) -> Proposal:
        spans = tuple(self._new.tree.spans(candidate.nodes))
        written = self._writer.write(candidate.nodes)
        return Proposal(
            selector=written + with_extract(selector.extract) if written else "",
            text=self._new.text_in(spans[:1], MAX_TEXT_CHARS),
            path=self._paths.path(candidate.nodes[0]).readable,
            count=len(candidate.nodes),
            likeness=round(candidate.likeness, 3),
            probability=round(candidate.probability, 3),
            spans=spans,
        )

    def _not_found(self, region: Region, words: list[str]) -> Relocation:
        """Say that it is gone, unless it says something else now and nothing else is more like what it said."""
        now = self._new.words_in(self._new.spans(region))
        emptied = len(words) >= LONG_WORDS and word_likeness(words, now) < NOTHING_LEFT
        emptied = emptied or (bool(words) and not self._new.words)
        if self._new.spans(region) and not emptied:
            return Relocation(region=region, status=SelectorStatus.WORKS, probability=UNSURE)
        return Relocation(region=region, status=SelectorStatus.GONE, probability=GONE_SURE)


def _finder(page: PageLike | CandidateFinder, weights: LikenessWeights | None = None) -> CandidateFinder:
    return page if isinstance(page, CandidateFinder) else CandidateFinder(SelectablePage(as_page(page)), weights)


def _one_selector(region: Region) -> Selector | None:
    """Give the selector of a region that has one, and nothing else."""
    (first, *others), removed = region.select, region.remove
    return first if isinstance(first, Selector) and not others and not removed else None


def sure_of_words(likeness: float) -> float:
    """Say how sure a region is that was found by its words.

    >>> sure_of_words(0.4), sure_of_words(0.9), sure_of_words(1.0)
    (0.5, 0.95, 0.98)
    """
    return round(min(0.98, 0.5 + 0.9 * max(0.0, likeness - FOUND)), 3)


def is_plural(name: str) -> bool:
    """Say whether a field holds a list by its name.

    >>> [is_plural(name) for name in ("tags", "post_links", "title", "address", "table-of-contents")]
    [True, True, False, False, True]
    """
    return name.endswith("s") and not name.endswith("ss")


def overlap(one: Sequence[int], other: Sequence[int]) -> bool:
    """Say whether most of some elements are among others."""
    return 2 * len(set(one) & set(other)) >= max(len(one), 1)
