"""How well are redesigns found on sites that nothing was fitted on, and which weights does the fit give?

python -m experiments.gottron2009.folds --data DIR

DIR holds `streams/` and `streams2/`. Each site is left out in turn; the weights are fitted on all others, and what
is found with them on the site left out is counted. The weights that ship are those fitted on all sites, rounded.
"""

from __future__ import annotations

import argparse
import json
from collections import defaultdict
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from statistics import median
from typing import TYPE_CHECKING, Any

import numpy as np
from scipy.optimize import minimize

from experiments.gottron2009.cases import Case, cases, print_cases
from experiments.gottron2009.series import ASKED, NEAR, Score, Series, follow, load, reliability
from pagedrift.redesigned.certainty import PAIR, SHIPPED, Weights
from pagedrift.redesigned.evidence import RETURNS, Evidence

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from pagedrift.redesigned.candidates import Candidate

FOLDERS = ("streams", "streams2")
ONE_AUTHOR = "guangchuangyu"  # two series of one person, in one fold
LASTED = 3  # documents of a candidate that tell whether it is another design
EARLY = 10  # documents of a candidate that are learned from; later ones are all alike
SETTLED = 5  # documents after a redesign from which on it counts as the design that holds
LIVES = 40  # documents for which a candidate is looked at
RIDGE = 0.02  # holds the weights of clean data finite
FITTED = ("middle", "steep", "unrest", "prior", "home", "further")  # the others are set by hand, see the README
START = (0.4, 15.0, 1.0, -2.0, 1.5, 0.5)
BOUNDS = (
    (0, 1),
    (1, 60),
    (0, 5),
    (-8, 2),
    (0, 6),
    (0, 6),
)  # nothing that speaks for a redesign may count against it


@dataclass(frozen=True)
class Sight:
    """One candidate as it was seen at a document that joined it, and whether it was a redesign."""

    first: int
    alike: int
    home: int
    linked: int
    away: int
    same: int
    strays: int
    replaced: float
    unrest: float
    elsewhere: float
    is_returning: bool
    is_real: bool


class Observed(Evidence):
    """A detector that reports nothing and knows which design holds: what it sees depends on no weight."""

    truths: Sequence[int] = ()

    def _decide(self, index: int) -> None:
        era = max((truth for truth in self.truths if truth + SETTLED <= index), default=0)
        if era != self._era:
            self._former.extend(one.old[0] for one in self.candidates if abs(one.first - era) <= NEAR)
            self._era = era
        self.candidates = [one for one in self.candidates if one.olds < RETURNS and one.first > index - LIVES]


def sights(series: Series) -> list[Sight]:
    """Follow the candidates of a series: one for each redesign, none at a borderline, and all that are none."""
    detector, seen = Observed(), defaultdict(list)
    detector.truths = [*series.redesigns, *series.borderline]
    for page in series.pages:
        detector.update(page)
        for one in detector.candidates:
            joined = one.alike > (seen[one.first][-1].alike if seen[one.first] else 0)
            if joined and not one.olds and one.alike <= EARLY:
                seen[one.first].append(_sight(one, series))
    return [sight for first in _chosen(seen, series) for sight in seen[first]]


def _sight(one: Candidate, series: Series) -> Sight:
    counts = {name: getattr(one, name) for name in ("first", "alike", "home", "linked", "away", "same", "strays")}
    shares = {"replaced": one.replaced, "unrest": one.doubt, "elsewhere": one.elsewhere}
    shares["is_returning"] = one.is_returning
    return Sight(**counts, **shares, is_real=_is_near(one.first, series.redesigns))


def _is_near(first: int, truths: Sequence[int]) -> bool:
    return any(abs(first - truth) <= NEAR for truth in truths)


def _chosen(seen: dict[int, list[Sight]], series: Series) -> Iterator[int]:
    """Choose the candidates that are no redesign, and one for each redesign."""
    doubtful = [*series.redesigns, *series.borderline]
    yield from (first for first, one in seen.items() if one and not _is_near(first, doubtful))
    for truth in series.redesigns:
        near = [first for first, one in seen.items() if one and abs(first - truth) <= NEAR]
        if near:
            yield max(near, key=lambda first: _most(seen[first]))


def _most(seen: Sequence[Sight]) -> float:
    return next((one.replaced for one in seen if one.alike >= LASTED), 0.0)


def fit(seen: Iterable[Sight]) -> Weights:
    """Fit the weights by maximum likelihood: both probabilities at once, as their product is what is stated."""
    rows = list(seen)
    column = {name: np.array([getattr(one, name) for one in rows], dtype=float) for name in Sight.__annotations__}

    def loss(values: np.ndarray) -> float:
        chance = np.clip(_chances(column, dict(zip(FITTED, values, strict=True))), 1e-9, 1 - 1e-9)
        right = np.where(column["is_real"] > 0, chance, 1 - chance)
        scaled = values / np.array(START)
        return float(-np.log(right).sum() + RIDGE * (scaled**2).sum())

    found = minimize(loss, START, method="L-BFGS-B", bounds=BOUNDS).x
    values = dict(zip(FITTED, map(float, found), strict=True))
    return replace(SHIPPED, **values)


def _chances(column: dict[str, np.ndarray], values: dict[str, float]) -> np.ndarray:
    middle = values["middle"] + values["unrest"] * column["unrest"] + SHIPPED.elsewhere * column["elsewhere"]
    count = column["home"] + SHIPPED.linked * column["linked"]
    count = np.where(column["is_returning"] > 0, SHIPPED.returning, 1) * count
    places = values["home"] * np.minimum(count, PAIR) + values["further"] * np.maximum(0, count - PAIR)
    others = SHIPPED.away * column["away"] + SHIPPED.same * np.sqrt(column["same"])
    stays = values["prior"] + places + others + SHIPPED.stray * column["strays"]
    return _logistic(values["steep"] * (column["replaced"] - middle)) * _logistic(stays)


def _logistic(odds: np.ndarray) -> np.ndarray:
    return 1 / (1 + np.exp(-np.clip(odds, -35, 35)))


def weighted(weights: Weights) -> Callable[..., Evidence]:
    """Give a detector that has other weights than those that ship."""

    def made(**settings: Any) -> Evidence:
        detector = Evidence(**settings)
        detector.weights = weights
        return detector

    return made


@dataclass(frozen=True)
class Fold:
    """The series of one site, and the weights that were fitted on all others."""

    name: str
    series: Sequence[Series]
    weights: Weights


def folds(series: Sequence[Series]) -> Iterator[Fold]:
    """Leave each site out in turn."""
    seen = {one.name: sights(one) for one in series}
    sites = defaultdict(list)
    for one in series:
        sites[ONE_AUTHOR if one.name.startswith(ONE_AUTHOR) else one.name].append(one)
    for site, left_out in sorted(sites.items()):
        out = {one.name for one in left_out}
        yield Fold(site, left_out, fit(sight for name, known in seen.items() if name not in out for sight in known))


def outer(every: Sequence[Fold]) -> dict[str, Any]:
    """Count what is found on the sites left out, and whether what is stated there may be believed."""
    documents = sum(len(one.pages) for fold in every for one in fold.series)
    score = _score(every)
    answer: dict[str, Any] = {"documents": documents, "redesigns": score.hits + score.missed, "found": score.hits}
    answer |= {"false": score.false, "borderline": score.borderline, "delays": sorted(score.delays)}
    answer["calibration"] = [_asked(every, asked) for asked in ASKED]
    answer["stated"] = reliability([(one, weighted(fold.weights)) for fold in every for one in fold.series])
    return answer


def _score(every: Sequence[Fold], **settings: float) -> Score:
    score = Score()
    for fold in every:
        for one in fold.series:
            score.add(one, follow(one.pages, made=weighted(fold.weights), **settings))
    return score


def _asked(every: Sequence[Fold], asked: float) -> dict[str, Any]:
    score = _score(every, certainty=asked)
    told = score.hits + score.false
    return {"asked": asked, "told": told, "real": round(score.hits / told, 3), "delay": median(score.delays)}


def _print(every: Sequence[Fold], everything: Weights, answer: dict[str, Any], wrong: Sequence[Case]) -> None:
    print(f"{'fitted on':28}" + "".join(f"{name:>9}" for name in FITTED) + "   left out: TP FP FN  delays")
    for what, weights in (("shipped", SHIPPED), ("all series", everything)):
        print(f"{what:28}" + "".join(f"{asdict(weights)[name]:9.2f}" for name in FITTED))
    for fold in every:
        score = _score([fold])
        values = "".join(f"{asdict(fold.weights)[name]:9.2f}" for name in FITTED)
        print(f"all but {fold.name:20}{values}  {score.hits:12} {score.false:2} {score.missed:2}", end="  ")
        print(*score.delays, *score.wrong)
    per = answer["documents"] / max(1, answer["false"])
    print(f"\nouter: {answer['found']} of {answer['redesigns']} found, {answer['false']} false alarms in", end=" ")
    print(f"{answer['documents']:,} documents (one in {per:,.0f}); {answer['borderline']} at borderlines")
    print(f"documents needed: {median(answer['delays'])} on median, {max(answer['delays'])} at most\n")
    print("certainty asked  told   real  median delay")
    for row in answer["calibration"]:
        print(f"{row['asked']:15} {row['told']:5} {row['real']:6} {row['delay']:13}")
    print("\nstated        statements   real")
    for row in answer["stated"]:
        print(f"{row['from']:.1f} to {row['to']:.1f} {row['statements']:13} {row['real']:6}")
    print_cases(wrong)


def main() -> None:
    """Print the folds, what is wrong in them, and the figures as one line of JSON."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, required=True, help="a folder with streams/ and streams2/")
    folder = parser.parse_args().data
    series = [one for name in FOLDERS for one in load(folder / name)]
    if not series:
        parser.error("there are no series in streams/ and streams2/; name the folder that holds them")
    every = list(folds(series))
    wrong = [case for fold in every for one in fold.series for case in cases(one, made=weighted(fold.weights))]
    answer = outer(every)
    _print(every, fit(sight for one in series for sight in sights(one)), answer, wrong)
    print(json.dumps(answer))


if __name__ == "__main__":
    main()
