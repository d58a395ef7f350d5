"""Learning from bags: a bag is content if its likeliest change is.

Logistic regression on the softened maximum over the changes of a bag, so that each change gets its own verdict
though only whole steps were labelled (multiple-instance learning).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy
from scipy.optimize import minimize

from pagedrift.does_it_matter.model import Model

if TYPE_CHECKING:
    from collections.abc import Sequence

    from experiments.terms.bags import Bag, Row

PENALTY = 8.0  # on the square of each weight: flat from 8 to 40 on services that were left out
SHARPNESS = 2.0  # of the softened maximum


def fit_bags(name: str, bags: Sequence[Bag]) -> Model:
    """Learn a model of single changes from labelled bags."""
    held = [bag for bag in bags if bag.rows]
    features = tuple(held[0].rows[0])
    values = numpy.concatenate([matrix(bag.rows, features) for bag in held])
    means, scales = values.mean(axis=0), values.std(axis=0) + 1e-6
    inputs = numpy.c_[(values - means) / scales, numpy.ones(len(values))]
    sizes = numpy.array([len(bag.rows) for bag in held])
    truth = numpy.array([bag.content for bag in held], float)
    found = _solve(inputs, sizes, truth)
    return Model(
        name=name,
        features=features,
        means=_plain(means),
        scales=_plain(scales),
        weights=_plain(found[:-1]),
        bias=_plain(found[-1:])[0],
        labels=len(bags),
    )


def raw_of(model: Model, bag: Bag) -> float:
    """Give how surely a bag is content, on the scale of the model: that of its likeliest change."""
    if not bag.rows:
        return -20.0
    values = (matrix(bag.rows, model.features) - model.means) / model.scales
    return float((values @ numpy.array(model.weights)).max() + model.bias)


def matrix(rows: Sequence[Row], features: Sequence[str]) -> Any:
    """Put figures side by side."""
    return numpy.array([[row[name] for name in features] for row in rows])


def _solve(inputs: Any, sizes: Any, truth: Any) -> Any:
    starts = numpy.r_[0, numpy.cumsum(sizes)[:-1]]
    owner = numpy.repeat(numpy.arange(len(sizes)), sizes)
    pull = numpy.full(inputs.shape[1], PENALTY)
    pull[-1] = 1e-4

    def loss(weights: Any) -> tuple[float, Any]:
        raw = inputs @ weights
        highest = numpy.maximum.reduceat(raw, starts)
        parts = numpy.exp(SHARPNESS * (raw - highest[owner]))
        total = numpy.add.reduceat(parts, starts)
        pooled = highest + numpy.log(total) / SHARPNESS
        wrong = numpy.sum(numpy.logaddexp(0, pooled) - truth * pooled)
        slope = (1 / (1 + numpy.exp(-pooled)) - truth)[owner] * parts / total[owner]
        return float(wrong + (pull * weights * weights).sum() / 2), inputs.T @ slope + pull * weights

    start = numpy.zeros(inputs.shape[1])
    return minimize(loss, start, jac=True, method="L-BFGS-B", options={"maxiter": 500}).x


def _plain(numbers: Any) -> tuple[float, ...]:
    return tuple(round(float(each), 6) for each in numbers)
