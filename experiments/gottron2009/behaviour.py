"""What does our detector make of what can happen on a site? Streams made of real pages; they choose no constant.

python -m experiments.gottron2009.behaviour --data DIR

DIR holds `templates/` (NAME.warc.gz, pages of one template each; noise.warc.gz, each of another site).
"""

from __future__ import annotations

import argparse
import random
from collections import defaultdict
from pathlib import Path
from typing import TYPE_CHECKING

from experiments.gottron2009.series import ASKED, Score, Series, follow
from experiments.gottron2009.stories import OF_ONE_SITE, STORIES, make
from pagedrift import read

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

PAGES = 60  # of each template
# Templates of one host that are two sites to a reader, with nothing in common.
UNRELATED = ("parliament", "beyondunreal", "mesos", "beam", "struts", "dostips")


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


def main() -> None:
    """Print everything."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, required=True, help="a folder with templates/")
    parser.add_argument("--count", type=int, default=25, help="streams of each story")
    arguments = parser.parse_args()
    made = list(stories(arguments.data / "templates", arguments.count))
    print(f"{len(made)} made streams, {sum(len(one.pages) for one in made)} documents\n")
    print_stories(made)
    print_calibration(made)


if __name__ == "__main__":
    main()
