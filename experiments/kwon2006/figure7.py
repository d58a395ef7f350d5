"""How much do the metrics say that a page of 1,000 words changed, for each type and number of words? Figure 7.

python -m experiments.kwon2006.figure7 [--data DIR] [--to DIR]
"""

from __future__ import annotations

from itertools import chain
from statistics import median
from typing import TYPE_CHECKING, Final

from experiments.kwon2006.common import (
    KINDS,
    arguments,
    draw,
    made,
    measured,
    print_deviations,
    real_texts,
    save,
    vocabularies,
)
from pagedrift.how_much.criteria import PAGE, natural_text

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from experiments.kwon2006.common import Curves

CHANGED: Final = range(50, PAGE, 50)


def curves(text: Sequence[str] = ()) -> dict[str, Curves]:
    """Measure growing changes of every type, each in one place of the page."""
    return {
        kind: measured(chain.from_iterable(made(kind, PAGE, changed, text) for changed in CHANGED))
        for kind in KINDS
    }


def print_likeness(data: Path) -> None:
    """Print how many different words natural and real pages of about that length have."""
    real = [len(set(text)) / len(text) for text in real_texts(data) if 0.7 * PAGE <= len(text) <= 1.5 * PAGE]
    natural = len(set(natural_text()[:PAGE])) / PAGE
    print(
        f"Different words: {natural:.0%} of a natural page, {median(real):.0%} of {len(real)} real pages (median)."
    )


def main() -> None:
    """Print the deviations and draw the figure."""
    given = arguments(__doc__)
    if given.data:
        print_likeness(given.data)
    print(f"Page of {PAGE:,} words, {CHANGED[0]} to {CHANGED[-1]} of them changed in one place, a = b = 0.75.")
    print("Mean absolute deviation from the criteria; the paper shows curves and gives no numbers.")
    for name, text in vocabularies(given.data).items():
        found = curves(text)
        print_deviations(f"Pages of {name}", found)
        save(
            draw(found, CHANGED, "changed words", f"{PAGE:,} {name}"),
            given.to,
            f"figure7-{name.replace(' ', '-')}.png",
        )


if __name__ == "__main__":
    main()
