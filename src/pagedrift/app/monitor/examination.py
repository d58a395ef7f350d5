"""Examination of one fetched page, run in a separate process because pages can be hostile."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, Final

from pagedrift import interstitials
from pagedrift.app.captures import page_of
from pagedrift.app.monitor import analysis
from pagedrift.app.monitor.edits import EditEvidence, past_of
from pagedrift.app.monitor.excerpts import MAX_WHOLE_BYTES
from pagedrift.app.monitor.expiry import conditions_on_dates
from pagedrift.app.monitor.filters import ChangeFilter
from pagedrift.app.monitor.watched_values import value_of
from pagedrift.capture import http_messages
from pagedrift.capture.http import FETCH_LIMITS
from pagedrift.documents.comparable import is_within_reach, readable
from pagedrift.does_it_matter.changes import Past, SharedTexts
from pagedrift.does_it_matter.changes.passages import passages
from pagedrift.does_it_matter.changes.siblings import SHARED_BY
from pagedrift.does_it_matter.model import from_json
from pagedrift.errors import PagedriftError
from pagedrift.selectors.expressions import parse_selectors
from pagedrift.selectors.health import SelectorHealth

if TYPE_CHECKING:
    from pathlib import Path

    from pagedrift.app.model.change import ChangeAnalysis
    from pagedrift.app.model.lessons import Lesson
    from pagedrift.app.model.options import WatchOptions
    from pagedrift.app.model.rules import Rule
    from pagedrift.app.store.pasts import PastVersion
    from pagedrift.archive.locations import Place
    from pagedrift.does_it_matter.changes import Siblings
    from pagedrift.http_exchange import Exchange
    from pagedrift.interstitials import PageCheck
    from pagedrift.page import PageVersion
    from pagedrift.selectors.health import Stopped

MAX_TITLE_CHARS: Final = 500
MAX_SIBLING_BYTES: Final = 300_000  # of another page of the host that is read for what they share
MAX_RESOURCES: Final = 1_000  # that a page names, of those it loads
MAX_START_BYTES: Final = 1_000_000  # of a large page in which its title and what it loads are looked for


@dataclass(frozen=True, slots=True, kw_only=True)
class ExaminationJob:
    """A page that came, packed as it came or as a browser made it, and what it is looked at for."""

    asked: str
    status: int
    options: WatchOptions
    answer: Exchange = field(repr=False)
    page: PageVersion | None = field(default=None, repr=False)  # that a browser made
    folder: str | Path = ""
    old: Place | None = None
    misses: int = 0
    host_pages: tuple[Place, ...] = ()  # what other watches of the host got last
    compares: bool = True
    rules: tuple[Rule, ...] = ()
    parts: str = ""  # names the options and rules that say which parts count
    past: dict[str, Any] | None = None  # of the page, where it is known under these options and rules ...
    past_versions: tuple[PastVersion, ...] = ()  # ... else those it is worked out from, the oldest first
    still: int = 0  # days for which the page was seen to stand still
    judge: dict[str, Any] | None = None  # that this installation learned
    lessons: tuple[Lesson, ...] = ()
    health: dict[str, Any] | None = None  # of the user's selectors, so far
    unmodified: bool = False  # the server says so, and sent nothing

    def unpacked(self) -> PageVersion:
        """Give the page."""
        return self.page or http_messages.page_of(self.answer, limits=FETCH_LIMITS)


@dataclass(frozen=True, slots=True, kw_only=True)
class Examination:
    """What was found out, small enough to be handed over."""

    what: PageCheck = interstitials.PAGE
    title: str = ""
    analysis: ChangeAnalysis | None = None  # None where there is nothing to compare with
    lost: bool = False  # the version before could not be read
    health: dict[str, Any] | None = None
    stopped: tuple[Stopped, ...] = ()
    resources: tuple[tuple[str, str], ...] = ()  # addresses and kinds of what it loads
    trouble: str = ""  # why it could not be compared
    past: tuple[str, dict[str, Any]] | None = None  # of these parts of the page, with this version in it
    day: str | None = None  # the date that it shows; None where nobody looked for one


def examine(job: ExaminationJob) -> Examination:
    """Say whether it is the page, what its title is, what changed, and what the user's selectors find."""
    new = job.unpacked()
    old = _kept(job, job.old)
    others = filter(None, (_kept(job, place) for place in job.host_pages))
    what = interstitials.recognise(
        new, status=job.status, previous=old, host_pages=others, in_a_row=job.misses, asked=job.asked
    )
    if not what.is_page:
        return Examination(what=what, title=title_of(new))
    found, trouble, past = None, "", Past().after(()) if old is None else None
    if old is not None and job.compares:
        try:
            by = evidence(job)
            found, past = analysis.analyse_with_past(old, new, job.options, job.rules, by=by, still=job.still)
        except PagedriftError as error:
            trouble = str(error)
    redesigned = found is not None and found.changed and found.redesigned
    health, stopped = check_selectors(job, new, redesigned=redesigned)
    lost = job.old is not None and old is None
    return Examination(
        what=what,
        title=title_of(new),
        analysis=found,
        lost=lost,
        health=health,
        stopped=stopped,
        resources=_resources(job, new),
        trouble=trouble,
        past=(job.parts, past.to_json()) if past else None,
        day=_day(job, new),
    )


def evidence(job: ExaminationJob) -> EditEvidence:
    """Give what the edits are judged by; a past that is not known is worked out from the archive."""
    model = from_json(job.judge, where="the judge of this installation") if job.judge else None
    return EditEvidence(past=_past(job), siblings=_siblings(job), model=model, lessons=job.lessons)


def _siblings(job: ExaminationJob) -> Siblings | None:
    """Give what other pages of the host show, where enough of them are watched; large ones are left out."""
    if len(job.host_pages) < SHARED_BY:
        return None
    shared = SharedTexts()
    for other in filter(None, (_kept(job, place) for place in job.host_pages)):
        page = readable(other) if len(other.body) <= MAX_SIBLING_BYTES else None
        if page is not None:
            shared.add(other.url, passages(page))
    return shared.beside(job.asked)


def _past(job: ExaminationJob) -> Past:
    if job.past is not None:
        try:
            return Past.from_json(job.past)
        except PagedriftError:  # of another release
            pass
    versions = ((_kept(job, place), still) for place, still in job.past_versions)
    return past_of(versions, ChangeFilter.of(job.options, job.rules))


def look_again(job: ExaminationJob) -> Examination:
    """See what the user's selectors find on a page that did not change, and which date it shows."""
    page = _kept(job, job.old) if job.unmodified else job.unpacked()
    if page is None:
        return Examination()
    health, stopped = (None, ()) if job.unmodified else check_selectors(job, page, redesigned=False)
    return Examination(health=health, stopped=stopped, day=_day(job, page))


def _day(job: ExaminationJob, page: PageVersion) -> str | None:
    """Read the date that the watched parts of a page show, where a condition is about it."""
    if not conditions_on_dates(job.options):
        return None
    try:
        shown = readable(page)
        return "" if shown is None else value_of(shown, ChangeFilter.of(job.options, job.rules)).day
    except PagedriftError:  # beyond the limits of a tree
        return ""


def check_selectors(
    job: ExaminationJob, page: PageVersion, *, redesigned: bool
) -> tuple[dict[str, Any] | None, tuple[Stopped, ...]]:
    """See whether the user's selectors still find something; give what is to be remembered, and what stopped."""
    if not job.options.selectors or not is_within_reach(page):
        return None, ()
    try:
        health = SelectorHealth(parse_selectors("\n".join(job.options.selectors)))
        health.restore(job.health or {})
        stopped = health.take(page, redesigned_since=1 if redesigned else None)
    except PagedriftError:  # no selectors, or a page that cannot be looked into
        return None, ()
    return health.state(), stopped


def title_of(page: PageVersion) -> str:
    """Read the title of a page, if it is one that a tree can be made of."""
    if "html" not in (page.content_type or "html"):
        return ""
    try:
        return _start(page).title[:MAX_TITLE_CHARS]
    except PagedriftError:
        return ""


def _start(page: PageVersion) -> PageVersion:
    """Give a page, or the start of a large one."""
    return page if len(page.body) <= MAX_WHOLE_BYTES else replace(page, body=page.body[:MAX_START_BYTES])


def _kept(job: ExaminationJob, place: Place | None) -> PageVersion | None:
    """Read a version that was kept; None where it cannot be read."""
    if place is None:
        return None
    try:
        return page_of(job.folder, place)
    except (PagedriftError, OSError):
        return None


def _resources(job: ExaminationJob, page: PageVersion) -> tuple[tuple[str, str], ...]:
    """Give what a page loads, style sheets first: without them nothing stands in its place."""
    if not job.options.resources or page.view or "html" not in (page.content_type or "html"):
        return ()
    try:
        named = dict.fromkeys((each.url, each.kind) for each in _start(page).resources)
    except PagedriftError:  # beyond the limits of a tree
        return ()
    fitting = [each for each in named if each[0].startswith(("http://", "https://"))]
    return tuple(sorted(fitting, key=lambda each: each[1] != "stylesheet")[:MAX_RESOURCES])
