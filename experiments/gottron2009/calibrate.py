"""On what do the constants of our detector rest, and may its certainty be believed?

python -m experiments.gottron2009.calibrate --data DIR

DIR holds `streams/` and `templates/` (NAME.warc.gz, pages of one template each; noise.warc.gz, each of another
site). Stories are made of the templates; constants are fitted on them and on the series, then on all series but
one, and that one is looked at with them.
"""

from __future__ import annotations

import argparse
import math
import random
from collections import defaultdict
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from experiments.gottron2009.series import NEAR, Score, Series, follow, load
from experiments.gottron2009.stories import OF_ONE_SITE, STORIES, make
from pagedrift import read
from pagedrift.redesigned import evidence

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

PAGES = 60  # of each template
SAFE = 4.0  # a fit whose curve is this wide is as good as any; keeps the weights of clean data finite
LASTED = 3  # documents of a candidate that tell whether it is another design
OTHER = 0.5  # share replaced above which it surely is
ASKED = (0.5, 0.6, 0.7, 0.8, 0.9, 0.95)
# Templates of one host that are two sites to a reader, with nothing in common.
UNRELATED = ("parliament", "beyondunreal", "mesos", "beam", "struts", "dostips")
PERMANENCE = ("trial-begins", "page-types", "flipping", "outliers-in-a-row")  # other designs, and yet no redesign


@dataclass(frozen=True)
class Sight:
    """One candidate, as it was seen at one document, and whether it was a redesign."""

    story: str
    stream: str
    first: int
    alike: int
    home: int
    away: int
    same: int
    replaced: float
    is_real: bool


def stories(folder: Path, count: int) -> Iterator[Series]:
    """Make so many streams of each story, each of templates of other sites."""
    templates = {
        path.name.split(".")[0]: [page.body for page in read(path)][:PAGES] for path in folder.glob("*.warc.gz")
    }
    strangers = templates.pop("noise")
    sites = defaultdict(list)
    for name in sorted(templates):
        sites[name.split("-")[0]].append(name)
    pairs = [names for site, names in sites.items() if len(names) > 1 and site not in UNRELATED]
    for name in STORIES:
        for seed in range(count):
            chance = random.Random(f"{name} {seed}")
            chosen = [chance.choice(sites[site]) for site in chance.sample(sorted(sites), 3)]
            if name in OF_ONE_SITE:
                chosen = chance.sample(chance.choice(pairs), 2)
            story = make(name, seed, [templates[one] for one in chosen], strangers)
            yield Series(f"{name} {seed}", story.pages, story.redesigns, scenario=name)


def sights(series: Series) -> Iterator[Sight]:
    """Follow the candidates of a series; those at a borderline are left out."""
    detector = evidence.Evidence()
    for page in series.pages:
        detector.update(page)
        for one in detector.candidates:
            if one.olds or any(abs(one.first - index) <= NEAR for index in series.borderline):
                continue
            is_real = any(abs(one.first - index) <= NEAR for index in series.redesigns)
            yield Sight(
                series.scenario,
                series.name,
                one.first,
                one.alike,
                one.home,
                one.away,
                one.same,
                one.replaced,
                is_real,
            )


def fit(seen: Sequence[Sight]) -> dict[str, float]:
    """Fit the constants: is it another design, on candidates that lasted; does it stay, on other designs."""
    last = {(one.stream, one.first): one for one in seen if one.alike >= LASTED and one.home >= LASTED - 1}
    designs = [one for one in last.values() if one.story not in PERMANENCE]
    slope, offset = _logistic([(one.replaced, 1) for one in designs], [one.is_real for one in designs])
    other = [one for one in seen if one.replaced > OTHER]
    weights = _logistic(
        [(1, one.home, one.away, math.sqrt(one.same)) for one in other], [one.is_real for one in other]
    )
    return dict(
        zip(("MIDDLE", "STEEP", "PRIOR", "HOME", "AWAY", "SAME"), (-offset / slope, slope, *weights), strict=True)
    )


def _logistic(rows: Iterable[Sequence[float]], answers: Iterable[bool]) -> np.ndarray:
    """Fit a logistic regression by Newton's method, held back a little."""
    x, y = np.array(list(rows), dtype=float), np.array(list(answers), dtype=float)
    weights, ridge = np.zeros(x.shape[1]), np.eye(x.shape[1]) * 1e-3 * SAFE
    for _ in range(50):
        chance = 1 / (1 + np.exp(-np.clip(x @ weights, -30, 30)))
        gradient = x.T @ (y - chance) - ridge @ weights
        weights += np.linalg.solve((x.T * (chance * (1 - chance))) @ x + ridge, gradient)
    return weights


def print_stories(made: Sequence[Series]) -> None:
    """Print how three detectors take the stories."""
    print("story                         evidence             max-avg-diff         cluster")
    print("                              TP  FP  FN  delay    TP  FP  FN  delay    TP  FP  FN  delay")
    for name in STORIES:
        print(f"{name:27}", end="")
        for detector in ("evidence", "max-avg-diff", "cluster"):
            score = Score()
            for one in made:
                if one.scenario == name:
                    score.add(one, follow(one.pages, detector=detector))
            delay = f"{score.delay:6.1f}" if score.delay else "     -"
            print(f"  {score.hits:3} {score.false:3} {score.missed:3} {delay}  ", end="")
        print(flush=True)


def print_calibration(made: Sequence[Series]) -> None:
    """Print what was stated, and what was real, for each certainty asked for."""
    print("\ncertainty asked   told  stated    real")
    for asked in ASKED:
        score, stated = Score(), []
        for one in made:
            events = follow(one.pages, detector="evidence", certainty=asked)
            score.add(one, events)
            stated += [event.certainty or 0.0 for event in events]
        told = score.hits + score.false
        print(f"{asked:15} {told:6} {sum(stated) / len(stated):7.3f} {score.hits / told:7.3f}", flush=True)


def print_fits(made: Sequence[Sight], real: dict[str, list[Sight]], series: Sequence[Series]) -> None:
    """Print the constants as fitted, and what they do to the series that they were not fitted on."""
    shipped = {name: getattr(evidence, name) for name in ("MIDDLE", "STEEP", "PRIOR", "HOME", "AWAY", "SAME")}
    print(f"\n{'fitted on':32}" + "".join(f"{name:>9}" for name in shipped) + "   left out: TP FP FN delay")
    everything = [*made, *(one for seen in real.values() for one in seen)]
    for what, values in (("shipped", shipped), ("stories", fit(made)), ("stories and all series", fit(everything))):
        print(f"{what:32}" + "".join(f"{value:9.2f}" for value in values.values()))
    for one in series:
        values = fit([*made, *(sight for name, seen in real.items() if name != one.name for sight in seen)])
        for name, value in values.items():
            setattr(evidence, name, value)
        score = Score()
        score.add(one, follow(one.pages, detector="evidence"))
        delay = f"{score.delay:.1f}" if score.delay else "-"
        print(f"all but {one.name:24}" + "".join(f"{value:9.2f}" for value in values.values()), end="")
        print(f"  {score.hits:12} {score.false:2} {score.missed:2} {delay:>5}  {', '.join(score.wrong)}")
    for name, value in shipped.items():
        setattr(evidence, name, value)


def main() -> None:
    """Print everything."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, required=True, help="a folder with streams/ and templates/")
    parser.add_argument("--count", type=int, default=25, help="streams of each story")
    arguments = parser.parse_args()
    made = list(stories(arguments.data / "templates", arguments.count))
    series = list(load(arguments.data / "streams"))
    if not series:
        parser.error("there are no series in streams/; name the folder that holds streams/ and templates/")
    print(f"{len(made)} made streams, {sum(len(one.pages) for one in made)} documents\n")
    print_stories(made)
    print_calibration(made)
    seen = [sight for one in made for sight in sights(one)]
    print_fits(seen, {one.name: list(sights(one)) for one in series}, series)


if __name__ == "__main__":
    main()
