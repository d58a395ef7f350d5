"""How do answers compare with labels, and how far may chance have moved the figures?"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from scipy.stats import beta

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

NEAR = 0.07  # what is stated and what is real may differ by so much
TENTHS_HEAD = "tenth    count   stated    real   (95 %)      within 7 points"


@dataclass(frozen=True)
class Score:
    """How answers compare with labels."""

    pairs: int
    accuracy: float
    missed: float  # dissimilar called similar: a version lost
    false: float  # similar called dissimilar: a version too many
    auc: float

    def row(self, name: str, confidence: str) -> str:
        """Print as one row."""
        low, high = interval(round(self.accuracy * self.pairs), self.pairs)
        shares = f"{self.accuracy:>9.1%} ({low:.0%}–{high:.0%}) {self.missed:>8.1%} {self.false:>8.1%}"
        return f"{name:<26} {confidence:<8} {self.pairs:>5} {shares} {self.auc:>7.3f}"


HEAD = (
    f"{'judge':<26} {'labels':<8} {'pairs':>5} {'accuracy':>9} {'(95 %)':<9} {'missed':>8} {'false':>8} {'AUC':>7}"
)


def score(told: Sequence[float], matters: Sequence[bool]) -> Score:
    """Compare probabilities with labels; half and above means dissimilar.

    >>> score([0.9, 0.4, 0.2], [True, True, False])
    Score(pairs=3, accuracy=0.6666666666666666, missed=0.5, false=0.0, auc=1.0)
    """
    answers = list(zip(told, matters, strict=True))
    half = 0.5
    yes = [float(each) for each, truth in answers if truth]
    no = [float(each) for each, truth in answers if not truth]
    right = sum(each >= half for each in yes) + sum(each < half for each in no)
    pairs = [(high > low) + (high == low) / 2 for high in yes for low in no]
    return Score(
        len(answers),
        right / max(1, len(answers)),
        sum(each < half for each in yes) / max(1, len(yes)),
        sum(each >= half for each in no) / max(1, len(no)),
        sum(pairs) / max(1, len(pairs)),
    )


def tenths(told: Sequence[float], matters: Sequence[bool]) -> Iterator[str]:
    """Set stated probabilities against what was true, in tenths, and say of each what its count can show.

    >>> next(tenths([0.02] * 99 + [0.05], [False] * 99 + [True]))
    '0.0–0.1    100     0.02    0.01   (0%–5%)     shown'
    """
    for tenth in range(10):
        seen = [(each, truth) for each, truth in zip(told, matters, strict=True) if min(9, int(10 * each)) == tenth]
        if seen:
            stated = sum(each for each, _ in seen) / len(seen)
            right = sum(truth for _, truth in seen)
            low, high = interval(right, len(seen))
            shown = _shown(low - stated, right / len(seen) - stated, high - stated)
            real = f"{right / len(seen):7.2f}   {f'({low:.0%}–{high:.0%})':<11}"
            yield f"{tenth / 10:.1f}–{(tenth + 1) / 10:.1f} {len(seen):6} {stated:8.2f} {real} {shown}"


def _shown(low: float, middle: float, high: float) -> str:
    """Say whether figures around what is stated are near to it: all that are likely, or at least the likeliest."""
    if max(-low, high) <= NEAR:
        return "shown"
    if low > NEAR or high < -NEAR:
        return "off"
    return "yes, by few" if abs(middle) <= NEAR else "no, by few"


def interval(right: int, of: int) -> tuple[float, float]:
    """Give the exact binomial interval of 95 %, by Clopper and Pearson.

    >>> [round(end, 3) for end in interval(188, 202)]  # the paper's best, 93.1 %
    [0.886, 0.962]
    """
    low = beta.ppf(0.025, right, of - right + 1) if right else 0.0
    high = beta.ppf(0.975, right + 1, of - right) if right < of else 1.0
    return float(low), float(high)
