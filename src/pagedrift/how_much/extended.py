"""How much changed, in words added, dropped, copied, shrunk, replaced and moved? Kwon et al.'s metric.

S. Y. Kwon, S. H. Lee, S. J. Kim: A Precise Metric for Measuring How Much Web Pages Change (2006), § 4.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from pagedrift._kernels import operations
from pagedrift._kernels.plan_py import OperationPlaces
from pagedrift.errors import InputError
from pagedrift.how_much.alignment import Aligned, align

if TYPE_CHECKING:
    from collections.abc import Sequence

OPERATIONS = ("add", "drop", "copy", "shrink", "replace", "move")


@dataclass(frozen=True, slots=True, kw_only=True)
class Extended:
    """What was done to the words of a page, and what it costs."""

    cost: float  # the paper's δ_E
    distance: float  # δ_E over the number of words of the longer page, at most 1
    added: tuple[str, ...]  # words that the old page did not have
    dropped: tuple[str, ...]  # words that the new page does not have
    copied: tuple[str, ...]  # one more of a word that is there
    shrunk: tuple[str, ...]  # one less of a word that stays
    replaced: tuple[tuple[str, str], ...]  # old word, new word
    moved: tuple[str, ...]

    @property
    def counts(self) -> dict[str, int]:
        """How many times each operation was done, under its name in the paper."""
        done = (self.added, self.dropped, self.copied, self.shrunk, self.replaced, self.moved)
        return {name: len(words) for name, words in zip(OPERATIONS, done, strict=True)}


def compare(old: Sequence[str], new: Sequence[str], *, a: float = 0.75, b: float = 0.75) -> Extended:
    """Count the six operations from old to new as the paper does, in its five phases.

    Adding, dropping and replacing a word cost 1, copying and shrinking cost a, moving costs b. Not symmetric.
    Where the paper leaves a choice: the longest common subsequence is that of `lcs_places` in `_kernels/lcs_py`; of
    several equal words the first ones are moved; "some words" that are not moved when b > 2a are as many of a word
    as can be copied and shrunk; of a word that one page does not have, the first is dropped or added, and only the
    others are shrunk or copied; when a is 0.5, words are copied and shrunk rather than replaced.

    >>> change = compare("one two two two three three four five two".split(),
    ...                  "three one four two three five five six six seven".split(), a=0.4, b=0.9)
    >>> change.counts
    {'add': 2, 'drop': 0, 'copy': 3, 'shrink': 4, 'replace': 0, 'move': 1}
    >>> round(change.cost, 6), round(change.distance, 6)
    (5.7, 0.57)
    """
    return compare_aligned(align(old, new), a=a, b=b)


def compare_aligned(words: Aligned, *, a: float = 0.75, b: float = 0.75) -> Extended:
    """Do what `compare` does where the longest common subsequence (phase 1) is at hand."""
    check_weights(a, b)
    ids = words.old_ids, words.new_ids
    kept = words.kept_old, words.kept_new
    added, dropped, copied, shrunk, replaced, moved = operations(
        *ids,
        *kept,
        words.words,
        spare=b > 2 * a,
        together=a > 0.5,  # noqa: PLR2004
    )
    pairs = [(place, place) for place in replaced]
    return account(words, OperationPlaces(added, dropped, copied, shrunk, pairs, moved), a=a, b=b)


def cost(done: OperationPlaces, *, a: float, b: float) -> float:
    """Add up what the operations cost: the paper's δ_E."""
    whole = len(done.added) + len(done.dropped) + len(done.replaced)
    return whole + a * (len(done.copied) + len(done.shrunk)) + b * len(done.moved)


def account(words: Aligned, done: OperationPlaces, *, a: float, b: float) -> Extended:
    """Add up what was done.

    Where the paper is silent: two pages without words are at 0, a page with and one without words at 1 (its costs
    alone say less where words are repeated), and a cost above the number of words is 1 as well.
    """
    total = cost(done, a=a, b=b)
    longer = max(len(words.old), len(words.new))
    was, comes = words.old.__getitem__, words.new.__getitem__
    return Extended(
        cost=total,
        distance=min(total / longer, 1.0) if words.old and words.new else float(longer > 0),
        added=tuple(map(comes, done.added)),
        dropped=tuple(map(was, done.dropped)),
        copied=tuple(map(comes, done.copied)),
        shrunk=tuple(map(was, done.shrunk)),
        replaced=tuple((was(i), comes(j)) for i, j in done.replaced),
        moved=tuple(map(comes, done.moved)),
    )


def check_weights(a: float, b: float) -> None:
    """Refuse weights that the paper does not know."""
    for name, value in (("a", a), ("b", b)):
        if not 0 <= value <= 1:
            raise InputError(f"{name} is {value}, but it is a cost between 0 and 1; the paper's value is 0.75")
