"""How long do the five answers take on two versions of a page of 50 KB, from the source?"""

from __future__ import annotations

import statistics
from typing import TYPE_CHECKING

from benchmarks.measure import Table, spent
from benchmarks.pages import pairs
from pagedrift import PageVersion, check

if TYPE_CHECKING:
    from collections.abc import Callable

    from pagedrift import Verdict

ANSWERS: dict[str, Callable[[Verdict], object]] = {
    "what changed": lambda found: found.changes,
    "how much": lambda found: found.measures,
    "does it matter": lambda found: found.judgement,
    "which template": lambda found: found.same_template,
    "redesigned": lambda found: found.redesigned,
}


def answers() -> list[str]:
    """Time each answer by itself, from bytes, and all five together: the mean over real pairs of 40 to 60 KB."""
    found = [pair for pair in pairs().values() if 40_000 <= len(pair[0]) <= 60_000 and pair[0] != pair[1]]
    table = Table("Five answers on two versions of 40 to 60 KB, milliseconds")
    for name, answer in ANSWERS.items():
        table.row(name, f"{_mean(found, [answer]):.1f}", "from bytes, by itself")
    table.promise("all five", _mean(found, list(ANSWERS.values())), most=15)
    return table.broken


def _mean(found: list[tuple[bytes, bytes]], asked: list[Callable[[Verdict], object]]) -> float:
    def run(pair: tuple[bytes, bytes]) -> None:
        verdict = check(*(PageVersion("https://made.example/", body) for body in pair))
        for answer in asked:
            answer(verdict)

    return statistics.mean(1000 * spent(run, [pair], rounds=3) for pair in found)
