"""Which metric is right when several types of change happen at once? The paper's open problem, § 6.

python -m experiments.kwon2006.mixed [--data DIR] [--to DIR]
"""

from __future__ import annotations

from statistics import fmean, median
from typing import TYPE_CHECKING, Final

from experiments.kwon2006.common import (
    CRITERION,
    METRICS,
    arguments,
    label,
    mean_deviation,
    measured,
    print_table,
    real_texts,
    save,
)
from pagedrift.how_much.criteria import degree, mixed_changes, natural_text
from pagedrift.how_much.improved import compare

if TYPE_CHECKING:
    from collections.abc import Sequence

    from matplotlib.figure import Figure

    from experiments.kwon2006.common import Curves
    from pagedrift.how_much.criteria import WordChange

CASES: Final = 1000
TYPES: Final = range(2, 7)
LAID_OVER: Final = "extended+ laid over"  # not in the registry
NOTHING: Final = 1e-9


def over_longer(change: WordChange) -> float:
    """Say how much was changed over the words of the longer page, as equation (6) does, not of both laid over."""
    laid_over = len(change.old) + change.counts.get("add", 0) + change.counts.get("copy", 0)
    cost = degree(change.counts, len(change.old)) * laid_over
    return min(1.0, cost / max(len(change.old), len(change.new)))


def laid_over(change: WordChange) -> float:
    """Do what extended+ does, and take the share of both pages laid over each other, as the criterion does."""
    found = compare(change.old, change.new)
    return found.cost / (len(change.old) + found.counts["add"] + found.counts["copy"])


def rows(changes: Sequence[WordChange], found: Curves) -> dict[str, list[float]]:
    """Compare each metric with the criterion: on all, by number of types, in order, and over the longer page."""
    other = [over_longer(change) for change in changes]
    table = {}
    for name in (*METRICS, LAID_OVER):
        off = [value - true for value, true in zip(found[name], found[CRITERION], strict=True)]
        by_types = [
            fmean(abs(value) for value, change in zip(off, changes, strict=True) if len(change.counts) == number)
            for number in TYPES
        ]
        order = misordered(found[name], found[CRITERION])
        by_longer = mean_deviation(found, name, against=other)
        table[label(name)] = [fmean(map(abs, off)), fmean(off), max(map(abs, off)), *by_types, order, by_longer]
    return table


def misordered(values: Sequence[float], truth: Sequence[float]) -> float:
    """Give the share of pairs of changes that a metric puts in the wrong order; equal values are half wrong."""
    wrong = pairs = 0.0
    for i in range(len(truth)):
        for j in range(i):
            if abs(truth[i] - truth[j]) > NOTHING:
                pairs += 1
                order = (values[i] - values[j]) * (truth[i] - truth[j])
                wrong += 0.5 if abs(values[i] - values[j]) < NOTHING else order < 0
    return wrong / pairs


def draw(found: Curves, title: str) -> Figure:
    """Draw what each metric says against the criterion."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(17, 3), layout="constrained")
    for panel, name in zip(figure.subplots(1, len(METRICS), sharey=True), METRICS, strict=True):
        panel.plot([0, 1], [0, 1], color="#f0c000", linewidth=2)
        panel.plot(found[CRITERION], found[name], ".", color="#4c72b0", markersize=3, alpha=0.5)
        panel.set(title=label(name), xlabel="criterion", xlim=(0, 1), ylim=(-0.02, 1.02))
    figure.suptitle(title)
    return figure


def main() -> None:
    """Print the deviations of every metric and draw them."""
    given = arguments(__doc__)
    texts = {"natural words": [natural_text()]}
    if given.data:
        texts["words of real pages"] = real_texts(given.data)
    print(f"{CASES:,} pages, 5 % to 50 % of each changed in two to six ways at once, a = b = 0.75.")
    columns = ["mean", "signed", "worst", *(f"{number} types" for number in TYPES), "misordered", "by longer"]
    for name, text in texts.items():
        changes = list(mixed_changes(CASES, texts=text))
        found = measured(changes)
        found[LAID_OVER] = [laid_over(change) for change in changes]
        sizes = sorted(len(change.old) for change in changes)
        title = f"{name}, {sizes[0]} to {sizes[-1]:,} words, median {median(sizes):.0f}"
        print_table(f"Deviation from the criterion for mixed changes: {title}", columns, rows(changes, found))
        save(draw(found, title), given.to, f"mixed-{name.replace(' ', '-')}.png")


if __name__ == "__main__":
    main()
