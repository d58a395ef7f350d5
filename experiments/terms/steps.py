"""What does the judge that ships say about each labelled step of a series of versions?"""

from __future__ import annotations

import json
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from functools import partial
from time import process_time
from typing import TYPE_CHECKING, Any

from rapidfuzz.distance import Indel
from rich.progress import MofNCompleteColumn, TimeRemainingColumn

from pagedrift import read
from pagedrift.cli.common import bar
from pagedrift.does_it_matter.changes import Level, Past
from pagedrift.does_it_matter.changes.levels import judge_changes
from pagedrift.does_it_matter.changes.pairing import compare
from pagedrift.does_it_matter.changes.passages import passages
from pagedrift.text import cut

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence
    from pathlib import Path

    from pagedrift.does_it_matter.changes import JudgedChange
    from pagedrift.does_it_matter.model import Model

PROCESSES = 2
SHOWN = 70  # characters of each side of a change


@dataclass(frozen=True, slots=True)
class Told:
    """What is left of a judged change once its page is gone."""

    level: Level
    probability: float
    words: int  # added and removed
    line: str  # for people


@dataclass(frozen=True, slots=True, kw_only=True)
class Step:
    """One labelled step from version to version, judged with the past of its page and without."""

    service: str
    name: str
    content: bool
    past: tuple[Told, ...]
    pair: tuple[Told, ...]
    ms: float  # of processing: both pages, the comparison, the verdicts with the past
    size: tuple[int, int]  # bytes of both pages

    def told(self, *, past: bool) -> tuple[Told, ...]:
        """Give the verdicts of one of the two runs."""
        return self.past if past else self.pair


def told(change: JudgedChange) -> Told:
    """Sum up a judged change."""
    sides = [[word for passage in side for word in passage.words] for side in (change.old, change.new)]
    facts = f" {change.fact.value}" if change.fact else ""
    texts = " → ".join(
        f"“{cut(text, SHOWN)}”" if text else "nothing" for text in (change.old_text, change.new_text)
    )
    line = f"{change.level:9} {change.probability:4.2f} {change.action}, {change.zone}{facts}: {texts}"
    return Told(change.level, change.probability, Indel.distance(*sides), line)


def steps_of(path: Path, models: Mapping[str, Model] | None = None) -> list[Step]:
    """Judge the labelled steps of one series; by the model of its service, or else by the one that ships."""
    about = json.loads(path.read_text("utf-8"))
    model = models[about["service"]] if models else None
    labelled = {step["to"]: step for step in about["transitions"] if step["label"] in ("content", "none")}
    found: list[Step] = []
    past, before, read_ms, size = Past(), None, 0.0, 0
    for number, version in enumerate(read(path.with_suffix(".warc.gz"))):
        start = process_time()
        after = passages(version)
        ms = 1000 * (process_time() - start)
        start = process_time()
        changes = compare(before, after) if before is not None else []
        if before is not None and (step := labelled.get(number)):
            judged = judge_changes(changes, past, model)
            spent = 1000 * (process_time() - start) + read_ms + ms
            alone = judge_changes(changes, None, model)
            found.append(
                Step(
                    service=about["service"],
                    name=f"{path.stem} {step['from']} → {step['to']}",
                    content=step["label"] == "content",
                    past=tuple(map(told, judged)),
                    pair=tuple(map(told, alone)),
                    ms=spent,
                    size=(size, len(version.body)),
                )
            )
        past, before, read_ms, size = past.after(changes), after, ms, len(version.body)
    return found


def series_in(folder: Path) -> list[Path]:
    """Give the descriptions of the series of a folder."""
    return [path for path in sorted(folder.glob("*.json")) if path.with_suffix(".warc.gz").exists()]


def all_steps(series: Sequence[Path], models: Mapping[str, Model] | None = None) -> list[Step]:
    """Judge the labelled steps of many series."""
    return [step for steps in in_parallel(partial(steps_of, models=models), series) for step in steps]


def in_parallel(work: Callable[[Any], Any], given: Sequence[Any]) -> Iterator[Any]:
    """Work on all that is given in some processes, with a bar; answers come in order."""
    with (
        bar(MofNCompleteColumn(), TimeRemainingColumn()) as shown,
        ProcessPoolExecutor(PROCESSES) as workers,
    ):
        task = shown.add_task("", total=len(given))
        for answer in workers.map(work, given):
            shown.advance(task)
            yield answer
