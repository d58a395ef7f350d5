"""Learn the judge that ships from labelled pairs: python -m experiments.law2012.train --data DIR --to FOLDER."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from experiments.law2012.pairs import read_pairs
from experiments.law2012.rows import asked, paper_rows
from pagedrift.does_it_matter.evidence import PICTURES, SOURCE, change, gather
from pagedrift.does_it_matter.features import PAPER
from pagedrift.does_it_matter.svm import learn_svm
from pagedrift.does_it_matter.train import fit

if TYPE_CHECKING:
    from experiments.law2012.pairs import Pair
    from pagedrift import PageVersion
    from pagedrift.does_it_matter.model import Model

CERTAIN = {3: 1.0, 2: 0.8, 1: 0.4}  # how much a label counts, by the confidence of who gave it
KINDS = {"pictures": PICTURES, "source": SOURCE}


def figures(old: PageVersion, new: PageVersion, kind: str) -> dict[str, float]:
    """Give what the judge looks at."""
    if kind == "source":
        old, new = replace(old, view=None), replace(new, view=None)
    return gather(change(old, new), pictures=kind == "pictures")


def complete(row: dict[str, float], kind: str) -> bool:
    """Say whether all that a judge looks at is known: not so where one side was rendered nearly empty."""
    return row.keys() >= set(KINDS[kind])


def learn(pairs: list[Pair], kind: str) -> Model:
    """Learn one model of all pairs."""
    rows = [figures(pair.old, pair.new, kind) for pair in pairs]
    known = [number for number, row in enumerate(rows) if complete(row, kind)]
    rows, pairs = [rows[number] for number in known], [pairs[number] for number in known]
    labels, certain = [pair.dissimilar for pair in pairs], [CERTAIN[pair.confidence] for pair in pairs]
    return fit(kind, KINDS[kind], rows, labels, certain)


def write(folder: Path, model: Model) -> None:
    """Write a model as plain numbers."""
    (folder / f"{model.name}.json").write_text(json.dumps(model.to_json(), indent=1) + "\n", "utf-8")
    print(f"{model.name}: learned from {model.labels} pairs")


def main() -> None:
    """Learn all models, or those asked for, and write them."""
    parser = asked(__doc__)
    parser.add_argument("--to", type=Path, required=True, help="where the models go")
    parser.add_argument("--only", choices=(*KINDS, "paper"), help="one of them")
    options = parser.parse_args()
    if options.only in (None, "paper"):
        rows = paper_rows(options.data, options.keep)
        values, labels, sites = zip(*((row.values, row.dissimilar, row.site) for row in rows), strict=True)
        write(options.to, learn_svm("paper", PAPER, values, labels, sites))
    if options.only == "paper":
        return
    pairs = list(read_pairs(options.data))
    for kind in KINDS:
        if options.only in (None, kind):
            write(options.to, learn(pairs, kind))


if __name__ == "__main__":
    main()
