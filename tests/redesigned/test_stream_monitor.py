"""What is told on the way through a stream."""

from datetime import UTC, datetime, timedelta

import pytest

from pagedrift import PageVersion
from pagedrift.redesigned.detectors import RedesignDetector
from pagedrift.redesigned.stream import Document
from pagedrift.redesigned.stream_monitor import StreamMonitor
from pagedrift.selectors.expressions import parse_selectors
from pagedrift.selectors.health import SelectorHealth
from tests.designs import new, old

START = datetime(2026, 1, 1, tzinfo=UTC)


def stream(*bodies: bytes) -> list[Document]:
    return [
        Document(
            PageVersion(f"https://news.example/articles/{number}", body), START + timedelta(days=number), "feed"
        )
        for number, body in enumerate(bodies)
    ]


REDESIGN = stream(*[old(number) for number in range(40)], *[new(number) for number in range(40, 70)])
STRANGE = b"<table><tr><td><center><font><img></font></center></td></tr></table><map><area></map>"


def course(documents: list[Document], detector: str = "evidence", **options) -> tuple[StreamMonitor, list]:
    running = StreamMonitor(RedesignDetector(detector=detector), **options)
    return running, [told for document in documents for told in running.take(document)]


@pytest.mark.parametrize("detector", ["evidence", "max-avg-diff", "cluster"])
def test_a_redesign_is_told_with_its_first_page(detector: str) -> None:
    _, told = course(REDESIGN, detector)
    first = next(one for one in told if one.kind == "redesign")

    assert abs(first.document - 40) <= 3
    assert first.url == f"https://news.example/articles/{first.document}"
    assert first.published_at == START + timedelta(days=first.document)
    assert first.told_at >= first.document + first.event.needed - 1


def test_pages_of_both_designs_are_kept_for_a_report_and_only_then() -> None:
    running, (told,) = course(REDESIGN, keep_pages=True)
    without, (bare,) = course(REDESIGN)

    assert [b"entry-title" in page.body for page in told.before] == [True] * 10
    assert [b"article-title" in page.body for page in running.after(told)] == [True] * 10
    assert bare.before == without.after(bare) == ()


def test_huge_pages_are_not_kept() -> None:
    huge = stream(*[one.page.body + b" " * 2_000_000 for one in REDESIGN])
    running, (told,) = course(huge, keep_pages=True)

    assert told.before == running.after(told) == ()


def test_outliers_are_told_and_the_first_page_of_a_design_is_none() -> None:
    bodies = [one.page.body for one in REDESIGN]
    bodies[20] = bodies[50] = STRANGE
    _, told = course(stream(*bodies), outliers=True)

    assert [one.document for one in told if one.kind == "outlier"] == [20, 50]


def test_the_stripe_has_a_column_for_each_document() -> None:
    running, _ = course(REDESIGN, keep_stripe=True)

    assert [len(column) for column in running.stripe.columns] == [min(number, 20) for number in range(70)]
    assert running.stripe.columns[40][0] < 0.3 < running.stripe.columns[39][0]
    assert running.stripe.lower[59] < running.stripe.upper[59]
    assert running.stripe.lower[39] > running.stripe.upper[39] - 0.05


def test_selectors_that_a_redesign_breaks_are_told_with_it() -> None:
    health = SelectorHealth(parse_selectors("title h2.entry-title\ntext .entry-content, .article-text"))
    _, told = course(REDESIGN, selectors=health)
    (redesign,) = told

    assert [(one.name, one.before, one.since) for one in redesign.selectors] == [("title", 1.0, 0.0)]
    assert redesign.selectors[0].closest.css == ".article-title"


def test_a_selector_that_stops_without_a_redesign_is_told_alone() -> None:
    bodies = [old(number) for number in range(30)]
    bodies += [old(number).replace(b"entry-title", b"post-title") for number in range(30, 50)]
    health = SelectorHealth(parse_selectors("title h2.entry-title"))
    _, told = course(stream(*bodies), selectors=health)

    assert [(one.kind, one.document) for one in told if one.kind != "edit"] == [("selector", 30)]
    assert told[0].selectors[0].closest.css == ".post-title"
