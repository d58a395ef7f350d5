"""Are the right nodes matched? Real pages, mutated with every element known, matched by us and by others.

    python -m experiments.khandagale2010.right_nodes --data DIR

`patch(old, diff(old, new)) == new` proves that a script is complete, not that it is about the right elements.
Whatever was tuned was tuned with every other site; the tables are about the remaining ones. The last line is JSON.
"""

from __future__ import annotations

import argparse
import gzip
import json
import re
import statistics
import sys
import zlib
from collections import Counter, defaultdict
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Final

from experiments.khandagale2010.matchers import (
    MATCHERS,
    ON_SMALL,
    ON_SMALL_PAGES,
    OURS,
    MutatedPage,
    make_mutated_page,
)
from pagedrift import PageVersion

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from experiments.khandagale2010.matchers import Matcher

RATES: Final = (5, 10, 20, 30, 40, 50)  # per cent of the elements
PAGES: Final = 2  # of each site, at most
MOST: Final = 2_000  # elements of a page
MOST_SMALL: Final = 250  # xmldiff compares each element with each: longer pages take it minutes
KINDS: Final = ("nothing", "move", "wrap", "rename", "attributes", "text")


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    """What a matcher made of one mutated page: shares of the elements that are still there, and processor time."""

    wrong: float
    unmatched: float
    seconds: float
    missed: Counter[str]  # elements without their own partner, by what was done to them
    present: Counter[str]  # all elements that are still there, likewise

    @property
    def errors(self) -> float:
        """Add both kinds of error."""
        return self.wrong + self.unmatched


Outcomes = dict[tuple[str, int], list[Outcome]]  # by matcher and rate


def judge(page: MutatedPage, matcher: Matcher) -> Outcome:
    """Let a matcher loose on a page, and count its errors."""
    pairs, seconds = matcher(page)
    survivors, done = page.mutant.survivors(), page.mutant.done
    right = {i for i, j in pairs if page.origins[j] == i}
    unmatched = survivors - {i for i, _ in pairs}
    return Outcome(
        wrong=(len(pairs) - len(right)) / len(survivors),
        unmatched=len(unmatched) / len(survivors),
        seconds=seconds,
        missed=Counter(done.get(i, "nothing") for i in survivors - right),
        present=Counter(done.get(i, "nothing") for i in survivors),
    )


def pages_by_site(data: Path, most: int = PAGES) -> dict[str, list[Path]]:
    """List some pages of each site; a folder is called by its site and eight digits."""
    sites: dict[str, list[Path]] = defaultdict(list)
    for path in sorted(data.glob("pairs/*/a.html.gz")):
        sites[re.sub(r"-[0-9a-f]{8}$", "", path.parent.name)].append(path)
    return {site: paths[:: max(1, len(paths) // most)][:most] for site, paths in sites.items()}


def run(
    paths: Iterable[Path], rates: Sequence[int] = RATES, matchers: Mapping[str, Matcher] | None = None
) -> Outcomes:
    """Mutate each page at each rate, and let all matchers loose on it, or those that are given."""
    outcomes: Outcomes = defaultdict(list)
    for path in paths:
        old = PageVersion("", gzip.decompress(path.read_bytes())).tree
        elements = sum(1 for _ in old.elements())
        if elements > MOST:
            continue
        able = matchers or MATCHERS | (ON_SMALL_PAGES if elements <= MOST_SMALL else {})
        for rate in rates:
            page = make_mutated_page(old, rate / 100, zlib.crc32(f"{path.parent.name} {rate}".encode()))
            for name, matcher in able.items():
                outcomes[name, rate].append(judge(page, matcher))
        print(path.parent.name, elements, file=sys.stderr)
    return outcomes


def halves(data: Path) -> tuple[list[Path], list[Path]]:
    """Part the pages by site: those that matchers were chosen with, and those that are stated."""
    sites = pages_by_site(data)
    names = sorted(sites)
    chosen, stated = ([path for name in half for path in sites[name]] for half in (names[::2], names[1::2]))
    return chosen, stated


def figures(outcomes: Outcomes) -> dict[str, dict[str, dict[str, float]]]:
    """Compute the mean errors over pages, in per cent, by matcher and rate."""
    found: dict[str, dict[str, dict[str, float]]] = defaultdict(dict)
    for (name, rate), many in outcomes.items():
        found[name][str(rate)] = {
            kind: round(100 * statistics.fmean(getattr(outcome, kind) for outcome in many), 2)
            for kind in ("wrong", "unmatched", "errors")
        }
    return dict(found)


def milliseconds(outcomes: Outcomes) -> dict[str, float]:
    """Compute the mean processor time of each matcher for a page."""
    times: dict[str, list[float]] = defaultdict(list)
    for (name, _), many in outcomes.items():
        times[name] += [1000 * outcome.seconds for outcome in many]
    return {name: round(statistics.fmean(own), 2) for name, own in times.items()}


def is_best(outcomes: Outcomes) -> bool:
    """Tell whether ours is the fastest and has fewer errors than each other at every rate, on the same pages."""
    found, times = figures(outcomes), milliseconds(outcomes)
    return all(
        found[ours][rate]["errors"] < other["errors"] and times[ours] < times[name]
        for name, by_rate in found.items()
        if (ours := ON_SMALL if name in ON_SMALL_PAGES else OURS) != name
        for rate, other in by_rate.items()
    )


def _print_errors(outcomes: Outcomes) -> None:
    found, times = figures(outcomes), milliseconds(outcomes)
    pages = {name: len(many) for (name, _), many in outcomes.items()}
    print(
        "Elements with a wrong partner + without one, in per cent of those still there, by share of mutated ones.\n"
    )
    print(f"{'':20} pages " + "".join(f"{f'{rate} %':>13}" for rate in RATES) + "   ms a page")
    for name, by_rate in found.items():
        cells = (f"{by_rate[str(rate)]['wrong']:.1f} + {by_rate[str(rate)]['unmatched']:.1f}" for rate in RATES)
        print(f"{name:20} {pages[name]:5} " + "".join(f"{cell:>13}" for cell in cells) + f" {times[name]:11.2f}")


def _print_kinds(outcomes: Outcomes) -> None:
    print("\nElements that did not get their own partner, in per cent, by what was done to them, at all rates.\n")
    print(f"{'':20}" + "".join(f"{kind:>12}" for kind in KINDS))
    for name in dict.fromkeys(name for name, _ in outcomes):
        many = [outcome for (other, _), own in outcomes.items() if other == name for outcome in own]
        missed, present = (sum((getattr(one, part) for one in many), Counter()) for part in ("missed", "present"))
        print(f"{name:20}" + "".join(f"{100 * missed[kind] / max(1, present[kind]):12.1f}" for kind in KINDS))


def main() -> None:
    """Print the tables."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, required=True, help="a folder with pairs/*/a.html.gz")
    parser.add_argument("--chosen-with", action="store_true", help="the other half of the sites")
    given = parser.parse_args()
    chosen, stated = halves(given.data)
    if not chosen or not stated:
        parser.error("there is no pairs/*/a.html.gz of two sites in it; name the folder that holds `pairs`")
    outcomes = run(chosen if given.chosen_with else stated)
    _print_errors(outcomes)
    _print_kinds(outcomes)
    best = is_best(outcomes)
    print(f"\nOurs has fewer errors than each other at every rate, and is the fastest: {_holds(best)}.")
    print(json.dumps({"experiment": "right nodes", "best": best, "errors": figures(outcomes)}))


def _holds(does: bool) -> str:
    return "holds" if does else "DOES NOT HOLD"


if __name__ == "__main__":
    main()
