"""Does a new member of a registry keep the laws of its kind? Checks to run on it, and pages to run them on."""

from __future__ import annotations

import random
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING

from pagedrift.page import PageVersion

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from pagedrift.redesigned import RedesignDetector
    from pagedrift.redesigned.base import Detector
    from pagedrift.redesigned.events import Redesign

START = datetime(2026, 1, 1, tzinfo=UTC)


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
    """Give the events that a detector tells on a stream."""
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
    assert first in [event.document for event in events], "a change of every page is told"
    for event in events:
        assert event.document <= event.document + event.needed - 1 < len(pages), "only documents seen are needed"
        assert event.published_at == pages[event.document].captured_at, "the date is that of the document"
        assert event.detector == detector.name, "events say who told them"
        assert event.certainty is None or 0 < event.certainty <= 1, "a certainty is a probability"
    assert not detector.redesigned, "redesigned is true for the last update only"
    assert detector.event is not None, "the event stays"
    assert detector.event.document == events[-1].document, "the event stays that of the last redesign"


def _check_quiet(detector: Detector, pages: Sequence[PageVersion]) -> None:
    assert follow(detector, pages) == [], "pages of one design are no redesign"
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
        assert (saved.redesigned, saved.event) == (through.redesigned, through.event), "a restored one goes on"
    assert saved.to_json() == through.to_json(), "a restored one is the same"
