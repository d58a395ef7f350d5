"""Learn what counts when an element is looked for on a page with another layout.

    python -m experiments.selectors.train --data ROOT [--to FILE.json]

Prints, for each site left out, how many fields are found again; with --to, writes weights learned from all.
"""

from __future__ import annotations

import argparse
import json
from pathlib import Path
from typing import Any, Final

import numpy as np
from scipy.optimize import minimize
from sklearn.linear_model import LogisticRegression

from experiments.selectors.fields import Field, cases, is_right, nodes_of
from pagedrift.selectors.candidates import CandidateFinder

PENALTY: Final = (
    0.003  # of the squared weights; from 0.002 to 0.01 the outer figures differ by one field in a hundred
)


class Question:
    """A field, its candidates with their figures, and which of them are right."""

    def __init__(
        self, field: Field, names: list[str], nodes: list[Any], values: np.ndarray, right: np.ndarray
    ) -> None:
        self.field, self.names, self.nodes, self.values, self.right = field, names, nodes, values, right


def questions(data: Path) -> list[Question]:
    """Describe all candidates of all fields."""
    made, finders = [], {}
    for field, old, new in cases(data):
        for page in (old, new):
            if id(page) not in finders:
                finders[id(page)] = CandidateFinder(page)
        matched = nodes_of(old, field.old_selector)
        truth = nodes_of(new, field.new_selector)
        described = list(finders[id(new)].described([finders[id(old)].sample(matched, field.field)]))
        right = np.array([is_right(new, nodes, truth, many=field.many) for nodes, _ in described])
        values = np.array([list(values.values()) for _, values in described])
        made.append(Question(field, list(described[0][1]), [nodes for nodes, _ in described], values, right))
    return made


def fit(asked: list[Question]) -> np.ndarray:
    """Find the weights by which the right candidates are the likeliest ones of their pages; none is negative."""
    known = [each for each in asked if each.right.any()]

    def loss(weights: np.ndarray) -> tuple[float, np.ndarray]:
        total, slope = 0.0, np.zeros_like(weights)
        for each in known:
            scores = each.values @ weights
            odds = np.exp(scores - scores.max())
            right = odds[each.right]
            total += np.log(odds.sum()) - np.log(right.sum() + 1e-300)
            slope += odds @ each.values / odds.sum() - right @ each.values[each.right] / max(right.sum(), 1e-300)
        return (
            total / len(known) + PENALTY * weights @ weights / 2,
            slope / len(known) + PENALTY * weights,
        )

    size = known[0].values.shape[1]
    return minimize(loss, np.ones(size), jac=True, method="L-BFGS-B", bounds=[(0, None)] * size).x


def best(question: Question, weights: np.ndarray) -> tuple[float, float, bool]:
    """Give the score of the best candidate, the logarithm of its share, and whether it is right."""
    scores = question.values @ weights
    first = int(np.argmax(scores))
    share = 1 / np.exp(scores - scores[first]).sum()
    return float(scores[first]), float(np.log(share)), bool(question.right[first])


def inner_rows(asked: list[Question], *, folds: int = 0) -> list[tuple[float, float, bool]]:
    """Judge sites by weights learned without them, for probabilities that hold elsewhere."""
    sites = sorted({each.field.fold for each in asked})
    rows = []
    for number in range(folds or len(sites)):
        out = set(sites[number :: folds or len(sites)])
        weights = fit([each for each in asked if each.field.fold not in out])
        rows += [best(each, weights) for each in asked if each.field.fold in out]
    return rows


def weights_of(asked: list[Question], *, calibrate_inside: bool = True) -> dict[str, Any]:
    """Learn everything that is shipped; probabilities from each site left out, or, faster, from five folds."""
    weights, rows = fit(asked), inner_rows(asked, folds=0 if calibrate_inside else 5)
    sure = LogisticRegression(C=1.0).fit([row[:2] for row in rows], [row[2] for row in rows])
    return {
        "features": {name: round(float(weight), 4) for name, weight in zip(asked[0].names, weights, strict=True)},
        "sure": {
            "bias": round(float(sure.intercept_[0]), 4),
            "score": round(float(sure.coef_[0][0]), 4),
            "margin": round(float(sure.coef_[0][1]), 4),
        },
        "fields": len(asked),
    }


def main() -> None:
    """Learn, and say how good that is on sites left out."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--to", type=Path)
    given = parser.parse_args()
    asked = questions(given.data)
    rows = []
    for fold in sorted({each.field.fold for each in asked}):
        weights = fit([each for each in asked if each.field.fold != fold])
        inside = [each for each in asked if each.field.fold == fold]
        found = [best(each, weights) for each in inside]
        rows += list(zip(inside, found, strict=True))
        there = [row for each, row in zip(inside, found, strict=True) if each.right.any()]
        print(f"{fold:24} {sum(row[2] for row in there):4} of {len(there)}")
    for many in (False, True):
        there = [row for each, row in rows if each.field.new_selector and each.field.many == many]
        possible = sum(each.right.any() for each, _ in rows if each.field.new_selector and each.field.many == many)
        print("lists" if many else "single", sum(row[2] for row in there), "of", len(there), "possible", possible)
    if given.to:
        given.to.write_text(json.dumps(weights_of(asked), indent=1) + "\n", "utf-8")


if __name__ == "__main__":
    main()
