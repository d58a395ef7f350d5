"""How good are these clusters, or these answers, against the known templates?"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from math import comb
from statistics import fmean
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Collection, Hashable, Sequence


@dataclass(frozen=True, slots=True)
class Clustering:
    """The figures of table 6."""

    clusters: int
    rand: float
    adjusted_rand: float
    purity: float


def score_clusters(found: Sequence[Hashable], known: Sequence[Hashable]) -> Clustering:
    """Compare clusters with templates, by pairs of documents (Rand 1971; Hubert & Arabie 1985) and by purity.

    Purity is the share of documents that are of the most frequent template of their cluster.

    >>> score_clusters([1, 1, 2, 2], ["a", "a", "b", "b"])
    Clustering(clusters=2, rand=1.0, adjusted_rand=1.0, purity=1.0)
    """
    cells, pairs = Counter(zip(found, known, strict=True)), comb(len(found), 2)
    together = sum(comb(count, 2) for count in cells.values())
    in_found = sum(comb(count, 2) for count in Counter(found).values())
    in_known = sum(comb(count, 2) for count in Counter(known).values())
    expected, most = in_found * in_known / pairs, (in_found + in_known) / 2
    largest: dict[Hashable, int] = {}
    for (cluster, _), count in cells.items():
        largest[cluster] = max(count, largest.get(cluster, 0))
    return Clustering(
        len(largest),
        (pairs + 2 * together - in_found - in_known) / pairs,
        (together - expected) / (most - expected) if most != expected else 1.0,
        sum(largest.values()) / len(found),
    )


@dataclass(frozen=True, slots=True)
class Classification:
    """The figures of table 5: every template is a yes-or-no question, and the figures are means over them."""

    precision: float
    recall: float
    f1: float
    accuracy: float


def score_answers(accepted: Sequence[Collection[str]], known: Sequence[str | None]) -> Classification:
    """Compare the templates that were accepted for each document with its own.

    Where no document is accepted for a template, its precision is 0.

    >>> score_answers([{"a"}, {"a", "b"}, {"b"}, set()], ["a", "a", "b", "b"])
    Classification(precision=0.75, recall=0.75, f1=0.75, accuracy=0.75)
    """
    rows = []
    for template in sorted({name for name in known if name is not None}):
        pairs = Counter((template in names, own == template) for names, own in zip(accepted, known, strict=True))
        right, wrong, missed = pairs[True, True], pairs[True, False], pairs[False, True]
        precision = right / (right + wrong) if right + wrong else 0.0
        recall, accuracy = right / (right + missed), (right + pairs[False, False]) / len(known)
        f1 = 2 * right / (2 * right + wrong + missed)
        rows.append((precision, recall, f1, accuracy))
    return Classification(*(fmean(column) for column in zip(*rows, strict=True)))
