"""Learning from the authors' own vectors: python -m experiments.law2012.pagelyzer --data DIR.

Their program Pagelyzer carries labelled vectors of 202 pairs, 147 similar and 55 dissimilar as in the paper:
four colour distances of the top of the page. Those of 186 pairs have five cosines of blocks besides.
"""

from __future__ import annotations

import argparse
from pathlib import Path

import numpy

from experiments.law2012.scoring import interval, score
from pagedrift.does_it_matter.svm import leave_out

RUNS = {
    "as they are, C = 1": {"raw": True},
    "as they are, C = 1,000": {"raw": True, "softness": 1000.0},
    "standardised, C = 1": {},
    "standardised, C = 100": {"softness": 100.0},
    "log10, standardised, C = 1": {"logs": True},
    "the same, balanced classes": {"logs": True, "balanced": True},
    "log10, RBF kernel": {"logs": True, "kernel": "rbf"},
}


def read(path: Path) -> tuple[list[str], numpy.ndarray, numpy.ndarray]:
    """Read a file of vectors: their names, their values, and whether the pair is dissimilar."""
    names = path.read_text("utf-8").splitlines()[0].split(",")[1:]
    table = numpy.loadtxt(path, delimiter=",", skiprows=1)
    return names, table[:, 1:], table[:, 0] < 0


def run(
    names: list[str], values: numpy.ndarray, matters: numpy.ndarray, **how: object
) -> tuple[float, float, float]:
    """Leave each pair out once; give accuracy, missed and false in percent."""
    options = dict(how)
    if options.pop("logs", False):
        distances = [number for number, name in enumerate(names) if not name.startswith("cos")]
        values = values.copy()
        values[:, distances] = numpy.log10(numpy.maximum(values[:, distances], 1e-5))
    found = score(leave_out(values, matters, scale=not options.pop("raw", False), **options) > 0, matters)
    return tuple(round(100 * share, 1) for share in (found.accuracy, found.missed, found.false))


def main() -> None:
    """Print a table for each file."""
    asked = argparse.ArgumentParser(description=__doc__)
    asked.add_argument("--data", type=Path, required=True, help="a folder with svm_image.csv and svm_hybrid.csv")
    folder = asked.parse_args().data
    for file in ("svm_image.csv", "svm_hybrid.csv"):
        names, values, matters = read(folder / file)
        print(f"\n{file}: {len(matters)} pairs, {matters.sum()} dissimilar, {len(names)} features")
        print(f"  {'each pair left out once':<30} accuracy (95 %)     missed  false")
        for name, how in RUNS.items():
            accuracy, missed, false = run(names, values, matters, **how)
            low, high = interval(round(accuracy / 100 * len(matters)), len(matters))
            print(
                f"  {name:<30} {accuracy:>6.1f}   ({low:.1%}–{high:.1%}) {missed:>6.1f} {false:>6.1f}", flush=True
            )


if __name__ == "__main__":
    main()
