"""How much do the metrics say that a page of 1,000 words changed, for each type and number of words? Figure 7.

python -m experiments.kwon2006.figure7 [--data DIR] [--to DIR]
"""

from __future__ import annotations

from itertools import chain
from typing import TYPE_CHECKING, Final

from experiments.kwon2006.common import (
    KINDS,
    arguments,
    draw,
    made,
    measured,
    print_deviations,
    save,
    vocabularies,
)
from pagedrift.how_much.criteria import PAGE

if TYPE_CHECKING:
    from collections.abc import Sequence

    from experiments.kwon2006.common import Curves

CHANGED: Final = range(50, PAGE, 50)


def curves(text: Sequence[str] = ()) -> dict[str, Curves]:
    """Measure growing changes of every type, each in one place of the page."""
    return {
        kind: measured(chain.from_iterable(made(kind, PAGE, changed, text) for changed in CHANGED))
        for kind in KINDS
    }


def main() -> None:
    """Print the deviations and draw the figure."""
    given = arguments(__doc__)
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
