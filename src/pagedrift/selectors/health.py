"""Which selectors of a scraper stopped matching, and what is closest to what they matched?"""

from __future__ import annotations

import math
from collections import deque
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from pagedrift.errors import InputError, LimitError
from pagedrift.selectors.candidates import CandidateFinder, ElementSample
from pagedrift.selectors.looks import ElementLooks, PageLooks
from pagedrift.selectors.meanings import meanings, name_words
from pagedrift.selectors.robust_css import SelectorWriter
from pagedrift.selectors.selectable import SelectablePage
from pagedrift.what_changed.node_paths import NodePaths
from pagedrift.what_changed.selection import text_of

if TYPE_CHECKING:
    from collections.abc import Iterable

    from pagedrift.page import PageVersion
    from pagedrift.selectors.expressions import Selector

MIN_DOCUMENTS_BEFORE: Final = 8  # documents before a fall, for the rate before it to say something
RARE: Final = 0.001  # how unlikely a run of misses must be, if the selector still worked as before
SAMPLE: Final = 80  # characters of a text that are kept
WORKS: Final = 3  # documents in a row: on fewer nothing is reported, after as many hits a selector works again
MIN_PROBABILITY: Final = 0.3  # below that nothing is named as the closest element


@dataclass(frozen=True, slots=True)
class Closest:
    """The element of a page most like what a selector matched."""

    css: str  # a selector that means it
    path: str  # where it stands, for people
    text: str
    likeness: float  # how likely it is what was meant, from 0 to 1


@dataclass(frozen=True, slots=True, kw_only=True)
class Stopped:
    """A selector that stopped matching, or does so on fewer documents."""

    name: str
    expression: str
    before: float  # share of the documents before that it matched on
    since: float  # and since
    documents: int  # since then
    closest: Closest | None


@dataclass(slots=True)
class _Health:
    selector: Selector
    hits: deque[bool]
    looks: ElementLooks | None = None
    told: bool = False


class SelectorHealth:
    """Follows how often each selector matches, and reports when that falls.

    >>> from pagedrift.page import PageVersion
    >>> from pagedrift.selectors.expressions import parse_selectors
    >>> health = SelectorHealth(parse_selectors("price .price"))
    >>> pages = [b"<p class=price>$40"] * 10 + [b"<p class=product-price>$45"] * 3
    >>> for page in pages:
    ...     for stopped in health.take(PageVersion("https://city.example/", page)):
    ...         print(stopped.name, stopped.documents, stopped.closest.css)
    price 3 .product-price
    """

    def __init__(self, selectors: Iterable[Selector], *, history: int = 20) -> None:
        self._all = [_Health(selector, deque(maxlen=4 * history)) for selector in selectors]

    def take(
        self, page: PageVersion | SelectablePage, *, redesigned_since: int | None = None
    ) -> tuple[Stopped, ...]:
        """Look at the next document, and report the selectors whose rate of hits fell beyond chance.

        If a redesign was reported at it, those are reported that matched on less than half as many documents since.
        """
        stopped = []
        try:
            selectable = page if isinstance(page, SelectablePage) else SelectablePage(page)
        except LimitError:
            return ()  # such a page says nothing about selectors
        looks = PageLooks(selectable)
        for one in self._all:
            _look(one, looks)
            hits = list(one.hits)
            if redesigned_since is not None:
                since = _halved(hits, redesigned_since)  # reported again: this is the reason
            else:
                since = 0 if one.told else _fall(hits)
            if since:
                stopped.append(_stopped(one, selectable, since))
                one.told = True
            elif one.told and len(hits) >= WORKS and all(hits[-WORKS:]):
                one.told = False
                one.hits = deque(hits[-WORKS:], maxlen=one.hits.maxlen)  # it works again: judge it by that alone
        return tuple(stopped)

    def state(self) -> dict[str, Any]:
        """Give the state to continue from later, as JSON-compatible data."""
        return {
            one.selector.expression: {
                "hits": [int(hit) for hit in one.hits],
                "told": one.told,
                "looks": None if one.looks is None else one.looks.to_json(),
            }
            for one in self._all
        }

    def restore(self, state: dict[str, Any]) -> None:
        """Continue from a state; selectors that it does not know begin again."""
        try:
            for one in self._all:
                if known := state.get(one.selector.expression):
                    one.hits.extend(map(bool, known["hits"]))
                    one.told = bool(known["told"])
                    if isinstance(known["looks"], dict):  # releases before 0.3 remembered less
                        one.looks = ElementLooks.from_json(known["looks"])
        except (AttributeError, KeyError, TypeError, ValueError):
            raise InputError("this is not a saved state of selectors; start again without it") from None


def _look(one: _Health, looks: PageLooks) -> None:
    one.hits.append(looks.page.matches(one.selector))
    if nodes := looks.page.nodes(one.selector):
        one.looks = looks.of(nodes[0])


def _halved(hits: list[bool], since: int) -> int:
    """Give the number of documents since a redesign, if a selector matches less than half as often on them."""
    before, after = hits[:-since], hits[-since:]
    return len(after) if before and _rate(before) > 2 * _rate(after) else 0


def _fall(hits: list[bool]) -> int:
    """Give the number of last documents on which so few hits are not chance; 0 if all is well.

    >>> _fall([True] * 10 + [False] * 3), _fall([True, False] * 10 + [False] * 3)
    (3, 0)
    """
    found, least = 0, RARE
    for since in range(WORKS, len(hits) - MIN_DOCUMENTS_BEFORE + 1):
        before, after = hits[:-since], hits[-since:]
        if after[0] or not before[-1]:
            continue  # a fall begins with a miss after a hit
        rate = (sum(before) + 0.5) / (len(before) + 1)  # never quite certain
        chance = _at_most(sum(after), since, rate) if 2 * _rate(after) <= _rate(before) else 1.0
        if chance < least:
            found, least = since, chance
    return found


def _rate(hits: list[bool]) -> float:
    return sum(hits) / len(hits) if hits else 0.0


def _at_most(hits: int, tries: int, rate: float) -> float:
    """Give the probability of a number of hits or fewer."""
    return sum(math.comb(tries, k) * rate**k * (1 - rate) ** (tries - k) for k in range(hits + 1))


def _stopped(one: _Health, page: SelectablePage, since: int) -> Stopped:
    hits = list(one.hits)
    closest = _closest(page, one.selector.name, one.looks) if one.looks and not hits[-1] else None
    return Stopped(
        name=one.selector.name,
        expression=one.selector.expression,
        before=_rate(hits[:-since]),
        since=_rate(hits[-since:]),
        documents=since,
        closest=closest,
    )


def _closest(page: SelectablePage, name: str, looks: ElementLooks) -> Closest | None:
    """Find what a selector meant on a page where it matches nothing."""
    finder = CandidateFinder(page)
    sample = ElementSample(looks=looks, count=1, named=meanings(name_words(name)))
    best = next(iter(finder.find([sample], most=1)), None)
    if best is None or best.probability < MIN_PROBABILITY:
        return None
    node = best.nodes[0]
    return Closest(
        SelectorWriter(page.tree).write(best.nodes),
        NodePaths(page.tree).path(node).readable,
        text_of(page.tree, node)[:SAMPLE],
        round(best.probability, 2),
    )
