"""The answers of `does-it-matter --audit` with a level to keep, and the curve of what each level would lose."""

from __future__ import annotations

from collections import Counter
from dataclasses import asdict
from typing import TYPE_CHECKING

from pagedrift.cli.common import answer, answer_json, check_any, stage_bar, tell_damage
from pagedrift.crawls import inventory
from pagedrift.crawls.keep_curve import curve_lines, keep_curve
from pagedrift.crawls.keeping import KeepLevel, gated_captures
from pagedrift.crawls.workers import inventory_of
from pagedrift.dates import iso_moment, moment
from pagedrift.reading.page_selection import loose
from pagedrift.report.data import FORMAT
from pagedrift.text import counted, cut

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pagedrift.crawls.keeping import GatedCapture


def show_curve(archive: str, *, as_json: bool) -> None:
    """Print what each way to keep captures would skip and lose."""
    with stage_bar() as tell:
        found = keep_curve([archive], on_progress=tell)
    tell_damage(found.account)
    check_any(found.captures, archive)
    if as_json:
        for point in found.points:
            answer_json({"format": FORMAT, **asdict(point), "captures": found.captures, "bytes": found.size})
    else:
        answer(curve_lines(found))


def show_gate(archive: str, url: str | None, level: KeepLevel, *, as_json: bool) -> None:
    """Print for each capture whether it would be kept at a level, and why."""
    counts: Counter[bool] = Counter()
    size = saved = 0
    for gated in _gated(archive, level):
        if gated.capture.kind != inventory.PAGE or (url and loose(gated.capture.where) != loose(url)):
            continue
        counts[gated.decision.kept] += 1
        size += gated.capture.size
        saved += 0 if gated.decision.kept else gated.capture.size
        if as_json:
            answer_json(_data(gated))
        else:
            answer([_line(gated)])
    check_any(counts.total(), archive)
    if not as_json:
        share = saved / size if size else 0.0
        kept = f"{counts[True]:,} kept, {counts[False]:,} skipped"
        answer([f"{counted(counts.total(), 'version')}: {kept}; {share:.0%} of {size:,} bytes saved"])


def _gated(archive: str, level: KeepLevel) -> Iterator[GatedCapture]:
    with stage_bar() as tell, inventory_of([archive], tell) as (database, account):
        yield from gated_captures(database, level, lambda done, total: tell("comparing pages", done, total))
    tell_damage(account)


def _line(gated: GatedCapture) -> str:
    decision = gated.decision
    kept = "keep" if decision.kept else "skip"
    where = cut(gated.capture.where, 100)
    return f"{kept}  {moment(gated.capture.time)}  {decision.reason:<10}  {where}  {decision.said}".rstrip()


def _data(gated: GatedCapture) -> dict[str, object]:
    decision = gated.decision
    return {
        "format": FORMAT,
        "url": gated.capture.where,
        "captured_at": iso_moment(gated.capture.time),
        "kept": decision.kept,
        "reason": decision.reason,
        "change": decision.said,
        "bytes": gated.capture.size,
    }
