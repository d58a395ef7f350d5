import pytest
from hypothesis import given
from hypothesis import strategies as st

from pagedrift.durations import UNITS, parse_duration, split_duration
from pagedrift.errors import InputError


@pytest.mark.parametrize(
    ("text", "seconds"),
    [
        ("90", 90), ("90s", 90), ("15m", 900), ("15 min", 900), ("2 h", 7_200), ("2H", 7_200), ("1d", 86_400),
        ("1w", 604_800), (" 1.5 hours ", 5_400), ("1 day", 86_400), ("0", 0),
    ],
)  # fmt: skip
def test_a_duration_is_a_number_and_a_unit(text: str, seconds: float) -> None:
    assert parse_duration(text) == seconds


@pytest.mark.parametrize("text", ["", "soon", "h", "-5s", "1e9", "5 fortnights", "1h 30m", "nan", "٣s", "9" * 400])
def test_what_is_no_duration_is_told_so(text: str) -> None:
    with pytest.raises(InputError, match="is not a valid duration; write one such as 90s, 15m, 2h or 1d"):
        parse_duration(text)


def test_a_duration_may_have_a_lower_limit() -> None:
    with pytest.raises(InputError):
        parse_duration("0.5s", shortest=1)


@given(st.integers(0, 10**9).map(float))
def test_a_duration_that_is_split_reads_back_as_it_was(seconds: float) -> None:
    number, unit = split_duration(seconds)
    assert unit in UNITS
    assert parse_duration(f"{number} {unit}") == seconds
