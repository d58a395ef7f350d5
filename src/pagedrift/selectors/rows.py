"""What is a field that a scraper takes from each row of a list, on a page with another layout?"""

from __future__ import annotations

from bisect import bisect_right
from typing import TYPE_CHECKING, Final

from pagedrift.selectors.candidates import MAX_COMPARED
from pagedrift.selectors.expressions import Region, with_extract
from pagedrift.selectors.relocation import (
    MAX_TEXT_CHARS,
    SAME_SURE,
    UNSURE,
    Proposal,
    Relocation,
    Relocator,
    SelectorStatus,
)
from pagedrift.selectors.robust_css import SelectorWriter

if TYPE_CHECKING:
    from collections.abc import Sequence

    from pagedrift.selectors.candidates import CandidateFinder, ElementCandidate
    from pagedrift.selectors.expressions import Selector
    from pagedrift.selectors.selectable import SelectablePage

MOST_ROWS: Final = 0.5  # the share of the rows that must have a field, before and after


def relocate_in_rows(
    old: Sequence[CandidateFinder], new: CandidateFinder, rows: Selector, field: Selector
) -> Proposal | None:
    """Give the selector that means a field in each row of a list now.

    The field is selected from a row, as a scraper does that goes through rows. None if it still works, if it never
    was in most rows, or if nothing is like it.

    >>> from pagedrift.page import PageVersion
    >>> from pagedrift.selectors.candidates import CandidateFinder
    >>> from pagedrift.selectors.expressions import parse_selector
    >>> from pagedrift.selectors.selectable import SelectablePage
    >>> one, two = "<li class=card><b class=price>$4</b>", "<div class=tile><i class=amount>$4</i></div>"
    >>> old, new = (
    ...     CandidateFinder(SelectablePage(PageVersion("https://shop.example/", (3 * row).encode())))
    ...     for row in (one, two)
    ... )
    >>> relocate_in_rows([old], new, parse_selector("", "li.card"), parse_selector("price", ".price::text")).written
    '.amount::text'
    """
    places = _rows(old, new, rows)
    if not places or new.page.nodes_in(field, places):
        return None
    samples = []
    for finder in old:
        around = finder.page.nodes(rows)
        nodes = finder.page.nodes_in(field, around)
        if _with_one(finder.page, around, nodes) > MOST_ROWS * len(around):
            samples.append(finder.sample(nodes, field.name))
    for found in new.find(samples, most=MAX_COMPARED, extract=field.extract) if samples else ():
        inside = _inside(new.page, places, found.nodes)
        if len(inside) == len(found.nodes) and _with_one(new.page, places, inside) > MOST_ROWS * len(places):
            css = SelectorWriter(new.page.tree, new.looks.varieties).write_in(places, found.nodes)
            return _proposal(new.page, found, css + with_extract(field.extract)) if css else None
    return None


def _proposal(page: SelectablePage, found: ElementCandidate, selector: str) -> Proposal:
    spans = tuple((node, page.tree.end[node]) for node in found.nodes)
    return Proposal(
        selector=selector,
        text=page.text_in(spans[:1], MAX_TEXT_CHARS),
        count=len(spans),
        likeness=round(found.likeness, 3),
        probability=round(found.probability, 3),
        spans=spans,
    )


def relocate_field(
    old: CandidateFinder, new: CandidateFinder, rows: Selector, field: Selector
) -> Relocation | None:
    """Say what became of a field that is asked from each row of a list; None if no row had it."""
    nodes = old.page.nodes_in(field, old.page.nodes(rows))
    if not nodes:
        return None
    now = new.page.nodes_in(field, _rows([old], new, rows))
    proposal = None if now else relocate_in_rows([old], new, rows, field)
    spans = [(node, old.page.tree.end[node]) for node in nodes]
    if now:
        status, sure = SelectorStatus.WORKS, SAME_SURE
    else:
        status = SelectorStatus.MOVED if proposal else SelectorStatus.GONE
        sure = proposal.probability if proposal else UNSURE
    return Relocation(
        region=Region((field,)),
        status=status,
        probability=sure,
        proposal=proposal,
        old_text=old.page.text_in(spans, MAX_TEXT_CHARS),
        old_spans=tuple(spans),
        new_spans=tuple((node, new.page.tree.end[node]) for node in now),
    )


def _rows(old: Sequence[CandidateFinder], new: CandidateFinder, rows: Selector) -> list[int]:
    """Find the rows on the new page: what the selector means there, or what is proposed instead."""
    if nodes := new.page.nodes(rows):
        return nodes
    found = Relocator(old, new, same_page=False).relocate(Region((rows,))).proposal
    return [start for start, _ in found.spans] if found is not None else []


def _inside(page: SelectablePage, rows: Sequence[int], nodes: Sequence[int]) -> list[int]:
    return [node for node in nodes if _row_of(page, rows, node) >= 0]


def _with_one(page: SelectablePage, rows: Sequence[int], nodes: Sequence[int]) -> int:
    """Count the rows that have one of some elements."""
    return len({_row_of(page, rows, node) for node in nodes} - {-1})


def _row_of(page: SelectablePage, rows: Sequence[int], node: int) -> int:
    at = bisect_right(rows, node) - 1
    return rows[at] if at >= 0 and node < page.tree.end[rows[at]] else -1
