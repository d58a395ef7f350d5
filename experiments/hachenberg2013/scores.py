"""How good is a clustering, and how good a classification, when the right answers are known?"""

from __future__ import annotations

from collections import Counter, defaultdict
from math import comb
from typing import TYPE_CHECKING

from scipy.stats import ttest_rel

if TYPE_CHECKING:
    from collections.abc import Hashable, Sequence


def clustering(labels: Sequence[Hashable], clusters: Sequence[Hashable]) -> dict[str, float]:
    """Count the clusters and give Rand index, adjusted Rand index (Hubert & Arabie 1985) and purity.

    Purity is the share of documents that are of their cluster's main template; the paper's average cluster purity
    is the mean over clusters, in which one of a single document counts as much as any other.

    >>> clustering("aabb", [1, 1, 2, 2])["ari"]
    1.0
    >>> found = clustering("aaabc", [1, 1, 1, 1, 2])
    >>> found["purity"], found["average cluster purity"]
    (0.8, 0.875)
    """
    both = Counter(zip(clusters, labels, strict=True))
    in_both, in_labels, in_clusters = (
        sum(comb(count, 2) for count in counted.values()) for counted in (both, Counter(labels), Counter(clusters))
    )
    sizes = Counter(clusters)
    pairs = comb(len(labels), 2) or 1
    by_chance = in_labels * in_clusters / pairs
    most = (in_labels + in_clusters) / 2
    largest: defaultdict[Hashable, int] = defaultdict(int)
    for (cluster, _), count in both.items():
        largest[cluster] = max(largest[cluster], count)
    return {
        "clusters": len(largest),
        "ri": 1 - (in_labels + in_clusters - 2 * in_both) / pairs,
        "ari": (in_both - by_chance) / (most - by_chance) if most != by_chance else 1.0,
        "purity": sum(largest.values()) / max(1, len(labels)),
        "average cluster purity": sum(most / sizes[each] for each, most in largest.items()) / max(1, len(largest)),
    }


def classification(labels: Sequence[str | None], answers: Sequence[str | None]) -> dict[str, float]:
    """Give precision, recall and F1 over all pages (micro) and as means over the templates (macro); None is none.

    >>> found = classification(["a", "a", "b", None], ["a", None, "b", "b"])
    >>> [round(found[name], 2) for name in ("precision", "recall", "macro precision", "macro recall")]
    [0.67, 0.67, 0.75, 0.75]
    """
    each_template = by_template(labels, answers)
    right = Counter(label for label, answer in zip(labels, answers, strict=True) if label == answer)
    there, given = Counter(labels), Counter(answers)
    names = list(each_template)
    micro = _rates(
        sum(right[name] for name in names),
        sum(given[name] for name in given if name is not None),
        sum(there[name] for name in names),
    )
    each = list(each_template.values())
    macro = [sum(rates) / max(1, len(each)) for rates in zip(*each, strict=True)]
    kinds = ("precision", "recall", "f1")
    return dict(zip((*kinds, *(f"macro {kind}" for kind in kinds)), (*micro, *macro), strict=True))


def by_template(
    labels: Sequence[str | None], answers: Sequence[str | None]
) -> dict[str, tuple[float, float, float]]:
    """Give precision, recall and F1 of each template."""
    right = Counter(label for label, answer in zip(labels, answers, strict=True) if label == answer)
    there, given = Counter(labels), Counter(answers)
    return {name: _rates(right[name], given[name], there[name]) for name in there if name is not None}


def t_test(one: Sequence[float], other: Sequence[float]) -> dict[str, float]:
    """Compare two approaches template by template: a two-tailed, paired Student's t-test, as in section 4.

    >>> found = t_test([0.9, 1.0, 1.0, 0.9], [0.8, 0.8, 0.9, 0.8])
    >>> round(found["t"], 4), round(found["p"], 4), t_test([1.0, 1.0], [1.0, 1.0])["p"]
    (5.0, 0.0154, 1.0)
    """
    differences = [first - second for first, second in zip(one, other, strict=True)]
    if len(differences) < 2 or max(differences) == min(differences):  # noqa: PLR2004 - no variance to estimate
        return {"t": 0.0, "p": 1.0}
    found = ttest_rel(one, other)
    return {"t": float(found.statistic), "p": float(found.pvalue)}


def _rates(right: int, given: int, there: int) -> tuple[float, float, float]:
    """Give precision (1 where nothing was given), recall and F1."""
    precision = right / given if given else 1.0
    recall = right / there if there else 1.0
    return precision, recall, 2 * right / (given + there) if given + there else 1.0
