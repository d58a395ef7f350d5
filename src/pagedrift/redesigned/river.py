"""How is one of our detectors used as a drift detector of the river library?"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Self

from pagedrift.redesigned.detectors import DEFAULT, RedesignDetector

if TYPE_CHECKING:
    from pagedrift.arguments import PageLike

try:
    from river.base import DriftAndWarningDetector as _Base
except ImportError:  # its names are enough for whatever asks `drift_detected`
    _Base = object


class DriftDetector(_Base):  # type: ignore[misc] # river comes without types
    """A detector of redesigns with river's names; where river is installed, it is one of river's detectors.

    As river's own, it is copied by `clone`, lists its parameters, and is true for the last update only.

    >>> detector = DriftDetector(detector="max-avg-diff", history=10)
    >>> detector.drift_detected, detector.clone().history
    (False, 10)
    """

    def __init__(self, detector: str = DEFAULT, history: int = 20) -> None:
        super().__init__()
        self.detector = detector
        self.history = history
        self.inner = RedesignDetector(detector=detector, history=history)

    def update(self, x: PageLike) -> None:
        """Take the next page."""
        self.inner.update(x)

    @property
    def drift_detected(self) -> bool:
        """Whether the last page made the detector report a redesign."""
        return self.inner.redesigned

    @property
    def warning_detected(self) -> bool:
        """Whether a redesign is suspected, and not reported yet."""
        return self.inner.suspected is not None

    def _reset(self) -> None:
        """Forget all pages."""
        self.inner = RedesignDetector(detector=self.detector, history=self.history)

    def _get_params(self) -> dict[str, Any]:
        """Give the parameters under the name that river asks for."""
        return {"detector": self.detector, "history": self.history}

    def clone(self, new_params: dict[str, Any] | None = None, include_attributes: bool = False) -> Self:
        """Make a detector with the same settings; with `include_attributes` one that continues from here."""
        fresh = type(self)(**self._get_params() | (new_params or {}))
        if include_attributes:
            fresh.inner = RedesignDetector.from_json(self.inner.to_json())
        return fresh
