"""How likely is it that a change matters, given the figures about it?"""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass
from functools import cache
from importlib.resources import files
from math import exp
from typing import TYPE_CHECKING, Any, Final

from pagedrift.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Mapping

FORMAT: Final = 1
SHIPPED: Final = ("pictures", "source", "paper")  # judges of whole versions


@dataclass(frozen=True, slots=True, kw_only=True)
class Model:
    """A linear model: the weight of each figure, in standard deviations from its mean."""

    name: str
    features: tuple[str, ...]
    means: tuple[float, ...]
    scales: tuple[float, ...]
    weights: tuple[float, ...]
    bias: float
    labels: int  # of how many pairs it was learned

    def contributions(self, values: Mapping[str, float]) -> dict[str, float]:
        """Give what each figure adds to the answer; above 0 it speaks for a change that matters."""
        described = zip(self.features, self.means, self.scales, self.weights, strict=True)
        return {name: weight * (values[name] - mean) / scale for name, mean, scale, weight in described}

    def probability(self, values: Mapping[str, float]) -> float:
        """Give the probability that the change matters.

        >>> scaled = {"means": (1.0,), "scales": (2.0,), "weights": (3.0,)}
        >>> Model(name="made", features=("words",), **scaled, bias=0.0, labels=7).probability({"words": 1.0})
        0.5
        """
        return 1 / (1 + exp(-max(-500.0, min(500.0, self.bias + sum(self.contributions(values).values())))))

    def to_json(self) -> dict[str, Any]:
        """Give the model as plain data."""
        return {"format": FORMAT, **asdict(self)}


def from_json(data: Any, *, where: str) -> Model:
    """Read a model back.

    >>> from_json({"format": 9}, where="mine.json")  # doctest: +ELLIPSIS
    Traceback (most recent call last):
    pagedrift.errors.InputError: mine.json is not a judge of format 1; train one ... learn
    """
    try:
        if data["format"] != FORMAT:
            raise ValueError
        lists = {name: tuple(data[name]) for name in ("features", "means", "scales", "weights")}
        if len({len(each) for each in lists.values()}) != 1:
            raise ValueError
        return Model(name=data["name"], bias=data["bias"], labels=data["labels"], **lists)
    except (KeyError, TypeError, ValueError):
        next_step = "train one with: pagedrift does-it-matter learn"
        raise InputError(f"{where} is not a judge of format {FORMAT}; {next_step}") from None


@cache
def shipped(name: str) -> Model:
    """Load a model that comes with Pagedrift.

    >>> shipped("mine")
    Traceback (most recent call last):
    pagedrift.errors.InputError: no judge is called “mine”; use pictures, source or paper
    """
    if name not in SHIPPED:
        raise InputError(f"no judge is called “{name}”; use {', '.join(SHIPPED[:-1])} or {SHIPPED[-1]}")
    return _read(name)


@cache
def changes_model() -> Model:
    """Load the model of single changes."""
    return _read("changes")


def _read(name: str) -> Model:
    where = f"{name}.json"
    return from_json(json.loads(files(__package__).joinpath("models", where).read_text("utf-8")), where=where)
