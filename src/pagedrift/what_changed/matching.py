"""Which node of the old page is which node of the new one?

The steps are explained in `_kernels/match_py.py`.
"""

from __future__ import annotations

from array import array
from typing import TYPE_CHECKING

from pagedrift._kernels import match_columns
from pagedrift._kernels.match_py import WEIGHT, Partners
from pagedrift.facets.tree import NONE

if TYPE_CHECKING:
    from pagedrift.facets.tree import Tree

__all__ = ["WEIGHT", "Matching", "match"]


class Matching:
    """For each node its partner on the other page, or -1; and whether it and all below it are unchanged."""

    def __init__(self, old: Tree, new: Tree, partners: Partners | None = None) -> None:
        self.old, self.new = old, new
        self.partners = partners or _nothing(old, new)
        self.new_of, self.old_of, self.same_old, self.same_new = self.partners

    def discard(self, i: int, j: int) -> None:
        """Take two subtrees for unchanged, whatever is in them."""
        for partner, same, start, end, other in (
            (self.new_of, self.same_old, i, self.old.end[i], j),
            (self.old_of, self.same_new, j, self.new.end[j], i),
        ):
            partner[start:end] = array("i", [other]) * (end - start)
            same[start:end] = b"\1" * (end - start)


def match(old: Tree, new: Tree) -> Matching:
    """Match the nodes of two trees."""
    return Matching(old, new, match_columns(old.columns, new.columns))


def _nothing(old: Tree, new: Tree) -> Partners:
    nothing = array("i", [NONE])
    return Partners(nothing * len(old), nothing * len(new), bytearray(len(old)), bytearray(len(new)))
