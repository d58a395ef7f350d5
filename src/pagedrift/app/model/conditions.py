"""Conditions of a watch on the value of a part of a page: when an alert is sent."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from datetime import UTC, date, datetime, time
from typing import TYPE_CHECKING, Final, Literal

from pagedrift.app.model.values import amount
from pagedrift.durations import HOUR, parse_duration
from pagedrift.errors import InputError

if TYPE_CHECKING:
    from pagedrift.app.model.change import ChangeAnalysis
    from pagedrift.app.model.values import ValueChange, WatchedValue

ConditionKind = Literal[
    "below",
    "above",
    "changes by",
    "new low",
    "new high",
    "contains",
    "lacks",
    "in stock",
    "out of stock",
    "added",
    "expires",
]
GRAMMAR: Final = (
    "below 20, above 100, changes by 5, changes by 10%, new low, new high, contains WORDS, lacks WORDS, "
    "in stock, out of stock, added, expires in 14 days; with “urgent” before it, its alert is sent at once"
)
_URGENT: Final = re.compile(r"urgent:?\s+(?=\S)", re.IGNORECASE)
_NUMBERED: Final = re.compile(r"(below|above|changes by)\s+(-?[\d.,]+)\s*(%?)", re.IGNORECASE)
_WORDED: Final = re.compile(r"(contains|lacks)\s+(\S.*)", re.IGNORECASE | re.DOTALL)
_EXPIRES: Final = re.compile(r"expires\s+(?:in|within)\s+(\S.*)", re.IGNORECASE)
_BARE: Final = ("new low", "new high", "in stock", "out of stock", "added")
_PERCENT: Final = 100


@dataclass(frozen=True, slots=True, kw_only=True)
class Condition:
    """One condition; `text` is how the user wrote it."""

    kind: ConditionKind
    text: str
    number: float = 0.0
    percent: bool = False
    words: str = ""
    seconds: float = 0.0  # before a date
    urgent: bool = False  # its alert does not wait for a digest or for the end of quiet hours


@dataclass(frozen=True, slots=True)
class ValueRange:
    """The lowest and highest number that a part said before."""

    lowest: float | None = None
    highest: float | None = None


def parse_condition(line: str) -> Condition:
    """Read a condition, or say how they are written.

    >>> parse_condition("Below 19.90").number, parse_condition("changes by 5 %").percent
    (19.9, True)
    >>> parse_condition("urgent: in stock").urgent, parse_condition("expires within 2w").seconds
    (True, 1209600.0)
    """
    text = " ".join(line.split())
    urgent = _URGENT.match(text)
    found = _parsed(text[urgent.end() :] if urgent else text)
    return replace(found, text=text, urgent=urgent is not None)


def _parsed(text: str) -> Condition:
    if (bare := text.lower()) in _BARE:
        return Condition(kind=bare, text=text)  # type: ignore[arg-type]
    if found := _WORDED.fullmatch(text):
        return Condition(kind=found[1].lower(), text=text, words=found[2].lower())  # type: ignore[arg-type]
    if found := _EXPIRES.fullmatch(text):
        return Condition(kind="expires", text=text, seconds=parse_duration(found[1], shortest=HOUR))
    found = _NUMBERED.fullmatch(text)
    if not found or (found[3] and found[1].lower() != "changes by"):
        raise InputError(f"“{text[:80]}” is not a valid condition; write one of: {GRAMMAR}")
    try:
        number = amount(found[2])
    except ValueError:
        raise InputError(f"“{found[2][:40]}” is not a valid number; write one such as 19.90") from None
    kind = found[1].lower()
    return Condition(kind=kind, text=text, number=number, percent=bool(found[3]))  # type: ignore[arg-type]


def says(condition: Condition, text: str) -> bool:
    """Return whether a condition on words holds for the text of a part."""
    there = condition.words in " ".join(text.split()).lower()
    return there is (condition.kind == "contains")


def is_expiring(condition: Condition, day: str, now: datetime) -> bool:
    """Return whether a date, as ISO 8601 writes it, begins within the time of a condition, or has passed.

    >>> from datetime import UTC
    >>> soon, now = parse_condition("expires in 14 days"), datetime(2027, 3, 1, 9, tzinfo=UTC)
    >>> [is_expiring(soon, day, now) for day in ("2027-03-15", "2027-03-16", "2026-12-31", "")]
    [True, False, True, False]
    """
    if not day:
        return False
    left = datetime.combine(date.fromisoformat(day), time(), tzinfo=UTC) - now
    return left.total_seconds() <= condition.seconds


def is_met(condition: Condition, change: ValueChange, analysis: ChangeAnalysis, before: ValueRange) -> bool:
    """Return whether a condition is met by a change: it holds now, and did not before.

    One on a date that expires is not met by a change, but by time: see `is_expiring`.
    """
    if condition.kind == "expires":
        return False
    if condition.kind == "added":
        return any(edit.action == "added" and edit.level != "noise" for edit in analysis.edits)
    if condition.words:
        return condition.text in change.holds and condition.text not in change.held
    if condition.kind in ("in stock", "out of stock"):
        wanted = condition.kind == "in stock"
        return change.new.in_stock is wanted and change.old.in_stock is not wanted
    return _is_reached(condition, change.old, change.new, before)


def _is_reached(condition: Condition, old: WatchedValue, new: WatchedValue, before: ValueRange) -> bool:
    if new.number is None:
        return False
    if condition.kind in ("below", "above"):
        sign = 1 if condition.kind == "above" else -1
        passed = [
            number is not None and sign * number > sign * condition.number for number in (old.number, new.number)
        ]
        return passed == [False, True]
    if old.number is None:
        return False
    if condition.kind == "changes by":
        least = abs(old.number) * condition.number / _PERCENT if condition.percent else condition.number
        return new.number != old.number and abs(new.number - old.number) >= least
    if condition.kind == "new low":
        return new.number < min(old.number, old.number if before.lowest is None else before.lowest)
    return new.number > max(old.number, old.number if before.highest is None else before.highest)
