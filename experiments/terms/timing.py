"""How long does it take to judge every change between two pages of an ordinary size, the past included?

python -m experiments.terms.timing --data DIR, where DIR holds series as for evaluate.

One process, processor time: both pages are parsed, read, compared and judged. Of each pair the fastest of some runs
counts, since others use the machine too; the program itself remembers words and short texts from run to run.
"""

from __future__ import annotations

import argparse
import json
from dataclasses import replace
from pathlib import Path
from statistics import mean, median
from time import process_time
from typing import TYPE_CHECKING

from experiments.terms.evaluate import COMMON_SIZE
from experiments.terms.steps import series_in
from pagedrift import PageVersion, read
from pagedrift.does_it_matter.changes import Past, changes
from pagedrift.does_it_matter.changes.pairing import compare
from pagedrift.does_it_matter.changes.passages import passages

if TYPE_CHECKING:
    from collections.abc import Iterator

RUNS = 5


def pairs_of(path: Path) -> Iterator[tuple[PageVersion, PageVersion, Past]]:
    """Give the labelled steps of a series between pages of an ordinary size, each with the past before it."""
    about = json.loads(path.read_text("utf-8"))
    labelled = {step["to"] for step in about["transitions"] if step["label"] in ("content", "none")}
    past, before = Past(), None
    for number, version in enumerate(read(path.with_suffix(".warc.gz"))):
        found = compare(passages(before), passages(version)) if before is not None else []
        if before is not None and number in labelled and _are_common(before, version):
            yield before, version, past
        past, before = past.after(found), version


def _are_common(*versions: PageVersion) -> bool:
    return all(len(version.body) in COMMON_SIZE for version in versions)


def milliseconds(old: PageVersion, new: PageVersion, past: Past) -> float:
    """Measure one pair, from its bytes to the verdicts."""
    old, new = replace(old), replace(new)  # without what was read of them before
    start = process_time()
    changes(old, new, past=past)
    return 1000 * (process_time() - start)


def main() -> None:
    """Print the mean, the median, the slowest and the mean of the first run, and one line of JSON."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, required=True, help="a folder of series: NAME.json and NAME.warc.gz")
    options = parser.parse_args()
    pairs = [pair for path in series_in(options.data) for pair in pairs_of(path)]
    if not pairs:
        parser.error(f"{options.data} holds no labelled pair of 40 to 60 KB; name the folder that holds the series")
    runs = [[milliseconds(*pair) for pair in pairs] for _ in range(RUNS)]
    fastest = [min(times) for times in zip(*runs, strict=True)]
    found = {"mean": mean(fastest), "median": median(fastest), "slowest": max(fastest), "first run": mean(runs[0])}
    print(f"{len(pairs)} pairs of 40 to 60 KB, fastest of {RUNS} runs each, ms of processor time:")
    print(", ".join(f"{name} {value:.1f}" for name, value in found.items()))
    print(
        json.dumps(
            {"experiment": "timing", "pairs": len(pairs)} | {key: round(each, 2) for key, each in found.items()}
        )
    )


if __name__ == "__main__":
    main()
