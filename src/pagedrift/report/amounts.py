"""Reports of how much a page changed, as lines for a terminal."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Final

import click

from pagedrift.dates import moment
from pagedrift.text import counted, cut

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from pagedrift.how_much import Measures
    from pagedrift.how_much.series import SeriesStep

BARS: Final = "▁▂▃▄▅▆▇█"
MAX_BARS: Final = 72  # bars of a sparkline; in a longer series a bar stands for several steps
TRIED_THRESHOLDS: Final = (0.01, 0.02, 0.05, 0.1, 0.2, 0.5)  # thresholds that are counted where none is given
_DONE: Final = {
    "add": "added",
    "drop": "removed",
    "copy": "repeated",
    "shrink": "no longer repeated",
    "replace": "replaced",
    "move": "moved",
}


def describe(found: Measures, metric: str | None = None) -> Iterator[str]:
    """Lay out the values of all metrics or of one, then what was done to the words."""
    values = {metric: found[metric]} if metric else found
    width = max(map(len, values))
    for name, value in values.items():
        yield f"{name:<{width}}  {value:.4f}"
    done = found.extended if metric == "extended" else found.improved
    yield sentence(done.distance, done.counts)


def sentence(value: float, counts: Mapping[str, int]) -> str:
    """Say in words how much of a page changed.

    >>> sentence(0.038, {"add": 31, "replace": 3, "move": 12})
    'about 4 % of the words: 31 words added, 12 moved, 3 replaced'
    >>> sentence(0.002, {"drop": 1})
    'less than 1 % of the words: 1 word removed'
    """
    done = operations(counts)
    return f"{share(value)} of the words: {done}" if done else "no word changed"


def share(value: float) -> str:
    """Write a share as people say it.

    >>> share(0.0), share(0.004), share(0.126), share(0.996), share(1.0)
    ('0 %', 'less than 1 %', 'about 13 %', 'nearly all', 'all')
    """
    percent = f"{value:.0%}".replace("%", " %")
    if value <= 0 or value >= 1:
        return "all" if value >= 1 else percent
    return {"0 %": "less than 1 %", "100 %": "nearly all"}.get(percent, f"about {percent}")


def operations(counts: Mapping[str, int]) -> str:
    """Count words by what was done to them, most first.

    >>> operations({"add": 1, "drop": 0, "copy": 2_000})
    '2,000 words repeated, 1 added'
    """
    done = sorted(((count, _DONE[kind]) for kind, count in counts.items() if count), key=lambda one: -one[0])
    parts = [f"{count:,} {what}" for count, what in done]
    if parts:
        count, what = done[0]
        parts[0] = f"{counted(count, 'word')} {what}"
    return ", ".join(parts)


def series_lines(pages: Sequence[Sequence[SeriesStep]], *, above: float | None = None) -> Iterator[str]:
    """Lay out the series of each page: a line for each version, ! where it is above the threshold; the counts."""
    for steps in pages:
        yield click.style(cut(steps[0].url), bold=True)
        yield from (_line(step, alarm=above is not None and step.value > above) for step in steps)
        values = [step.value for step in steps]
        yield sparkline(values, width=MAX_BARS)
        yield replayed(values, above)
    if len(pages) > 1:
        yield f"all {len(pages):,} pages: " + replayed([step.value for steps in pages for step in steps], above)


def _line(step: SeriesStep, *, alarm: bool) -> str:
    done = operations(step.counts) or "no word changed"
    line = f"{'!' if alarm else ' '} {moment(step.captured_at)}  {step.value:.4f}  {done}"
    return click.style(line, fg="red" if alarm else None)


def replayed(values: Sequence[float], above: float | None = None) -> str:
    """Count the alarms that a threshold would have raised, and say how near to it values come; or those of several.

    >>> replayed([0.0, 0.02, 0.3], 0.05)
    '3 steps: 1 alarm above 0.05 (lowest 0.3000), 2 quiet (highest 0.0200)'
    >>> replayed([0.3])
    '1 step: 1 above 0.01, 1 above 0.02, 1 above 0.05, 1 above 0.1, 1 above 0.2, 0 above 0.5'
    """
    head = f"{counted(len(values), 'step')}: "
    if above is None:
        return head + ", ".join(
            f"{sum(value > tried for value in values):,} above {tried:g}" for tried in TRIED_THRESHOLDS
        )
    alarms, quiet = [value for value in values if value > above], [value for value in values if value <= above]
    lowest = f" (lowest {min(alarms):.4f})" if alarms else ""
    highest = f" (highest {max(quiet):.4f})" if quiet else ""
    return f"{head}{counted(len(alarms), 'alarm')} above {above:g}{lowest}, {len(quiet):,} quiet{highest}"


def sparkline(values: Sequence[float], *, width: int) -> str:
    """Draw values from 0 to the highest as bars; where they are many, a bar is the highest of several.

    The lowest bar is 0 and nothing else.

    >>> sparkline([0, 0.1, 0.001, 0.4], width=60)
    '▁▃▂█'
    """
    groups = min(width, len(values))
    shown = [max(values[i * len(values) // groups : (i + 1) * len(values) // groups]) for i in range(groups)]
    top = max(shown, default=0) or 1
    return "".join(BARS[math.ceil(value / top * (len(BARS) - 1))] for value in shown)
