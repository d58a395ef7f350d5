"""At which document of a stream was the site redesigned? The four detectors of Gottron 2009, § 4.3."""

from __future__ import annotations

import math
from collections import Counter, deque
from typing import TYPE_CHECKING, Any, ClassVar, Final

from pagedrift.redesigned.base import Detector, DetectorError, at_least, is_share
from pagedrift.redesigned.history import LENGTH, History

if TYPE_CHECKING:
    from pagedrift.page import PageVersion
    from pagedrift.redesigned.events import Redesign
    from pagedrift.redesigned.history import Vector

TINY: Final = 1e-9  # two sums of the same numbers in another order differ by less


class StripeDetector(Detector):
    """What the detectors of the paper share: they look at the similarity stripe and at nothing else."""

    SETTINGS: ClassVar[tuple[str, ...]] = ("history", "length")

    def __init__(self, *, history: int = 20, length: int = LENGTH) -> None:
        super().__init__(history=history)
        at_least("length", length, 1)
        self.length = length
        self.stripe = History(size=history, length=length)

    @property
    def ready(self) -> bool:
        """Return whether the matrix S is complete."""
        return self.stripe.is_square

    def _state(self) -> dict[str, Any]:
        return self.stripe.state()

    def _restore(self, state: dict[str, Any]) -> None:
        self.stripe.restore(state)


class NewAvgDrop(StripeDetector):
    """NEW-AVG-DROP: the average similarity of the new document to its history drops.

    The paper calls the drop "significant" and gives no number. Here it is half of the average that the documents
    of the history had.
    """

    name = "new-avg-drop"
    SETTINGS = ("history", "length", "drop")

    def __init__(self, *, history: int = 20, length: int = LENGTH, drop: float = 0.5) -> None:
        super().__init__(history=history, length=length)
        is_share("drop", drop)
        self.drop = drop

    @property
    def ready(self) -> bool:
        """Return whether the last document had a full history before it."""
        return self.documents > self.history

    def _look_at(self, page: PageVersion) -> Redesign | None:
        before = [vector.average for vector in self.stripe.vectors if vector.similarities]
        new = self.stripe.add(page).average
        if not self.ready or new >= (1 - self.drop) * sum(before) / len(before) - TINY:
            return None
        return self._tell(back=0)


class MaxAvgDiff(StripeDetector):
    """MAX-AVG-DIFF: the most similar pair of the lower triangle is less similar than the upper is on average."""

    name = "max-avg-diff"

    def _look_at(self, page: PageVersion) -> Redesign | None:
        self.stripe.add(page)
        if not self.ready or self.stripe.lower_maximum() >= self.stripe.upper_average() - TINY:
            return None
        return self._tell(back=self.history - 1)


class Statistics(StripeDetector):
    """STATISTICS: a t-test says that the upper triangle has a higher mean than the lower.

    Student's test for two samples with one variance, one-sided; the paper names the test and the level, no more.
    """

    name = "statistics"
    SETTINGS = ("history", "length", "level")

    def __init__(self, *, history: int = 20, length: int = LENGTH, level: float = 0.999) -> None:
        super().__init__(history=history, length=length)
        is_share("level", level)
        self.level = level
        self._critical = student_quantile(level, history * history - 2)

    def _look_at(self, page: PageVersion) -> Redesign | None:
        self.stripe.add(page)
        if not self.ready:
            return None
        upper, lower = self.stripe.upper(), self.stripe.lower()
        rise = upper.average - lower.average
        variance = (upper.spread + lower.spread) / (upper.count + lower.count - 2)
        error = math.sqrt(variance * (1 / upper.count + 1 / lower.count))
        if rise <= TINY or rise <= self._critical * error:
            return None
        return self._tell(back=self.history - 1)


class ClusterDetector(StripeDetector):
    """CLUSTER: one cluster of documents ends before the second horizon, and another begins after it.

    A document joins the cluster of the one most similar to it, or founds one where none is as similar as the
    threshold. The paper leaves the minimum rate open; 0.15 asks for three documents of twenty, so that one outlier
    among the four after h₂ hides no redesign, and for two of ten.
    """

    name = "cluster"
    SETTINGS = ("history", "length", "horizon", "threshold", "rate")

    def __init__(
        self,
        *,
        history: int = 20,
        length: int = LENGTH,
        horizon: int = 4,
        threshold: float = 0.15,
        rate: float = 0.15,
    ) -> None:
        super().__init__(history=history, length=length)
        is_share("threshold", threshold)
        is_share("rate", rate)
        at_least("horizon", horizon, 1)
        if horizon >= history:
            raise DetectorError(
                f"the second horizon ({horizon}) must be shorter than the history ({history});"
                f" give a horizon of at most {history - 1}, or a longer history"
            )
        self.horizon = horizon
        self.threshold = threshold
        self.rate = rate
        self._clusters: deque[int] = deque(maxlen=history)

    @property
    def ready(self) -> bool:
        """Return whether the history is full."""
        return self.documents >= self.history

    def _look_at(self, page: PageVersion) -> Redesign | None:
        self._clusters.append(self._assign(self.stripe.add(page)))
        if not self.ready:
            return None
        labels = list(self._clusters)
        old, new = Counter(labels[: -self.horizon]), Counter(labels[-self.horizon :])
        least = self.rate * self.history
        ended = any(count >= least and label not in new for label, count in old.items())
        begun = [label for label, count in new.items() if count >= least and label not in old]
        if not ended or not begun:
            return None
        back = self.history - 1 - min(labels.index(label) for label in begun)
        return self._tell(back=back, alike=new[begun[0]], before=len(labels) - back - 1, alike_before=0)

    def _assign(self, vector: Vector) -> int:
        """Find the cluster of a document: that of the most similar one, or one named by the document itself."""
        nearest = max(vector.similarities, default=0.0)
        if nearest < self.threshold or not vector.similarities:
            return self.documents - 1
        return self._clusters[-1 - vector.similarities.index(nearest)]

    def _state(self) -> dict[str, Any]:
        return super()._state() | {"clusters": list(self._clusters)}

    def _restore(self, state: dict[str, Any]) -> None:
        super()._restore(state)
        self._clusters.extend(int(label) for label in state["clusters"])


def student_quantile(level: float, freedom: int) -> float:
    """Look up the quantile of Student's t distribution, by its expansion about the normal one.

    Abramowitz & Stegun 26.7.5; at 99.9 % and 23 degrees of freedom, the fewest a history of 5 gives, it is right to
    four digits.

    >>> round(student_quantile(0.999, 23), 3), round(student_quantile(0.999, 398), 3)
    (3.485, 3.111)
    """
    from statistics import NormalDist

    z = NormalDist().inv_cdf(level)
    terms = (
        z,
        (z**3 + z) / 4,
        (5 * z**5 + 16 * z**3 + 3 * z) / 96,
        (3 * z**7 + 19 * z**5 + 17 * z**3 - 15 * z) / 384,
        (79 * z**9 + 776 * z**7 + 1482 * z**5 - 1920 * z**3 - 945 * z) / 92160,
    )
    return math.fsum(term / freedom**power for power, term in enumerate(terms))
