"""How much changed, by a cheaper sequence of the paper's six operations than the paper's procedure finds?"""

from __future__ import annotations

from pagedrift.how_much.extended import compare, compare_aligned

__all__ = ["compare", "compare_aligned"]
