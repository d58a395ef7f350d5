"""Which series of documents are there, and how well does a detector find their redesigns?

A folder holds a series as `NAME.warc.gz`, its documents in order, beside `NAME.json`: `redesigns` and `borderline`
are indexes, from 0, of the first document of a design; `scenario` is homogeneous or inhomogeneous.
"""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from itertools import pairwise
from typing import TYPE_CHECKING

from pagedrift import PageVersion, RedesignDetector, read, testing

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence
    from pathlib import Path
    from typing import Any

    from pagedrift import Redesign
    from pagedrift.redesigned.evidence import Evidence

ASKED = (0.5, 0.6, 0.7, 0.8, 0.9, 0.95)  # certainties at which one may want to be told
BINS = (0.0, 0.1, 0.3, 0.5, 0.7, 0.9, 1.01)  # of certainties that are stated
STATED_WITHIN = 6  # documents after the first of a design
NEAR = 3  # documents between an event and a redesign that it still hits


@dataclass(frozen=True)
class Series:
    """One stream, and what is known about it."""

    name: str
    pages: Sequence[PageVersion]
    redesigns: Sequence[int]
    borderline: Sequence[int] = ()
    scenario: str = ""


def load(folder: Path) -> Iterator[Series]:
    """Read the series of a folder, one by one."""
    for path in sorted(folder.glob("*.json")):
        archive = path.with_suffix(".warc.gz")
        if not archive.exists():
            continue
        known = json.loads(path.read_text())
        pages = tuple(_light(page) for page in read(archive))
        yield Series(
            path.stem, pages, known.get("redesigns", ()), known.get("borderline", ()), known.get("scenario", "")
        )


def _light(page: PageVersion) -> PageVersion:
    """Read off a page what detectors look at, so that each of them need not."""
    _ = page.tags, page.outline
    return page


def follow(
    pages: Iterable[PageVersion], *, made: Callable[..., Any] = RedesignDetector, **settings: Any
) -> list[Redesign]:
    """Give the events that a detector tells on a stream."""
    return testing.follow(made(**settings), pages)


def reliability(series: Iterable[tuple[Series, Callable[..., Evidence]]]) -> list[dict[str, float]]:
    """Compare what is stated of each candidate, document by document, with what is real."""
    stated: list[tuple[float, bool]] = []
    for one, made in series:
        stated += _stated(one, made(certainty=0.999999))
    rows = []
    for least, most in pairwise(BINS):
        real = [is_real for certainty, is_real in stated if least <= certainty < most]
        if real:
            rows.append(
                {"from": least, "to": most, "statements": len(real), "real": round(sum(real) / len(real), 3)}
            )
    return rows


def _stated(series: Series, detector: Evidence) -> Iterator[tuple[float, bool]]:
    """Give what is stated at each of the first documents of a candidate; none at a borderline counts."""
    for index, page in enumerate(series.pages):
        detector.update(page)
        recent = [one for one in detector.candidates if index - one.first < STATED_WITHIN]
        stated = {one.first: one.certainty(detector.weights) for one in recent}
        for truth in series.redesigns:
            near = [stated.pop(first) for first in list(stated) if abs(first - truth) <= NEAR]
            yield from ((certainty, True) for certainty in near and [max(near)])
        yield from (
            (certainty, False)
            for first, certainty in stated.items()
            if _nearest(first, series.borderline, NEAR) is None
        )


@dataclass
class Score:
    """How often a detector was right."""

    hits: int = 0
    missed: int = 0
    false: int = 0
    borderline: int = 0
    delays: list[int] = field(default_factory=list)  # documents from the first of a design to the one that told it
    wrong: list[str] = field(default_factory=list)
    mistakes: list[tuple[int, str]] = field(default_factory=list)  # documents, and what is wrong with each

    def add(self, series: Series, events: Sequence[Redesign], *, near: int = NEAR) -> None:
        """Count the events of one series. Another event at a redesign that was hit counts neither way."""
        hit: dict[int, int] = {}
        for event in events:
            told = event.document + event.needed
            if (truth := _nearest(event.document, series.redesigns, near)) is not None:
                hit[truth] = min(told - truth, hit.get(truth, told - truth))
            elif _nearest(event.document, series.borderline, NEAR) is not None:
                self.borderline += 1
            else:
                self.false += 1
                self.wrong.append(f"{series.name}: {event.document}")
                self.mistakes.append((event.document, "false alarm"))
        self.hits += len(hit)
        self.missed += len(series.redesigns) - len(hit)
        missed = [truth for truth in series.redesigns if truth not in hit]
        self.wrong += [f"{series.name}: {truth} missed" for truth in missed]
        self.mistakes += [(truth, "missed") for truth in missed]
        self.delays += hit.values()

    @property
    def delay(self) -> float | None:
        """The mean delay."""
        return sum(self.delays) / len(self.delays) if self.delays else None


def _nearest(document: int, truths: Sequence[int], near: int) -> int | None:
    truth = min(truths, key=lambda index: abs(index - document), default=None)
    return truth if truth is not None and abs(truth - document) <= near else None
