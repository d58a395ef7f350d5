"""What each way to keep captures would skip and lose on this archive: bytes saved against changes lost."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import groupby
from typing import TYPE_CHECKING, Final

from pagedrift.crawls import inventory
from pagedrift.crawls.inventory import COLUMNS, CaptureRow
from pagedrift.crawls.keeping import KeepLevel, worth_keeping
from pagedrift.crawls.workers import inventory_of
from pagedrift.documents.comparable import readable
from pagedrift.does_it_matter import judge
from pagedrift.does_it_matter.changes.levels import Level, single_changes
from pagedrift.does_it_matter.changes.passages import passages
from pagedrift.does_it_matter.changes.past import Past
from pagedrift.does_it_matter.changes.siblings import SharedTexts
from pagedrift.errors import PagedriftError
from pagedrift.text import counted

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Iterable, Iterator, Sequence

    from pagedrift.crawls.workers import OnProgress
    from pagedrift.does_it_matter import Judgement
    from pagedrift.page import PageVersion
    from pagedrift.read_report import Account

THRESHOLDS: Final = (0.2, 0.35, 0.5, 0.65, 0.8)


@dataclass(slots=True, kw_only=True)
class CurvePoint:
    """What one way to keep captures would do."""

    name: str
    kept: int = 0
    skipped: int = 0
    saved: int = 0  # bytes of pages, unpacked
    important: int = 0  # captures with important changes that would be lost
    minor: int = 0  # the same with changed wording

    def add(self, size: int, *, kept: bool, judged: Judgement | None) -> None:
        """Count one capture."""
        if kept:
            self.kept += 1
            return
        self.skipped += 1
        self.saved += size
        levels = {change.level for change in judged.changes} if judged else set()
        self.important += Level.IMPORTANT in levels
        self.minor += Level.MINOR in levels and Level.IMPORTANT not in levels


@dataclass(frozen=True, slots=True, kw_only=True)
class KeepCurve:
    """The curve: one point for each level, and for thresholds of how likely a change is important."""

    points: tuple[CurvePoint, ...]
    captures: int
    pages: int
    size: int
    account: Account


def keep_curve(paths: Sequence[str], *, on_progress: OnProgress | None = None) -> KeepCurve:
    """Go through an archive once, each capture against the one before it, and count for every way to keep.

    Facts in the main content are kept whatever the threshold is.

    >>> found = keep_curve(["examples/crawls"])
    >>> found.captures, found.points[0].skipped, found.points[1].important
    (16, 0, 0)
    """
    tell = on_progress or (lambda *_: None)
    levels = [CurvePoint(name=f"--keep {level}") for level in KeepLevel]
    thresholds = [CurvePoint(name=f"{threshold:.0%} likely or more") for threshold in THRESHOLDS]
    captures = pages = size = 0
    with inventory_of(paths, tell) as (database, account):
        (total,) = database.execute("SELECT COUNT(*) FROM captures WHERE kind = 'page'").fetchone()
        for found in _pages(database):
            pages += 1
            for row, judged in found:
                captures, size = captures + 1, size + row.size
                _count(levels, thresholds, row, judged)
                tell("comparing pages", captures, total)
    points = (*levels, *thresholds)
    return KeepCurve(points=points, captures=captures, pages=pages, size=size, account=account)


def _count(
    levels: list[CurvePoint], thresholds: list[CurvePoint], row: CaptureRow, judged: Judgement | str
) -> None:
    if isinstance(judged, str):
        for point in (*levels, *thresholds):
            point.add(row.size, kept=judged != "identical", judged=None)
        return
    for level, point in zip(KeepLevel, levels, strict=True):
        point.add(row.size, kept=worth_keeping(judged.changes, level)[0], judged=judged)
    always = worth_keeping(judged.changes, KeepLevel.IMPORTANT)[1] in ("fact", "removed")
    for threshold, point in zip(THRESHOLDS, thresholds, strict=True):
        point.add(row.size, kept=always or judged.probability >= threshold, judged=judged)


def _pages(database: sqlite3.Connection) -> Iterator[Iterable[tuple[CaptureRow, Judgement | str]]]:
    query = f"SELECT {COLUMNS} FROM captures WHERE kind = 'page' ORDER BY address, captured_at, id"
    shared = SharedTexts()
    rows = (CaptureRow(*row) for row in database.execute(query))
    for _, captures in groupby(rows, key=lambda row: row.address):
        yield _judged(captures, shared)


def _judged(captures: Iterable[CaptureRow], shared: SharedTexts) -> Iterator[tuple[CaptureRow, Judgement | str]]:
    """Judge each capture of a page after those before it."""
    last: CaptureRow | None = None
    before: PageVersion | None = None
    past = Past()
    for row in captures:
        if last is not None and last.digest == row.digest:
            yield row, "identical"
            continue
        try:
            page = readable(inventory.load(row))
        except PagedriftError:
            page = None
        if page is None or before is None:
            past = past.after(()) if not past.versions else past
            yield row, "first" if last is None else "document"
        else:
            judged = judge(before, page, past=past, siblings=shared.beside(page.url))
            past = past.after(single_changes(judged.changes))
            yield row, judged
        if page is not None:
            shared.add(page.url, passages(page))
        last, before = row, page or before


def curve_lines(found: KeepCurve) -> Iterator[str]:
    """Lay out the curve as a table."""
    if found.captures == found.pages:
        yield f"nothing to compare: each of {counted(found.pages, 'page')} has one capture"
        return
    yield f"{'keep':<24}  {'kept':>7}  {'skipped':>7}  {'saved':>5}  {'important lost':>14}  {'wording lost':>12}"
    for point in found.points:
        share = point.saved / found.size if found.size else 0.0
        yield (
            f"{point.name:<24}  {point.kept:>7,}  {point.skipped:>7,}  {share:>5.0%}  {point.important:>14,}"
            f"  {point.minor:>12,}"
        )
