"""The paper's tables 5 and 6, times as shares of OpenCV's SIFT: python -m experiments.law2012.timing."""

from __future__ import annotations

import argparse
import time
from pathlib import Path
from typing import TYPE_CHECKING

import cv2
import numpy

from pagedrift.does_it_matter.codebook import describe, visual_features
from pagedrift.does_it_matter.model import shipped
from pagedrift.does_it_matter.picture_descriptors import CELL, TOP, colours, decode, edges

if TYPE_CHECKING:
    from collections.abc import Callable

HEIGHT = 1272  # pixels, the mean of the paper's pages
# Seconds for a pair: whole page and top. Table 5.
PAPER = {"SIFT": (7.25, 5.06), "colour": (0.61, 0.38), "distances": (0.28,), "SVM": (0.04,), "all": (18.61,)}
PAPER_STEPS = {6: 7.16, 12: 2.33, 24: 1.45, 32: 1.29}  # seconds of SIFT of the top. Table 6.


def best(run: Callable[[], object], rounds: int = 5) -> float:
    """Give the least computing time of several rounds: noise only adds."""
    took = []
    for _ in range(rounds):
        start = time.process_time()
        run()
        took.append(time.process_time() - start)
    return min(took)


def opencv(image: numpy.ndarray, step: int = 6) -> None:
    """Describe a picture by OpenCV's SIFT on the grid of ours."""
    reach = CELL * 3
    points = [
        cv2.KeyPoint(x + reach / 2, y + reach / 2, 2 * CELL / 3, 0.0, 1.0, 0)
        for y in range(0, image.shape[0] - reach, step)
        for x in range(0, image.shape[1] - reach, step)
    ]
    cv2.SIFT.create().compute(cv2.cvtColor(image, cv2.COLOR_BGR2GRAY), points)


def ours(image: numpy.ndarray, step: int = 6) -> None:
    """Describe a picture by ours."""
    for _ in edges(image, step=step):
        pass


def page(picture: Path | None) -> numpy.ndarray:
    """Give a picture of the paper's mean size: one that was named, from its top, or one that is drawn."""
    found = numpy.full((HEIGHT, 1024, 3), 255, numpy.uint8)
    if picture is not None:
        given = decode(picture.read_bytes())[:HEIGHT, :1024]
        found[: given.shape[0], : given.shape[1]] = given
        return found
    chance = numpy.random.default_rng(2012)
    for number in range(500):
        x, y = (int(chance.integers(most)) for most in (1000, HEIGHT))
        grey = int(chance.integers(160))
        if number % 10 == 0:
            cv2.rectangle(found, (x, y), (x + 180, y + 60), (grey, 200, 255 - grey), -1)
        cv2.putText(found, "Fees and permits", (x, y), cv2.FONT_HERSHEY_SIMPLEX, 0.45, (grey,) * 3)
    return found


def main() -> None:
    """Print both tables."""
    asked = argparse.ArgumentParser(description=__doc__)
    asked.add_argument("--picture", type=Path, help="a picture of a page, 1,024 px wide; else one is drawn")
    image = page(asked.parse_args().picture)
    cv2.setNumThreads(1)
    peer = best(lambda: opencv(image))
    png = cv2.imencode(".png", image)[1].tobytes()
    other = describe(cv2.imencode(".png", image[::-1])[1].tobytes())
    model = shipped("paper")
    row = dict.fromkeys(model.features, 0.5)

    def described() -> None:
        describe.forget()
        describe(png)

    print(
        f"Table 5: computing time for one version of 1024×{HEIGHT} px, as a share of OpenCV's SIFT on the same grid"
    )
    print("  (the paper: as a share of its own SIFT, 12.31 s for the whole pages and the tops of a pair)")
    theirs = sum(PAPER["SIFT"])
    rows = {
        "OpenCV's SIFT": (peer, None),
        "ours: SIFT, whole and top at once": (best(lambda: ours(image)), 1.0),
        "ours: colour": (best(lambda: list(colours(image))), sum(PAPER["colour"]) / theirs),
        "ours: all, from PNG to bags of words": (best(described), (PAPER["all"][0] - 0.32) / theirs),
        "ours: 16 distances": (
            best(lambda: visual_features(describe(png), other), 20),
            PAPER["distances"][0] / theirs,
        ),
        "ours: the machine's answer": (best(lambda: model.probability(row), 20), PAPER["SVM"][0] / theirs),
    }
    for name, (took, paper) in rows.items():
        print(f"  {name:<40} {took / peer:>9.4f}   {'' if paper is None else f'paper {paper:.4f}'}")
    print("\nTable 6: SIFT of the top by the step of the grid, as a share of step 6")
    top = image[:TOP]
    base = {run: best(lambda run=run: run(top)) for run in (ours, opencv)}
    for step, paper in PAPER_STEPS.items():
        told = [best(lambda run=run, step=step: run(top, step)) / took for run, took in base.items()]
        print(f"  step {step:<4} ours {told[0]:.2f}   OpenCV's {told[1]:.2f}   paper {paper / PAPER_STEPS[6]:.2f}")


if __name__ == "__main__":
    main()
