"""What is a redesign, and what only looks like one: made streams, of made pages and of real ones."""

import random
import re
import tracemalloc
from collections.abc import Sequence
from pathlib import Path

import pytest
from experiments.gottron2009.series import Score, Series, follow, load
from experiments.gottron2009.stories import BLOCKED, STORIES, Story, make

from pagedrift import PageVersion, read
from pagedrift.redesigned.evidence import Evidence
from pagedrift.redesigned.stream_monitor import RedesignEvent
from pagedrift.report.redesigns import lines
from pagedrift.testing import made_page, made_stream

# A trial of a new design looks as a redesign does until the old one comes again.
UNDECIDABLE = {"trial-begins"}
# Made designs share nothing, not even the frame of their site, so there are no two page types of one.
STORIES_OF_MADE_PAGES = sorted(set(STORIES) - UNDECIDABLE - {"page-types"})


def made_designs(seed: int) -> list[list[bytes]]:
    return [[made_page(10 * seed + design, number) for number in range(60)] for design in range(3)]


def strangers() -> list[bytes]:
    return [made_page(1000 + number, number) for number in range(60)]


def score(stories: Sequence[Story]) -> Score:
    result = Score()
    for story in stories:
        result.add(Series(story.name, story.pages, story.redesigns), follow(story.pages))
    return result


@pytest.mark.parametrize("name", STORIES_OF_MADE_PAGES)
def test_made_stories_are_told_as_they_are(name: str) -> None:
    result = score([make(name, seed, made_designs(seed), strangers()) for seed in range(3)])

    assert result.wrong == []


@pytest.fixture(scope="module")
def templates(data: Path) -> dict[str, list[bytes]]:
    chosen = sorted((data / "templates").glob("*.warc.gz"))[::3]
    return {path.name: [page.body for page in read(path)][:40] for path in chosen}


@pytest.mark.slow
@pytest.mark.parametrize("name", sorted(set(STORIES) - UNDECIDABLE - {"page-types", "moved-redesign"}))
def test_stories_of_real_pages_are_told_without_a_false_alarm(name: str, templates: dict[str, list[bytes]]) -> None:
    stories = []
    for seed in range(6):
        chance = random.Random(seed)
        designs = chance.sample(sorted(templates), 3)
        foreign = [page for key in templates if key not in designs for page in templates[key][:3]]
        stories.append(make(name, seed, [templates[key] for key in designs], foreign))
    result = score(stories)

    assert result.false == 0, result.wrong
    assert result.missed <= result.hits // 5, result.wrong


def real(data: Path, name: str) -> Series:
    return next(series for series in load(data / "streams") if series.name == name)


@pytest.fixture(scope="module")
def blog(data: Path) -> Series:
    return real(data, "martin-thoma-posts")


@pytest.mark.slow
def test_a_banner_on_every_real_page_is_an_edit_at_most(blog: Series) -> None:
    banner = (
        b"<body><div class='ad-top ad-wide'><div class=ad-slot id=slot-top><ins class=ad-unit></ins></div></div>"
    )
    pages = [
        page
        if index < 60
        else PageVersion(page.url, page.body.replace(b"<body>", banner), captured_at=page.captured_at)
        for index, page in enumerate(blog.pages[:105])
    ]
    assert any(b"ad-slot" in page.body for page in pages)
    assert follow(pages) == []


@pytest.mark.slow
def test_block_pages_among_real_ones_are_no_redesign(blog: Series) -> None:
    pages = list(blog.pages[:60])
    for at in (25, 40):
        pages[at : at + 5] = [PageVersion(page.url, BLOCKED) for page in pages[at : at + 5]]

    assert follow(pages) == []


@pytest.mark.slow
def test_a_real_site_that_goes_back_to_its_old_design_was_redesigned_twice(blog: Series) -> None:
    first = blog.redesigns[0]
    pages = [*blog.pages[first - 40 : first + 25], *blog.pages[first - 70 : first - 40]]

    assert [event.document for event in follow(pages)] == [40, 65]


def test_certainty_rises_with_each_document_of_the_new_design() -> None:
    detector, seen = Evidence(history=10, certainty=0.99), []
    for page in made_stream([0] * 30 + [1] * 8):
        detector.update(page)
        event = detector.event or detector.suspected
        seen.append(event.certainty if event else 0.0)

    assert seen[:30] == [0.0] * 30
    assert seen[30:] == sorted(seen[30:])
    assert seen[30] < 0.8 < seen[31] < 0.99 < seen[-1]


def test_who_asks_for_less_certainty_is_told_earlier() -> None:
    pages = made_stream([0] * 30 + [1] * 10)
    needed = [follow(pages, detector="evidence", certainty=asked)[0].needed for asked in (0.5, 0.9, 0.999)]

    assert needed == sorted(needed)
    assert needed[0] < needed[-1]


def test_two_documents_are_suspected_and_not_reported() -> None:
    detector = Evidence()
    for page in made_stream([0] * 30 + [1] * 2):
        detector.update(page)

    assert detector.event is None
    assert detector.suspected.certainty > 0.8


def test_the_certainty_of_an_event_falls_when_the_old_design_returns() -> None:
    detector = Evidence(history=20)
    for page in made_stream([0] * 30 + [1] * 4):
        detector.update(page)
    before = detector.event.certainty
    for page in made_stream([0] * 40)[34:]:
        detector.update(page)

    assert detector.event.certainty < 0.1 < before


def test_pages_that_failed_are_no_documents_of_a_design() -> None:
    detector = Evidence(history=10)
    for page in made_stream([0] * 20):
        detector.update(page)
    for number in range(8):
        detector.update(PageVersion(f"https://made.example/{number}", made_page(1, number), status=503))

    assert detector.suspected is None
    assert detector.documents == 28


def test_an_edit_that_lasts_is_told_as_an_edit() -> None:
    detector, told, events = Evidence(history=10), [], []
    sidebar = b"".join(
        b"<aside class=side-%c><h3 class=side-title-%c>" % (letter, letter) for letter in b"abcdefghij"
    )
    for number, page in enumerate(made_stream([0] * 50)):
        body = page.body.replace(b"<body>", b"<body>" + sidebar) if number >= 30 else page.body
        detector.update(PageVersion(page.url, body))
        told += [detector.edit.document] if detector.edited else []
        events += [detector.event] if detector.redesigned else []

    assert told == [30]
    assert 0.5 < detector.edit.stayed < 1
    assert events == []


def test_a_stream_of_huge_pages_takes_a_bounded_memory() -> None:
    detector = Evidence(history=20)
    letters = bytes.maketrans(b"0123456789", b"ghijklmnop")
    tracemalloc.start()
    for number in range(45):
        names = (hex(4000 * number + name)[2:].encode().translate(letters) for name in range(4000))
        huge = b"".join(b"<x%s class=%s><a href=/%s>" % (name, name, name) for name in names)
        detector.update(PageVersion(f"https://made.example/{number}", huge))
    held, _ = tracemalloc.get_traced_memory()
    tracemalloc.stop()

    assert len(detector.candidates) > 10
    assert held < 5_000_000


@pytest.mark.parametrize(
    ("says", "redesigns"), [(b"harbour%d bridge%d fees%d", [30]), (b"Page %d%d%d not found", [])]
)
def test_pages_of_one_frame_are_a_design_if_they_say_different_things(says: bytes, redesigns: list[int]) -> None:
    shell = re.sub(rb">[^<]+<", b"><", made_page(1, 0)) + b"<p>"
    new = [PageVersion(f"https://made.example/{at}", shell + says % (at, at, at) + b" ." * 20) for at in range(9)]

    assert [event.document for event in follow([*made_stream([0] * 30), *new])] == redesigns


def passed(pages: Sequence[PageVersion], *, redesigns: int = 0) -> list[tuple[int, str, int]]:
    detector, found = Evidence(), []
    for page in pages:
        detector.update(page)
        redesigns -= detector.redesigned
        assert redesigns >= 0
        found += (
            [(detector.passing.document, detector.passing.what, detector.passing.pages)] if detector.passing else []
        )
    return found


def at(folder: str, pages: Sequence[PageVersion]) -> list[PageVersion]:
    return [PageVersion(f"https://made.example/{folder}/{number}", page.body) for number, page in enumerate(pages)]


def test_a_section_with_a_design_of_its_own_is_named_as_one() -> None:
    old = made_stream([0] * 40)
    section = [
        PageVersion(page.url, re.sub(rb"<a [^>]*>", b"<a>", page.body))
        for page in at("apidocs", made_stream([1] * 8))
    ]

    assert passed([*at("news", old[:30]), *section, *at("news", old[30:])]) == [(30, "section", 8)]


def test_one_page_shown_again_and_again_is_named_as_that() -> None:
    old = at("news", made_stream([0] * 40))
    error = [
        PageVersion(f"https://made.example/news/{number}", made_page(1, 0) + b"<p>page %d" % number)
        for number in range(6)
    ]

    assert passed([*old[:30], *error, *old[30:]]) == [(30, "repeated", 6)]


def test_a_design_on_some_pages_is_named_a_trial_when_the_old_one_is_back() -> None:
    pages = made_stream([0] * 30 + [1, 1, 0, 1, 1, 0, 0, 0])

    assert passed(pages) == [(30, "trial", 4)]


def test_a_trial_that_was_taken_for_a_redesign_is_named_when_the_old_design_is_back() -> None:
    pages = made_stream([0] * 30 + [1, 1, 1, 0, 0, 1, 0, 1, 0, 0])

    assert passed(pages, redesigns=1) == [(30, "trial", 3)]


def test_pages_left_over_long_after_a_redesign_do_not_take_it_back() -> None:
    assert passed(made_stream([0] * 40 + [1] * 12 + [0, 1, 0, 1, 1]), redesigns=1) == []


def test_error_pages_of_a_site_whose_own_pages_have_one_frame_are_no_redesign() -> None:
    shell = re.sub(rb">[^<]+<", b"><", made_page(0, 0)) + b"<p>"
    own = [shell + b" ".join(b"word%d-%d" % (number, each) for each in range(30)) for number in range(40)]
    error = [made_page(1, 0) + b"<p>page %d not found" % number for number in range(9)]
    bodies = [*own[:30], *error, *own[30:]]
    pages = [PageVersion(f"https://made.example/news/{at}", body) for at, body in enumerate(bodies)]

    assert passed(pages) == [(30, "repeated", 9)]


def test_a_return_to_an_earlier_design_is_less_certain_than_a_new_one() -> None:
    new, returning = (follow(made_stream([0] * 40 + [1] * 40 + [last] * 20))[-1] for last in (2, 0))

    assert new.needed == returning.needed == 3
    assert returning.certainty < 0.95 < new.certainty


def test_a_return_to_an_earlier_design_is_marked() -> None:
    events = follow(made_stream([0] * 40 + [1] * 60 + [2] * 60 + [0] * 20))

    assert [(event.document, event.returned) for event in events] == [(40, False), (100, False), (160, True)]
    assert "back to an earlier design" in next(
        lines(
            RedesignEvent(
                kind="redesign", site="", document=160, published_at=None, url="", told_at=162, event=events[-1]
            )
        )
    )


def test_all_addresses_may_change_with_the_design() -> None:
    nav = b"<nav><a href=/fees>Fees</a><a href=/contact>Contact</a></nav>"
    old, new = ([PageVersion(p.url, p.body + nav) for p in made_stream([design] * 40)] for design in (0, 1))

    events = follow([*at("news", old), *at("articles", new)])

    assert [event.document for event in events] == [40]
    assert events[0].needed <= 6
