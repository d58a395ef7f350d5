"""Which detectors are there, and which one does a user get?"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, Self

from pagedrift.arguments import as_page
from pagedrift.redesigned.base import Detector, DetectorError, read_state
from pagedrift.redesigned.evidence import Evidence
from pagedrift.redesigned.gottron2009 import ClusterDetector, MaxAvgDiff, NewAvgDrop, Statistics

if TYPE_CHECKING:
    from datetime import datetime

    from pagedrift.arguments import PageLike
    from pagedrift.redesigned.events import PassingDesign, Redesign, TemplateEdit

DETECTORS: Final[dict[str, type[Detector]]] = {
    detector.name: detector for detector in (Evidence, NewAvgDrop, MaxAvgDiff, Statistics, ClusterDetector)
}
DEFAULT: Final = "evidence"


class RedesignDetector:
    """Follow the newest documents of a site, and report when it was redesigned.

    `redesigned` is true for the last update only; `event` is the latest redesign. `settings` are those of the
    detector chosen.

    >>> from pagedrift.page import PageVersion
    >>> detector = RedesignDetector(detector="max-avg-diff", history=3)
    >>> for number in range(12):
    ...     body = b"<ul><li><a><b><i>" if number < 6 else b"<div><p><h1><p><h2>"
    ...     detector.update(PageVersion(f"https://city.example/{number}", body))
    ...     if detector.redesigned:
    ...         print(detector.event.document, detector.event.needed)
    6 3
    """

    def __init__(self, *, detector: str = DEFAULT, history: int = 20, **settings: Any) -> None:
        kind = _find(detector)
        if unknown := sorted(set(settings) - set(kind.SETTINGS)):
            known = ", ".join(kind.SETTINGS)
            raise DetectorError(f"the detector {detector!r} has no setting {unknown[0]!r}; it has: {known}")
        self._detector = kind(history=history, **settings)

    def update(self, page: PageLike, *, published_at: datetime | None = None) -> None:
        """Take the next document of the stream; it was published when it was captured, unless stated otherwise."""
        self._detector.update(as_page(page), published_at=published_at)

    @property
    def name(self) -> str:
        """The name of the detector chosen."""
        return self._detector.name

    @property
    def history(self) -> int:
        """How many documents are looked back at."""
        return self._detector.history

    @property
    def redesigned(self) -> bool:
        """Whether the last document made the detector report a redesign."""
        return self._detector.redesigned

    @property
    def event(self) -> Redesign | None:
        """The latest redesign reported."""
        return self._detector.event

    @property
    def suspected(self) -> Redesign | None:
        """The likeliest redesign that was not reported yet, where the detector has an opinion before it reports."""
        return self._detector.suspected

    @property
    def edited(self) -> bool:
        """Whether the last document made the detector report a change within the design."""
        return self._detector.edited

    @property
    def edit(self) -> TemplateEdit | None:
        """The latest reported change within a design."""
        return self._detector.edit

    @property
    def passing(self) -> PassingDesign | None:
        """The other design that was not a redesign, as the last document showed: the old one is back."""
        return self._detector.passing

    @property
    def ready(self) -> bool:
        """Whether enough documents were seen for an event to be possible at all."""
        return self._detector.ready

    @property
    def documents(self) -> int:
        """The number of documents seen."""
        return self._detector.documents

    def to_json(self) -> str:
        """Save everything needed to continue with the next document."""
        return self._detector.to_json()

    @classmethod
    def from_json(cls, text: str | bytes) -> Self:
        """Continue from a saved state, whichever detector it is of."""
        face = cls.__new__(cls)
        face._detector = _find(str(read_state(text).get("detector"))).from_json(text)
        return face


def _find(name: str) -> type[Detector]:
    if name not in DETECTORS:
        raise DetectorError(f"unknown detector {name!r}; choose one of: {', '.join(DETECTORS)}")
    return DETECTORS[name]
