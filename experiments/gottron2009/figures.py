"""What do the figures of the paper look like on other series? Figures 1, 2, 4, 6, 7 and the stripes of table 1.

python -m experiments.gottron2009.figures --data DIR --out FOLDER
"""

from __future__ import annotations

import argparse
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any

import matplotlib as mpl
import numpy as np

from experiments.gottron2009.series import Series, load
from pagedrift.redesigned.history import History, page_shingles
from pagedrift.which_template.similarity import overlap

if TYPE_CHECKING:
    from collections.abc import Sequence

mpl.use("Agg")
from matplotlib import pyplot as plt

HISTORY = 20
GREY: dict[str, Any] = {"cmap": "gray", "vmin": 0, "vmax": 1, "interpolation": "nearest"}
DOCUMENTS = 140  # of figure 1; two thirds of them before the redesign


def matrix(series: Series, first: int, count: int) -> np.ndarray:
    """Compare each of some documents with each."""
    sets = [page_shingles(page) for page in series.pages[first : first + count]]
    return np.array([[overlap(one, other) for one in sets] for other in sets])


def stripe(pages: Sequence[Any]) -> np.ndarray:
    """Compare each document with the h before it: a column each, the nearest on top, black where there is none."""
    history, found = History(size=HISTORY), np.zeros((HISTORY, len(pages)))
    for column, page in enumerate(pages):
        similarities = history.add(page).similarities
        found[: len(similarities), column] = similarities
    return found


def indicators(pages: Sequence[Any]) -> np.ndarray:
    """Read off, at each document, its average similarity, the average above and the maximum below the border."""
    history, rows = History(size=HISTORY), []
    for page in pages:
        average = history.add(page).average
        square = history.is_square
        upper, lower = (history.upper().average, history.lower_maximum()) if square else (np.nan, np.nan)
        rows.append((average, upper, lower))
    return np.array(rows)


def figure_1_and_2(series: Series, out: Path) -> None:
    """Draw the matrix of some documents about a redesign, and its stripe."""
    first = max(0, series.redesigns[0] - DOCUMENTS * 2 // 3)
    figure, axes = plt.subplots(figsize=(5, 5), layout="constrained")
    axes.imshow(
        matrix(series, first, DOCUMENTS), extent=(first, first + DOCUMENTS, first + DOCUMENTS, first), **GREY
    )
    axes.set(title=f"{series.name}: redesign at {series.redesigns[0]}", xlabel="document", ylabel="document")
    _save(figure, out / "figure-1.png")
    _draw_stripe(series, slice(first, first + DOCUMENTS), out / "figure-2.png")


def figure_6(series: Series, out: Path) -> None:
    """Draw the average similarity of each new document."""
    figure, axes = plt.subplots(figsize=(9, 2.6), layout="constrained")
    axes.plot(indicators(series.pages)[:, 0], linewidth=0.8)
    axes.set(
        title=f"{series.name}: average similarity of each new document, no redesign", xlabel="document", ylim=(0, 1)
    )
    axes.margins(x=0)
    _save(figure, out / "figure-6.png")


def figure_7(series: Series, out: Path) -> None:
    """Draw the two indicators of MAX-AVG-DIFF, at the first document of the window that they speak of."""
    values = indicators(series.pages)[HISTORY - 1 :]
    figure, axes = plt.subplots(figsize=(9, 3), layout="constrained")
    axes.plot(values[:, 1], label="average of the upper triangle", linewidth=0.9)
    axes.plot(values[:, 2], label="maximum of the lower triangle", linewidth=0.9)
    for index in series.redesigns:
        axes.axvline(
            index, color="black", linestyle=":", linewidth=0.9, label="redesign" * (index == series.redesigns[0])
        )
    axes.set(title=f"{series.name}", xlabel="document", ylim=(0, 1.02))
    axes.margins(x=0)
    axes.legend(loc="lower left", fontsize="small")
    _save(figure, out / "figure-7.png")


def table_1(all_series: Sequence[Series], out: Path) -> None:
    """Draw the stripe of every series; red marks are redesigns, orange ones borderline."""
    figure, rows = plt.subplots(len(all_series), figsize=(12, 0.85 * len(all_series)), layout="constrained")
    for axes, series in zip(rows, all_series, strict=True):
        axes.imshow(stripe(series.pages), aspect="auto", **GREY)
        for indexes, colour in ((series.redesigns, "red"), (series.borderline, "orange")):
            axes.scatter(indexes, [-2.5] * len(indexes), marker="v", color=colour, clip_on=False, s=14)
        axes.set(yticks=[], xlim=(0, max(len(one.pages) for one in all_series)), ylim=(HISTORY - 0.5, -0.5))
        axes.tick_params(labelsize="x-small")
        text = f"{series.name}\n{len(series.pages)}, {series.scenario}"
        axes.set_ylabel(text, rotation=0, ha="right", va="center", fontsize="small")
    _save(figure, out / "table-1.png")


def _draw_stripe(series: Series, part: slice, path: Path) -> None:
    figure, axes = plt.subplots(figsize=(9, 1.9), layout="constrained")
    start = part.start or 0
    found = stripe(series.pages[part])
    axes.imshow(found, extent=(start, start + found.shape[1], HISTORY, 0), aspect="auto", **GREY)
    marks = [index for index in series.redesigns if start <= index < start + found.shape[1]]
    axes.set(
        title=f"{series.name}: {'redesign at ' + str(marks[0]) if marks else 'no redesign'}", xlabel="document"
    )
    axes.set_ylabel("before")
    _save(figure, path)


def _save(figure: Any, path: Path) -> None:
    figure.savefig(path, dpi=130)
    plt.close(figure)
    print(path)


def main() -> None:
    """Draw all of them."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, required=True, help="a folder of series: NAME.warc.gz and NAME.json")
    parser.add_argument("--out", type=Path, required=True, help="the folder for the pictures")
    arguments = parser.parse_args()
    arguments.out.mkdir(parents=True, exist_ok=True)
    series = sorted(load(arguments.data), key=lambda one: (bool(one.redesigns), one.scenario, one.name))
    redesigned = [one for one in series if one.redesigns]
    mixed = [one for one in series if not one.redesigns and one.scenario == "inhomogeneous"]
    if not redesigned or not mixed:
        parser.error(
            "figures need a series with a redesign, and an inhomogeneous one without; name a folder with both"
        )
    figure_1_and_2(
        next(islice((one for one in redesigned if len(one.redesigns) == 1), 1), redesigned[0]), arguments.out
    )
    _draw_stripe(mixed[-1], slice(0, 300), arguments.out / "figure-4.png")
    figure_6(mixed[-1], arguments.out)
    figure_7(max(redesigned, key=lambda one: len(one.redesigns)), arguments.out)
    table_1(series, arguments.out)


if __name__ == "__main__":
    main()
