"""Dates as people and pages write them: the span of time that each one covers."""

from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta, timezone

MAX_DATE_CHARS = 100  # characters of a date
EARLIEST = datetime.min.replace(tzinfo=UTC)  # where a version without a time stands in an order by time

_WRITTEN = re.compile(
    r"(\d{4})(?:-?(\d\d?)(?:-?(\d\d?)(?:[T ]?(\d\d?)(?::?(\d\d?)(?::?(\d\d?)(?:[.,]?(\d{1,9}))?)?)?)?)?)?"
    r" ?(Z|[+-]\d\d:?\d\d)?",
    re.IGNORECASE | re.ASCII,
)
_LENGTHS = (timedelta(days=1), timedelta(hours=1), timedelta(minutes=1), timedelta(seconds=1))
_MOMENT = timedelta(microseconds=1)


def period(text: str) -> tuple[datetime, datetime] | None:
    """Give the first and the last moment a date covers, or None where the text is not a date.

    >>> [str(moment) for moment in period("2026-11")]
    ['2026-11-01 00:00:00+00:00', '2026-11-30 23:59:59.999999+00:00']
    >>> str(period("20261115120000")[0])
    '2026-11-15 12:00:00+00:00'
    >>> period("https://city.example/") is None
    True
    """
    match = _WRITTEN.fullmatch(text.strip())
    if match is None:
        return None
    *digits, fraction, zone = match.groups()
    parts = [int(part) for part in digits if part]
    try:
        start = datetime(*[*parts, 1, 1][: max(3, len(parts))], tzinfo=_zone(zone))  # type: ignore[misc, arg-type]
        if fraction:
            start += timedelta(microseconds=int(fraction[:6].ljust(6, "0")))
            after = start + timedelta(microseconds=10 ** max(0, 6 - len(fraction)))
        else:
            after = _next(start, len(parts))
        return start.astimezone(UTC), (after - _MOMENT).astimezone(UTC)
    except (ValueError, OverflowError):  # such as the 30th of February, or the end of time
        return None


def parse_date(text: str) -> datetime | None:
    """Give the first moment of a date that a page, a feed or a header states, as ISO 8601 or as in mail; or None.

    >>> str(parse_date("Fri, 02 Feb 2024 10:00:00 +0100")), str(parse_date("2024-02-02")), parse_date("yesterday")
    ('2024-02-02 09:00:00+00:00', '2024-02-02 00:00:00+00:00', None)
    """
    text = text.strip()[:MAX_DATE_CHARS]
    if span := period(text):
        return span[0]
    from email.utils import parsedate_to_datetime  # loads sockets

    try:
        when = parsedate_to_datetime(text)
        return when.astimezone(UTC) if when.tzinfo else when.replace(tzinfo=UTC)
    except (ValueError, OverflowError, IndexError, TypeError):
        return None


def _next(start: datetime, parts: int) -> datetime:
    """Give the first moment after the year, month, day, hour, minute or second that starts there."""
    if parts == 1:
        return start.replace(year=start.year + 1)
    if parts == 2:  # noqa: PLR2004 - year and month
        return start.replace(year=start.year + start.month // 12, month=start.month % 12 + 1)
    return start + _LENGTHS[parts - 3]


def _zone(text: str | None) -> timezone:
    """Read `Z` or `+01:30`; none written means UTC."""
    if not text or text in "Zz":
        return UTC
    hours, minutes = int(text[1:3]), int(text[-2:])
    return timezone((1 if text[0] == "+" else -1) * timedelta(hours=hours, minutes=minutes))


def moment(when: datetime | None) -> str:
    """Write a time to the minute, in UTC.

    >>> moment(datetime(2026, 11, 15, 9, 12, tzinfo=UTC)), moment(None)
    ('2026-11-15 09:12', '–')
    """
    return f"{_in_utc(when):%Y-%m-%d %H:%M}" if when else "–"


def iso_moment(when: datetime | None) -> str | None:
    """Write a time as ISO 8601 in UTC, as it stands in data.

    >>> iso_moment(datetime(2026, 11, 15, 9, 12, tzinfo=UTC))
    '2026-11-15T09:12:00Z'
    """
    return _in_utc(when).isoformat().replace("+00:00", "Z") if when else None


def _in_utc(when: datetime) -> datetime:
    return when.astimezone(UTC) if when.tzinfo else when.replace(tzinfo=UTC)
