"""How do the four detectors of the paper do, with histories of 5, 10 and 20? Beside its table 2.

python -m experiments.gottron2009.table2 --data DIR
"""

from __future__ import annotations

import argparse
from array import array
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from experiments.gottron2009.series import Score, Series, follow, load
from pagedrift import testing
from pagedrift.redesigned import DETECTORS

if TYPE_CHECKING:
    from datetime import datetime

    from pagedrift import PageVersion

TABLE_2 = {  # TP, TN, FP, FN
    ("new-avg-drop", 5): (4, 4263, 222, 2),
    ("new-avg-drop", 10): (4, 4308, 177, 2),
    ("new-avg-drop", 20): (6, 4327, 158, 0),
    ("max-avg-diff", 5): (6, 4352, 133, 0),
    ("max-avg-diff", 10): (6, 4480, 5, 0),
    ("max-avg-diff", 20): (6, 4481, 4, 0),
    ("statistics", 5): (4, 4316, 169, 2),
    ("statistics", 10): (5, 4329, 159, 1),
    ("statistics", 20): (5, 4268, 217, 1),
    ("cluster", 5): (4, 4475, 10, 2),
    ("cluster", 10): (4, 4482, 3, 2),
    ("cluster", 20): (6, 4482, 3, 0),
}


LENGTHS = (1, 2, 3, 4, 5, 6, 8, 12)


def row(series: list[Series], detector: str, history: int, *, near: int = 0) -> tuple[Score, int]:
    """Score one detector on all series: an event counts only at the very document, as in the paper."""
    score, documents = Score(), 0
    for one in series:
        score.add(one, follow(one.pages, detector=detector, history=history), near=near)
        documents += len(one.pages)
    return score, documents


def print_lengths(series: list[Series]) -> None:
    """Print what the length of a shingle does to the two detectors that the paper recommends."""
    print("\nshingle    MAX-AVG-DIFF    CLUSTER       (history 20, within 3)")
    print(" length    TP   FP   FN    TP   FP   FN")
    for length in LENGTHS:
        print(f"{length:7}", end="")
        for detector in ("max-avg-diff", "cluster"):
            score = Score()
            for one in series:
                score.add(one, follow(one.pages, detector=detector, length=length))
            print(f"  {score.hits:4} {score.false:4} {score.missed:4}", end="")
        print(flush=True)


@dataclass(frozen=True)
class _FoldedTags:
    codes: array[int]


@dataclass(frozen=True)
class Folded:
    """A page whose end tags count as its start tags do: the other way to read "tags" in the paper."""

    page: PageVersion

    @property
    def tags(self) -> _FoldedTags:
        """Its tags, whatever their side."""
        return _FoldedTags(array("I", (code >> 1 for code in self.page.tags.codes)))

    @property
    def captured_at(self) -> datetime | None:
        """When it was captured."""
        return self.page.captured_at


def print_variants(series: list[Series]) -> None:
    """Print what it does if start and end tags are told apart in shingles, as here, or not."""
    print("\ntags of shingles        MAX-AVG-DIFF    CLUSTER       (history 20, within 3)")
    print("                        TP   FP   FN    TP   FP   FN")
    for name in ("apart", "folded"):
        print(f"start and end {name:7}", end="")
        for detector in ("max-avg-diff", "cluster"):
            score = Score()
            for one in series:
                pages = one.pages if name == "apart" else [Folded(page) for page in one.pages]
                score.add(one, testing.follow(DETECTORS[detector](), pages))
            print(f"  {score.hits:4} {score.false:4} {score.missed:4}", end="")
        print(flush=True)


def main() -> None:
    """Print the tables."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, required=True, help="a folder of series: NAME.warc.gz and NAME.json")
    series = list(load(parser.parse_args().data))
    print(f"{len(series)} series, {sum(len(one.pages) for one in series)} documents,", end=" ")
    print(f"{sum(len(one.redesigns) for one in series)} redesigns; CLUSTER with h2 = 4.")
    print("An event counts at the very document, as in the paper; `near` is within 3 of it.\n")
    print("                   | paper                  | here                    apart |    near      | delay")
    print("detector         h |  TP    TN    FP   FN   |  TP    TN    FP   FN  borderl. |  TP  FP  FN  | documents")
    for detector, history in [*TABLE_2, ("evidence", 20)]:
        exact, documents = row(series, detector, history)
        near, _ = row(series, detector, history, near=3)
        tn = documents - exact.hits - exact.false - exact.missed - exact.borderline
        paper = TABLE_2.get((detector, history))
        known = f"{paper[0]:3} {paper[1]:5} {paper[2]:5} {paper[3]:4}" if paper else f"{'':20}"
        delay = f"{near.delay:5.1f}" if near.delay else "    -"
        print(
            f"{detector:14} {history:3} | {known}   | {exact.hits:3} {tn:5} {exact.false:5} {exact.missed:4}"
            f" {exact.borderline:9} | {near.hits:3} {near.false:3} {near.missed:3}  | {delay}",
            flush=True,
        )
    print_lengths(series)
    print_variants(series)


if __name__ == "__main__":
    main()
