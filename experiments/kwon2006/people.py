"""Does a metric tell changes that people call important from those they do not? Not in the paper.

python -m experiments.kwon2006.people --data DIR
"""

from __future__ import annotations

import csv
from typing import TYPE_CHECKING

from experiments.kwon2006.common import METRICS, arguments, label, print_table, real_pairs
from experiments.kwon2006.figure5 import degrees

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path


def important(data: Path) -> list[bool]:
    """Read which of the pairs are dissimilar to a judge, in the order of their names."""
    with (data / "pairs" / "labels.csv").open(encoding="utf-8", newline="") as file:
        labels = {row["id"]: row["label"] == "dissimilar" for row in csv.DictReader(file)}
    return [labels[name] for name in real_pairs(data)]


def ordered(values: Sequence[float], truth: Sequence[bool]) -> float:
    """Give the chance that an important change has a higher degree than another one; equal degrees count half."""
    high = [value for value, is_important in zip(values, truth, strict=True) if is_important]
    low = [value for value, is_important in zip(values, truth, strict=True) if not is_important]
    wins = sum((one > other) + 0.5 * (one == other) for one in high for other in low)
    return wins / (len(high) * len(low))


def main() -> None:
    """Print how well each metric orders the pairs."""
    given = arguments(__doc__, needs_data=True)
    truth = important(given.data)
    every, main_part = degrees(given.data), degrees(given.data, main_content=True)
    print(f"{len(truth)} real pairs, {sum(truth)} of them dissimilar to a judge.")
    rows = {label(name): [ordered(every[name], truth), ordered(main_part[name], truth)] for name in METRICS}
    columns = ["all words", "main content"]
    print_table("Chance that a dissimilar pair has a higher degree than a similar one", columns, rows)


if __name__ == "__main__":
    main()
