"""Which series of documents are there, and how well does a detector find their redesigns?

A folder holds a series as `NAME.warc.gz`, its documents in order, beside `NAME.json`: `redesigns` and `borderline`
are indexes, from 0, of the first document of a design; `scenario` is homogeneous or inhomogeneous.
"""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from pagedrift import PageVersion, RedesignDetector, read, testing

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence
    from pathlib import Path
    from typing import Any

    from pagedrift import Redesign

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


def follow(pages: Iterable[PageVersion], **settings: Any) -> list[Redesign]:
    """Give the events that a detector tells on a stream."""
    return testing.follow(RedesignDetector(**settings), pages)


@dataclass
class Score:
    """How often a detector was right."""

    hits: int = 0
    missed: int = 0
    false: int = 0
    borderline: int = 0
    delays: list[int] = field(default_factory=list)  # documents from the first of a design to the one that told it
    wrong: list[str] = field(default_factory=list)

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
        self.hits += len(hit)
        self.missed += len(series.redesigns) - len(hit)
        self.wrong += [f"{series.name}: {truth} missed" for truth in series.redesigns if truth not in hit]
        self.delays += hit.values()

    @property
    def delay(self) -> float | None:
        """The mean delay."""
        return sum(self.delays) / len(self.delays) if self.delays else None


def _nearest(document: int, truths: Sequence[int], near: int) -> int | None:
    truth = min(truths, key=lambda index: abs(index - document), default=None)
    return truth if truth is not None and abs(truth - document) <= near else None
