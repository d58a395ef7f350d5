"""Sentences about where alerts go, when, and why there."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Sequence

_WORKING_WEEK: Final = ["monday", "tuesday", "wednesday", "thursday", "friday"]
_SENT: Final = {
    "immediately": "At once",
    "hourly": "In a digest every hour",
    "daily": "In a digest every day at {at}",
    "weekly": "In a digest every {day} at {at}",
}


def schedule(
    *,
    send: str,
    at: str,
    day: str,
    quiet: tuple[str, str] = ("", ""),
    working_days: Sequence[str] = (),
    urgent: bool = False,
) -> str:
    """Say when alerts are sent.

    >>> schedule(send="daily", at="08:00", day="monday", quiet=("22:00", "07:00"))
    'In a digest every day at 08:00, not from 22:00 to 07:00'
    >>> schedule(send="daily", at="08:00", day="monday", urgent=True)
    'At once, because they are urgent'
    """
    if urgent:
        return "At once, because they are urgent"
    said = _SENT[send].format(at=at, day=day.capitalize())
    hours = f", not from {quiet[0]} to {quiet[1]}" if quiet[0] else ""
    days = f", only {_days(working_days)}" if 0 < len(working_days) < 7 else ""  # noqa: PLR2004 - days of a week
    return said + hours + days


def _days(days: Sequence[str]) -> str:
    if list(days) == _WORKING_WEEK:
        return "Monday to Friday"
    *first, last = (f"{day.capitalize()}s" for day in days)
    return f"on {', '.join(first)} and {last}" if first else f"on {last}"


def route(source: str, name: str, *, channels: int, silent: bool, lost: bool) -> str:
    """Say what decides where the alerts of a watch go.

    >>> route("tag", "prices", channels=1, silent=False, lost=False)
    'set for the tag “prices”'
    >>> route("default", "", channels=0, silent=False, lost=False)
    'no channel is set: alerts are listed here and in the feeds only'
    """
    where = {
        "watch": "set for this watch",
        "site": f"set for the site “{name}”",
        "group": f"set for the group “{name}”",
        "tag": f"set for the {'tags' if ', ' in name else 'tag'} “{name}”",
        "default": "the default for all watches",
    }[source]
    if silent:
        return f"no alerts are sent, {where}"
    if not channels and lost:
        return f"the channel is not known after a restore, {where}; enter it again"
    if not channels:
        return "no channel is set: alerts are listed here and in the feeds only"
    return where
