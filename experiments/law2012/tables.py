"""The paper's tables 1 to 4 on labelled pairs: python -m experiments.law2012.tables --data DIR."""

from __future__ import annotations

import argparse
from dataclasses import dataclass
from pathlib import Path

import numpy
from scipy.stats import beta

from experiments.law2012.evaluate import score
from experiments.law2012.pairs import Pair, read_pairs
from pagedrift.does_it_matter.blocks import blocks
from pagedrift.does_it_matter.codebook import describe, visual_features
from pagedrift.does_it_matter.features import JACCARD, READINGS, STRUCTURAL, VISUAL, structural_features
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


def paper_features(pair: Pair) -> dict[str, float]:
    """Give the features of one pair; distances on a logarithmic scale, on which they do not crowd at 0."""
    structure = structural_features(blocks(pair.old), blocks(pair.new))
    looks = visual_features(describe(pair.old.view.picture), describe(pair.new.view.picture))
    return structure | {name: float(numpy.log10(max(value, 1e-5))) for name, value in looks.items()}


def corpus(pairs: list[Pair]) -> Corpus:
    """Turn pairs into numbers."""
    names = [*STRUCTURAL, *VISUAL]
    rows = [paper_features(pair) for pair in pairs]
    values = numpy.array([[row[name] for name in names] for row in rows])
    return Corpus(names, values, numpy.array([pair.dissimilar for pair in pairs]), [pair.site for pair in pairs])


def interval(right: int, of: int) -> tuple[float, float]:
    """Give the exact binomial interval of 95 %."""
    low = beta.ppf(0.025, right, of - right + 1) if right else 0.0
    high = beta.ppf(0.975, right + 1, of - right) if right < of else 1.0
    return float(low), float(high)


def row(name: str, paper: float, values: numpy.ndarray, found: Corpus, **how: object) -> None:
    """Print one row: the paper's accuracy, ours leaving out pairs, and leaving out sites."""
    told = f"  {name:<28} {paper:>6.1f}"
    for groups in (None, found.sites):
        margins = leave_out(values, found.matters, groups, **how)
        each = score((margins > 0).astype(float), found.matters)
        low, high = interval(round(each.accuracy * each.pairs), each.pairs)
        auc = score(1 / (1 + numpy.exp(-margins)), found.matters).auc
        told += f"   {each.accuracy:>6.1%} ({low:.0%}–{high:.0%}) {each.missed:>6.1%} {each.false:>6.1%} {auc:.3f}"
    print(told, flush=True)


def main() -> None:
    """Print all tables."""
    asked = argparse.ArgumentParser(description=__doc__)
    asked.add_argument("--data", type=Path, required=True, help="a folder with labels.csv")
    found = corpus(list(read_pairs(asked.parse_args().data)))
    head = "accuracy (95 %)   missed  false   AUC"
    largest = max(found.matters.mean(), 1 - found.matters.mean())
    print(f"{len(found.matters)} pairs; always the larger class: {largest:.1%} (paper: 202 pairs, 72.8%)")
    for title, rows in TABLES.items():
        print(f"\n{title:<30} paper   each pair left out: {head}   each site left out")
        for name, (names, paper) in rows.items():
            row(name, paper, found.columns(names), found)
    for inside in (True, False):
        where = "inside each fold" if inside else "on all pairs, which leaks"
        print(f"\nTable 4: features by their weight, ranked {where}")
        for keep, paper in SELECTED.items():
            row(f"{keep} features", paper, found.columns(ALL), found, keep=keep, rank_inside=inside)


if __name__ == "__main__":
    main()
