"""Which weights judge a set of labelled pairs best?"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any, Final

from pagedrift.does_it_matter.model import Model
from pagedrift.errors import InputError
from pagedrift.extras import need

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

PENALTY: Final = 3.0  # on the square of each weight: flat from 1 to 10 on pairs of sites that were left out
TRUST: Final = 12.0  # labels of a user's own that weigh as much as all that the shipped judge has learned
_ROUNDS: Final = 25
_STILL: Final = 1e-8


def fit(
    name: str,
    features: Sequence[str],
    rows: Sequence[Mapping[str, float]],
    matters: Sequence[bool],
    certain: Sequence[float],
) -> Model:
    """Learn a model by logistic regression; pairs whose label is doubtful count less."""
    numpy = need("learn", "numpy")
    _check_labels(matters)
    values = _matrix(numpy, features, rows)
    means, scales = values.mean(axis=0), values.std(axis=0) + 1e-9
    start = numpy.zeros(len(features) + 1)
    found = _solve(numpy, (values - means) / scales, matters, certain, start=start, penalty=PENALTY)
    *weights, bias = _plain(found)
    return Model(
        name=name,
        features=tuple(features),
        means=_plain(means),
        scales=_plain(scales),
        weights=tuple(weights),
        bias=bias,
        labels=len(rows),
    )


def adapt(model: Model, rows: Sequence[Mapping[str, float]], matters: Sequence[bool]) -> Model:
    """Learn from a user's own labels: the fewer there are, the nearer to the model that is known to work."""
    numpy = need("learn", "numpy")
    _check_labels(matters)
    means, scales = numpy.array(model.means), numpy.array(model.scales)
    values = (_matrix(numpy, model.features, rows) - means) / scales
    start = numpy.array([*model.weights, model.bias])
    found = _solve(numpy, values, matters, [1.0] * len(rows), start=start, penalty=TRUST)
    *weights, bias = _plain(found)
    return replace(model, weights=tuple(weights), bias=bias, labels=model.labels + len(rows))


def _solve(
    numpy: Any, values: Any, matters: Sequence[bool], certain: Sequence[float], *, start: Any, penalty: float
) -> Any:
    """Find the weights of least loss near a start, by Newton's method; a step that overshoots is halved."""
    inputs = numpy.c_[values, numpy.ones(len(values))]
    truth, counts = numpy.array(matters, float), numpy.array(certain, float)
    pull = numpy.eye(inputs.shape[1]) * penalty
    if not start.any():
        pull[-1, -1] = 1e-6  # nothing is known about how often changes matter
    found = start.copy()

    def loss(weights: Any) -> float:
        raw = inputs @ weights
        told_wrong = counts @ (numpy.logaddexp(0, raw) - truth * raw)
        return float(told_wrong + (weights - start) @ pull @ (weights - start) / 2)

    for _ in range(_ROUNDS):
        data = 1 / (1 + numpy.exp(-numpy.clip(inputs @ found, -500, 500)))
        slope = inputs.T @ (counts * (data - truth)) + pull @ (found - start)
        bend = (inputs * (counts * data * (1 - data))[:, None]).T @ inputs + pull
        step = numpy.linalg.solve(bend, slope)
        while loss(found - step) > loss(found) and numpy.abs(step).max() > _STILL:
            step = step / 2
        found = found - step
        if numpy.abs(step).max() < _STILL:
            break
    return found


def _matrix(numpy: Any, features: Sequence[str], rows: Sequence[Mapping[str, float]]) -> Any:
    return numpy.array([[row[name] for name in features] for row in rows])


def _plain(numbers: Any) -> tuple[float, ...]:
    return tuple(round(float(each), 6) for each in numbers)


def _check_labels(matters: Sequence[bool]) -> None:
    if len(set(matters)) < 2:  # noqa: PLR2004 - two kinds
        raise InputError("all labels say the same; label at least one change that matters and one that does not")
