"""Which versions of an archive would the judge have kept, and how much room would that have saved?"""

from __future__ import annotations

from contextlib import closing, suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from pagedrift.arguments import as_readable
from pagedrift.does_it_matter.changes.histories import Histories
from pagedrift.does_it_matter.changes.passages import passages
from pagedrift.does_it_matter.changes.siblings import SharedTexts
from pagedrift.does_it_matter.judge import Label
from pagedrift.does_it_matter.learning import judge_by
from pagedrift.errors import PagedriftError
from pagedrift.reading.latest import Latest

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping
    from datetime import datetime

    from pagedrift.does_it_matter.judge import Judgement
    from pagedrift.does_it_matter.model import Model
    from pagedrift.page import PageVersion

Why = Literal["first", "identical", Label]


@dataclass(frozen=True, slots=True, kw_only=True)
class Audited:
    """What would have become of one version, compared with the last one of its page that was kept."""

    url: str
    captured_at: datetime | None
    since: datetime | None  # when the version it was compared with was captured
    why: Why
    probability: float | None  # that the change matters; None where nothing was to be judged
    reason: str  # the strongest for the answer, in words
    size: int  # bytes of the page

    @property
    def kept(self) -> bool:
        """Whether it would be kept: all but what is surely similar, since what is not kept is lost."""
        return self.why not in ("identical", "similar")


@dataclass(slots=True, kw_only=True)
class Total:
    """What became of all versions."""

    versions: int = 0
    kept: int = 0
    identical: int = 0
    unsure: int = 0
    size: int = 0
    saved: int = 0

    def add(self, found: Audited) -> None:
        """Count one more."""
        self.versions += 1
        self.kept += found.kept
        self.identical += found.why == "identical"
        self.unsure += found.why == "unsure"
        self.size += found.size
        self.saved += 0 if found.kept else found.size


def audit(
    versions: Iterable[PageVersion],
    *,
    models: Mapping[str, Model] | None = None,
    look: Callable[[PageVersion], PageVersion] | None = None,
) -> Iterator[Audited]:
    """Judge each version against the last one of its page that was kept, as they come; `look` adds their views.

    What the versions before changed is the past of each page, and what other pages of its host show as well
    belongs to their frame. Failed responses (status 400 and above) are left out.
    One version of each page is kept at a time, on disk where there are many pages.

    >>> from pagedrift import PageVersion
    >>> bodies = [b"<p>A permit costs $120", b"<p>A permit costs $120", b"<h1>Fees</h1><p>" + b"All is new. " * 50]
    >>> [found.why for found in audit(PageVersion("https://city.example/", body) for body in bodies)]
    ['first', 'identical', 'dissimilar']
    """
    histories, shared = Histories(), SharedTexts()
    with closing(Latest()) as latest:
        for version in versions:
            if version.failed:
                continue
            last = latest.get(version.url)
            found = _audited(last, version, models, look, known=(histories, shared))
            if found.why != "identical":
                _share(shared, version)
            if found.kept:
                latest.put(version)
            yield found


def _audited(
    last: PageVersion | None,
    version: PageVersion,
    models: Mapping[str, Model] | None,
    look: Callable[[PageVersion], PageVersion] | None,
    *,
    known: tuple[Histories, SharedTexts],
) -> Audited:
    histories, shared = known
    when, size = version.captured_at, len(version.body)
    if last is None:
        histories.add(version.url)
        return Audited(
            url=version.url, captured_at=when, since=None, why="first", probability=None, reason="", size=size
        )
    if last.body == version.body and last.encoding == version.encoding:
        return Audited(
            url=version.url,
            captured_at=when,
            since=last.captured_at,
            why="identical",
            probability=None,
            reason="",
            size=size,
        )
    old, new = (look(last), look(version)) if look else (last, version)
    past, siblings = histories.of(version.url), shared.beside(version.url)
    found = judge_by(models, old, new, past=past, siblings=siblings)
    histories.add(version.url, found.changes)
    return Audited(
        url=version.url,
        captured_at=when,
        since=last.captured_at,
        why=found.label,
        probability=found.probability,
        reason=strongest(found),
        size=size,
    )


def _share(shared: SharedTexts, version: PageVersion) -> None:
    """Remember which texts a page shows; of what cannot be read, none."""
    with suppress(PagedriftError):
        shared.add(version.url, passages(as_readable(version)))


def strongest(judgement: Judgement) -> str:
    """Give the strongest reason for the likelier answer, in words."""
    character = 1 if judgement.matters else -1
    return next((reason.text for reason in judgement.reasons if reason.strength * character > 0), "")
