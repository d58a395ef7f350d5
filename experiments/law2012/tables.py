"""The paper's tables 1 to 4, and 6, on labelled pairs: python -m experiments.law2012.tables --data DIR."""

from __future__ import annotations

from dataclasses import dataclass

import numpy

from experiments.law2012.rows import Row, asked, paper_rows
from experiments.law2012.scoring import interval, score
from pagedrift.does_it_matter.features import JACCARD, READINGS, STRUCTURAL, VISUAL
from pagedrift.does_it_matter.picture_descriptors import STEP
from pagedrift.does_it_matter.svm import leave_out

SIFT, COLOUR = ([name for name in VISUAL if name.startswith(kind)] for kind in ("sift", "color"))


def part(names: list[str], which: str) -> list[str]:
    """Keep the features of the whole page or of its top."""
    return [name for name in names if f".{which}." in name]


VIDIFF = [name for name in READINGS["paper25a"] if name not in JACCARD]
ALL = [*READINGS["paper25a"], *VISUAL]
TOP = part([*VISUAL], "top")
TABLES = {
    "Table 1: visual features": {
        "top SIFT": (part(SIFT, "top"), 84.2),
        "top colour": (part(COLOUR, "top"), 82.7),
        "top SIFT + colour": (TOP, 87.1),
        "whole SIFT": (part(SIFT, "whole"), 79.7),
        "whole colour": (part(COLOUR, "whole"), 80.7),
        "whole SIFT + colour": (part([*VISUAL], "whole"), 83.2),
        "whole and top": ([*VISUAL], 85.1),
    },
    "Table 2: structural features": {
        "Jaccard": ([*JACCARD], 85.1),
        "Vi-DIFF": (VIDIFF, 76.7),
        "both": ([*READINGS["paper25a"]], 87.6),
        "both, the other reading": ([*READINGS["paper25b"]], 87.6),
    },
    "Table 3: structural and visual features": {
        "all, all": (ALL, 90.1),
        "all, top": ([*READINGS["paper25a"], *TOP], 92.1),
        "Jaccard, all": ([*JACCARD, *VISUAL], 91.6),
        "Jaccard, top": ([*JACCARD, *TOP], 93.1),
    },
}
SELECTED = {1: 84.7, 4: 88.1, 8: 91.1, 10: 91.6, 13: 92.6, 15: 92.6, 18: 91.1, 22: 90.6, 27: 90.1, 41: 90.1}


STEPPED = {
    ("sift",): {6: 88.1, 12: 87.6, 24: 86.6, 32: 84.6},
    ("sift", "color"): {6: 93.1, 12: 88.1, 24: 88.1, 32: 85.6},
}


@dataclass
class Corpus:
    """All pairs as numbers."""

    names: list[str]
    values: numpy.ndarray
    matters: numpy.ndarray
    sites: list[str]

    def columns(self, names: list[str]) -> numpy.ndarray:
        """Give some features of all pairs."""
        return self.values[:, [self.names.index(name) for name in names]]


def corpus(rows: list[Row], step: int = STEP) -> Corpus:
    """Put the figures of all pairs into a matrix, with the pictures described at a step of the grid."""
    names = [*STRUCTURAL, *VISUAL]
    told = [row.values | row.steps.get(str(step), {}) for row in rows]
    values = numpy.array([[each[name] for name in names] for each in told])
    return Corpus(names, values, numpy.array([row.dissimilar for row in rows]), [row.site for row in rows])


def row(name: str, paper: float, values: numpy.ndarray, found: Corpus, **how: object) -> None:
    """Print one row: the paper's accuracy, ours leaving out pairs, and leaving out sites."""
    told = f"  {name:<28} {paper:>6.1f}"
    for groups in (None, found.sites):
        margins = leave_out(values, found.matters, groups, **how)
        each = score(1 / (1 + numpy.exp(-margins)), found.matters)
        low, high = interval(round(each.accuracy * each.pairs), each.pairs)
        told += (
            f"   {each.accuracy:>6.1%} ({low:.0%}–{high:.0%}) {each.missed:>6.1%} {each.false:>6.1%} {each.auc:.3f}"
        )
    print(told, flush=True)


def main() -> None:
    """Print all tables."""
    options = asked(__doc__).parse_args()
    rows = paper_rows(options.data, options.keep)
    found = corpus(rows)
    head = "accuracy (95 %)   missed  false   AUC"
    largest = max(found.matters.mean(), 1 - found.matters.mean())
    print(f"{len(found.matters)} pairs; always the larger class: {largest:.1%} (paper: 202 pairs, 72.8%)")
    for title, sets in TABLES.items():
        print(f"\n{title:<30} paper   each pair left out: {head}   each site left out")
        for name, (names, paper) in sets.items():
            row(name, paper, found.columns(names), found)
    print("\nTable 6: the step of the grid, top of the page and Jaccard; its times are in timing")
    for kinds, figures in STEPPED.items():
        for step, paper in figures.items():
            there = corpus(rows, step)
            chosen = [name for name in TOP if name.split(".")[0] in kinds]
            row(f"{' + '.join(kinds)}, step {step}", paper, there.columns([*JACCARD, *chosen]), there)
    for inside in (True, False):
        where = "inside each fold" if inside else "on all pairs, which leaks"
        print(f"\nTable 4: features by their weight, ranked {where}")
        for keep, paper in SELECTED.items():
            row(f"{keep} features", paper, found.columns(ALL), found, keep=keep, rank_inside=inside)


if __name__ == "__main__":
    main()
