"""Does pruning by node signature answer faster than a full comparison? Beside table 6.1 of the paper.

python -m experiments.khandagale2010.response_time --data DIR
"""

from __future__ import annotations

import argparse
import gzip
import math
import random
import statistics
import time
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from pagedrift import PageVersion
from pagedrift.facets.tree import TEXT
from pagedrift.what_changed.actions import EditScript, UpdateText
from pagedrift.what_changed.actions import Path as Place
from pagedrift.what_changed.matching import match
from pagedrift.what_changed.patch import patch_tree
from pagedrift.what_changed.signatures import match_by_signature, node_signatures

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from pagedrift.facets.tree import Tree

# Nodes of a page: time of "Generalize", time of "Node Signature". The paper gives no unit.
TABLE_6_1 = {54: (3.7, 3.0), 90: (4.6, 2.3), 144: (3.0, 2.4), 211: (3.6, 1.3), 547: (2.3, 1.9), 574: (1.9, 1.5)}
SHARE = 0.10  # less than this of the text is changed: § VI
EDITS = 20  # of each page, each with a seed of its own; the paper has one
ROUNDS = 7

_NOWHERE = Place("", "")


@dataclass(frozen=True, slots=True)
class Reading:
    """What one page took: pairs of nodes looked at, and microseconds."""

    seen_in_full: float
    seen_pruned: float
    full: float
    pruned: float  # signatures at hand
    signatures: float  # of one page
    paper: float  # as shipped: signatures of both pages, then pruned
    ours: float


def choose(trees: Sequence[Tree], nodes: int) -> Tree:
    """Take the real page whose number of nodes is nearest."""
    return min(trees, key=lambda tree: abs(len(tree) - nodes))


def edit(tree: Tree, seed: int) -> Tree:
    """Change less than a tenth of the texts at random, at least one."""
    chance = random.Random(seed)
    texts = [node for node in range(len(tree)) if tree.kind[node] == TEXT and tree.text(node).strip()]
    chosen = chance.sample(texts, max(1, math.ceil(SHARE * len(texts)) - 1))
    steps = (
        UpdateText(
            id=str(node),
            kind="text",
            old=_NOWHERE,
            new=_NOWHERE,
            node=node,
            before=tree.text(node),
            after=f"{tree.text(node)} {chance.randrange(10**6)}",
        )
        for node in chosen
    )
    return patch_tree(tree, EditScript(tuple(steps)))


def compare(
    old: Tree, new: Tree, signatures: tuple[Sequence[int], Sequence[int]] | None = None
) -> tuple[int, list[tuple[int, int]]]:
    """Find the nodes that differ, children at the same index together; with signatures, discard equal subtrees."""
    seen, changed, pending = 0, [], [(0, 0)]
    while pending:
        i, j = pending.pop()
        seen += 1
        if signatures and signatures[0][i] == signatures[1][j]:
            continue
        if old.text(i) != new.text(j) or old.attributes(i) != new.attributes(j):
            changed.append((i, j))
        for one, other in zip(old.children(i), new.children(j), strict=False):
            if old.kind[one] == new.kind[other] and old.tag(one) == new.tag(other):
                pending.append((one, other))
    return seen, changed


def read_off(old: Tree, new: Tree) -> Reading:
    """Measure one pair."""
    signatures = node_signatures(old), node_signatures(new)
    seen_in_full, in_full = compare(old, new)
    seen_pruned, pruned = compare(old, new, signatures)
    if in_full != pruned:
        raise RuntimeError("pruning lost a change; look at the signatures")
    return Reading(
        seen_in_full,
        seen_pruned,
        _microseconds(lambda: compare(old, new)),
        _microseconds(lambda: compare(old, new, signatures)),
        _microseconds(lambda: node_signatures(new)),
        _microseconds(lambda: match_by_signature(old, new)),
        _microseconds(lambda: match(old, new)),
    )


def _microseconds(run: Callable[[], object]) -> float:
    best = math.inf
    for _ in range(ROUNDS):
        start = time.perf_counter()
        run()
        best = min(best, time.perf_counter() - start)
    return best * 1e6


def _mean(readings: Sequence[Reading]) -> Reading:
    fields = Reading.__slots__
    return Reading(**{name: statistics.fmean(getattr(reading, name) for reading in readings) for name in fields})


def _print_head() -> None:
    print(f"Means over {EDITS} random edits of each page; microseconds, best of {ROUNDS}, trees at hand.\n")
    print("              paper, table 6.1 (no unit)  | nodes compared  | comparing alone             |", end="")
    print(" signatures too")
    print(" paper   page  Generalize Signature ratio |  full  pruned   |   full   pruned  full/pruned |", end="")
    print(" of new page  full/both   as shipped     ours")


def _print_row(nodes: int, page: int, mean: Reading) -> None:
    generalize, signature = TABLE_6_1[nodes]
    print(
        f"{nodes:6} {page:6}  {generalize:10} {signature:9} {generalize / signature:5.2f} |"
        f" {mean.seen_in_full:5.0f} {mean.seen_pruned:7.0f}   |"
        f" {mean.full:6.0f} {mean.pruned:8.0f} {mean.full / mean.pruned:12.2f} |"
        f" {mean.signatures:11.0f} {mean.full / (mean.pruned + mean.signatures):10.2f}"
        f" {mean.paper:12.0f} {mean.ours:8.0f}"
    )


def _print_findings(means: dict[int, Reading]) -> None:
    alone = [mean.full / mean.pruned for mean in means.values()]
    both = [mean.full / (mean.pruned + mean.signatures) for mean in means.values()]
    shipped = [mean.full / mean.paper for mean in means.values()]
    paper = [one / other for one, other in TABLE_6_1.values()]
    first, last = means[min(means)], means[max(means)]
    print(f"""
Pruning compares fewer nodes: {_holds(all(m.seen_pruned < m.seen_in_full for m in means.values()))}.
Pruning is faster with signatures at hand (full/pruned above 1): {_holds(min(alone) > 1)}, \
{min(alone):.2f} to {max(alone):.2f}; the paper has {min(paper):.2f} to {max(paper):.2f}.
Pruning is faster with the signatures of the new page counted in (full/both above 1): {_holds(min(both) > 1)}, \
{min(both):.2f} to {max(both):.2f}.
Pruning is faster with the signatures of both pages counted in (full/as shipped above 1): \
{_holds(min(shipped) > 1)}, {min(shipped):.2f} to {max(shipped):.2f}.
The time falls as pages grow, as it does in the table: {_holds(last.full < first.full)}, from {min(means)} to \
{max(means)} nodes the full comparison takes {last.full / first.full:.1f} times, the pruned one \
{last.pruned / first.pruned:.1f} times as long.""")


def _holds(does: bool) -> str:
    return "holds" if does else "DOES NOT HOLD"


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, required=True, help="a folder with pairs/*/a.html.gz")
    paths = sorted(parser.parse_args().data.glob("pairs/*/a.html.gz"))
    if not paths:
        parser.error("there is no pairs/*/a.html.gz in it; name the folder that holds `pairs`")
    trees = [PageVersion("", gzip.decompress(path.read_bytes())).tree for path in paths]
    _print_head()
    means = {}
    for nodes in TABLE_6_1:
        page = choose(trees, nodes)
        means[nodes] = _mean([read_off(page, edit(page, seed)) for seed in range(EDITS)])
        _print_row(nodes, len(page), means[nodes])
    _print_findings(means)


if __name__ == "__main__":
    main()
