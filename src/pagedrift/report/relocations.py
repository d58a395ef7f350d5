"""Reports of which selectors still work and what the others should be, as lines for people and as data."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from pagedrift.report.data import FORMAT
from pagedrift.selectors.relocation import SelectorStatus
from pagedrift.text import counted, cut

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from pagedrift.selectors.relocation import Proposal, Relocation

MAX_EXCERPT_CHARS: Final = 60
_SAID: Final = {
    SelectorStatus.WORKS: "works",
    SelectorStatus.MOVED: "broken",
    SelectorStatus.WRONG: "wrong: matches something else",
    SelectorStatus.GONE: "gone: what it matched is not on the page",
    SelectorStatus.UNKNOWN: "unknown: it matched nothing on the old page",
    SelectorStatus.NO_PAGE: "not judged: the page is not there",
}


def lines(found: Sequence[tuple[str, Relocation]]) -> Iterator[str]:
    """Say what became of each selector, and what to write instead."""
    width = max((len(name) for name, _ in found), default=0)
    for name, relocation in found:
        yield f"{name:{width}}  {said(relocation)}{_sure(relocation)}"
        yield f"{'':{width}}    was  {cut(relocation.region.written)}{_quoted(relocation.old_text)}"
        if relocation.proposal is not None:
            yield f"{'':{width}}    now  {_proposed(relocation.proposal)}"
    yield summary([relocation for _, relocation in found])


def said(relocation: Relocation) -> str:
    """Name what became of a selector."""
    return _SAID[relocation.status] + (f", {relocation.reason}" if relocation.reason else "")


def _sure(relocation: Relocation) -> str:
    unjudged = (SelectorStatus.UNKNOWN, SelectorStatus.NO_PAGE)
    return "" if relocation.status in unjudged else f" ({relocation.probability:.0%} sure)"


def _proposed(proposal: Proposal) -> str:
    count = f", {counted(proposal.count, 'element')}" if proposal.count > 1 else ""
    written = cut(proposal.written) or f"no short selector; it stands at {cut(proposal.path)}"
    return f"{written}{_quoted(proposal.text)}{count}"


def _quoted(text: str) -> str:
    return f'  "{cut(text, MAX_EXCERPT_CHARS)}"' if text else ""


def summary(found: Sequence[Relocation]) -> str:
    """Count what became of selectors."""
    broken = sum(relocation.broken for relocation in found)
    proposed = sum(relocation.proposal is not None for relocation in found)
    line = f"{broken} of {counted(len(found), 'selector')} broke"
    return f"{line}; a new one is proposed for {proposed}" if broken else line


def data(name: str, found: Relocation) -> dict[str, Any]:
    """Give what became of a selector as data."""
    return {
        "format": FORMAT,
        "name": name,
        "selector": found.region.written,
        "status": str(found.status),
        "probability": round(found.probability, 3),
        "reason": found.reason,
        "matched": found.matched,
        "old_text": found.old_text,
        "new_text": found.new_text,
        "proposal": None if found.proposal is None else _data(found.proposal),
        "alternatives": [_data(each) for each in found.alternatives],
    }


def _data(proposal: Proposal) -> dict[str, Any]:
    return {
        "selector": proposal.written,
        "text": proposal.text,
        "path": proposal.path,
        "count": proposal.count,
        "likeness": proposal.likeness,
        "probability": round(proposal.probability, 3),
    }
