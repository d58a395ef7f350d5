"""The detectors of the paper on matrices small enough to follow by hand."""

import math
import random
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


# The constants of the paper, each with a stream on either side; with runs of one tag, a page is a set of tags.
NAMES = [f"t{one}{two}{three}" for one in "abcdefghij" for two in "abcdefghijklmno" for three in "abcdefghijklmno"]


def tagged(names: Sequence[str]) -> bytes:
    return "".join(f"<{name}>" for name in names).encode()


@pytest.mark.parametrize(("shared", "redesigns"), [(150, []), (149, [20])])
def test_cluster_takes_documents_of_which_15_percent_are_shared_for_one_design(
    shared: int, redesigns: list[int]
) -> None:
    old, new = tagged(NAMES[:1000]), tagged(NAMES[1000 - shared : 2000 - shared])

    events = follow(ClusterDetector(history=10, length=1), documents([old] * 20 + [new] * 4))

    assert [event.document for event in events] == redesigns


@pytest.mark.parametrize(("members", "redesigns"), [(3, [20]), (2, [])])
def test_cluster_asks_for_15_percent_of_the_history(members: int, redesigns: list[int]) -> None:
    old, new = tagged(NAMES[:50]), tagged(NAMES[50:100])
    strangers = [tagged(NAMES[100 + 50 * number : 150 + 50 * number]) for number in range(2)]

    events = follow(
        ClusterDetector(history=20, length=1), documents([old] * 20 + [new] * members + strangers[: 4 - members])
    )

    assert [event.document for event in events] == redesigns


@pytest.mark.parametrize(("shared", "redesigns"), [(500, []), (499, [20])])
def test_new_avg_drop_asks_for_a_drop_by_half(shared: int, redesigns: list[int]) -> None:
    old, new = tagged(NAMES[:1000]), tagged(NAMES[1000 - shared : 2000 - shared])

    events = follow(NewAvgDrop(history=10, length=1), documents([old] * 20 + [new]))

    assert [event.document for event in events] == redesigns


def drifting(seed: int, h: int) -> list[PageVersion]:
    """Make documents of which the last h differ a little from those before."""
    chance = random.Random(seed)
    old, new = chance.sample(NAMES[:100], 20), chance.sample(NAMES[:100], 20)
    bodies = []
    for number in range(2 * h):
        mixed = chance.choice((4, 6, 8)) if number >= h else 0
        bodies.append(tagged(chance.sample(old[mixed:] + new[:mixed], 15)))
    return documents(bodies)


def test_statistics_decides_as_a_t_test_at_the_level_of_the_paper() -> None:
    stats = pytest.importorskip("scipy.stats", reason="scipy is not installed; pip install scikit-learn")
    h, near = 5, []
    for seed in range(150):
        pages = drifting(seed, h)
        detector = Statistics(history=h, length=1)
        told = bool(follow(detector, pages))
        matrix = detector.stripe.matrix()
        triangles = [
            [matrix[j][k] for j in range(h) for k in range(h) if (j < k) == upper] for upper in (True, False)
        ]
        chance = stats.ttest_ind(*triangles, alternative="greater").pvalue
        assert told == (chance < 1 - 0.999), seed
        near.append(chance)

    assert any(0.0009 < chance < 0.001 for chance in near)  # so that no other level would do
    assert any(0.001 < chance < 0.0011 for chance in near)
