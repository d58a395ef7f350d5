"""How many words changed, regardless of where they stand on the page?"""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence


def distance(old: Sequence[str] | Counter[str], new: Sequence[str] | Counter[str]) -> float:
    """Measure the word distance: the share of words without an equal one on the other page (Ntoulas et al. 2004).

    A word that occurs twice on both pages is common twice. Symmetric. Two pages without words are the same: 0.

    >>> distance("w1 w2 w3 w4".split(), "w1 w2 w3 w4 w2 w3".split())
    0.2
    """
    one, other = Counter(old), Counter(new)
    both = sum(one.values()) + sum(other.values())
    shared = one.keys() & other.keys()
    common = sum(map(min, map(one.__getitem__, shared), map(other.__getitem__, shared)))
    return (both - 2 * common) / both if both else 0.0
