"""What became of the selectors that a watch monitors, worked out from the versions that are kept."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from pagedrift.app.captures import page_of
from pagedrift.app.model.monitored_selector import MonitoredSelector
from pagedrift.errors import PagedriftError
from pagedrift.selectors.candidates import CandidateFinder
from pagedrift.selectors.expressions import parse_selectors
from pagedrift.selectors.relocation import Relocator
from pagedrift.selectors.selectable import SelectablePage

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from pathlib import Path

    from pagedrift.archive.locations import Place
    from pagedrift.selectors.expressions import Selector
    from pagedrift.selectors.selectable import Span

MAX_VERSIONS: Final = 20  # that are gone back through for one on which a selector matched
MAX_BYTES: Final = 2_000_000  # of a version that is looked into
MAX_DRAWN: Final = 30  # elements of a selector that are drawn
Kept = tuple[int, "Place"]  # the number of a version, and where it is


def examine_selectors(
    folder: str | Path, versions: Sequence[Kept], lines: Sequence[str], health: Mapping[str, Any]
) -> list[MonitoredSelector]:
    """Say of each selector how often it matched, and what to use instead; versions come newest first."""
    selectors = parse_selectors("\n".join(lines))
    hits = {each: tuple(map(bool, (health.get(each.expression) or {}).get("hits", ()))) for each in selectors}
    pages = list(_read(folder, versions))
    return [_examine(each, hits[each], pages) for each in selectors]


def _read(folder: str | Path, versions: Sequence[Kept]) -> Iterator[tuple[int, CandidateFinder]]:
    for number, place in versions:
        try:
            yield number, CandidateFinder(SelectablePage(page_of(folder, place)))
        except PagedriftError:
            continue  # such a version says nothing about selectors


def _examine(
    selector: Selector, hits: tuple[bool, ...], pages: list[tuple[int, CandidateFinder]]
) -> MonitoredSelector:
    plain = MonitoredSelector(name=selector.name, selector=selector.written, hits=hits)
    older = ((number, each) for number, each in pages[1:] if each.page.matches(selector))
    if (found := next(older, None)) is None:
        return plain
    (after, new), (before, old) = pages[0], found
    relocation = Relocator([old], new).relocate(selector)  # of a site, two documents
    proposal = relocation.proposal
    return MonitoredSelector(
        name=selector.name,
        selector=selector.written,
        hits=hits,
        status=str(relocation.status),
        probability=relocation.probability,
        old_text=relocation.old_text,
        new_text=proposal.text if proposal else relocation.new_text,
        proposal=proposal.selector if proposal else "",
        before=before,
        after=after,
        old_nodes=_starts(relocation.old_spans),
        new_nodes=_starts(proposal.spans if proposal else relocation.new_spans),
    )


def _starts(spans: Sequence[Span]) -> tuple[int, ...]:
    return tuple(start for start, _ in spans[:MAX_DRAWN])
