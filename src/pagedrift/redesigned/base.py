"""What do all redesign detectors have in common? They take documents one by one and can be saved."""

from __future__ import annotations

import json
from abc import ABC, abstractmethod
from collections import deque
from datetime import datetime
from typing import TYPE_CHECKING, Any, ClassVar, Final, Self

from pagedrift.errors import InputError
from pagedrift.redesigned.events import Redesign

if TYPE_CHECKING:
    from pagedrift.page import PageVersion
    from pagedrift.redesigned.events import PassingDesign, TemplateEdit

FORMAT: Final = 1  # of the saved states


class DetectorError(InputError):
    """A detector that is unknown, set up in a way that cannot work, or whose saved state is broken."""


class Detector(ABC):
    """What all detectors do: take documents one by one, and report a redesign at the document that proves it.

    `redesigned` is true for the last update only; `event` is the latest redesign reported, for good. `edited` and
    `edit` are the same for changes within a design, where the detector looks for them.
    """

    name: ClassVar[str]
    SETTINGS: ClassVar[tuple[str, ...]] = ("history",)

    def __init__(self, *, history: int = 20) -> None:
        at_least("history", history, 2)
        self.history = history
        self.documents = 0
        self.redesigned = False
        self.event: Redesign | None = None
        self.edited = False
        self.edit: TemplateEdit | None = None
        self.passing: PassingDesign | None = None  # with the last update
        self._dates: deque[datetime | None] = deque(maxlen=history)

    @property
    @abstractmethod
    def ready(self) -> bool:
        """Return whether enough documents were seen for an event to be possible at all."""

    @property
    def suspected(self) -> Redesign | None:
        """The likeliest redesign that was not reported yet, where the detector has an opinion before it reports."""
        return None

    def update(self, page: PageVersion, *, published_at: datetime | None = None) -> None:
        """Take the next document of the stream; it was published when it was captured, unless stated otherwise."""
        self._dates.append(published_at or page.captured_at)
        self.documents += 1
        event = self._look_at(page)
        self.redesigned = event is not None
        self.event = event or self.event

    @abstractmethod
    def _look_at(self, page: PageVersion) -> Redesign | None: ...

    def _tell(self, back: int, **evidence: Any) -> Redesign:
        """Make the event of a design whose first document is a number of before the last."""
        return Redesign(
            document=self.documents - 1 - back,
            published_at=self._dates[-1 - back],
            detector=self.name,
            **{"certainty": None, "needed": back + 1} | evidence,
        )

    def to_json(self) -> str:
        """Save everything needed to continue with the next document."""
        state = {
            "format": FORMAT,
            "detector": self.name,
            "settings": {name: getattr(self, name) for name in self.SETTINGS},
            "documents": self.documents,
            "redesigned": self.redesigned,
            "event": self.event.as_dict() if self.event else None,
            "dates": [date.isoformat() if date else None for date in self._dates],
            "state": self._state(),
        }
        return json.dumps(state)

    @classmethod
    def from_json(cls, text: str | bytes) -> Self:
        """Continue from a saved state.

        >>> from pagedrift.redesigned.detectors import MaxAvgDiff
        >>> saved = MaxAvgDiff(history=5).to_json()
        >>> MaxAvgDiff.from_json(saved).history
        5
        """
        state = read_state(text)
        if state.get("detector") != cls.name:
            raise DetectorError(
                f"this state is of the detector {state.get('detector')!r}; restore it with that one"
            )
        try:
            detector = cls(**state["settings"])
            detector.documents = int(state["documents"])
            detector.redesigned = bool(state["redesigned"])
            detector.event = Redesign.from_dict(state["event"]) if state["event"] else None
            detector._dates.extend(datetime.fromisoformat(date) if date else None for date in state["dates"])
            detector._restore(state["state"])
        except (KeyError, TypeError, ValueError, IndexError, AttributeError) as error:
            raise _broken(f"{type(error).__name__}: {error}") from None
        return detector

    @abstractmethod
    def _state(self) -> dict[str, Any]: ...

    @abstractmethod
    def _restore(self, state: dict[str, Any]) -> None: ...


def at_least(name: str, value: Any, least: int) -> None:
    """Refuse a setting that is not a whole number, or too small."""
    if isinstance(value, bool) or not isinstance(value, int) or value < least:
        raise DetectorError(f"{name} is {value!r}; give a whole number of at least {least}")


def is_share(name: str, value: Any) -> None:
    """Refuse a setting that is not a share."""
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 < value < 1:
        raise DetectorError(f"{name} is {value!r}; give a number between 0 and 1")


def read_state(text: str | bytes) -> dict[str, Any]:
    """Read a saved state as far as all detectors share it."""
    try:
        state = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise _broken(str(error)) from None
    if not isinstance(state, dict):
        raise _broken("it is not an object")
    if state.get("format") != FORMAT:
        raise _broken(f"its format is {state.get('format')!r}, not {FORMAT}")
    return state


def _broken(why: str) -> DetectorError:
    return DetectorError(f"this is not a saved state of a detector ({why}); start the stream again without it")
