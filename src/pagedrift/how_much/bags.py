"""How many words changed, regardless of where they stand on the page?"""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence


def distance(old: Sequence[str], new: Sequence[str]) -> float:
    """Measure the word distance: the share of words without an equal one on the other page (Ntoulas et al. 2004).

    A word that occurs twice on both pages is common twice. Symmetric. Two pages without words are the same: 0.

    >>> distance("w1 w2 w3 w4".split(), "w1 w2 w3 w4 w2 w3".split())
    0.2
    """
    both = len(old) + len(new)
    common = (Counter(old) & Counter(new)).total()
    return (both - 2 * common) / both if both else 0.0
