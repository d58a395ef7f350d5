"""Does it matter to the metrics how long a page is? A quarter of 4 to 8,192 words changed, as in figure 8.

python -m experiments.kwon2006.figure8 [--data DIR] [--to DIR]
"""

from __future__ import annotations

from itertools import chain
from typing import TYPE_CHECKING, Final

from experiments.kwon2006.common import (
    CRITERION,
    KINDS,
    METRICS,
    arguments,
    draw,
    label,
    made,
    measured,
    print_deviations,
    print_table,
    save,
    vocabularies,
)

if TYPE_CHECKING:
    from collections.abc import Sequence

    from experiments.kwon2006.common import Curves

SIZES: Final = tuple(2**power for power in range(2, 14))
# "One word on a 2² word page, two words on 2³, three words on 2⁴": the last is a slip, a quarter is four.
SHARE: Final = 4


def curves(text: Sequence[str] = ()) -> dict[str, Curves]:
    """Measure changes of a quarter of the page, of every type, on pages of growing length."""
    return {
        kind: measured(chain.from_iterable(made(kind, size, size // SHARE, text) for size in SIZES))
        for kind in KINDS
    }


def dependence(found: dict[str, Curves], name: str) -> float:
    """Say by how much the deviation of a metric differs between lengths of pages, at most, over the types."""
    spans = []
    for curve in found.values():
        off = [value - true for value, true in zip(curve[name], curve[CRITERION], strict=True)]
        spans.append(max(off) - min(off))
    return max(spans)


def print_by_size(found: dict[str, Curves]) -> None:
    """Print what 10SH says of each type at each length of page."""
    print_table(
        "10SH minus the criterion, by words of the page",
        [f"{size}" for size in SIZES],
        {
            kind: [f"{value - true:+.3f}" for value, true in zip(curve["shingles"], curve[CRITERION], strict=True)]
            for kind, curve in found.items()
        },
    )


def main() -> None:
    """Print the deviations and draw the figure."""
    given = arguments(__doc__)
    print(f"Pages of {SIZES[0]} to {SIZES[-1]:,} words, a quarter of them changed in one place, a = b = 0.75.")
    print("Mean absolute deviation from the criteria; the paper shows curves and gives no numbers.")
    for name, text in vocabularies(given.data).items():
        found = curves(text)
        print_deviations(f"Pages of {name}", found)
        if not text:
            print_by_size(found)
            rows = {label(metric): [dependence(found, metric)] for metric in METRICS}
            print_table("Largest difference that the length of the page makes, over the types", ["at most"], rows)
        figure = draw(found, SIZES, "words of the page", f"A quarter of the page changed, {name}")
        for panel in figure.axes[:-1]:
            panel.set_xscale("log", base=2)
        save(figure, given.to, f"figure8-{name.replace(' ', '-')}.png")


if __name__ == "__main__":
    main()
