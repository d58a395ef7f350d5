"""Durations: how lengths of time are written by people, read, and shown again."""

from __future__ import annotations

import math
import re
from typing import Final

from pagedrift.errors import InputError

SECOND: Final = 1.0
MINUTE: Final = 60.0
HOUR: Final = 60 * MINUTE
DAY: Final = 24 * HOUR
WEEK: Final = 7 * DAY
YEAR: Final = 365 * DAY
UNITS: Final = {"seconds": SECOND, "minutes": MINUTE, "hours": HOUR, "days": DAY, "weeks": WEEK}

_WRITTEN: Final = re.compile(r"(\d+(?:\.\d*)?|\.\d+)\s*([a-z]*)", re.ASCII)
_BY_NAME: Final = {"": SECOND, "min": MINUTE} | {
    name: size for unit, size in UNITS.items() for name in (unit[0], unit.removesuffix("s"), unit)
}
_SHOWN: Final = (
    (2 * MINUTE, SECOND, "s"),
    (2 * HOUR, MINUTE, "min"),
    (2 * DAY, HOUR, "h"),
    (2 * YEAR, DAY, "days"),
)


def parse_duration(text: str, *, shortest: float = 0.0) -> float:
    """Read a duration and give its seconds; a number without a unit is one of seconds.

    >>> parse_duration("90"), parse_duration("15m"), parse_duration("1.5 hours"), parse_duration("1w")
    (90.0, 900.0, 5400.0, 604800.0)
    """
    match = _WRITTEN.fullmatch(text.strip().lower())
    seconds = float(match[1]) * _BY_NAME[match[2]] if match and match[2] in _BY_NAME else math.inf
    if not shortest <= seconds < math.inf:
        raise InputError(f'"{text[:40]}" is not a valid duration; write one such as 90s, 15m, 2h or 1d')
    return seconds


def split_duration(seconds: float) -> tuple[str, str]:
    """Give a number and the largest unit of which it is a short number, which read back as the same seconds.

    >>> split_duration(5400), split_duration(45), split_duration(86_400)
    (('1.5', 'hours'), ('45', 'seconds'), ('1', 'days'))
    """
    for unit in ("days", "hours", "minutes"):
        number = f"{round(seconds / UNITS[unit], 2):g}"
        if float(number) >= 1 and float(number) * UNITS[unit] == seconds:
            return number, unit
    return f"{seconds:.12g}", "seconds"


def format_duration(seconds: float) -> str:
    """Say about how long something takes, in one unit.

    >>> format_duration(3600), format_duration(5400), format_duration(90_000), format_duration(0.25)
    ('1 h', '1.5 h', '25 h', '0.2 s')
    """
    if seconds < 10 and seconds != int(seconds):  # noqa: PLR2004 - where tenths matter
        return f"{seconds:.1f} s"
    if HOUR <= seconds < 2 * HOUR and seconds % (HOUR / 2) == 0:
        return _rounded(seconds / HOUR, "h")
    for most, unit, name in _SHOWN:
        if seconds < most:
            return _rounded(seconds / unit, name)
    return _rounded(seconds / YEAR, "years")


def _rounded(number: float, unit: str) -> str:
    rounded = round(number) if number >= 10 or unit == "s" else math.floor(number * 2) / 2  # noqa: PLR2004 - halves
    return f"{rounded:g} {unit}"
