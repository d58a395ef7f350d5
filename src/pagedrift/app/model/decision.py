"""Decisions about alerts, as data: whether one is sent, for which reason, and what that reason depends on."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum
from typing import TYPE_CHECKING, Any

from pagedrift.report import reasons

if TYPE_CHECKING:
    from collections.abc import Mapping


class Reason(StrEnum):
    """Why an alert is sent or not; the values are stored, and `report.reasons` has a sentence for each."""

    # About a change
    NOTHING_CHANGED = "nothing_changed"
    FLIPPED_BACK = "flipped_back"
    SELECTION_LOST = "selection_lost"
    NOT_VISIBLE = "not_visible"
    REDESIGNED = "redesigned"
    CHANGES_MUTED = "changes_muted"
    ANY_CHANGE = "any_change"
    AMOUNT_TOO_SMALL = "amount_too_small"
    AMOUNT_REACHED = "amount_reached"
    CONDITION_MET = "condition_met"
    CONDITION_NOT_MET = "condition_not_met"
    CONDITION_ON_DATE = "condition_on_date"
    MATTERS = "matters"
    CONTENT = "content"
    MATTERS_TOO_LITTLE = "matters_too_little"
    ALREADY_SENT = "already_sent"
    WATCH_EDITED = "watch_edited"
    # About a date that a page shows
    EXPIRES = "expires"
    # About visits that fail, and about selectors
    TROUBLE_MUTED = "trouble_muted"
    TOO_FEW_FAILURES = "too_few_failures"
    TROUBLE_ALREADY_SENT = "trouble_already_sent"
    TROUBLE = "trouble"
    RECOVERED = "recovered"
    RECOVERY_OF_NOTHING = "recovery_of_nothing"
    SELECTOR_STOPPED = "selector_stopped"
    # Of releases that stored nothing but a sentence
    LEGACY = "legacy"


@dataclass(frozen=True, slots=True)
class Decision:
    """Whether an alert is sent, and why.

    >>> Decision(False, Reason.AMOUNT_TOO_SMALL, {"amount": 0.02, "at_least": 0.05}).sentence
    'Ignored because only 2 % of the page changed; the minimum is 5 %'
    """

    notify: bool
    reason: Reason
    details: Mapping[str, Any] = field(default_factory=dict)

    @property
    def urgent(self) -> bool:
        """Whether its alert must not wait for a digest or for the end of quiet hours."""
        return bool(self.details.get("urgent"))

    @property
    def sentence(self) -> str:
        """The reason for people, with what changed in it."""
        return reasons.sentence(self.reason, self.details, notify=self.notify)

    @property
    def because(self) -> str:
        """The reason alone, to stand next to a headline."""
        return reasons.because(self.reason, self.details)

    def to_json(self) -> dict[str, Any]:
        """Give it as it is stored."""
        return {"notify": self.notify, "reason": str(self.reason), "details": dict(self.details)}

    @classmethod
    def from_json(cls, stored: Mapping[str, Any] | None, *, notify: bool = False, text: str = "") -> Decision:
        """Read it back; where an older release stored a sentence only, that is the `text`."""
        if stored is None:
            return cls(notify, Reason.LEGACY, {"text": text})
        try:
            return cls(bool(stored["notify"]), Reason(stored["reason"]), stored.get("details") or {})
        except ValueError:  # of a newer release
            return cls(bool(stored["notify"]), Reason.LEGACY, {"text": str(stored["reason"]).replace("_", " ")})
