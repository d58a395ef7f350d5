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

    from experiments.terms.bags import Bag

PENALTIES = (4.0, 8.0, 16.0)  # on the square of each weight; which one, folds inside the labels say
SHARPNESS = 2.0  # of the softened maximum
INNER_FOLDS = 3


def learn_bags(name: str, bags: Sequence[Bag]) -> tuple[Model, float]:
    """Learn a model, with the penalty that serves best on sites that are left out of these bags."""
    penalty = min(PENALTIES, key=lambda each: _loss_on_others(bags, each))
    return fit_bags(name, bags, penalty=penalty), penalty


def _loss_on_others(bags: Sequence[Bag], penalty: float) -> float:
    """Give how surprising the labels of sites are to models that were learned without them."""
    sites = sorted({bag.site for bag in bags})
    loss = 0.0
    for fold in range(INNER_FOLDS):
        without = set(sites[fold::INNER_FOLDS])
        model = fit_bags("inner", [bag for bag in bags if bag.site not in without], penalty=penalty)
        for bag in bags:
            if bag.site in without:
                raw = raw_of(model, bag)
                loss += float(numpy.logaddexp(0, -raw if bag.content else raw))
    return loss


def fit_bags(name: str, bags: Sequence[Bag], *, penalty: float) -> Model:
    """Learn a model of single changes from labelled bags."""
    held = [bag for bag in bags if bag.rows]
    values = numpy.concatenate([bag.values for bag in held])
    means, scales = values.mean(axis=0), values.std(axis=0) + 1e-6
    inputs = numpy.c_[(values - means) / scales, numpy.ones(len(values))]
    sizes = numpy.array([len(bag.rows) for bag in held])
    truth = numpy.array([bag.content for bag in held], float)
    found = _solve(inputs, sizes, truth, penalty)
    return Model(
        name=name,
        features=tuple(held[0].rows[0]),
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
    weights = numpy.array(model.weights) / model.scales
    return float(((bag.values - model.means) @ weights).max() + model.bias)


def _solve(inputs: Any, sizes: Any, truth: Any, penalty: float) -> Any:
    starts = numpy.r_[0, numpy.cumsum(sizes)[:-1]]
    owner = numpy.repeat(numpy.arange(len(sizes)), sizes)
    pull = numpy.full(inputs.shape[1], penalty)
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
