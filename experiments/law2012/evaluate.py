"""How well does the judge that ships do on labelled pairs: python -m experiments.law2012.evaluate --data DIR."""

from __future__ import annotations

import argparse
import json
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from experiments.law2012.pairs import read_pairs
from experiments.law2012.train import CERTAIN, KINDS, figures
from pagedrift.does_it_matter.model import shipped
from pagedrift.does_it_matter.train import fit

if TYPE_CHECKING:
    from collections.abc import Sequence

    from experiments.law2012.pairs import Pair

CONFIDENCES = {"all": (1, 2, 3), "2 and 3": (2, 3), "3": (3,)}


@dataclass(frozen=True)
class Score:
    """How answers compare with labels."""

    pairs: int
    accuracy: float
    missed: float  # dissimilar called similar: a version lost
    false: float  # similar called dissimilar: a version too many
    auc: float

    def row(self, name: str, confidence: str) -> str:
        """Print as one row."""
        shares = f"{self.accuracy:>9.1%} {self.missed:>8.1%} {self.false:>8.1%}"
        return f"{name:<26} {confidence:<8} {self.pairs:>5} {shares} {self.auc:>7.3f}"


HEAD = f"{'judge':<26} {'labels':<8} {'pairs':>5} {'accuracy':>9} {'missed':>8} {'false':>8} {'AUC':>7}"


def score(told: Sequence[float], matters: Sequence[bool]) -> Score:
    """Compare probabilities with labels; half and above means dissimilar."""
    answers = list(zip(told, matters, strict=True))
    half = 0.5
    yes = [each for each, truth in answers if truth]
    no = [each for each, truth in answers if not truth]
    right = sum(each >= half for each in yes) + sum(each < half for each in no)
    pairs = [(high > low) + (high == low) / 2 for high in yes for low in no]
    return Score(
        len(answers),
        right / max(1, len(answers)),
        sum(each < half for each in yes) / max(1, len(yes)),
        sum(each >= half for each in no) / max(1, len(no)),
        sum(pairs) / max(1, len(pairs)),
    )


def by_confidence(pairs: Sequence[Pair], told: Sequence[float]) -> dict[str, Score]:
    """Score all pairs, and those whose label is surer."""
    found = {}
    for name, wanted in CONFIDENCES.items():
        chosen = [
            (each, pair.dissimilar) for each, pair in zip(told, pairs, strict=True) if pair.confidence in wanted
        ]
        found[name] = score([each for each, _ in chosen], [truth for _, truth in chosen])
    return found


def leave_sites_out(pairs: Sequence[Pair], rows: Sequence[dict[str, float]], kind: str) -> list[float]:
    """Judge the pairs of each site by a model that was learned from all other sites."""
    told = [0.0] * len(pairs)
    for site in {pair.site for pair in pairs}:
        others = [number for number, pair in enumerate(pairs) if pair.site != site]
        certain = [CERTAIN[pairs[number].confidence] for number in others]
        labels = [pairs[number].dissimilar for number in others]
        model = fit(kind, KINDS[kind], [rows[number] for number in others], labels, certain)
        for number, pair in enumerate(pairs):
            if pair.site == site:
                told[number] = model.probability(rows[number])
    return told


def main() -> None:
    """Apply the judges to a collection and print how they did."""
    asked = argparse.ArgumentParser(description=__doc__)
    asked.add_argument("--data", type=Path, required=True, help="a folder with labels.csv")
    asked.add_argument(
        "--leave-sites-out", action="store_true", help="learn anew without each site, for training data"
    )
    options = asked.parse_args()
    pairs = list(read_pairs(options.data))
    print(HEAD)
    line = {}
    for kind in KINDS:
        rows = [figures(pair.old, pair.new, kind) for pair in pairs]
        model = shipped(kind)
        told = {f"{kind}, as shipped": [model.probability(row) for row in rows]}
        if options.leave_sites_out:
            told[f"{kind}, site left out"] = leave_sites_out(pairs, rows, kind)
        for name, answers in told.items():
            found = by_confidence(pairs, answers)
            for confidence, each in found.items():
                print(each.row(name, confidence))
            line[name] = {confidence: vars(each) for confidence, each in found.items()}
    print(json.dumps({"format": 1, "experiment": "law2012", "judges": line}))


if __name__ == "__main__":
    main()
