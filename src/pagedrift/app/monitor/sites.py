"""Visits to feeds, sitemaps and lists: new documents of a site, and redesigns seen across them."""

from __future__ import annotations

import re
import time
from contextlib import suppress
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta
from itertools import islice
from typing import TYPE_CHECKING, Any, Final
from urllib.parse import urlsplit

from pagedrift import interstitials
from pagedrift.app.model.results import VisitResult
from pagedrift.app.model.watch import Watch, checked_url
from pagedrift.app.monitor import change_groups, retries
from pagedrift.app.monitor.examination import title_of
from pagedrift.app.monitor.followup import FollowUp, after_visit, settle
from pagedrift.app.monitor.requests import request_options_of, version_of, without_body
from pagedrift.app.monitor.worker_pool import AnalysisError
from pagedrift.app.store import alerts, queries, visits
from pagedrift.app.store import watches as watch_store
from pagedrift.archive.reader import page_at
from pagedrift.capture.feed_follower import FORMAT, MAX_REMEMBERED_ENTRIES, Follower
from pagedrift.capture.http import FETCH_LIMITS, FetchError
from pagedrift.capture.http_messages import page_of
from pagedrift.capture.throttle import LaterError
from pagedrift.documents.comparable import is_within_reach, what_it_is
from pagedrift.errors import ConflictError, InputError, LimitError, PagedriftError
from pagedrift.file_types import HEAD_BYTES
from pagedrift.redesigned.detectors import RedesignDetector
from pagedrift.redesigned.stream import Document, publication
from pagedrift.redesigned.stream_monitor import StreamMonitor
from pagedrift.report import reasons, redesigns
from pagedrift.selectors.expressions import parse_selectors
from pagedrift.selectors.health import SelectorHealth

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from pagedrift.app.model.results import Outcome
    from pagedrift.app.model.task import Task
    from pagedrift.app.model.watch import Kind
    from pagedrift.app.monitor.visit import Visitor
    from pagedrift.app.settings import Settings
    from pagedrift.app.store.store import Session, Store
    from pagedrift.capture.feed import FeedEntry
    from pagedrift.capture.http import Fetched
    from pagedrift.http_exchange import Exchange
    from pagedrift.redesigned.stream_monitor import RedesignEvent

MAX_TRIES: Final = 3  # of a document that cannot be had
MAX_SECONDS: Final = 20.0  # that one visit takes; the rest follows in the next one
MAX_NAMED_FLAWS: Final = 3  # things that are wrong with a sitemap that are named at a visit
DOCUMENTS_PER_VISIT: Final = 20  # documents of one visit; the rest is due at once, after others had their turn
MAX_VISITS_IN_A_ROW: Final = 20  # visits in a row, after which a feed that never ends waits like others
MAX_PLACES: Final = 60  # documents, of which an event names one
MAX_LISTED: Final = 100_000  # addresses in a list
MOSTLY: Final = 0.8  # of the lines of a text that are addresses, where it is a list of them
_SITEMAP: Final = re.compile(rb"<(?:\w+:)?(?:urlset|sitemapindex)[\s>]")
_ADDRESS: Final = re.compile(r"https?://[^\s<>\"'\\]{1,2000}")
MAX_EVENTS: Final = 200  # that are remembered of a site
KINDS: Final = {"redesign": "redesign", "selector": "selector", "edit": "change"}
NOTED: Final = frozenset((*KINDS, "passing"))  # what the page of a site shows, with an alert or without


class NotOursError(ConflictError):
    """A visit that counts no longer."""


class SiteVisitor:
    """Visits feeds, sitemaps and lists: each new document is kept, and shown to the site's detector."""

    def __init__(self, visitor: Visitor, *, unfinished: Callable[[str], object] = lambda _: None) -> None:
        self._unfinished = unfinished  # called with a watch whose next documents are due soon
        self.store = visitor.store
        self.client = visitor.client
        self.archive = visitor.archive
        self.analysis_pool = visitor.analysis_pool

    def visit(self, task: Task) -> VisitResult:
        """Look what is new; every document is written down before the next one is fetched."""
        now = datetime.now(UTC)
        try:
            if task.watch.kind == "list":
                return self._list(task, VisitResult(watch=task.watch.id, at=now, outcome="unchanged"))
            return self._follow(task, VisitResult(watch=task.watch.id, at=now, outcome="unchanged"))
        except NotOursError as error:
            return VisitResult(watch=task.watch.id, at=now, outcome="unchanged", reason=str(error))
        except PagedriftError as error:
            if isinstance(error, FetchError):
                retries.check_failure(task, error)
            result = VisitResult(watch=task.watch.id, at=now, outcome="trouble", reason=str(error))
            return self._settle(task, result, {})  # what was remembered of documents meanwhile stays

    # A list: its pages are watched one by one

    def _list(self, task: Task, result: VisitResult) -> VisitResult:
        fetched = self.client.fetch(task.watch.url, request_options=request_options_of(task.options), unpack=False)
        retries.check_answer(task, fetched)
        if fetched.not_modified or fetched.failed:
            raise FetchError(
                f"{task.watch.url} answers with status {fetched.status}; check the address", kind="network"
            )
        added = self._watch(
            task, self.analysis_pool.run_on_page(fetched.size, _listed, fetched.exchanges[-1], host=task.host)
        )
        outcome: Outcome = "changed" if added else "unchanged"
        said = reasons.pages_added(added) if added else ""
        return self._settle(task, replace(result, outcome=outcome, reason=said, status=fetched.status), {})

    def _watch(self, task: Task, urls: Iterable[str]) -> int:
        """Watch pages that a site names, as many as the user wants."""
        removed = watch_store.pages_of(self.store, task.watch.id)  # by address; what was removed stays so
        room = task.options.max_pages - list(removed.values()).count(False)
        if room <= 0:
            return 0
        fine = (url for url in dict.fromkeys(urls) if url not in removed and _is_fine(url))
        children = (Watch(url, group=task.watch.group) for url in fine)
        return len(watch_store.add_all(self.store, children, parent=task.watch.id, most=room))

    # A feed or sitemap: its documents are a stream

    def _follow(self, task: Task, result: VisitResult) -> VisitResult:
        started = time.monotonic()
        request_options = request_options_of(task.options)
        state = task.memory.get("follower")
        known = state if state and state["url"] == task.watch.url else None
        follower = Follower(
            self.client,
            task.watch.url,
            state=known,
            request_options=request_options,
            tries=MAX_TRIES,
            apart=self.analysis_pool.run,
        )
        entries = follower.poll()
        memory, new, wait = dict(task.memory), 0, 0.0
        try:
            for entry, got in follower.fetched(entries[:DOCUMENTS_PER_VISIT]):
                memory["follower"] = follower.state()  # with each, so that none is fetched again after a crash
                new += self._take(task, memory, entry, got)
                if time.monotonic() - started > MAX_SECONDS:
                    break
        except LaterError as later:  # the next document comes when its host may be asked
            wait = later.seconds
        memory["follower"] = follower.state()
        if task.watch.kind == "sitemap":
            self._watch(task, (entry.url for entry in reversed(entries)))
        left = follower.waiting
        said = reasons.joined((reasons.documents(new, left), *follower.flaws[:MAX_NAMED_FLAWS]))
        outcome: Outcome = "changed" if new else "unchanged"
        seconds = round(time.monotonic() - started, 3)
        result = replace(result, outcome=outcome, reason=said, seconds=seconds, status=200)
        memory["pieces"] = memory.get("pieces", 0) + 1 if left else 0
        soon = 0 < memory["pieces"] < MAX_VISITS_IN_A_ROW and not follower.retry_after
        if soon and wait:
            self._unfinished(task.watch.id)
        rest = timedelta(seconds=wait) if wait else -timedelta(days=1)  # before all that is due since
        return self._settle(
            task, result, memory, next_at=result.at + rest if soon else None, retry_after=follower.retry_after
        )

    def _take(self, task: Task, memory: dict[str, Any], entry: FeedEntry, got: Fetched | FetchError) -> int:
        """Store a document, show it to the detector and report its result; 1 if it was one."""
        if isinstance(got, FetchError) or got.not_modified:
            return 0
        answer, now = got.exchanges[-1], datetime.now(UTC)
        try:
            studied = self.analysis_pool.run_on_page(
                got.size,
                study,
                answer,
                entry.published_at,
                tuple(task.options.selectors),
                memory,
                host=urlsplit(answer.url).hostname or "",
            )
        except (AnalysisError, LimitError):  # too much for the detector, but not for the archive
            studied = StudiedDocument()
        if studied is None:
            return 0
        found = studied.events
        result = VisitResult(
            watch=task.watch.id,
            at=now,
            outcome="new",
            reason=entry.title or "",
            status=got.status,
            kept=True,
            version=version_of(without_body(answer), now, digest=got.digest, title=studied.title),
            entry=entry.key,
            events=tuple(redesigns.as_data(each) for each in found),
        )
        place = self.archive.append(answer, notes=result.notes()).place
        memory |= studied.memory
        memory["events"] = [*memory.get("events", []), *result.events][-MAX_EVENTS:]
        with self.store.begin() as session:
            recorded = visits.record(session, result, place)
            ours = recorded is not None and visits.remember(session, task, recorded, memory)
            if recorded is not None and ours:
                for each in found:
                    self._tell(session, task, each, now)
        if not ours:
            raise NotOursError(
                f"{task.watch.url} was edited or taken over during the check; it will be checked again"
            )
        return 1

    def _tell(self, session: Session, task: Task, event: RedesignEvent, now: datetime) -> None:
        if event.kind not in KINDS or (event.kind == "redesign" and not task.options.redesigns):
            return
        title = next(iter(redesigns.lines(event)))
        # A redesign is one alert with what its pages, its feed and its sitemap show of it.
        own = f"{event.kind} {task.watch.id} {event.document}"[:64]
        signature = change_groups.signature((), redesigned=True) if event.kind == "redesign" else own
        about = visits.RecordedVisit(task.watch.id)
        alerts.add(session, about, kind=KINDS[event.kind], signature=signature, title=title, now=now)

    def _settle(
        self,
        task: Task,
        result: VisitResult,
        memory: dict[str, Any],
        *,
        next_at: datetime | None = None,
        retry_after: float = 0.0,
    ) -> VisitResult:
        after = replace(after_visit(task, result, retry_after), memory={**memory, "tries": 0})
        after = replace(after, next_at=next_at or after.next_at)
        settle(self.store, FollowUp(task=task, result=result, after=after))
        return result


def remembered(store: Store, settings: Settings, site: Watch, seen: list[str], events: list[Any]) -> dict[str, Any]:
    """Make the memory of a site again from its documents: detector, and the entries that are not new."""
    course = StreamMonitor(RedesignDetector())
    with store.read() as session:
        documents = queries.all_versions(session, site.id)
    for version in documents:
        with suppress(PagedriftError):
            page = page_at(settings.archive, version.place)
            course.take(Document(page, *publication(page)))
    newest = list(dict.fromkeys(seen))[-MAX_REMEMBERED_ENTRIES:]
    follower = {"format": FORMAT, "url": site.url, "headers": [], "seen": newest}
    return {"detector": course.detector.to_json(), "events": events[-MAX_EVENTS:], "follower": follower}


@dataclass(frozen=True, slots=True)
class StudiedDocument:
    """What a document of a site is, and what it shows about the site."""

    title: str = ""
    events: tuple[RedesignEvent, ...] = ()
    memory: dict[str, Any] = field(default_factory=dict)  # of the detector, to continue with


def study(
    answer: Exchange, published_at: datetime | None, selectors: tuple[str, ...], memory: dict[str, Any]
) -> StudiedDocument | None:
    """Show a document to the detector of its site; None where it is not a page."""
    page = page_of(answer, limits=FETCH_LIMITS)
    if interstitials.recognise(page, status=page.status or 0, previous=None).kind != "page":
        return None
    if not is_within_reach(page):
        return StudiedDocument()
    course = _course(selectors, memory)
    when, by = (published_at, "feed") if published_at else publication(page)
    found = tuple(each for each in course.take(Document(page, when, by)) if each.kind in NOTED)
    after: dict[str, Any] = {
        "detector": course.detector.to_json(),
        "places": [[url, at.isoformat() if at else None] for url, at in course.places][-MAX_PLACES:],
    }
    if course.selectors is not None:
        after["selectors"] = course.selectors.state()
    return StudiedDocument(title_of(page), found, after)


def find_kind(answer: Exchange) -> Kind:
    """Say what is at an address: a page (or a document read like one), a feed, a sitemap or a list."""
    page = page_of(answer, limits=FETCH_LIMITS)
    what, start = what_it_is(page), page.body[:HEAD_BYTES]
    if what == "feed":
        return "feed"
    if what == "XML file" and _SITEMAP.search(start):
        return "sitemap"
    if what == "packed file" and urlsplit(page.url).path.endswith(".xml.gz"):
        return "sitemap"
    lines = [line for line in page.source.splitlines() if line.strip()] if what == "text" else []
    named = sum(_ADDRESS.fullmatch(line.strip()) is not None for line in lines[:MAX_LISTED])
    return "list" if named > 1 and named >= MOSTLY * len(lines) else "page"


def _listed(answer: Exchange) -> list[str]:
    """Give the addresses that stand in a list, each once."""
    source = page_of(answer, limits=FETCH_LIMITS).source
    found = (each[0] for each in _ADDRESS.finditer(source))
    return list(dict.fromkeys(islice(found, MAX_LISTED)))


def _course(selectors: tuple[str, ...], memory: dict[str, Any]) -> StreamMonitor:
    """Continue with a detector where it stopped."""
    saved = memory.get("detector")
    detector = RedesignDetector.from_json(saved) if saved else RedesignDetector()
    health = None
    if selectors:
        health = SelectorHealth(parse_selectors("\n".join(selectors)))
        if "selectors" in memory:
            health.restore(memory["selectors"])
    known = ((url, datetime.fromisoformat(at) if at else None) for url, at in memory.get("places", ()))
    return StreamMonitor(detector, selectors=health, places=known)


def _is_fine(url: str) -> bool:
    try:
        return bool(checked_url(url))
    except InputError:
        return False
