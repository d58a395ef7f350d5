"""Do the paper's five conclusions hold? One table of deviations from the criteria, over figures 7 and 8.

python -m experiments.kwon2006.conclusions [--data DIR]
"""

from __future__ import annotations

from itertools import pairwise
from statistics import fmean
from typing import TYPE_CHECKING, Final

from experiments.kwon2006 import figure7, figure8
from experiments.kwon2006.common import (
    BLOCKS,
    CRITERION,
    arguments,
    holds,
    mean_deviation,
    print_deviations,
    vocabularies,
)
from pagedrift.how_much.criteria import CHANGES, EXACT, PAGE, criterion

NOTHING: Final = 1e-9  # what computing in floats leaves
ABOUT: Final = 0.05
HALF: Final = 0.5

if TYPE_CHECKING:
    from collections.abc import Iterator

    from experiments.kwon2006.common import Curves

    All = dict[str, Curves]
    Finding = tuple[str, bool, str]  # what the paper says, whether it is so, the numbers


def signed(found: Curves, metric: str) -> list[float]:
    """Give by how much a metric is above the criterion."""
    return [value - true for value, true in zip(found[metric], found[CRITERION], strict=True)]


def apart(one: list[float], other: list[float]) -> float:
    """Give the largest difference of two curves."""
    return max(abs(a - b) for a, b in zip(one, other, strict=True))


def shingling(seven: All, eight: All) -> Iterator[Finding]:
    """Look at conclusion 1."""
    low = {kind: min(signed(seven[kind], "shingles")) for kind in CHANGES}
    mean = {kind: mean_deviation(seven[kind], "shingles") for kind in CHANGES}
    most = max(mean, key=mean.__getitem__)
    yield (
        "oversensitive: above the criterion for all types",
        min(low.values()) > 0,
        f"lowest {min(low.values()):+.3f}",
    )
    yield "... especially for move", most == "move", f"{most} {mean[most]:.3f}"
    rises = [b - a for kind in CHANGES for a, b in pairwise(signed(eight[kind], "shingles"))]
    yield (
        "the smaller the page, the more so",
        max(rises) <= EXACT,
        f"from size to size it rises by {max(rises):.3f} at most",
    )
    effective = max(max(map(abs, signed(seven[kind], "shingles"))) for kind in ("add", "drop"))
    yield f"effective for add and drop (within {EXACT})", effective <= EXACT, f"at most {effective:.3f} off"
    for one, other in (("add", "copy"), ("drop", "shrink")):
        gap = apart(seven[one]["shingles"], seven[other]["shingles"])
        yield f"{one} and {other} measured alike (within {EXACT})", gap <= EXACT, f"at most {gap:.3f} apart"


def cosine(seven: All) -> Iterator[Finding]:
    """Look at conclusion 2."""
    high = {kind: max(signed(seven[kind], "cosine")) for kind in CHANGES}
    most = max(high, key=high.__getitem__)
    yield (
        "undersensitive: below the criterion for all types",
        high[most] < -NOTHING,
        f"highest {high[most]:+.3f}, {most}",
    )
    yield "move is not seen at all", max(seven["move"]["cosine"]) < NOTHING, f"{max(seven['move']['cosine']):.3f}"
    for kind in ("copy", "shrink"):
        part = sum(seven[kind]["cosine"]) / sum(seven[kind][CRITERION])
        yield f"{kind} is minor (less than half of the criterion)", part < HALF, f"{part:.0%} of it"


def words(seven: All) -> Iterator[Finding]:
    """Look at conclusion 3."""
    yield "move is not seen at all", max(seven["move"]["words"]) < NOTHING, f"{max(seven['move']['words']):.3f}"
    for kind in ("add", "drop"):
        high = max(signed(seven[kind], "words"))
        yield f"undersensitive to {kind}", high < 0, f"highest {high:+.3f}"
    for kind, like in (("copy", "add"), ("shrink", "drop")):
        gaps = [
            abs(value - criterion(like, PAGE, changed // 2))
            for value, changed in zip(seven[kind]["words"], figure7.CHANGED, strict=True)
        ]
        numbers = f"{fmean(gaps):.3f} on average, {fmean(gaps[: len(gaps) // 2]):.3f} for up to half of the page"
        yield f"{kind} of two words about as {like} of one (within 0.05)", fmean(gaps) <= ABOUT, numbers
    off = max(map(abs, signed(seven["replace"], "words")))
    yield f"effective for replace (within {EXACT})", off <= EXACT, f"at most {off:.3f} off"


def edit(seven: All) -> Iterator[Finding]:
    """Look at conclusion 4."""
    gap = max(apart(seven[kind]["edit"], seven[kind]["words"]) for kind in CHANGES if kind != "move")
    yield f"like WD for all types but move (within {EXACT})", gap <= EXACT, f"at most {gap:.3f} apart"
    gaps = {kind: apart(seven["move"]["edit"], seven[kind]["edit"]) for kind in ("replace", "drop")}
    near = f"at most {gaps['replace']:.3f} from replace, {gaps['drop']:.3f} from drop"
    yield f"move like replace or drop (within {EXACT})", min(gaps.values()) <= EXACT, near


def extended(seven: All, eight: All) -> Iterator[Finding]:
    """Look at conclusion 5, and at ours."""
    others = ("bytewise", "cosine", "words", "edit", "shingles")
    for metric, name in (("extended", "IED"), ("extended+", "extended+")):
        beaten = [
            kind
            for kind in CHANGES
            for curves in (seven, eight)
            if mean_deviation(curves[kind], metric) > min(mean_deviation(curves[kind], o) for o in others) + NOTHING
        ]
        numbers = f"beaten for {', '.join(dict.fromkeys(beaten))}" if beaten else "or as near, for every type"
        yield f"{name} is nearest to the criteria", not beaten, numbers
        off, kind = max((max(map(abs, signed(seven[kind], metric))), kind) for kind in CHANGES)
        numbers = f"at most {off:.3f} off" + (f", {kind}" if off > NOTHING else "")
        yield f"{name} identical to the criteria", off <= NOTHING, numbers


def print_findings(seven: All, eight: All) -> None:
    """Print each conclusion with what it claims, and whether that holds."""
    conclusions = {
        "1. 10SH": shingling(seven, eight),
        "2. COS": cosine(seven),
        "3. WD": words(seven),
        "4. ED": edit(seven),
        "5. IED": extended(seven, eight),
    }
    for name, findings in conclusions.items():
        found = list(findings)
        print(f"{name}: {holds(all(does for claim, does, _ in found if 'extended+' not in claim))}")
        for claim, does, numbers in found:
            print(f"   {claim}: {holds(does)}; {numbers}")


def main() -> None:
    """Print the table and the conclusions for each vocabulary."""
    given = arguments(__doc__)
    print("Mean absolute deviation from the criteria over the cases of figures 7 and 8, a = b = 0.75.")
    for name, text in vocabularies(given.data).items():
        seven, eight = figure7.curves(text), figure8.curves(text)
        joined = {kind: {key: seven[kind][key] + eight[kind][key] for key in seven[kind]} for kind in seven}
        print_deviations(f"Pages of {name}", joined)
        print()
        print_findings(seven, eight)
    print(f"\nThe conclusions are about words changed singly; {', '.join(BLOCKS)}: see the table.")


if __name__ == "__main__":
    main()
