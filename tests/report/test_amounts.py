from hypothesis import given
from hypothesis import strategies as st

from pagedrift.how_much.series import SeriesStep
from pagedrift.report.amounts import BARS, operations, replayed, sentence, series_lines, share, sparkline

KINDS = ("add", "drop", "copy", "shrink", "replace", "move")


def step(value: float, url: str = "https://city.example/") -> SeriesStep:
    return SeriesStep(url=url, since=None, captured_at=None, value=value, counts={"add": 1} if value else {})


def test_a_sentence_names_what_happened_most_first_and_nothing_that_did_not() -> None:
    assert (
        sentence(0.04, {"add": 31, "drop": 0, "copy": 2, "shrink": 1, "replace": 3, "move": 12})
        == "about 4 % of the words: 31 words added, 12 moved, 3 replaced, 2 repeated, 1 no longer repeated"
    )


def test_one_word_is_singular_wherever_it_stands() -> None:
    assert operations({"move": 1}) == "1 word moved"
    assert operations({"move": 1, "drop": 1}) == "1 word moved, 1 removed"
    assert operations({"move": 1, "drop": 2}) == "2 words removed, 1 moved"


def test_large_numbers_are_readable() -> None:
    assert operations({"add": 12_345}) == "12,345 words added"


def test_nothing_is_said_to_be_nothing() -> None:
    assert sentence(0.0, dict.fromkeys(KINDS, 0)) == "no word changed"


def test_what_costs_nothing_is_still_told() -> None:
    assert sentence(0.0, {"move": 3}) == "0 % of the words: 3 words moved"


@given(st.floats(0, 1))
def test_a_share_is_never_rounded_to_nothing_or_to_all(value: float) -> None:
    assert (share(value) == "0 %") == (value == 0)
    assert (share(value) == "all") == (value == 1)


@given(st.lists(st.floats(0, 1), min_size=1, max_size=300), st.integers(1, 80))
def test_a_sparkline_shows_every_height_and_fits(values: list[float], width: int) -> None:
    line = sparkline(values, width=width)

    assert len(line) == min(width, len(values))
    assert (BARS[-1] in line) == (max(values) > 0)
    assert set(line) <= set(BARS)


def test_a_lone_peak_is_seen_in_a_long_series() -> None:
    assert sparkline([0.0] * 500 + [0.3] + [0.0] * 499, width=60).count(BARS[-1]) == 1


@given(st.lists(st.floats(0, 1), min_size=1), st.floats(0, 1))
def test_alarms_and_the_rest_are_all_there_are(values: list[float], above: float) -> None:
    said = replayed(values, above)
    alarms = sum(value > above for value in values)

    assert f": {alarms} alarm{'' if alarms == 1 else 's'} above {above:g}" in said
    assert f", {len(values) - alarms} quiet" in said


def test_the_lines_of_several_pages_end_with_a_count_of_all() -> None:
    lines = list(series_lines([[step(0.5), step(0.0)], [step(0.25, "https://city.example/b")]], above=0.3))

    assert lines[-1] == "all 2 pages: 3 steps: 1 alarm above 0.3 (lowest 0.5000), 2 quiet (highest 0.2500)"
    assert sum("! –" in line for line in lines) == 1


def test_addresses_cannot_steer_the_terminal() -> None:
    assert not any("\x1b]" in line for line in series_lines([[step(0.1, "https://x/\x1b]0;a\x07")]]))
