"""Does a text only state when it was asked for: the date or the time of day of the capture?

A page may show the date of the day, a clock, or when it was made. Captures know their time, so such a value needs
no word near it to be recognised: on both sides it is the moment of the request, and says nothing.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from pagedrift.does_it_matter.changes.facts import FactKind

if TYPE_CHECKING:
    from collections.abc import Mapping
    from datetime import datetime

_DATES: Final = frozenset((FactKind.DATE, FactKind.DEADLINE))
_TIMES: Final = frozenset((FactKind.TIME, FactKind.HOURS))
_TELLING: Final = _DATES | _TIMES | {FactKind.NUMBER}  # a number: of the week, or seconds
_NUMBERS: Final = re.compile(r"\d+")
_AFTERNOON: Final = re.compile(r"p\.?m", re.IGNORECASE)
_DAY: Final = 24 * 60  # minutes
_ZONES: Final = 15  # minutes: zones of the world are multiples of it apart
_CLOCKS_DIFFER: Final = 4  # minutes
_CENTURY: Final = 100


def is_moment(
    facts: Mapping[FactKind, tuple[tuple[str, ...], tuple[str, ...]]],
    old: datetime | None,
    new: datetime | None,
) -> bool:
    """Say whether facts that changed are the date or the time of two captures, and nothing else.

    >>> from datetime import UTC, datetime
    >>> old, new = (datetime(2026, 11, day, 12, 40, tzinfo=UTC) for day in (8, 15))
    >>> is_moment({FactKind.DATE: (("2026-11-08",), ("15.11.2026",))}, old, new)
    True
    >>> is_moment({FactKind.DATE: (("1 november 2026",), ("1 december 2026",))}, old, new)
    False
    """
    if old is None or new is None or not facts.keys() <= _TELLING or not facts.keys() & (_DATES | _TIMES):
        return False
    stated = tuple(
        [
            [value for kind in kinds for value in facts.get(kind, ((), ()))[side] if _NUMBERS.search(value)]
            for side in (0, 1)
        ]
        for kinds in (_DATES, _TIMES)
    )
    return (
        _are_dates(stated[0], old, new) and _are_times(stated[1], old, new) and any(any(sides) for sides in stated)
    )


def _are_dates(stated: list[list[str]], old: datetime, new: datetime) -> bool:
    """Say whether all dates are those of the captures; the day may differ by one, since zones do."""
    if not any(stated):
        return True
    return all(
        values and all(_is_date(value, when) for value in values)
        for values, when in zip(stated, (old, new), strict=True)
    )


def _is_date(value: str, when: datetime) -> bool:
    numbers = [int(each) for each in _NUMBERS.findall(value)][:4]
    return any(_is_day(numbers, day) for day in _days_around(when))


def _days_around(when: datetime) -> tuple[datetime, ...]:
    from datetime import timedelta

    return tuple(when + timedelta(days=days) for days in (-1, 0, 1))


def _is_day(numbers: list[int], day: datetime) -> bool:
    """Compare the numbers of a date with those of a day; the month may be written as a word, the year left out."""
    years = {day.year, day.year % _CENTURY}
    year = [number for number in numbers if number in years]
    rest = sorted(numbers)
    if len(numbers) == 3:  # noqa: PLR2004 - day, month and year
        return any(rest == sorted((day.day, day.month, each)) for each in years)
    if len(numbers) == 2:  # noqa: PLR2004 - day and year, or day and month
        return rest == sorted((day.day, day.month)) or any(rest == sorted((day.day, each)) for each in year)
    return numbers == [day.day]


def _are_times(stated: list[list[str]], old: datetime, new: datetime) -> bool:
    """Say whether all times are those of the captures in one zone of the world."""
    if not any(stated):
        return True
    if not all(stated):
        return False
    zones = [
        [(_minutes(value) - 60 * when.hour - when.minute) % _DAY for value in values]
        for values, when in zip(stated, (old, new), strict=True)
    ]
    first = zones[0][0]
    aside = first % _ZONES
    return min(aside, _ZONES - aside) <= _CLOCKS_DIFFER and all(
        _apart(first, each) <= 2 * _CLOCKS_DIFFER for side in zones for each in side
    )


def _minutes(value: str) -> int:
    numbers = [int(each) for each in _NUMBERS.findall(value)]
    hour = numbers[0] % 12 + 12 if _AFTERNOON.search(value) else numbers[0]
    return 60 * hour + (numbers[1] if len(numbers) > 1 else 0)


def _apart(one: int, other: int) -> int:
    """Give the minutes between two times of the day, round the clock."""
    apart = abs(one - other) % _DAY
    return min(apart, _DAY - apart)
