"""How much do the metrics say that real pages changed, all together? Beside figure 5.

python -m experiments.kwon2006.figure5 --data DIR [--to DIR]
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from experiments.kwon2006.common import METRICS, arguments, holds, label, print_table, real_pairs, save
from pagedrift.how_much import measure

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from matplotlib.figure import Figure

# Percent of all 41,469 pages, from the text: 30, about 12 and about 7.
FIGURE_5: Final = {"bytewise": 30, "cosine": 7, "words": 7, "edit": 7, "shingles": 12, "extended": 7}
LIKE: Final = 0.05  # between metrics that "say about 7 %"


def degrees(data: Path, *, main_content: bool = False) -> dict[str, list[float]]:
    """Measure every real pair by every metric."""
    found: dict[str, list[float]] = {name: [] for name in METRICS}
    for old, new in real_pairs(data).values():
        for name, value in measure(old, new, main_content=main_content).items():
            found[name].append(value)
    return found


def draw(ours: Mapping[str, float]) -> Figure:
    """Draw the sums as bars, beside the paper's."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(8, 4), layout="constrained")
    panel = figure.subplots()
    places = range(len(ours))
    paper = [FIGURE_5[name] / FIGURE_5["bytewise"] if name in FIGURE_5 else 0 for name in ours]
    panel.bar([place - 0.2 for place in places], paper, 0.4, label="paper, 2005", color="#b0b0b0")
    panel.bar([place + 0.2 for place in places], list(ours.values()), 0.4, label="here", color="#4c72b0")
    panel.set_xticks(places, [label(name) for name in ours], rotation=20)
    panel.set(ylabel="mean degree of change of a changed page")
    panel.spines[["top", "right"]].set_visible(False)
    panel.legend(frameon=False)
    return figure


def main() -> None:
    """Print the sums over all pairs, the paper's beside them."""
    given = arguments(__doc__, needs_data=True)
    every, main_part = degrees(given.data), degrees(given.data, main_content=True)
    pages, changed = len(every["bytewise"]), sum(every["bytewise"])
    print(f"{pages} real pairs, {changed:.0f} changed; the paper: 41,469 pages, two days apart, 30 % changed.")
    print("Our pairs were drawn evenly over sizes of change, so only degrees of changed pages can be compared.")
    per_page = {name: sum(values) / changed for name, values in every.items()}
    rows = {
        label(name): [
            f"{FIGURE_5[name]} %" if name in FIGURE_5 else "-",
            f"{sum(values) / pages:.1%}",
            FIGURE_5[name] / FIGURE_5["bytewise"] if name in FIGURE_5 else "-",
            per_page[name],
            sum(main_part[name]) / changed,
        ]
        for name, values in every.items()
    }
    columns = ["paper, all", "here, all", "paper, changed", "here, changed", "here, main content"]
    print_table("Degrees of change: of all pages in percent, and of a changed page", columns, rows)
    low = [per_page[name] for name in ("cosine", "words", "edit", "extended")]
    print(
        f"\nBW is the most sensitive: {holds(all(per_page['bytewise'] >= value for value in per_page.values()))}."
    )
    print(f"10SH is more sensitive than COS, WD, ED and IED: {holds(per_page['shingles'] > max(low))}.")
    print(
        f"COS, WD, ED and IED say about the same (within {LIKE}): {holds(max(low) - min(low) <= LIKE)}, "
        f"{min(low):.3f} to {max(low):.3f}."
    )
    save(draw(per_page), given.to, "figure5.png")


if __name__ == "__main__":
    main()
