"""Checks that a new metric, detector or other registry member keeps its laws, with sample pages."""

from __future__ import annotations

import math
import random
from datetime import UTC, datetime, timedelta
from itertools import pairwise, product
from typing import TYPE_CHECKING, Final

from pagedrift.page import PageVersion

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from pagedrift.how_much.metrics import Metric
    from pagedrift.redesigned import RedesignDetector
    from pagedrift.redesigned.base import Detector
    from pagedrift.redesigned.events import Redesign

ROUNDING: Final = 1e-9
START = datetime(2026, 1, 1, tzinfo=UTC)


def make_page(words: Iterable[str] = ()) -> PageVersion:
    """Make a page that shows these words.

    >>> make_page(["fish", "&", "chips"]).words
    ('fish', '&', 'chips')
    """
    from html import escape

    body = "".join(f"<p>{escape(word, quote=False)}</p>" for word in words)
    return PageVersion("", f"<!doctype html><meta charset=utf-8><body>{body}".encode())


def check_metric(metric: Metric, *, symmetric: bool = True) -> None:
    """Check that a metric is a distance in [0, 1] as those of `METRICS` are; if not, an AssertionError says where.

    The laws: identical pages are at 0, also empty ones; every distance is a number from 0 to 1, and the same when
    asked again; a page with words is at 1 from one without; the more words were added, dropped or replaced, the
    further (or as far); and where `symmetric`, old and new may be exchanged.

    >>> check_metric(lambda old, new: float(old.body != new.body))
    >>> check_metric(lambda old, new: 0.5 if old.words != new.words else 0.0)
    Traceback (most recent call last):
    AssertionError: from no words to one word: the distance is 0.5, it should be 1
    """
    pages = _pages()
    for name, page in pages.items():
        same = metric(page, PageVersion(page.url, page.body))
        _require(same == 0, f"from {name} to itself: the distance is {same!r}, it should be 0")
    for (one, old), (other, new) in product(pages.items(), repeat=2):
        _check_pair(metric, f"from {one} to {other}", old, new, symmetric=symmetric)
    for name, series in _growing().items():
        _check_growth(metric, name, series)


def _require(kept: bool, message: str) -> None:
    if not kept:  # no assert statement: it would be gone under python -O
        raise AssertionError(message)


def _check_pair(metric: Metric, name: str, old: PageVersion, new: PageVersion, *, symmetric: bool) -> None:
    distance = metric(old, new)
    _require(isinstance(distance, float), f"{name}: the distance is {distance!r}, it should be a float")
    _require(0 <= distance <= 1, f"{name}: the distance is {distance!r}, it should be from 0 to 1")
    if bool(old.words) != bool(new.words):
        _require(distance == 1, f"{name}: the distance is {distance!r}, it should be 1")
    again = metric(old, new)
    _require(again == distance, f"{name}: the distance is {distance!r}, and {again!r} when asked again")
    if symmetric:
        back = metric(new, old)
        same = math.isclose(distance, back, abs_tol=ROUNDING)
        _require(same, f"{name}: the distance is {distance!r}, but {back!r} the other way round")


def _check_growth(metric: Metric, name: str, series: Sequence[PageVersion]) -> None:
    distances = [metric(series[0], page) for page in series]
    for (less, more), (short, long) in zip(pairwise(distances), pairwise(series), strict=True):
        _require(
            more >= less - ROUNDING,
            f"{name}: the distance falls from {less!r} to {more!r} as the change grows,"
            f" from {' '.join(short.words)!r} to {' '.join(long.words)!r}",
        )


def _pages() -> dict[str, PageVersion]:
    text = "the fee for a fence is $40 a year and the fee for a shed is $60 a year".split()
    return {
        "no words": PageVersion("", b""),
        "one word": make_page(["fee"]),
        "another word": make_page(["shed"]),
        "one word many times": make_page(["fee"] * 30),
        "a text": make_page(text),
        "a text backwards": make_page(text[::-1]),
        "half a text": make_page(text[: len(text) // 2]),
        "a text twice": make_page(text * 2),
        "another text": make_page(f"word{number}" for number in range(40)),
        "a text without spaces": make_page(["許可證費用一年四十元"]),
        "broken markup": PageVersion("", b"<p <b>fee</i> <!-- x --!> &#0; <td>\xff $4<0"),
    }


def _growing() -> dict[str, list[PageVersion]]:
    """Change more and more words of one page in one place."""
    page = [f"w{number}" for number in range(40)]
    extra = [f"n{number}" for number in range(30)]
    many = range(31)
    return {
        "words added": [make_page(page[:5] + extra[:x] + page[5:]) for x in many],
        "words dropped": [make_page(page[:5] + page[5 + x :]) for x in many],
        "words replaced": [make_page(page[:5] + extra[:x] + page[5 + x :]) for x in many],
    }


def made_stream(designs: Iterable[int]) -> list[PageVersion]:
    """Make one page a day, each in the design of that number: two designs share no class name and little else.

    >>> [page.captured_at.day for page in made_stream([0, 0, 1])]
    [1, 2, 3]
    """
    return [
        PageVersion(
            f"https://made.example/{number}",
            made_page(design, number),
            captured_at=START + timedelta(days=number),
        )
        for number, design in enumerate(designs)
    ]


def made_page(design: int, number: int = 0) -> bytes:
    """Make a page of a design: its frame is the same for every number, its content is not."""
    chance = random.Random(design)
    boxes = "div section article aside header footer nav main ul table form figure a span b i".split()
    name = "".join(chance.choices("abcdefghijklmnopqrstuvwxyz", k=8))
    pairs = [(chance.choice(boxes), chance.choice(boxes)) for _ in range(60)]
    frame = "".join(f'<{box} class="{name}-{box} {name}-{inner}">' for box, inner in pairs)
    parts = random.Random(number).choices("p h2 ul blockquote pre em code".split(), k=1 + number * 7 % 5)
    content = "".join(f"<{part}>A {part} of {number}</{part}>" for part in parts)
    head = f'<link rel=stylesheet href="/{name}.css"><script src="/{name}.js"></script>'
    return f"<!doctype html><html><head><title>{number}</title>{head}</head><body>{frame}{content}".encode()


def follow(detector: Detector | RedesignDetector, pages: Iterable[PageVersion]) -> list[Redesign]:
    """Give the events that a detector reports on a stream."""
    events = []
    for page in pages:
        detector.update(page)
        if detector.redesigned and detector.event:
            events.append(detector.event)
    return events


def check_detector(make: Callable[[], Detector]) -> None:
    """Check the laws of redesign detectors on a new one: `make` gives it with a history of 10."""
    history = 10
    _check_redesign(make(), made_stream([0] * 3 * history + [1] * 2 * history), 3 * history)
    _check_quiet(make(), made_stream([0] * 6 * history))
    _check_short(make(), made_stream([0] * (history // 2)))
    _check_saving(make, made_stream([0] * 3 * history + [1] * 2 * history))


def _check_redesign(detector: Detector, pages: Sequence[PageVersion], first: int) -> None:
    events = follow(detector, pages)
    assert first in [event.document for event in events], "a change of every page is reported"
    for event in events:
        assert event.document <= event.document + event.needed - 1 < len(pages), "only documents seen are needed"
        assert event.published_at == pages[event.document].captured_at, "the date is that of the document"
        assert event.detector == detector.name, "events name their detector"
        assert event.certainty is None or 0 < event.certainty <= 1, "a certainty is a probability"
    assert not detector.redesigned, "redesigned is true for the last update only"
    assert detector.event is not None, "the event stays"
    assert detector.event.document == events[-1].document, "the event stays that of the last redesign"


def _check_quiet(detector: Detector, pages: Sequence[PageVersion]) -> None:
    assert follow(detector, pages) == [], "pages of one design are not a redesign"
    assert detector.ready, "a long stream is long enough"


def _check_short(detector: Detector, pages: Sequence[PageVersion]) -> None:
    assert not detector.ready, "a new detector has seen too little"
    assert follow(detector, pages) == [], "a short stream has no event"
    assert not detector.ready, "a stream shorter than the history is too short"


def _check_saving(make: Callable[[], Detector], pages: Sequence[PageVersion]) -> None:
    through, saved = make(), make()
    for page in pages:
        saved = type(saved).from_json(saved.to_json())
        through.update(page)
        saved.update(page)
        assert (saved.redesigned, saved.event) == (through.redesigned, through.event), "a restored one continues"
    assert saved.to_json() == through.to_json(), "a restored one is the same"
