"""pagedrift dedup: a thinned copy of a collection, without captures that bring nothing new."""

from __future__ import annotations

import csv
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING

import click

from pagedrift.cli.common import (
    answer,
    answer_json,
    check_place,
    file_type,
    json_option,
    keep_option,
    stage_bar,
    tell_damage,
)
from pagedrift.crawls.dedup import dedup as thin
from pagedrift.crawls.keeping import KeepLevel
from pagedrift.dates import iso_moment
from pagedrift.report.data import FORMAT
from pagedrift.text import counted

if TYPE_CHECKING:
    from collections.abc import Callable

    from pagedrift.crawls.dedup import DedupReport
    from pagedrift.crawls.keeping import GatedCapture

_COLUMNS = ("url", "captured_at", "decision", "reason", "change", "refers_to", "bytes")


@click.command(short_help="Copy archives without captures that bring nothing new.")
@click.argument("archives", metavar="ARCHIVE...", nargs=-1, required=True)
@click.option(
    "--to", "target", required=True, type=click.Path(path_type=Path), metavar="DIR", help="New folder for the copy."
)
@keep_option
@click.option("--report", "table", type=file_type, metavar="FILE.csv", help="Write each decision with its reason.")
@json_option
def dedup(*, archives: tuple[str, ...], target: Path, level: str, table: Path | None, as_json: bool) -> None:
    """Write a copy of ARCHIVEs in which captures that bring nothing new are revisits of what was kept.

    ARCHIVEs are WARC or WACZ files, or folders of these, and stay as they are. With --keep changed, captures that
    differ by noise only (counters, dates of today, advertisements) are not kept; with --keep important, neither are
    those that only reword. Changed facts in the main content and removals from it are always kept. The copy is
    read back: every address and time must still give a page.

    \b
    Examples:
      pagedrift dedup crawls/ --to thinned/
      pagedrift dedup crawl.warc.gz --to thinned/ --keep important --report decisions.csv
    """
    check_place(table)
    with ExitStack() as stack:
        write = stack.enter_context(_Table(table)) if table else None
        tell = stack.enter_context(stage_bar())
        found = thin(archives, target, level=KeepLevel(level), on_progress=tell, on_decision=write)
    tell_damage(found.account)
    _answer(found, target, as_json=as_json)


class _Table:
    """The file that lists every decision."""

    def __init__(self, path: Path) -> None:
        self._path = path

    def __enter__(self) -> Callable[[GatedCapture], None]:
        self._file = self._path.open("w", newline="", encoding="utf-8", errors="replace")
        self._writer = csv.writer(self._file)
        self._writer.writerow(_COLUMNS)
        return self._write

    def __exit__(self, *_: object) -> None:
        self._file.close()

    def _write(self, gated: GatedCapture) -> None:
        decision, capture = gated.decision, gated.capture
        refers = "" if gated.original is None else iso_moment(gated.original.time)
        kept = "keep" if decision.kept else "revisit"
        time = iso_moment(capture.time)
        self._writer.writerow((capture.where, time, kept, decision.reason, decision.said, refers, capture.size))


def _answer(found: DedupReport, target: Path, *, as_json: bool) -> None:
    skipped = found.captures - found.kept
    if as_json:
        answer_json(
            {
                "format": FORMAT,
                "captures": found.captures,
                "kept": found.kept,
                "reasons": dict(found.reasons.most_common()),
                "skipped": dict(found.skipped.most_common()),
                "bytes": found.size,
                "bytes_written": found.written,
                "checked": found.checked,
            }
        )
        return
    share = found.saved / found.size if found.size else 0.0
    kept, replaced = (
        ", ".join(f"{count:,} {reason}" for reason, count in reasons.most_common())
        for reasons in (found.reasons, found.skipped)
    )
    size = f"{found.saved:,} saved ({share:.0%})" if found.saved >= 0 else f"{-found.saved:,} more than before"
    answer(
        [
            f"{counted(found.captures, 'capture')}: {found.kept:,} kept ({kept})"
            + (f", {skipped:,} replaced by revisits ({replaced})" if skipped else ""),
            f"{found.written:,} bytes in {target}, {size}",
            f"read back: {counted(found.checked, 'capture')}, each still gives a page",
        ]
    )
    if found.captures == found.reasons["first"] + found.reasons["not a page"]:
        answer(["nothing to compare: each page has one capture"])
