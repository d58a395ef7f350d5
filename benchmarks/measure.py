"""How long does it take, and is that what we promise?"""

from __future__ import annotations

import gc
import os
import time
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from typing import Any


def seconds(
    run: Callable[[Any], object],
    things: Iterable[Any],
    *,
    rounds: int = 5,
    clock: Callable[[], float] = time.perf_counter,
) -> float:
    """Time a function over some things: the best of several rounds, since noise only adds.

    A busy machine disturbs long runs more than short ones: where they are compared, time.process_time is fairer.
    Without Python's collector of cycles, as timeit does: it would charge whoever runs while much is alive.
    """
    things = list(things)
    best = float("inf")
    for _ in range(rounds):
        gc.collect()
        gc.disable()
        start = clock()
        for thing in things:
            run(thing)
        best = min(best, clock() - start)
        gc.enable()
    return best


spent = partial(seconds, clock=time.process_time)


def cpu_of_all() -> float:
    """Add up the CPU seconds of this process and all below it, those that ended included."""
    taken: dict[int, tuple[int, float]] = {}
    for path in Path("/proc").glob("[0-9]*/stat"):
        try:
            fields = path.read_text().rpartition(")")[2].split()
        except OSError:
            continue
        taken[int(path.parent.name)] = (int(fields[1]), sum(map(int, fields[11:15])) / os.sysconf("SC_CLK_TCK"))

    def below(process: int) -> float:
        children = (child for child, (parent, _) in taken.items() if parent == process)
        return taken[process][1] + sum(map(below, children))

    return below(os.getpid())


@dataclass(frozen=True, slots=True, kw_only=True)
class Promise:
    """One figure and its goal: no more than that, or no less."""

    group: str  # the comparison it belongs to
    name: str
    goal: float
    direction: str  # ≤ or ≥
    value: float

    @property
    def kept(self) -> bool:
        """Whether the goal was reached."""
        return self.value <= self.goal if self.direction == "≤" else self.value >= self.goal


PROMISES: Final[list[Promise]] = []  # of this run, in the order they were measured


@dataclass
class Table:
    """Rows of one comparison, printed as they come, and the promises that hang on them."""

    title: str  # what stands in parentheses at its end may differ from run to run
    broken: list[str] = field(default_factory=list)

    def __post_init__(self) -> None:
        print(f"\n{self.title}")

    def row(self, name: str, figure: str, note: str = "") -> None:
        """Print one row."""
        print(f"  {name:<44} {figure:>12}  {note}")

    def promise(self, what: str, value: float, *, least: float | None = None, most: float | None = None) -> None:
        """Print a figure beside its goal, and keep it for the table of all."""
        direction, goal = ("≥", least) if least is not None else ("≤", most)
        assert goal is not None
        group = self.title.partition(" (")[0]
        one = Promise(group=group, name=what, goal=goal, direction=direction, value=value)
        PROMISES.append(one)
        bound = f"promised {direction} {goal:g}"
        self.row(what, f"{value:.2f}", f"{bound}{'' if one.kept else '   NOT KEPT'}")
        if not one.kept:
            self.broken.append(f"{self.title}: {what} is {value:.2f}, {bound}")
