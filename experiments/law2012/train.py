"""Learn the judge that ships from labelled pairs: python -m experiments.law2012.train --data DIR --to FOLDER."""

from __future__ import annotations

import argparse
import json
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from experiments.law2012.pairs import read_pairs
from pagedrift.does_it_matter.evidence import PICTURES, SOURCE, change, gather
from pagedrift.does_it_matter.train import fit

if TYPE_CHECKING:
    from experiments.law2012.pairs import Pair
    from pagedrift import PageVersion

CERTAIN = {3: 1.0, 2: 0.8, 1: 0.4}  # how much a label counts, by the confidence of who gave it
KINDS = {"pictures": PICTURES, "source": SOURCE}


def figures(old: PageVersion, new: PageVersion, kind: str) -> dict[str, float]:
    """Give what the judge looks at."""
    if kind == "source":
        old, new = replace(old, view=None), replace(new, view=None)
    return gather(change(old, new), pictures=kind == "pictures")


def learn(pairs: list[Pair], kind: str) -> dict[str, object]:
    """Learn one model of all pairs."""
    rows = [figures(pair.old, pair.new, kind) for pair in pairs]
    labels, certain = [pair.dissimilar for pair in pairs], [CERTAIN[pair.confidence] for pair in pairs]
    return fit(kind, KINDS[kind], rows, labels, certain).to_json()


def main() -> None:
    """Learn both models and write them."""
    asked = argparse.ArgumentParser(description=__doc__)
    asked.add_argument("--data", type=Path, required=True, help="a folder with labels.csv")
    asked.add_argument("--to", type=Path, required=True, help="where the models go")
    options = asked.parse_args()
    pairs = list(read_pairs(options.data))
    for kind in KINDS:
        model = learn(pairs, kind)
        (options.to / f"{kind}.json").write_text(json.dumps(model, indent=1) + "\n", "utf-8")
        print(f"{kind}: learned from {len(pairs)} pairs")


if __name__ == "__main__":
    main()
