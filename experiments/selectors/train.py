"""Learn what counts when an element is looked for on a page with another layout.

    python -m experiments.selectors.train --data ROOT [--to FILE.json]

Prints, for each site left out, how many fields are found again; with --to, writes weights learned from all.
"""

from __future__ import annotations

import argparse
import json
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, Final

import numpy as np
from scipy.optimize import minimize
from sklearn.linear_model import LogisticRegression

from experiments.selectors.fields import Field, cases, is_right, nodes_of
from pagedrift.selectors.candidates import CandidateFinder
from pagedrift.selectors.likeness import compare_with_itself
from pagedrift.selectors.relocation import overlap

PENALTY: Final = (
    0.002  # of the squared weights; from 0.002 to 0.005 the outer figures differ by one field in a hundred
)


@dataclass(frozen=True, kw_only=True)
class Question:
    """A field, its candidates with their figures, and which of them are right."""

    field: Field
    names: list[str]  # of the figures
    nodes: list[tuple[int, ...]]
    values: np.ndarray
    right: np.ndarray
    said: list[Any]  # the words that each candidate takes in
    matched: list[int]  # what the old selector means on the new page
    kept: bool  # and that is still right
    itself: np.ndarray  # the figures of what is looked for, compared with itself

    @cached_property
    def wanted(self) -> np.ndarray:
        """What is learned as right: the whole list rather than one entry of it."""
        whole = self.right & np.array([len(each) > 1 for each in self.nodes])
        return whole if whole.any() else self.right


def questions(data: Path) -> list[Question]:
    """Describe all candidates of all fields."""
    made, finders = [], {}
    for field, old, new in cases(data):
        for page in (old, new):
            if id(page) not in finders:
                finders[id(page)] = CandidateFinder(page)
        made.append(_question(field, finders[id(old)], finders[id(new)]))
    return made


def _question(field: Field, old: CandidateFinder, new: CandidateFinder) -> Question:
    truth, matched = (nodes_of(new.page, selector) for selector in (field.new_selector, field.old_selector))
    sample = old.sample(nodes_of(old.page, field.old_selector), field.field)
    described = list(new.described([sample], matched))
    return Question(
        field=field,
        names=list(described[0][1]),
        nodes=[nodes for nodes, _ in described],
        values=np.array([list(values.values()) for _, values in described]),
        right=np.array([is_right(new.page, nodes, truth, many=field.many) for nodes, _ in described]),
        said=[new.said(nodes) for nodes, _ in described],
        matched=matched,
        kept=bool(matched and truth) and is_right(new.page, matched, truth, many=field.many),
        itself=np.array(compare_with_itself(sample)),
    )


def fit(asked: list[Question]) -> np.ndarray:
    """Find the weights by which the right candidates are the likeliest ones of their pages; none is negative."""
    known = [each for each in asked if each.right.any()]

    def loss(weights: np.ndarray) -> tuple[float, np.ndarray]:
        total, slope = 0.0, np.zeros_like(weights)
        for each in known:
            scores = each.values @ weights
            odds = np.exp(scores - scores.max())
            right = odds[each.wanted]
            total += np.log(odds.sum()) - np.log(right.sum() + 1e-300)
            slope += odds @ each.values / odds.sum() - right @ each.values[each.wanted] / max(right.sum(), 1e-300)
        return (
            total / len(known) + PENALTY * weights @ weights / 2,
            slope / len(known) + PENALTY * weights,
        )

    size = known[0].values.shape[1]
    return minimize(loss, np.ones(size), jac=True, method="L-BFGS-B", bounds=[(0, None)] * size).x


def best(question: Question, weights: np.ndarray) -> tuple[float, float, bool, bool]:
    """Give the likeness of the best candidate, the log of its share, whether it is right, and still matched."""
    scores = question.values @ weights
    first = int(np.argmax(scores))
    odds = np.exp(scores - scores[first])
    same = np.array([each == question.said[first] for each in question.said])
    share = odds[same].sum() / odds.sum()
    return (
        float(scores[first] / max(1.0, question.itself @ weights)),
        float(np.log(share)),
        bool(question.right[first]),
        overlap(question.matched, question.nodes[first]),
    )


def inner_rows(asked: list[Question], *, folds: int = 0) -> list[tuple[Question, tuple[float, float, bool, bool]]]:
    """Judge sites by weights learned without them, for probabilities that hold elsewhere."""
    sites = sorted({each.field.fold for each in asked})
    rows = []
    for number in range(folds or len(sites)):
        out = set(sites[number :: folds or len(sites)])
        weights = fit([each for each in asked if each.field.fold not in out])
        rows += [(each, best(each, weights)) for each in asked if each.field.fold in out]
    return rows


def weights_of(asked: list[Question], *, calibrate_inside: bool = True) -> dict[str, Any]:
    """Learn everything that is shipped; probabilities from each site left out, or, faster, from five folds.

    How sure a proposal is, is learned from the fields whose old selector matches nothing, since these get one.
    """
    weights, rows = fit(asked), inner_rows(asked, folds=0 if calibrate_inside else 5)
    moved = [(each, row) for each, row in rows if not each.matched]
    # Two figures on 250 fields need no restraint, which would depend on their scales.
    sure = LogisticRegression(C=100.0).fit([row[:2] for _, row in moved], [row[2] for _, row in moved])
    stated = sure.predict_proba([row[:2] for _, row in moved])[:, 1]
    return {
        "features": {name: round(float(weight), 4) for name, weight in zip(asked[0].names, weights, strict=True)},
        "sure": {
            "bias": round(float(sure.intercept_[0]), 4),
            "likeness": round(float(sure.coef_[0][0]), 4),
            "margin": round(float(sure.coef_[0][1]), 4),
            "likely": _likely(stated, [row[2] for _, row in moved], [not each.right.any() for each, _ in moved]),
            "wrong": _wrong(sure, [(each, row) for each, row in rows if each.matched]),
        },
        "fields": len(asked),
    }


def _likely(stated: np.ndarray, right: list[bool], gone: list[bool]) -> float:
    """Choose from which probability on to propose: for most answers to be right, the element or that it is gone.

    A proposal for what is gone costs three quarters of one that is not made: it is stated how little sure it is.
    """
    known = list(zip(stated, right, gone, strict=True))
    return max(
        (round(step / 20, 2) for step in range(1, 12)),
        key=lambda least: sum(found if sure >= least else 0.75 * lost for sure, found, lost in known),
    )


def _wrong(sure: LogisticRegression, rows: list[tuple[Question, tuple[float, float, bool, bool]]]) -> float:
    """Choose from which probability on another element makes a selector wrong; false alarms cost three answers."""
    others = [
        (float(sure.predict_proba([row[:2]])[0, 1]), row[2] - each.kept - 2 * each.kept)
        for each, row in rows
        if not row[3]
    ]
    return max(
        (round(step / 20, 2) for step in range(19, 9, -1)),
        key=lambda least: sum(gain for stated, gain in others if stated >= least),
    )


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
