"""Which captures of a crawl to keep, and which only repeat what was kept before."""

from __future__ import annotations

from dataclasses import dataclass, replace
from enum import StrEnum
from itertools import groupby
from typing import TYPE_CHECKING, Final

from pagedrift.crawls import inventory
from pagedrift.crawls.addresses import address_key
from pagedrift.crawls.inventory import COLUMNS, CaptureRow
from pagedrift.dates import period
from pagedrift.documents.comparable import readable
from pagedrift.does_it_matter.changes.levels import ChangeReason, Level, Zone, judge_changes
from pagedrift.does_it_matter.changes.pairing import REMOVED, compare
from pagedrift.does_it_matter.changes.passages import passages
from pagedrift.does_it_matter.changes.past import Past
from pagedrift.does_it_matter.changes.siblings import SharedTexts
from pagedrift.errors import PagedriftError
from pagedrift.interstitials import recognise
from pagedrift.redesigned.pairwise import REDESIGNED, replaced
from pagedrift.report.headlines import headline

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from pagedrift.does_it_matter.changes.levels import JudgedChange
    from pagedrift.does_it_matter.changes.passages import Passage
    from pagedrift.page import PageVersion

# By themselves, or at the moment of the request: what these name changes without anybody saying anything new.
_OF_ITSELF: Final = frozenset(
    (ChangeReason.RESTLESS, ChangeReason.COUNTER, ChangeReason.STAMP, ChangeReason.MOMENT, ChangeReason.ZONE)
)
_CONTENT: Final = frozenset((Zone.MAIN, Zone.ENTRIES))


class KeepLevel(StrEnum):
    """Which captures are kept."""

    ALL = "all"  # but for those with the very same bytes
    CHANGED = "changed"  # all but noise
    IMPORTANT = "important"  # and every fact, and whatever was removed from the main content


@dataclass(frozen=True, slots=True, kw_only=True)
class KeepDecision:
    """Whether a capture is kept, and why."""

    kept: bool
    reason: str  # first, identical, noise, minor, important, fact, removed, layout, … or what the page became
    said: str = ""  # what changed, in a line
    levels: tuple[int, int, int] = (0, 0, 0)  # important, minor and noise
    layout: float = 0.0  # share of the layout that was replaced


@dataclass(frozen=True, slots=True, kw_only=True)
class GatedCapture:
    """A capture with its decision, and the kept one that it repeats."""

    capture: CaptureRow
    decision: KeepDecision
    original: CaptureRow | None  # None where it is kept


class PageGate:
    """The gate of one page: decides for each capture, after those before it, whether it is kept.

    Each capture is compared with the last one that was kept, so that many small changes add up. `shared` are the
    texts of other pages of the site, which gates of several pages learn together.

    >>> from pagedrift import PageVersion
    >>> gate = PageGate(KeepLevel.IMPORTANT)
    >>> page = "<main><h1>Fees</h1><p>A permit for a fence costs {} a year.</p></main><footer>Visitors: {}</footer>"
    >>> values = (("$40", 1), ("$40", 2), ("$45", 3))
    >>> [gate.decide(PageVersion("", page.format(*each).encode())).kept for each in values]
    [True, False, True]
    """

    def __init__(self, level: KeepLevel, past: Past | None = None, *, shared: SharedTexts | None = None) -> None:
        self._level = level
        self._shared = shared or SharedTexts()
        self.past = past or Past()
        self._last: PageVersion | None = None  # that was kept, as a page
        self._passages: tuple[Passage, ...] = ()
        self._before: tuple[Passage, ...] = ()  # of the capture before, kept or not: the past goes step by step
        self._now: tuple[Passage, ...] = ()  # of the capture that is looked at

    def decide(self, version: PageVersion) -> KeepDecision:
        """Decide about the next capture."""
        page = readable(version)
        if page is None:
            self.forget()
            return KeepDecision(kept=True, reason="unreadable", said="only its bytes can be compared")
        if self._last is None:
            decision = KeepDecision(kept=True, reason="first")
        else:
            decision = self._compared(self._last, page)
            self._before = self._now
        if decision.kept:
            self._keep(page)
        return decision

    def forget(self) -> None:
        """Compare the next capture with nothing: what was kept last cannot be looked into."""
        self._last, self._passages, self._before, self._now = None, (), (), ()

    def begin(self, kept: PageVersion) -> None:
        """Continue from a capture that was kept before."""
        page = readable(kept)
        if page is not None:
            self._keep(page)

    def _keep(self, page: PageVersion) -> None:
        if self._last is None and not self.past.versions:
            self.past = self.past.after(())
        self._last = page
        self._passages = self._before = self._now or passages(page)
        self._now = ()
        self._shared.add(page.url, self._passages)

    def _compared(self, last: PageVersion, page: PageVersion) -> KeepDecision:
        self._now = ()
        what = recognise(page, previous=last)
        if not what.is_page:
            return KeepDecision(kept=True, reason=what.kind, said=what.reason)
        self._now = passages(page)
        changes = compare(self._passages, self._now)
        siblings = self._shared.beside(page.url)
        found = judge_changes(changes, self.past, siblings=siblings)
        is_step = self._before is self._passages
        self.past = self.past.after(changes if is_step else compare(self._before, self._now))
        kept, reason = worth_keeping(found, self._level)
        layout = replaced(last, page)
        if not kept and layout >= REDESIGNED:
            kept, reason = True, "layout"
        said = headline(found)
        return KeepDecision(kept=kept, reason=reason, said=said, levels=_counts(found), layout=layout)


def worth_keeping(found: Sequence[JudgedChange], level: KeepLevel) -> tuple[bool, str]:
    """Decide by the changes of a capture; facts in the main content and removals from it are always worth it."""
    changes = [change for change in found if change.level is not Level.NOISE]
    if level is KeepLevel.ALL:
        return True, "changed"
    if any(change.level is Level.IMPORTANT for change in changes):
        return True, "important"
    if any(change.facts and change.zone in _CONTENT and change.reason not in _OF_ITSELF for change in found):
        return True, "fact"
    if any(change.action == REMOVED and change.zone in _CONTENT for change in changes):
        return True, "removed"
    if changes:
        return level is KeepLevel.CHANGED, "minor"
    return False, "noise"


def _counts(found: Iterable[JudgedChange]) -> tuple[int, int, int]:
    levels = [change.level for change in found]
    return levels.count(Level.IMPORTANT), levels.count(Level.MINOR), levels.count(Level.NOISE)


def gated_captures(
    database: sqlite3.Connection, level: KeepLevel, on_progress: Callable[[int, int], None]
) -> Iterator[GatedCapture]:
    """Decide about every capture of an inventory, page by page and in the order of time."""
    kinds = (inventory.PAGE, inventory.OTHER)
    (total,) = database.execute("SELECT COUNT(*) FROM captures WHERE kind IN (?, ?)", kinds).fetchone()
    query = f"SELECT {COLUMNS} FROM captures WHERE kind IN (?, ?) ORDER BY address, captured_at, id"
    rows = (CaptureRow(*row) for row in database.execute(query, kinds))
    done, needed, shared = 0, referred_to(database), SharedTexts()
    for _, captures in groupby(rows, key=lambda row: (row.address, row.kind)):
        for gated in _of_page(captures, PageGate(level, shared=shared), needed):
            done += 1
            on_progress(done, total)
            yield gated


def referred_to(database: sqlite3.Connection) -> set[int]:
    """Find the captures that revisits of the collection repeat: whatever they say, these must stay."""
    found: set[int] = set()
    revisits = database.execute("SELECT payload, target FROM captures WHERE kind = ?", (inventory.REVISIT,))
    for payload, target in revisits.fetchall():
        date, _, url = target.decode("utf-8", "surrogatepass").partition(" ")
        moment = period(date)
        named = (inventory.encoded(address_key(url)), inventory.micros(moment[0]) if moment else None)
        query = "SELECT id FROM captures WHERE kind != ? AND (payload = ? OR (address = ? AND captured_at = ?))"
        found |= {number for (number,) in database.execute(query, (inventory.REVISIT, payload, *named))}
    return found


def _of_page(captures: Iterable[CaptureRow], gate: PageGate, needed: set[int]) -> Iterator[GatedCapture]:
    last = None
    for row in captures:
        if last is not None and row.id not in needed and _same(last, row):
            same = KeepDecision(kept=False, reason="identical")
            yield GatedCapture(capture=row, decision=same, original=last)
            continue
        decision = _decided(gate, row)
        if row.id in needed and not decision.kept:  # it stays, but the next one is compared with the one before
            stays = replace(decision, kept=True, reason="referred to")
            yield GatedCapture(capture=row, decision=stays, original=None)
            continue
        yield GatedCapture(capture=row, decision=decision, original=None if decision.kept else last)
        if decision.kept:
            last = row


def _same(one: CaptureRow, other: CaptureRow) -> bool:
    if one.kind == inventory.OTHER:
        return one.payload is not None and one.payload == other.payload
    return one.digest == other.digest


def _decided(gate: PageGate, row: CaptureRow) -> KeepDecision:
    """Decide about one capture; what cannot be read is kept as it is."""
    if row.kind == inventory.OTHER:
        return KeepDecision(kept=True, reason="not a page")
    try:
        return gate.decide(inventory.load(row))
    except PagedriftError as error:
        gate.forget()
        return KeepDecision(kept=True, reason="unreadable", said=str(error))
