"""How differently do the metrics see the same real changes, page by page? Beside figure 6.

python -m experiments.kwon2006.figure6 --data DIR [--to DIR]
"""

from __future__ import annotations

from itertools import combinations
from typing import TYPE_CHECKING, Final

from experiments.kwon2006.common import METRICS, arguments, holds, label, print_table, save
from experiments.kwon2006.figure5 import degrees

if TYPE_CHECKING:
    from matplotlib.figure import Figure

PAPER: Final = 0.92  # the largest difference, figure 6(a)
EQUAL: Final = 0.01
ALMOST_ALL: Final = 0.9
SHOWN: Final = (("shingles", ("cosine", "edit", "extended+")), ("cosine", ("edit", "extended+")))


def draw(found: dict[str, list[float]]) -> Figure:
    """Draw the pages in the order of one metric, and what the others say of them."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(13, 4.5), layout="constrained")
    colours = {"cosine": "#dd8452", "edit": "#4c72b0", "extended+": "#000000"}
    signs = {"cosine": "s", "edit": "^", "extended+": "+"}
    for panel, (first, others), letter in zip(figure.subplots(1, 2, sharey=True), SHOWN, "ab", strict=True):
        order = sorted(range(len(found[first])), key=lambda page: found[first][page])
        panel.plot([found[first][page] for page in order], color="#55a868", linewidth=3, label=label(first))
        for name in others:
            values = [found[name][page] for page in order]
            panel.plot(values, signs[name], color=colours[name], markersize=4, alpha=0.7, label=label(name))
        panel.set(title=f"({letter}) in order of {label(first)}", xlabel="page", ylabel="degree of change")
        panel.legend(frameon=False)
        panel.spines[["top", "right"]].set_visible(False)
    return figure


def main() -> None:
    """Print how far the metrics are apart on the same page."""
    given = arguments(__doc__, needs_data=True)
    found = degrees(given.data)
    changed = [page for page, value in enumerate(found["bytewise"]) if value]
    names = [name for name in METRICS if name != "bytewise"]
    rows, largest, apart = {}, {}, {}
    for one, other in combinations(names, 2):
        gaps = [abs(found[one][page] - found[other][page]) for page in changed]
        largest[one, other] = max(gaps)
        apart[one, other] = sum(gap > EQUAL for gap in gaps) / len(gaps)
        rows[f"{one}, {other}"] = [max(gaps), sum(gaps) / len(gaps), f"{apart[one, other]:.0%}"]
    print(f"{len(changed)} changed pages.")
    print_table("Differences of two metrics on the same page", ["largest", "mean", f"pages above {EQUAL}"], rows)
    seldom, differ = min(
        (share, pair) for pair, share in apart.items() if {*pair} <= {"cosine", "edit", "shingles"}
    )
    print(
        f"\nThe metrics return different values on almost all the pages: {holds(seldom > ALMOST_ALL)}; "
        f"{' and '.join(differ)} differ by more than {EQUAL} on {seldom:.0%}."
    )
    most = max(largest, key=largest.__getitem__)
    print(
        f"The difference is sometimes as large as {PAPER}: {holds(largest[most] >= PAPER)}; "
        f"the largest is {largest[most]:.2f}, of {' and '.join(most)}."
    )
    save(draw(found), given.to, "figure6.png")


if __name__ == "__main__":
    main()
