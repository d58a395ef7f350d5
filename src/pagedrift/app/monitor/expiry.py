"""Dates that expire: which conditions on the date of a page are met now, each once for a date.

They are met by time, so that they are looked at whenever the page was there, also where nothing on it changed.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date
from typing import TYPE_CHECKING, Any, Final

from pagedrift.app.model.conditions import Condition, is_expiring, parse_condition
from pagedrift.app.model.decision import Decision, Reason

if TYPE_CHECKING:
    from collections.abc import Mapping
    from datetime import datetime

    from pagedrift.app.model.options import WatchOptions

MEMORY: Final = "expiry"  # its place in the memory of a watch
MAX_REMEMBERED: Final = 50  # dates that there was an alert about


@dataclass(frozen=True, slots=True, kw_only=True)
class ShownDate:
    """The date that a page shows, of which parts, and the conditions and dates that there was an alert about."""

    day: str = ""  # as ISO 8601 writes it
    parts: str = ""  # names the options and rules that say which parts count
    told: tuple[tuple[str, str], ...] = ()

    @classmethod
    def from_memory(cls, memory: Mapping[str, Any]) -> ShownDate:
        """Read it back from the memory of a watch."""
        known = memory.get(MEMORY) or {}
        told = tuple((str(text), str(day)) for text, day in known.get("told", ()))
        return cls(day=str(known.get("day", "")), parts=str(known.get("parts", "")), told=told)

    def to_memory(self) -> dict[str, Any]:
        """Give it as the memory of a watch holds it."""
        told = [list(each) for each in self.told[-MAX_REMEMBERED:]]
        return {MEMORY: {"day": self.day, "parts": self.parts, "told": told}}


def conditions_on_dates(options: WatchOptions) -> tuple[Condition, ...]:
    """Give the conditions of a watch that are met by time."""
    if options.notify_on == "nothing":
        return ()
    return tuple(each for each in map(parse_condition, options.conditions) if each.kind == "expires")


def newly_met(options: WatchOptions, shown: ShownDate, now: datetime) -> tuple[Condition, ...]:
    """Give the conditions that are met now and that there was no alert about for this date."""
    return tuple(
        each
        for each in conditions_on_dates(options)
        if is_expiring(each, shown.day, now) and (each.text, shown.day) not in shown.told
    )


def decide_expiry(options: WatchOptions, met: tuple[Condition, ...], day: str, now: datetime) -> Decision:
    """Decide about a date that expires: one alert, however many conditions it meets at once."""
    days = (date.fromisoformat(day) - now.date()).days
    details = {"condition": met[0].text, "day": day, "days": days}
    if options.urgent or any(each.urgent for each in met):
        details["urgent"] = True
    return Decision(True, Reason.EXPIRES, details)
