"""The plot of a redesign: the similarity stripe and the indicators."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from pagedrift.errors import InputError
from pagedrift.extras import need

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from pagedrift.redesigned.stream_monitor import RedesignEvent, Stripe

KINDS: Final = (".png", ".svg", ".pdf")
MAX_COLUMNS: Final = 4_000  # columns; more documents share one
COLOURS: Final = {
    "redesign": "tab:red",
    "edit": "tab:orange",
    "passing": "tab:olive",
    "outlier": "tab:gray",
    "selector": "tab:purple",
}


def check_name(path: Path) -> None:
    """Refuse names that are of no picture.

    >>> from pathlib import Path
    >>> check_name(Path("stripe.docx"))
    Traceback (most recent call last):
    pagedrift.errors.InputError: stripe.docx is not a valid image name; use one that ends with .png, .svg or .pdf
    """
    if path.suffix.lower() not in KINDS:
        raise InputError(f"{path.name} is not a valid image name; use one that ends with .png, .svg or .pdf")


def plot(path: Path, stripe: Stripe, events: Sequence[RedesignEvent]) -> None:
    """Draw the stripe, the average similarity of new documents, and the two indicators; mark what happened."""
    check_name(path)
    need("plot", "matplotlib")
    from matplotlib.figure import Figure

    figure = Figure(figsize=(12, 6), layout="constrained")
    axes = figure.subplots(3, 1, sharex=True, gridspec_kw={"height_ratios": (1.2, 1, 1)})
    _draw_stripe(axes[0], stripe)
    axes[1].plot(stripe.averages, color="tab:blue", linewidth=0.8)
    axes[1].set_ylabel("average\nsimilarity")
    axes[2].plot(stripe.upper, color="tab:green", linewidth=0.9, label="average of the upper triangle")
    axes[2].plot(stripe.lower, color="tab:brown", linewidth=0.9, label="maximum of the lower triangle")
    axes[2].legend(loc="lower left", fontsize="small", framealpha=0.9)
    axes[2].set_ylabel("indicators")
    axes[2].set_xlabel("document")
    for each in axes[1:]:
        each.set_ylim(-0.02, 1.02)
    _mark(axes, events, len(stripe.columns))
    figure.savefig(path, dpi=120)


def shades(stripe: Stripe) -> tuple[list[list[float]], int]:
    """Give the stripe by rows, the nearest document first, and how many documents share a column; -1 is empty.

    >>> from pagedrift.redesigned.stream_monitor import Stripe
    >>> shades(Stripe(2))
    ([[], []], 1)
    """
    step = max(1, -(-len(stripe.columns) // MAX_COLUMNS))
    rows: list[list[float]] = [[] for _ in range(stripe.size)]
    for start in range(0, len(stripe.columns), step):
        shared = stripe.columns[start : start + step]
        for row, values in enumerate(rows):
            there = [column[row] for column in shared if row < len(column)]
            values.append(sum(there) / len(there) if there else -1.0)
    return rows, step


def _draw_stripe(axis: Any, stripe: Stripe) -> None:
    rows, step = shades(stripe)
    shown = [[value if value >= 0 else float("nan") for value in row] for row in rows]
    width = len(rows[0]) * step if rows else 0
    if width:
        axis.imshow(
            shown,
            cmap="gray",
            vmin=0,
            vmax=1,
            aspect="auto",
            interpolation="nearest",
            extent=(-0.5, width - 0.5, stripe.size + 0.5, 0.5),
        )
    axis.set_facecolor("#dfe6f5")
    axis.set_ylabel("documents\nbefore")
    axis.set_title("Similarity of each document to those before it: white is the same template", fontsize="medium")


def stagger(places: Sequence[float], *, apart: float) -> list[int]:
    """Give labels levels, so that those close to each other do not cover each other; there are three.

    >>> stagger([0, 10, 200, 205, 208, 209], apart=50)
    [0, 1, 0, 1, 2, 0]
    """
    levels: list[int] = []
    for number, place in enumerate(places):
        is_close = number > 0 and abs(place - places[number - 1]) < apart
        levels.append((levels[-1] + 1) % 3 if is_close else 0)
    return levels


def _mark(axes: Any, events: Sequence[RedesignEvent], documents: int) -> None:
    redesigns = [one.document for one in events if one.kind == "redesign"]
    levels = dict(zip(redesigns, stagger(redesigns, apart=documents / 12), strict=True))
    for one in events:
        colour = COLOURS[one.kind]
        width = 1.4 if one.kind == "redesign" else 0.6
        for axis in axes if one.kind != "outlier" else axes[:1]:
            axis.axvline(one.document - 0.5, color=colour, linewidth=width, alpha=0.9)
        if one.kind == "redesign":
            text = f"{one.published_at:%Y-%m-%d}" if one.published_at else f"document {one.document}"
            axes[1].annotate(
                text,
                (one.document, 0.02 + 0.11 * levels[one.document]),
                xytext=(3, 0),
                textcoords="offset points",
                color=colour,
                fontsize="small",
            )
