"""How often, and by how much, do the procedures cost more than the least expensive sequence of operations?

python -m experiments.kwon2006.above_minimum [--cases N]
"""

from __future__ import annotations

import argparse
import random
from statistics import fmean
from typing import TYPE_CHECKING, Final

from experiments.kwon2006.common import print_table
from experiments.kwon2006.minimum import minimum
from pagedrift.how_much import extended, improved

if TYPE_CHECKING:
    from collections.abc import Iterator

    Pair = tuple[list[str], list[str]]

CASES: Final = 1000
WEIGHTS: Final = ((0.75, 0.75), (0.4, 0.9), (0.5, 0.5), (1.0, 0.25), (0.25, 1.0))  # a, b: the paper's two first
LETTERS: Final = "abcdefghijkl"
ROUNDING: Final = 1e-9


def unrelated(chance: random.Random) -> Pair:
    """Make two pages of up to seven words out of few, which is hard on every procedure."""
    few = LETTERS[: chance.randint(2, 6)]
    old, new = (chance.choices(few, k=chance.randint(0, 7)) for _ in range(2))
    return old, new


def edited(chance: random.Random) -> Pair:
    """Edit a page of up to eight words in one to three places, as pages change."""
    old = chance.choices(LETTERS[:8], k=chance.randint(3, 8))
    new = list(old)
    for _ in range(chance.randint(1, 3)):
        place = chance.randrange(len(new) + 1)
        match chance.choice(("in", "out", "other", "elsewhere")):
            case "in":
                new.insert(place, chance.choice(LETTERS))
            case "out" if new:
                del new[place - 1]
            case "other" if new:
                new[place - 1] = chance.choice(LETTERS)
            case "elsewhere" if new:
                new.insert(chance.randrange(len(new)), new.pop(place - 1))
    return old, new


def pairs(kind: str, cases: int) -> Iterator[Pair]:
    """Make pairs of one kind, the same ones every time."""
    chance = random.Random(kind)
    make = {"unrelated": unrelated, "edited": edited}[kind]
    return (make(chance) for _ in range(cases))


def compare(kind: str, cases: int, a: float, b: float) -> dict[str, list[float | str]]:
    """Count how often each procedure is above the minimum, below it, and by how much."""
    off: dict[str, list[float]] = {"extended": [], "extended+": []}
    costs = []
    for old, new in pairs(kind, cases):
        least = minimum(old, new, a=a, b=b)
        costs.append(least)
        off["extended"].append(extended.compare(old, new, a=a, b=b).cost - least)
        off["extended+"].append(improved.compare(old, new, a=a, b=b).cost - least)
    return {f"{name}": _row(gaps, fmean(costs)) for name, gaps in off.items()}


def _row(gaps: list[float], cost: float) -> list[float | str]:
    above, below = [gap for gap in gaps if gap > ROUNDING], [gap for gap in gaps if gap < -ROUNDING]
    mean = fmean(above) if above else 0.0
    shares = f"{len(above) / len(gaps):.1%}", f"{len(below) / len(gaps):.1%}"
    return [shares[0], mean, max(gaps), sum(above) / len(gaps) / cost if cost else 0.0, shares[1]]


def main() -> None:
    """Print both procedures beside the minimum."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--cases", type=int, default=CASES, help="pairs of pages of each kind")
    cases = parser.parse_args().cases
    columns = ["above", "by, mean", "by, most", "of all cost", "below"]
    print(f"{cases:,} pairs of pages of each kind, against the minimum over all sequences of operations.")
    for kind in ("edited", "unrelated"):
        for a, b in WEIGHTS:
            print_table(f"{kind} pages, a = {a}, b = {b}", columns, compare(kind, cases, a, b))


if __name__ == "__main__":
    main()
