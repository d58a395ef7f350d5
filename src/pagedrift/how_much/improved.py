"""How much changed, by a cheaper sequence of the paper's six operations than the paper's procedure finds?

The paper's procedure can cost more than the least expensive sequence: it replaces only words at the same index,
which one word more at the top of the page undoes; it does not replace a dropped word by a copied one; it moves
words that occur once where a copy and a shrink are cheaper; it keeps a longest common subsequence, whatever that
costs. It can also cost less than any sequence: words at the same index may have words between them that stay. Here:

1. Words are replaced wherever that saves anything, within a gap between words that stay.
2. A word that moves from a gap with too many new words to one with too many old words is replaced in both instead.
3. Words that stay between two gaps are moved if that lets the gaps replace more than the moves cost.
4. All this from two alignments, the longest common subsequence and one with the fewest insertions, deletions and
   replacements; the cheaper outcome counts.

The answer is the cost of a real sequence, so never below the least expensive one, and seldom above it: see
`experiments/kwon2006`. The plans are made in `_kernels/plan_py.py`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from pagedrift._kernels import plan_operations
from pagedrift.how_much.alignment import Aligned, align
from pagedrift.how_much.extended import Extended, account, check_weights, cost
from pagedrift.how_much.gaps import find_gaps, realign

if TYPE_CHECKING:
    from collections.abc import Sequence


def compare(old: Sequence[str], new: Sequence[str], *, a: float = 0.75, b: float = 0.75) -> Extended:
    """Count the six operations from old to new.

    >>> compare("one two three".split(), "zero one deux three".split()).replaced
    (('two', 'deux'),)
    """
    return compare_aligned(align(old, new), a=a, b=b)


def compare_aligned(words: Aligned, *, a: float = 0.75, b: float = 0.75) -> Extended:
    """Do what `compare` does where the longest common subsequence is at hand."""
    check_weights(a, b)
    gaps = find_gaps(words)
    ways = [gaps] if (realigned := realign(words, gaps)) == gaps else [gaps, realigned]
    plans = [
        plan for way in ways for plan in plan_operations(words.old_ids, words.new_ids, words.words, way, a=a, b=b)
    ]
    return account(words, min(plans, key=lambda plan: cost(plan, a=a, b=b)), a=a, b=b)
