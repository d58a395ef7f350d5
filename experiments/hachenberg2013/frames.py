"""Does a template's frame tell a new template from new content? On series of pages with known redesigns.

python -m experiments.hachenberg2013.frames --data DIR

DIR holds NAME.warc.gz and NAME.json with `redesigns`, the numbers of the first documents of new designs. The frame
of twenty documents is compared with that of the next twenty: at every redesign, and at a few other places. The
paper has no such experiment.
"""

from __future__ import annotations

import argparse
import json
from itertools import pairwise
from pathlib import Path
from statistics import median

from pagedrift import PageVersion, read
from pagedrift.which_template.frame import compare, frame

WINDOW = 20
PLACES = 5  # in each design, at most


def places_of(redesigns: list[int], documents: int) -> list[int]:
    """Choose places at which nothing happened, as far as possible from redesigns."""
    bounds, found = [0, *redesigns, documents], []
    for start, end in pairwise(bounds):
        room = range(start + WINDOW, end - WINDOW)
        found += list(room)[:: max(WINDOW, len(room) // PLACES)]
    return found


def similarity(pages: list[PageVersion], at: int) -> float:
    """Compare what the documents before and after a place share."""
    return compare(frame(pages[max(0, at - WINDOW) : at]), frame(pages[at : at + WINDOW])).similarity


def main() -> None:
    """Print how similar the frames are."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, required=True, help="a folder with NAME.warc.gz and NAME.json")
    folder = parser.parse_args().data
    folder = folder if any(folder.glob("*.warc.gz")) else folder / "streams"
    everywhere: tuple[list[float], list[float]] = [], []
    print(f"{'series':24} similarity at redesigns    elsewhere: least  median  places")
    for path in sorted(folder.glob("*.warc.gz")):
        redesigns = json.loads(path.with_name(path.name.removesuffix(".warc.gz") + ".json").read_text())[
            "redesigns"
        ]
        pages = list(read(path, order="file"))
        at_redesigns = [similarity(pages, at) for at in redesigns]
        elsewhere = [similarity(pages, at) for at in places_of(redesigns, len(pages))]
        everywhere[0].extend(at_redesigns)
        everywhere[1].extend(elsewhere)
        told = "  ".join(f"{one:.2f}" for one in at_redesigns) or "–"
        name = path.name.removesuffix(".warc.gz")
        print(f"{name:24} {told:26} {min(elsewhere):16.2f} {median(elsewhere):7.2f} {len(elsewhere):7}", flush=True)
    if not everywhere[1]:
        parser.error("there is no NAME.warc.gz in it; name the folder that holds the series")
    highest = max(everywhere[0], default=0.0)
    above = sum(one > highest for one in everywhere[1])
    print(f"\n{len(everywhere[0])} redesigns: at most {highest:.2f}", end="; ")
    print(f"more than that at {above} of {len(everywhere[1])} other places")


if __name__ == "__main__":
    main()
