"""The detectors of the paper on matrices small enough to follow by hand."""

import math
from array import array
from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pagedrift import PageVersion
from pagedrift.redesigned import DetectorError, RedesignDetector
from pagedrift.redesigned.gottron2009 import ClusterDetector, MaxAvgDiff, NewAvgDrop, Statistics
from pagedrift.redesigned.history import History
from pagedrift.testing import follow, made_page, made_stream
from pagedrift.which_template.similarity import overlap

TAGS = "a b i u s q p ul li div".split()
bodies = st.lists(st.sampled_from(TAGS), max_size=12).map(lambda tags: "".join(f"<{tag}>" for tag in tags).encode())
streams = st.lists(bodies, min_size=1, max_size=14)


def documents(bodies: Sequence[bytes]) -> list[PageVersion]:
    return [PageVersion(f"https://site.example/{number}", body) for number, body in enumerate(bodies)]


def naive_similarity(one: PageVersion, other: PageVersion, length: int = 4) -> float:
    runs = [
        {tuple(page.tags.codes[at : at + length]) for at in range(len(page.tags) - length + 1)}
        for page in (one, other)
    ]
    return len(runs[0] & runs[1]) / max(map(len, runs)) if any(runs) else 1.0


def naive_matrix(pages: Sequence[PageVersion], h: int) -> list[list[float]]:
    last = len(pages) - 1
    return [
        [naive_similarity(pages[last - h + k], pages[last - h + k - j]) for k in range(1, h + 1)]
        for j in range(1, h + 1)
    ]


@given(streams, st.integers(2, 4))
def test_the_matrix_and_its_triangles_are_those_of_the_paper(bodies: list[bytes], h: int) -> None:
    pages = documents(bodies)
    history = History(size=h)
    for page in pages:
        history.add(page)
    assert history.is_square == (len(pages) >= 2 * h)
    if not history.is_square:
        return
    matrix = naive_matrix(pages, h)
    lower = [matrix[j - 1][k - 1] for j in range(1, h + 1) for k in range(1, h + 1) if j >= k]
    upper = [matrix[j - 1][k - 1] for j in range(1, h + 1) for k in range(1, h + 1) if j < k]

    assert history.matrix() == [tuple(row) for row in matrix]
    assert history.lower_maximum() == max(lower)
    assert math.isclose(history.upper_average(), history.upper().average, abs_tol=1e-9)
    assert (history.lower().count, history.upper().count) == (len(lower), len(upper))
    for triangle, values in ((history.lower(), lower), (history.upper(), upper)):
        mean = sum(values) / len(values)
        assert math.isclose(triangle.average, mean, abs_tol=1e-9)
        assert math.isclose(triangle.spread, sum((v - mean) ** 2 for v in values), abs_tol=1e-9)


def test_similarity_is_what_two_pages_share_over_the_larger() -> None:
    assert overlap(array("Q", [1, 2]), array("Q", [1, 2, 3, 4])) == 0.5
    assert overlap(array("Q"), array("Q", [1])) == 0.0
    assert overlap(array("Q"), array("Q")) == 1.0


def test_max_avg_diff_and_statistics_see_a_redesign_h_documents_after_it_happened() -> None:
    for detector in (MaxAvgDiff(history=10), Statistics(history=10)):
        events = {event.document: event for event in follow(detector, made_stream([0] * 30 + [1] * 20))}
        assert events[30].needed == 10


def test_cluster_sees_a_redesign_h2_documents_after_it_happened() -> None:
    (event,) = follow(ClusterDetector(history=10, horizon=4), made_stream([0] * 30 + [1] * 20))

    assert (event.document, event.needed, event.alike, event.alike_before) == (30, 4, 4, 0)


def test_an_outlier_alarms_new_avg_drop_and_neither_max_avg_diff_nor_cluster() -> None:
    pages = made_stream([0] * 30 + [1] + [0] * 30)

    assert [event.document for event in follow(NewAvgDrop(history=10), pages)] == [30]
    assert follow(MaxAvgDiff(history=10), pages) == follow(ClusterDetector(history=10), pages) == []


def test_one_outlier_right_after_a_redesign_does_not_hide_it_from_cluster() -> None:
    (event,) = follow(ClusterDetector(history=20), made_stream([0] * 30 + [1, 5] + [1] * 20))

    assert (event.document, event.needed) == (30, 4)


def test_a_cluster_that_goes_on_is_no_redesign() -> None:
    assert follow(ClusterDetector(history=10), made_stream([0, 1] * 15 + [0, 1, 2] * 10)) == []


def test_identical_pages_raise_no_alarm_by_rounding() -> None:
    for detector in (
        MaxAvgDiff(history=7),
        Statistics(history=7),
        NewAvgDrop(history=7),
        ClusterDetector(history=7),
    ):
        assert follow(detector, documents([made_page(0)] * 40)) == []


@pytest.mark.parametrize(
    ("settings", "says"),
    [
        ({"detector": "max"}, "choose one of: evidence, new-avg-drop, max-avg-diff, statistics, cluster"),
        ({"detector": "cluster", "history": 4}, "horizon of at most 3"),
        ({"detector": "cluster", "horizon": 0}, "at least 1"),
        ({"detector": "cluster", "threshold": 2}, "between 0 and 1"),
        ({"detector": "max-avg-diff", "history": 1}, "at least 2"),
        ({"detector": "max-avg-diff", "history": 2.5}, "whole number"),
        ({"detector": "max-avg-diff", "level": 0.9}, "it has: history, length"),
        ({"detector": "statistics", "level": 1}, "between 0 and 1"),
        ({"detector": "evidence", "history": 4}, "at least 5"),
        ({"detector": "evidence", "certainty": 1.5}, "between 0 and 1"),
    ],
)
def test_a_detector_that_cannot_work_says_what_to_give(settings: dict, says: str) -> None:
    with pytest.raises(DetectorError, match=says):
        RedesignDetector(**settings)
