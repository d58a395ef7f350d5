"""The paper's figure 2, how pairs spread: python -m experiments.law2012.figure2 --data DIR --to FILE.png."""

from __future__ import annotations

from pathlib import Path

import numpy
from matplotlib.figure import Figure

from experiments.law2012.rows import Row, asked, paper_rows

COLOURS = {"similar": "#2a7a3b", "dissimilar": "#b3362c"}
SEEN = "sift.200.top.chi2"
SEEN_AGAINST_LINKS = "sift.100.top.chi2"  # as plot (d) of the paper has it


def draw(rows: list[Row]) -> Figure:
    """Draw the four plots: χ² of edges, structure, links, and links as a function of pictures."""
    groups = {name: [row.values for row in rows if row.dissimilar == (name == "dissimilar")] for name in COLOURS}
    figure = Figure(figsize=(10, 7), layout="constrained")
    plots = figure.subplots(2, 2)
    _spread(plots[0, 0], groups, SEEN, "log10 of χ², SIFT, 200 words, top of the page", numpy.linspace(-5, 0.4, 28))
    _spread(plots[0, 1], groups, "same_structure", "same structure of blocks", numpy.linspace(-0.25, 1.25, 4))
    plots[0, 1].set_xticks([0, 1], ["no", "yes"])
    _spread(plots[1, 0], groups, "jaccard_links", "Jaccard index of links", numpy.linspace(0, 1, 21))
    for name, values in groups.items():
        plots[1, 1].scatter(
            [each[SEEN_AGAINST_LINKS] for each in values],
            [each["jaccard_links"] for each in values],
            s=14,
            alpha=0.6,
            color=COLOURS[name],
            label=name,
        )
    plots[1, 1].set(xlabel="log10 of χ², SIFT, 100 words, top of the page", ylabel="Jaccard index of links")
    plots[0, 0].legend()
    return figure


def _spread(
    plot: object, groups: dict[str, list[dict[str, float]]], feature: str, title: str, bins: object
) -> None:
    """Draw what share of the pairs of each kind has which value."""
    for name, values in groups.items():
        told = [each[feature] for each in values]
        shares = numpy.full(len(told), 1 / max(1, len(told)))
        plot.hist(told, bins=bins, weights=shares, alpha=0.55, color=COLOURS[name], label=name)
    plot.set(xlabel=title, ylabel="share of pairs")


def main() -> None:
    """Write the picture."""
    parser = asked(__doc__)
    parser.add_argument("--to", type=Path, required=True, help="a PNG or SVG")
    options = parser.parse_args()
    draw(paper_rows(options.data, options.keep)).savefig(options.to, dpi=110)


if __name__ == "__main__":
    main()
