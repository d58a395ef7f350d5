"""What are the figures of the paper for each labelled pair? Computed once, and kept where asked."""

from __future__ import annotations

import argparse
import json
from concurrent.futures import ProcessPoolExecutor
from dataclasses import asdict, dataclass
from pathlib import Path

from experiments.law2012.pairs import labels, read_pair
from pagedrift.does_it_matter.features import paper_features, picture_features
from pagedrift.does_it_matter.picture_descriptors import STEP

STEPS = (6, 12, 24, 32)  # of the paper's table 6


@dataclass(frozen=True)
class Row:
    """One pair as numbers; those of the pictures once more for each step of the grid."""

    id: str
    site: str
    dissimilar: bool
    confidence: int
    values: dict[str, float]
    steps: dict[str, dict[str, float]]


def paper_rows(folder: Path, keep: Path | None = None) -> list[Row]:
    """Compute the figures of all pairs, or read those kept by an earlier run."""
    if keep is not None and keep.exists():
        return [Row(**json.loads(line)) for line in keep.read_text("utf-8").splitlines()]
    with ProcessPoolExecutor(2) as workers:
        found = labels(folder)
        rows = list(workers.map(_row, [folder] * len(found), found, chunksize=8))
    if keep is not None:
        keep.write_text("".join(json.dumps(asdict(row)) + "\n" for row in rows), "utf-8")
    return rows


def _row(folder: Path, label: dict[str, str]) -> Row:
    pair = read_pair(folder, label)
    old, new = pair.old.view, pair.new.view
    steps = {str(step): picture_features(old, new, step=step) for step in STEPS if step != STEP}
    return Row(pair.id, pair.site, pair.dissimilar, pair.confidence, paper_features(old, new), steps)


def asked(description: str) -> argparse.ArgumentParser:
    """Make the options that all experiments have."""
    parser = argparse.ArgumentParser(description=description)
    parser.add_argument("--data", type=Path, required=True, help="a folder with labels.csv")
    parser.add_argument("--keep", type=Path, help="a file for the figures of all pairs, to compute them once")
    return parser
