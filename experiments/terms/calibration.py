"""How sharply may a judge of single changes speak, so that what it states is what is real?

The penalty on its weights keeps a judge modest: what it calls likely is likelier, and what it calls unlikely is
less so. One number corrects that, by which all of its weights are multiplied. It is fitted to what judges said of
services that they had not learned from, after the rules of `levels.py`.
"""

from __future__ import annotations

from dataclasses import replace
from math import log
from typing import TYPE_CHECKING

import numpy
from scipy.optimize import minimize_scalar

from pagedrift.does_it_matter.changes.levels import FACT_FLOOR, NOISE_CEILING

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from experiments.terms.steps import Step
    from pagedrift.does_it_matter.model import Model

BOUNDS = (0.3, 4.0)
NEAREST = 1e-6  # to 0 and to 1


def sharpness(steps: Iterable[Step]) -> float:
    """Fit the factor to steps that were judged by models without them; what a rule decided is left out."""
    told = [
        (max(each.probability for each in found), step.content)
        for step in steps
        for found in (step.past, step.pair)
        if found
    ]
    free = [(each, content) for each, content in told if each not in (FACT_FLOOR, NOISE_CEILING)]
    raw = numpy.array([_raw(each) for each, _ in free])
    truth = numpy.array([content for _, content in free], float)

    def loss(factor: float) -> float:
        return float(numpy.sum(numpy.logaddexp(0, factor * raw) - truth * factor * raw))

    return round(float(minimize_scalar(loss, bounds=BOUNDS, method="bounded").x), 3)


def sharpened(model: Model, factor: float) -> Model:
    """Give a model that says the same more or less surely; one half stays one half.

    >>> from pagedrift.does_it_matter.model import Model
    >>> scaled = {"means": (1.0,), "scales": (2.0,), "weights": (3.0,)}
    >>> found = sharpened(Model(name="made", features=("words",), **scaled, bias=0.5, labels=7), 2.0)
    >>> found.weights, found.bias
    ((6.0,), 1.0)
    """
    weights = tuple(round(factor * each, 6) for each in model.weights)
    return replace(model, weights=weights, bias=round(factor * model.bias, 6))


def sharpened_without(
    models: Mapping[str, Model], folds: Sequence[set[str]], steps: Sequence[Step]
) -> tuple[dict[str, Model], list[float]]:
    """Sharpen the model of each fold by what was said of the services of the other folds."""
    made, factors = {}, []
    for sites in folds:
        factor = sharpness(step for step in steps if step.service not in sites)
        factors.append(factor)
        made |= {site: sharpened(models[site], factor) for site in sites}
    return made, factors


def _raw(probability: float) -> float:
    inside = min(max(probability, NEAREST), 1 - NEAREST)
    return log(inside / (1 - inside))
