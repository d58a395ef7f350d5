"""Which nodes of two pages differ, by the node signatures of Khandagale & Halkarnikar (2010)?

The signature of a text is its hash, that of an inner node the sum of its children's, attributes counting as
children (§ III B). From the roots down, children at the same index are compared, and subtrees of equal signature
are discarded (§ III C). What is at no index of the other page was added or deleted.

A sum knows no order, so swapped children go unseen; and an insertion shifts all that follows, so all of it differs.
"""

from __future__ import annotations

from array import array
from itertools import zip_longest
from typing import TYPE_CHECKING, Final

from pagedrift._kernels import hash_bytes
from pagedrift.facets.tree import NONE
from pagedrift.what_changed.matching import Matching

if TYPE_CHECKING:
    from pagedrift.facets.tree import Tree

_MASK: Final = (1 << 64) - 1


def node_signatures(tree: Tree) -> array[int]:
    """Compute the paper's signature of every node, from the last to the first.

    >>> from pagedrift.facets.tree import read_tree
    >>> one, other = read_tree("<p>a<p>b"), read_tree("<p>b<p>a")
    >>> node_signatures(one)[0] == node_signatures(other)[0]  # a sum knows no order
    True
    """
    signature = array("Q", bytes(8 * len(tree)))
    texts, starts = tree.columns.texts, tree.columns.text_start
    for node in range(len(tree) - 1, -1, -1):
        own = hash_bytes(texts[starts[node] : starts[node + 1]]) if starts[node + 1] > starts[node] else 0
        for name, value in tree.attributes(node):
            own += hash_bytes(f"{name}={value}".encode("utf-8", "surrogatepass"))
        signature[node] = (signature[node] + own) & _MASK
        if node:
            above = tree.parent[node]
            signature[above] = (signature[above] + signature[node]) & _MASK
    return signature


def match_by_signature(old: Tree, new: Tree) -> Matching:
    """Match the nodes of two trees as the paper does."""
    before, after = node_signatures(old), node_signatures(new)
    matching = Matching(old, new)
    pending = [(0, 0)]
    while pending:
        i, j = pending.pop()
        if before[i] == after[j]:
            matching.discard(i, j)
            continue
        matching.new_of[i], matching.old_of[j] = j, i
        for one, other in zip_longest(old.children(i), new.children(j), fillvalue=NONE):
            if NONE not in (one, other) and old.kind[one] == new.kind[other] and old.tag(one) == new.tag(other):
                pending.append((one, other))
    return matching
