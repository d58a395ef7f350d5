from datetime import UTC, datetime, timedelta, timezone

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pagedrift.dates import period

MOMENT = timedelta(microseconds=1)


@pytest.mark.parametrize(
    ("text", "first", "after"),
    [
        ("2026", (2026, 1, 1), (2027, 1, 1)),
        ("202612", (2026, 12, 1), (2027, 1, 1)),
        ("2024-02", (2024, 2, 1), (2024, 3, 1)),
        ("2026-11-15", (2026, 11, 15), (2026, 11, 16)),
        ("20261115", (2026, 11, 15), (2026, 11, 16)),
        ("2026111512", (2026, 11, 15, 12), (2026, 11, 15, 13)),
        ("2026-11-15T12:30", (2026, 11, 15, 12, 30), (2026, 11, 15, 12, 31)),
        ("2026-11-15 12:30:59", (2026, 11, 15, 12, 30, 59), (2026, 11, 15, 12, 31)),
        ("20261115123059", (2026, 11, 15, 12, 30, 59), (2026, 11, 15, 12, 31)),
        ("20261115123059500", (2026, 11, 15, 12, 30, 59, 500000), (2026, 11, 15, 12, 30, 59, 501000)),
        ("2026-11-15T12:30:59.25Z", (2026, 11, 15, 12, 30, 59, 250000), (2026, 11, 15, 12, 30, 59, 260000)),
        ("20261", (2026, 1, 1), (2026, 2, 1)),
    ],
)
def test_a_date_covers_a_period(text: str, first: tuple[int, ...], after: tuple[int, ...]) -> None:
    start, end = datetime(*first, tzinfo=UTC), datetime(*after, tzinfo=UTC)  # type: ignore[misc, arg-type]

    assert period(text) == (start, end - MOMENT)


def test_a_zone_is_heeded() -> None:
    assert period("2026-11-15T12:00:00-05:30") == period("2026-11-15T17:30:00Z")


@pytest.mark.parametrize(
    "text",
    [
        "",
        "yesterday",
        "26",
        "202",
        "2026-13",
        "2026-02-30",
        "20261115250000",
        "0000",
        "0001-01-01T00:00+05:00",
        "2026-11-15T12:00:00+99:00",
        "٢٠٢٦",
    ],
)
def test_what_is_no_date_is_none(text: str) -> None:
    assert period(text) is None


def test_the_last_year_there_is_has_no_end() -> None:
    assert period("9999") is None


@given(st.datetimes(datetime(1000, 1, 1), datetime(9998, 1, 1)), st.integers(-720, 720))
def test_every_moment_is_found_in_its_own_period(moment: datetime, minutes: int) -> None:
    moment = moment.replace(tzinfo=timezone(timedelta(minutes=minutes)))
    start, end = period(moment.isoformat()) or (None, None)

    assert start is not None
    assert end is not None
    assert start <= moment <= end
    assert end - start < timedelta(seconds=1)


@given(st.text(max_size=20))
def test_any_text_is_a_date_or_none(text: str) -> None:
    found = period(text)

    assert found is None or found[0] <= found[1]
