"""How well does each approach cluster pages of unknown templates? Beside table 6.

python -m experiments.hachenberg2013.table6 --data DIR
"""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

from experiments.hachenberg2013.approaches import OURS, PAPER, approach
from experiments.hachenberg2013.corpus import Document, arguments, load, of_templates
from experiments.hachenberg2013.scores import clustering
from pagedrift.which_template import TemplateClusterer

if TYPE_CHECKING:
    from collections.abc import Hashable, Sequence

# Clusters, RI, ARI, purity, documents a second; 50 templates.
TABLE_6 = {"FP": (274, 0.9866, 0.8218, 1.0, 487.30), "MDH5": (410, 0.9844, 0.7862, 1.0, 4_263.12)}


def cluster(name: str, documents: Sequence[Document]) -> tuple[Sequence[Hashable], float]:
    """Cluster in one pass; give the cluster of each document and the seconds of the processor."""
    models, reading = approach(name).read([document.page for document in documents])
    if name == "MDH5":  # equal hashes are a cluster
        return models, reading
    start = time.process_time()
    found = TemplateClusterer(PAPER.get(name, name)).fit(models).labels_
    return found, reading + time.process_time() - start


def score(name: str, documents: list[Document]) -> tuple[dict[str, float], float]:
    """Score the clusters; every page of no template is a template of its own."""
    found, seconds = cluster(name, documents)
    known = [document.template or at for at, document in enumerate(documents)]
    return clustering(known, found), len(documents) / seconds


def main() -> None:
    """Print the table."""
    given = arguments(__doc__ or "")
    merged = load(given.data)
    collections = {
        "without noise": of_templates(merged),
        "with noise": merged,
        "without noise, templates that look the same kept apart": of_templates(load(given.data, merged=False)),
    }
    print("          paper, table 6 (50 templates)              | here")
    print("approach  clusters     RI     ARI  purity    docs/s  | clusters     RI     ARI  purity      docs/s")
    for title, documents in collections.items():
        templates = len({one.template for one in documents} - {None})
        print(f"{len(documents):,} documents of {templates} templates, {title}:")
        for name in ("FP", "MDH5", *OURS):
            paper, (one, rate) = TABLE_6.get(name), score(name, documents)
            left = "{:8,}  {:6.4f}  {:6.4f}  {:6.4f} {:8,.2f}".format(*paper) if paper else " " * 41
            print(
                f"{name:9} {left}  | {one['clusters']:8,}  {one['ri']:6.4f}  {one['ari']:6.4f}"
                f"  {one['purity']:6.4f} {rate:11,.1f}"
            )


if __name__ == "__main__":
    main()
