"""Similarity-based flexible tree matching (SFTM): Brisset et al., arXiv 2004.12821.

Our own code after the steps and parameters of the authors' public programs, which differ from each other.
Elements are bags of tokens. Those that share rare tokens are alike; likeness spreads to parents and children; then
a matching is looked for in which the edges are as strong as possible, and an element may stay without a partner.
"""

from __future__ import annotations

import math
import random
import re
from collections import Counter, defaultdict
from typing import TYPE_CHECKING, Final, NamedTuple

from pagedrift.facets.tree import TEXT

if TYPE_CHECKING:
    from collections.abc import Sequence

    from pagedrift.facets.tree import Tree

# The values of the authors' own programs.
NEIGHBOURS: Final = 50  # candidates that an element keeps
NO_MATCH: Final = 1 / 1.3  # the strength of an edge to nothing
ROUNDS: Final = (0.9, 0.1, 0.01)  # how much likeness spreads, each time
FROM_PARENT: Final = 0.4
FROM_CHILD: Final = 0.9
GREED: Final = 0.8  # how likely the strongest edge is taken, then the next
PROPOSALS: Final = 10
PIECES: Final = range(2, 10)  # of a value, that are tokens of their own
WORDS: Final = 50  # of a text

_PIECE = re.compile(r"\w+")


class Edge(NamedTuple):
    """An old element with a new one; -1 for no partner."""

    old: int
    new: int
    strength: float


def match_flexibly(old: Tree, new: Tree, *, texts: bool = False, seed: int = 0) -> list[tuple[int, int]]:
    """Match the elements of two trees; with `texts`, which the paper leaves out, their words are tokens as well."""
    limit = math.isqrt(sum(1 for _ in old.elements()))
    before, after = (_with_parents(tree, _tokens(tree, texts=texts), limit) for tree in (old, new))
    alike = _alike(before, after, limit)
    for share in ROUNDS:
        alike = _spread(alike, old.parent, new.parent, share)
    edges = [Edge(i, j, strength) for j, hits in alike.items() for i, strength in hits.items()]
    edges += [Edge(i, -1, NO_MATCH) for i in before] + [Edge(-1, j, NO_MATCH) for j in after]
    edges.sort(key=lambda edge: -edge.strength)
    matching = _optimise(edges, random.Random(seed))
    return [(i, j) for i, j, _ in matching if i >= 0 and j >= 0]


def _tokens(tree: Tree, *, texts: bool) -> dict[int, set[str]]:
    """Describe elements by tag, place, and names and values of attributes."""
    places: dict[int, str] = {}
    times: Counter[tuple[int, str]] = Counter()
    tokens = {}
    for node in tree.elements():
        above = tree.parent[node]
        times[above, tree.tag(node)] += 1
        places[node] = f"{places.get(above, '')}/{tree.tag(node)}[{times[above, tree.tag(node)]}]"
        tokens[node] = {tree.tag(node), places[node]}
        for name, value in tree.attributes(node):
            pieces = _PIECE.findall(value)
            tokens[node] |= {name, value} if value else {name}
            tokens[node] |= set(pieces) if len(pieces) in PIECES else set()
        if texts:
            tokens[node] |= _text_tokens(tree, node)
    return tokens


def _text_tokens(tree: Tree, node: int) -> set[str]:
    """Take the words of an element's own texts, and each text as a whole."""
    own = [tree.text(child).split() for child in tree.children(node) if tree.kind[child] == TEXT]
    return {f"says {word}" for words in own for word in (*words[:WORDS], " ".join(words)) if word}


def _with_parents(tree: Tree, tokens: dict[int, set[str]], limit: int) -> dict[int, set[str]]:
    """Add the rarest token of an element's parent, but for its place."""
    times = Counter(token for own in tokens.values() for token in own)

    def rank(token: str) -> tuple[int, str]:
        return (times[token] if times[token] <= limit else len(tokens), token)

    rarest = {node: min((token for token in own if token[:1] != "/"), key=rank) for node, own in tokens.items()}
    return {
        node: own | {f"in {rarest[tree.parent[node]]}"} if tree.parent[node] in rarest else own
        for node, own in tokens.items()
    }


def _alike(before: dict[int, set[str]], after: dict[int, set[str]], limit: int) -> dict[int, dict[int, float]]:
    """Find for each new element the old ones that share tokens, each worth its inverse document frequency."""
    index: dict[str, list[int]] = defaultdict(list)
    for i, tokens in before.items():
        for token in tokens:
            index[token].append(i)
    worth = {token: math.log(len(before) / len(nodes)) for token, nodes in index.items() if len(nodes) <= limit}
    alike = {}
    for j, tokens in after.items():
        hits: dict[int, float] = defaultdict(float)
        for token in sorted(tokens & worth.keys()):  # in one order, or sums would differ in the last digit
            for i in index[token]:
                hits[i] += worth[token]
        alike[j] = dict(sorted(hits.items(), key=lambda hit: (-hit[1], hit[0]))[:NEIGHBOURS])
    return alike


def _spread(
    alike: dict[int, dict[int, float]], old_parent: Sequence[int], new_parent: Sequence[int], share: float
) -> dict[int, dict[int, float]]:
    """Let pairs gain from the likeness of their parents, and parents from that of their children."""
    grown: dict[int, dict[int, float]] = {j: defaultdict(float, hits) for j, hits in alike.items()}
    for j, hits in alike.items():
        above = new_parent[j]
        if above not in alike:
            continue
        for i, strength in hits.items():
            if old_parent[i] > 0:
                grown[j][i] += share * FROM_PARENT * alike[above].get(old_parent[i], 0)
                grown[above][old_parent[i]] += share * FROM_CHILD * strength
    return grown


def _optimise(edges: list[Edge], chance: random.Random) -> list[Edge]:
    """Keep the best of some matchings, each proposed from the one before (Metropolis).

    The first takes the strongest edge always, as the authors' last program does: with chance it is a little worse.
    """
    current = best = _propose(edges, [], chance, greed=1)
    for _ in range(PROPOSALS):
        proposed = _propose(edges, current[: chance.randrange(len(current))], chance)
        if chance.random() * _strength(current) <= _strength(proposed):
            current = proposed
            best = max(best, current, key=_strength)
    return best


def _strength(matching: list[Edge]) -> float:
    return sum(edge.strength for edge in matching) / len(matching)


def _propose(edges: list[Edge], kept: list[Edge], chance: random.Random, greed: float = GREED) -> list[Edge]:
    """Complete a matching: take edges from the strongest on, and now and then let one wait for the next turn."""
    matching = list(kept)
    olds, news = {edge.old for edge in kept} - {-1}, {edge.new for edge in kept} - {-1}
    waiting: list[Edge] = []
    coming = iter(edges)
    while True:
        waiting = [edge for edge in waiting if edge.old not in olds and edge.new not in news]
        chosen = next((edge for edge in waiting if chance.random() < greed), None)
        while chosen is None and (edge := next(coming, None)):
            if edge.old not in olds and edge.new not in news:
                if chance.random() < greed:
                    chosen = edge
                else:
                    waiting.append(edge)
        if chosen is None and not waiting:
            return matching
        if chosen:
            matching.append(chosen)
            olds |= {chosen.old} - {-1}
            news |= {chosen.new} - {-1}
            waiting = [edge for edge in waiting if edge is not chosen]
