"""Answers about two pages as agents get them: short, with quotations and places. They run in a limited process."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from pagedrift.dates import iso_moment
from pagedrift.documents.comparable import readable
from pagedrift.errors import InputError
from pagedrift.report import card, headlines, relocations
from pagedrift.report.change_reasons import change_reason
from pagedrift.selectors import relocate
from pagedrift.text import fold
from pagedrift.verdict import check

if TYPE_CHECKING:
    from pagedrift.page import PageVersion

MAX_EDITS: Final = 20  # of one answer, the most important first
MAX_QUOTED_CHARS: Final = 400  # of what stood there before and stands there now


def compared(old: PageVersion, new: PageVersion) -> dict[str, Any]:
    """Give the five answers about two pages, and every edit that is not noise."""
    old, new = _comparable(old), _comparable(new)
    verdict = check(old, new)
    changes = verdict.judgement.changes
    edits = [
        {
            "level": str(change.level),
            "sure": round(change.probability, 2),
            "summary": headlines.sentence(change),
            "before": fold(change.old_text, MAX_QUOTED_CHARS),
            "after": fold(change.new_text, MAX_QUOTED_CHARS),
            "where": str(change.zone),
            "why": change_reason(change),
        }
        for change in changes
        if change.level != "noise"
    ]
    return {
        "old": _named(old),
        "new": _named(new),
        "changed": verdict.changed,
        "headline": headlines.headline(changes),
        "answers": list(card.lines(verdict)),
        "edits": edits[:MAX_EDITS],
        "more_edits": max(0, len(edits) - MAX_EDITS),
    }


def relocated(old: PageVersion, new: PageVersion, selector: str) -> dict[str, Any]:
    """Say whether a selector still means the same on a new page, and which one does if not."""
    found = relocate(_comparable(old), _comparable(new), selector)
    proposal = found.proposal
    return {
        "selector": selector,
        "status": relocations.said(found),
        "sure": round(found.probability, 2),
        "proposed": (proposal.written or proposal.path) if proposal else None,
        "before": fold(found.old_text, MAX_QUOTED_CHARS),
        "after": fold(proposal.text if proposal else found.new_text, MAX_QUOTED_CHARS),
    }


def _comparable(page: PageVersion) -> PageVersion:
    found = readable(page)
    if found is None:
        raise InputError("this is neither a page nor a document that is read; choose another one")
    return found


def _named(page: PageVersion) -> dict[str, Any]:
    return {"url": page.url, "captured_at": iso_moment(page.captured_at), "title": fold(page.title, 200)}
