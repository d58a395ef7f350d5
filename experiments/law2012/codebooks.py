"""Learn the visual vocabularies that ship: python -m experiments.law2012.codebooks --data DIR --to FILE.npz."""

from __future__ import annotations

import argparse
from pathlib import Path

import numpy
from sklearn.cluster import KMeans

from experiments.law2012.pairs import read_pairs
from pagedrift.does_it_matter.codebook import SIZES
from pagedrift.does_it_matter.picture_descriptors import colours, decode, edges

EDGES_EACH, COLOURS_EACH = 400, 100  # descriptors of one picture


def sample(folder: Path) -> dict[str, numpy.ndarray]:
    """Draw descriptors of every picture, the same ones at every run."""
    chance = numpy.random.default_rng(2012)
    drawn: dict[str, list[numpy.ndarray]] = {"sift": [], "color": []}
    for pair in read_pairs(folder):
        for page in (pair.old, pair.new):
            image = decode(page.view.picture)
            found = numpy.concatenate([strip for _, strip in edges(image)])
            drawn["sift"].append(some(chance, found[found.any(axis=1)], EDGES_EACH))
            patches = numpy.concatenate([strip for _, strip in colours(image)])
            drawn["color"].append(some(chance, patches, COLOURS_EACH))
    # Most patches have one colour: each is counted once, or the vocabulary would be all white.
    return {
        "sift": numpy.concatenate(drawn["sift"]),
        "color": numpy.unique(numpy.concatenate(drawn["color"]), axis=0),
    }


def some(chance: numpy.random.Generator, found: numpy.ndarray, most: int) -> numpy.ndarray:
    """Draw some descriptors, as a copy: a view would keep all of them in memory."""
    return found[chance.choice(len(found), min(most, len(found)), replace=False)]


def main() -> None:
    """Learn by k-means and write the words."""
    asked = argparse.ArgumentParser(description=__doc__)
    asked.add_argument("--data", type=Path, required=True, help="a folder with labels.csv")
    asked.add_argument("--to", type=Path, required=True, help="where the vocabularies go")
    options = asked.parse_args()
    books = {}
    for kind, found in sample(options.data).items():
        for size in SIZES:
            learned = KMeans(size, n_init=1, max_iter=50, random_state=2012).fit(found)
            books[f"{kind}{size}"] = learned.cluster_centers_.astype(numpy.float16)
            print(f"{kind}: {size} words of {len(found):,} descriptors", flush=True)
    numpy.savez_compressed(options.to, **books)


if __name__ == "__main__":
    main()
