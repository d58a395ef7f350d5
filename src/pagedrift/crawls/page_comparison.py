"""The comparison of one page in two crawls: what kind of change it is, how much, and what to say about it."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING, Final

from pagedrift._kernels import hash_bytes
from pagedrift.documents.comparable import is_within_reach, readable, what_it_is
from pagedrift.does_it_matter import judge
from pagedrift.does_it_matter.changes import Level, past_of
from pagedrift.how_much.compared_words import MetricOptions
from pagedrift.how_much.metrics import metric
from pagedrift.how_much.series import compare as measure_step
from pagedrift.interstitials import recognise
from pagedrift.redesigned.pairwise import REDESIGNED, replaced
from pagedrift.report.headlines import sentence

if TYPE_CHECKING:
    from collections.abc import Sequence

    from pagedrift.does_it_matter.changes import JudgedChange
    from pagedrift.page import PageVersion

METRIC: Final = "extended+"
MAX_NOTED_CHANGES: Final = 40  # of one page, the most important first; all of them are counted


class AddressState(StrEnum):
    """What became of an address from one crawl to the other."""

    NEW = "new"
    GONE = "gone"
    UNCHANGED = "unchanged"
    NOISE = "noise only"
    CHANGED = "changed"
    LAYOUT = "layout changed"
    MOVED = "moved"
    BLOCKED = "blocked or error page"
    UNKNOWN = "cannot be compared"


@dataclass(frozen=True, slots=True)
class NotedChange:
    """One change of a page in a line."""

    level: str
    probability: float
    headline: str
    signature: int  # the same where other pages have the very same change


@dataclass(frozen=True, slots=True, kw_only=True)
class PageComparison:
    """What two captures of one page differ in."""

    state: AddressState
    detail: str = ""  # what it is now, where it is not the page any more
    amount: float = 0.0  # share of the words, from 0 to 1
    layout: float = 0.0  # share of the layout that was replaced
    probability: float = 0.0  # that the change is important
    levels: tuple[int, int, int] = (0, 0, 0)  # important, minor and noise
    changes: tuple[NotedChange, ...] = ()

    @property
    def level(self) -> str:
        """The highest level among its changes; empty where there is none."""
        names = (Level.IMPORTANT, Level.MINOR, Level.NOISE)
        return next((str(name) for name, count in zip(names, self.levels, strict=True) if count), "")


def compare_pages(old: PageVersion, new: PageVersion, *, earlier: Sequence[PageVersion] = ()) -> PageComparison:
    """Compare two captures of a page whose bytes differ; captures before `old` teach what its noise is.

    >>> from pagedrift import PageVersion
    >>> page = "<main><h1>Permits</h1><p>A permit for a fence costs {} and is valid for a year.</p></main>"
    >>> found = compare_pages(*(PageVersion("", page.format(fee).encode()) for fee in ("$40", "$45")))
    >>> str(found.state), found.changes[0].headline, found.level
    ('changed', 'Price $40 → $45', 'important')
    """
    what = recognise(new, previous=old)
    if not what.is_page:
        return PageComparison(state=AddressState.BLOCKED, detail=f"{what.kind}: {what.reason}")
    before, after = readable(old), readable(new)
    if before is None or after is None:
        return _of_bytes(old, new)
    past = past_of(*(each for each in map(readable, earlier) if each), before) if earlier else None
    judged = judge(before, after, past=past)
    amount, _ = measure_step(before, after, metric(METRIC), MetricOptions())
    layout = replaced(before, after)
    return PageComparison(
        state=_state(judged.changes, layout),
        amount=amount,
        layout=layout,
        probability=judged.probability,
        levels=_counts(judged.changes),
        changes=tuple(map(_noted, judged.changes[:MAX_NOTED_CHANGES])),
    )


def _of_bytes(old: PageVersion, new: PageVersion) -> PageComparison:
    """Say that something changed of which only the bytes can be compared: it may be anything, so it counts."""
    kind = what_it_is(new)
    reason = "too large to look into" if not is_within_reach(new) or not is_within_reach(old) else kind
    note = NotedChange(str(Level.IMPORTANT), 0.5, f"{len(old.body):,} → {len(new.body):,} bytes ({reason})", 0)
    return PageComparison(
        state=AddressState.CHANGED, amount=1.0, probability=0.5, levels=(1, 0, 0), changes=(note,)
    )


def _state(changes: Sequence[JudgedChange], layout: float) -> AddressState:
    if layout >= REDESIGNED:
        return AddressState.LAYOUT
    content = any(change.level is not Level.NOISE for change in changes)
    return AddressState.CHANGED if content else AddressState.NOISE


def _counts(changes: Sequence[JudgedChange]) -> tuple[int, int, int]:
    levels = [change.level for change in changes]
    return levels.count(Level.IMPORTANT), levels.count(Level.MINOR), levels.count(Level.NOISE)


def _noted(change: JudgedChange) -> NotedChange:
    return NotedChange(str(change.level), change.probability, sentence(change), signature(change))


def signature(change: JudgedChange) -> int:
    """Name a change by what came and went, so that the same one on another page is recognised."""
    sides = (" ".join(word for passage in side for word in passage.words) for side in (change.old, change.new))
    text = "\n".join((change.action, change.passage.kind, *sides))
    return hash_bytes(text.encode("utf-8", "surrogatepass")) >> 1  # a database has 63 bits for it
