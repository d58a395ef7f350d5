from datetime import UTC, datetime

from hypothesis import given
from hypothesis import strategies as st

from pagedrift.page import PageVersion
from pagedrift.read_report import ReadingCounts
from pagedrift.reading.order import in_time_order, merge, when


def page(year: int | None, body: bytes = b"") -> PageVersion:
    return PageVersion("https://a.example/", body, captured_at=datetime(year, 1, 1, tzinfo=UTC) if year else None)


def years(pages: list[PageVersion]) -> list[int]:
    return [version.captured_at.year if version.captured_at else 0 for version in pages]


def ordered(
    pages: list[PageVersion], most: int = 256, heaviest: int = 1000
) -> tuple[list[PageVersion], ReadingCounts]:
    counts = ReadingCounts()
    return list(in_time_order(pages, counts, most=most, heaviest=heaviest)), counts


some_pages = st.lists(st.builds(page, st.none() | st.integers(2000, 2009), st.binary(max_size=9)), max_size=50)


@given(some_pages)
def test_the_window_sorts_what_it_holds_and_keeps_the_order_of_equal_times(pages: list[PageVersion]) -> None:
    given_back, counts = ordered(pages)

    assert given_back == sorted(pages, key=when)
    assert (counts.versions, counts.late) == (len(pages), 0)


@given(some_pages, st.integers(1, 9), st.integers(0, 99))
def test_a_small_window_loses_nothing_and_counts_what_comes_too_late(
    pages: list[PageVersion], most: int, heaviest: int
) -> None:
    given_back, counts = ordered(pages, most, heaviest)

    latest, late = 0, 0
    for year in years(given_back):
        late += year < latest
        latest = max(latest, year)
    assert sorted(map(id, given_back)) == sorted(map(id, pages))
    assert counts.late == late


def test_a_version_beyond_the_window_is_given_at_once() -> None:
    given_back, counts = ordered([page(year) for year in (2001, 2002, 2003, 2004, 2000, 2005)], most=2)

    assert years(given_back) == [2001, 2002, 2000, 2003, 2004, 2005]
    assert counts.late == 1


def test_the_window_never_holds_more_bytes_than_it_may() -> None:
    drawn = []

    def pages():
        for year in range(2000, 2020):
            drawn.append(year)
            yield page(year ^ 1, bytes(100))

    for given_back, version in enumerate(in_time_order(pages(), ReadingCounts(), most=256, heaviest=500), 1):
        assert version.body == bytes(100)
        assert len(drawn) - given_back <= 5


@given(st.lists(some_pages, max_size=6), st.integers(1, 8))
def test_streams_are_merged_by_time(streams: list[list[PageVersion]], side_by_side: int) -> None:
    counts = ReadingCounts()
    merged = list(merge([iter(sorted(pages, key=when)) for pages in streams], counts, side_by_side=side_by_side))

    assert sorted(map(id, merged)) == sorted(id(version) for pages in streams for version in pages)
    assert counts.versions == len(merged)
    if side_by_side >= len(streams):
        assert counts.late == 0
        assert years(merged) == sorted(years(merged))


def test_no_more_streams_are_opened_than_are_merged_side_by_side() -> None:
    opened = []

    def stream(number: int):
        opened.append(number)
        yield page(2000 + number)

    merged = merge([stream(number) for number in range(9)], ReadingCounts(), side_by_side=3)

    assert next(merged) is not None
    assert opened == [0, 1, 2]
    assert len(list(merged)) == 8
