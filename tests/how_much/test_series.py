import sqlite3
from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pagedrift import InputError, PageVersion
from pagedrift.how_much import METRICS, MetricOptions
from pagedrift.how_much import series as module
from pagedrift.how_much.series import SeriesStep, series
from pagedrift.reading import latest

START = datetime(2026, 11, 1, 12, tzinfo=UTC)
URL = "https://city.example/fees"


def versions(*bodies: str, url: str = URL) -> list[PageVersion]:
    return [
        PageVersion(url, body.encode(), captured_at=START + timedelta(days=day)) for day, body in enumerate(bodies)
    ]


def test_each_version_is_measured_against_the_one_before() -> None:
    found = list(series(versions("<p>a b c d", "<p>a b c e", "<p>a b c e", "<p>a b c e f")))

    assert [step.value for step in found] == [0.25, 0.0, 0.2]
    assert [step.counts for step in found] == [{"replace": 1}, {}, {"add": 1}]
    assert found[0] == SeriesStep(
        url=URL, since=START, captured_at=START + timedelta(days=1), value=0.25, counts={"replace": 1}
    )


def test_pages_are_kept_apart_whatever_the_order_of_their_versions() -> None:
    one, other = versions("<p>a b", "<p>a c"), versions("<p>x y", "<p>x y", url="https://city.example/news")
    found = list(series([one[0], other[0], one[1], other[1]]))

    assert [(step.url, step.value) for step in found] == [(one[0].url, 0.5), (other[0].url, 0.0)]


def test_addresses_that_people_would_call_the_same_are_one_page() -> None:
    old, new = versions("<p>a")[0], versions("<p>b", url="http://www.city.example/fees/")[0]

    assert [step.value for step in series([old, new])] == [1.0]


def test_failed_responses_are_left_out() -> None:
    down = PageVersion(URL, b"<p>Service unavailable", captured_at=START, status=503)
    old, new = versions("<p>a b", "<p>a b")

    assert [step.value for step in series([old, down, new])] == [0.0]


@pytest.mark.parametrize("metric", list(METRICS))
def test_every_metric_can_be_asked_for(metric: str) -> None:
    old, new = versions("<p>a b c d", "<p>a b d x")
    (step,) = series([old, new], metric=metric)

    assert step.value == METRICS[metric](old, new)


def test_weights_and_other_options_count() -> None:
    moved = versions("<p>a b c d", "<p>b c d a")

    assert [step.value for step in series(moved, options=MetricOptions(b=0.5))] == [0.125]


def test_the_same_bytes_in_another_encoding_are_another_page() -> None:
    old = PageVersion(URL, b"<p>\xe9t\xe9", content_type="text/html; charset=windows-1252")
    new = PageVersion(URL, b"<p>\xe9t\xe9", content_type="text/html; charset=windows-1251")

    assert [step.value for step in series([old, new])] == [1.0]


def test_bad_options_are_told_before_anything_is_read() -> None:
    with pytest.raises(InputError, match="unknown metric percent"):
        series([], metric="percent")
    with pytest.raises(InputError, match="a is 2"):
        series([], options=MetricOptions(a=2))


@settings(deadline=None)
@given(
    st.lists(
        st.tuples(st.sampled_from(["p", "q", "r", "é", "\udcff"]), st.sampled_from(["a b", "a c", "", "é 日"])),
        max_size=30,
    )
)
def test_pages_that_wait_on_disk_give_the_same_answer(visits: list[tuple[str, str]]) -> None:
    pages = [
        PageVersion(
            f"https://city.example/{name}",
            f"<p>{words}".encode("utf-16"),
            captured_at=START + timedelta(days=day) if day % 2 else None,
            content_type="text/html; charset=utf-16",
        )
        for day, (name, words) in enumerate(visits)
    ]
    in_memory = list(series(pages))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(module, "MAX_BYTES_IN_MEMORY", 20)
        assert list(series(pages)) == in_memory


def test_a_full_disk_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    def small() -> sqlite3.Connection:
        disk = whole()
        disk.execute("PRAGMA max_page_count = 3")
        return disk

    whole = latest._temporary_table
    monkeypatch.setattr(latest, "_temporary_table", small)
    monkeypatch.setattr(module, "MAX_BYTES_IN_MEMORY", 1000)
    pages = [PageVersion(f"https://city.example/{number}", b"<p>" + b"word " * 9000) for number in range(5)]
    with pytest.raises(InputError, match=r"database or disk is full.* choose one page with --url"):
        list(series(pages))
