"""One visit from start to end: fetch, recognise, compare, keep, decide about an alert, schedule the next."""

from __future__ import annotations

import logging
import time
from contextlib import suppress
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from functools import partial
from typing import TYPE_CHECKING, Final

from pagedrift.app.captures import attached
from pagedrift.app.model.change import ChangeRecord
from pagedrift.app.model.option_values import plain
from pagedrift.app.model.results import FailedStep, VisitResult, shared_notes
from pagedrift.app.monitor import change_groups, decisions, examination, expiry, retries
from pagedrift.app.monitor.analysis import unknown_change
from pagedrift.app.monitor.examination import Examination
from pagedrift.app.monitor.followup import FollowUp, after_visit
from pagedrift.app.monitor.group_commit import GroupCommit
from pagedrift.app.monitor.requests import (
    is_asked_otherwise,
    is_same,
    looked_at,
    request_options_of,
    unmodified,
    version_known_to_all,
    version_of,
    wanted_what,
    without_body,
)
from pagedrift.app.monitor.requisites import RequisiteFetcher, is_part
from pagedrift.app.monitor.worker_pool import EXPENSIVE
from pagedrift.app.store import lessons, pasts, queue, visits, watches
from pagedrift.archive.writer import Capture
from pagedrift.capture.http import FetchError
from pagedrift.capture.throttle import LaterError
from pagedrift.errors import PagedriftError
from pagedrift.http_exchange import is_failure
from pagedrift.interstitials import PAGE, PageCheck, signs
from pagedrift.report import reasons

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from pagedrift.app.model.change import ChangeAnalysis
    from pagedrift.app.model.task import Task
    from pagedrift.app.model.watch import Kind
    from pagedrift.app.monitor.worker_pool import AnalysisPool
    from pagedrift.app.settings import Settings
    from pagedrift.app.store.store import Store
    from pagedrift.archive.writer import ArchiveWriter
    from pagedrift.capture.browser import Browser
    from pagedrift.capture.http import Client, Fetched
    from pagedrift.capture.request_options import RequestOptions
    from pagedrift.http_exchange import Exchange
    from pagedrift.page import PageVersion

logger = logging.getLogger("pagedrift.watch")
MAX_SHARE_OF_HOST: Final = 0.1  # of one processor, for comparing the pages of one host


@dataclass(frozen=True, slots=True, kw_only=True)
class FetchedPage:
    """What a visit brought home, before anyone thought about it."""

    status: int
    answer: Exchange  # packed as it came: nobody looks into it here
    digest: str = ""  # of the page; none where the server says that nothing changed
    size: int = 0  # of the page, in bytes
    page: PageVersion | None = None  # that a browser made
    led_by: tuple[Exchange, ...] = ()
    resources: tuple[Exchange, ...] = ()
    notes: str = ""
    retry_after: float = 0.0


def _is_known(task: Task, fetched: FetchedPage) -> bool:
    """Return whether a visit found the bytes that are known."""
    return task.newest is not None and fetched.digest == task.newest.digest and not is_failure(fetched.status)


def _failed_step(error: PagedriftError) -> FailedStep | None:
    """Give the step at which a visit failed, if that was one."""
    from pagedrift.capture.browser_visit import StepError

    if not isinstance(error, StepError):
        return None
    return FailedStep(number=error.number, step=error.step, problem=error.problem, picture=error.picture)


class Visitor:
    """Visits watches of pages, whoever's turn it is; threads may share it."""

    def __init__(
        self,
        settings: Settings,
        store: Store,
        *,
        archive: ArchiveWriter,
        client: Client,
        analysis_pool: AnalysisPool,
        browser: Browser,
        under_way: Callable[[], int] = lambda: 0,
    ) -> None:
        self.settings = settings
        self.store = store
        self.archive = archive
        self.commit = GroupCommit(store, archive, under_way=under_way)
        self.client = client
        self.analysis_pool = analysis_pool
        self.browser = browser
        self.requisites = RequisiteFetcher(client)
        self.clock: Callable[[], datetime] = partial(datetime.now, UTC)

    def visit(self, task: Task) -> VisitResult:
        """Visit a page, and leave everything written down."""
        return self.visit_all((task,))[0]

    def visit_all(self, tasks: Sequence[Task]) -> tuple[VisitResult, ...]:
        """Visit a page once for several watches that ask for it in the same way; each finds its own in it."""
        started, now = time.monotonic(), self.clock()
        try:
            fetched = self._fetch(tasks)
        except PagedriftError as error:  # the network, a step of the login, the browser
            return self._give_up(tasks, error, now, time.monotonic() - started)
        self._find_kinds(tasks, fetched)
        examined = [self._examine(task, fetched) for task in tasks]
        resources = fetched.resources or self._fetch_requisites(tasks, fetched, examined)
        # Nothing is asked of the network from here on: what was found is judged, kept and recorded.
        judged = [self._judge(task, fetched, found, now) for task, found in zip(tasks, examined, strict=True)]
        seconds = round(time.monotonic() - started, 3)
        results = [
            self._spare(task, fetched, replace(result, seconds=seconds))
            for task, result in zip(tasks, judged, strict=True)
        ]
        captures = self._captures(tasks, fetched, results, resources) if any(each.kept for each in results) else ()
        if not captures:
            self.requisites.forget(resources)
        self.commit.settle(map(partial(self._follow_up, fetched), tasks, results, examined), captures)
        return tuple(results)

    def _give_up(
        self, tasks: Sequence[Task], error: PagedriftError, now: datetime, seconds: float
    ) -> tuple[VisitResult, ...]:
        """Write down that a page could not be fetched."""
        failed = VisitResult(watch="", at=now, outcome="trouble", reason=str(error), seconds=seconds)
        results = tuple(replace(failed, watch=task.watch.id) for task in tasks)
        step = _failed_step(error)
        follow_ups = (
            FollowUp(task=task, result=result, after=after_visit(task, result, 0.0), failed_step=step)
            for task, result in zip(tasks, results, strict=True)
        )
        self.commit.settle(follow_ups)
        return results

    def _find_kinds(self, tasks: Sequence[Task], fetched: FetchedPage) -> None:
        """Find out what is at an address where that was not said; a feed, sitemap or list is visited as one."""
        from pagedrift.app.monitor.sites import find_kind  # which needs this module

        wanted = [task for task in tasks if task.memory.get(watches.FINDS_KIND)]
        if not wanted or is_failure(fetched.status) or not fetched.digest:
            return
        kind: Kind = "page"
        if fetched.page is None:
            with suppress(PagedriftError):  # one that cannot be looked into is a page like others
                kind = self.analysis_pool.run_on_page(fetched.size, find_kind, fetched.answer, host=tasks[0].host)
        for task in wanted:
            watches.set_kind(self.store, task.watch.id, kind)
        if kind != "page":
            raise LaterError(0.0)

    # Fetch

    def _fetch(self, tasks: Sequence[Task]) -> FetchedPage:
        task = tasks[0]
        request_options = request_options_of(task.options)
        if task.options.browser:
            return self._looked_at(task, request_options)
        fetched = self._fetched(task, request_options, version_known_to_all(tasks))
        moved = reasons.found_at(fetched.url) if fetched.url != task.watch.url else ""
        notes = reasons.joined((moved, reasons.ROBOTS_FORBID if fetched.robots_allow is False else ""))
        *led_by, answer = fetched.exchanges
        return FetchedPage(
            status=fetched.status,
            answer=answer,
            digest=fetched.digest,
            size=fetched.size,
            led_by=tuple(led_by),
            notes=notes,
            retry_after=fetched.retry_after or 0.0,
        )

    def _fetched(self, task: Task, request_options: RequestOptions, known: PageVersion | None) -> Fetched:
        """Fetch a page; trouble that may pass in a moment is left to a later try."""
        try:
            fetched = self.client.fetch(
                task.watch.url,
                known=known,
                request_options=request_options,
                turn_at=task.host if task.has_turn else "",
                unpack=False,
            )
        except FetchError as error:
            retries.check_failure(task, error)
            raise
        retries.check_answer(task, fetched)
        return fetched

    def _looked_at(self, task: Task, request_options: RequestOptions) -> FetchedPage:
        """Fetch a page as a browser shows it."""
        from pagedrift.capture.steps import parse_step

        steps = tuple(map(parse_step, task.options.steps))
        visited = self.browser.visit(
            task.watch.url,
            client=self.client,
            steps=steps,
            request_options=request_options,
            secrets=dict(task.options.secrets),
        )
        return FetchedPage(
            status=visited.status,
            answer=visited.document,
            digest=visited.page.digest,
            size=len(visited.page.body),
            page=visited.page,
            led_by=visited.led_by,
            resources=tuple(filter(is_part, visited.resources)),
            notes=reasons.ROBOTS_FORBID if visited.robots_allow is False else "",
            retry_after=visited.retry_after or 0.0,
        )

    # Examine: in another process, and only what is not known already

    def _examine(self, task: Task, fetched: FetchedPage) -> Examination:
        """Have everything found out that the page itself says, in one go."""
        known = not fetched.digest or _is_known(task, fetched)
        if known and not (fetched.digest and task.options.selectors) and not self._lacks_date(task):
            return Examination()
        work = examination.look_again if known else examination.examine
        try:
            job = self._job(task, fetched, compares=not known)
            return self.analysis_pool.run_on_page(fetched.size, work, job, host=task.host)
        except PagedriftError as error:
            failed = PageCheck("error", signs.status(fetched.status)) if is_failure(fetched.status) else PAGE
            return Examination(what=failed, trouble=str(error))

    def _lacks_date(self, task: Task) -> bool:
        """Return whether a condition is about the date of a page that nobody read it from, or from other parts."""
        if not expiry.conditions_on_dates(task.options):
            return False
        parts = looked_at(task.options, visits.rules_for(self.store, task))
        return expiry.ShownDate.from_memory(task.memory).parts != parts

    def _shown_date(self, task: Task, examined: Examination) -> expiry.ShownDate:
        """Give the date that a page shows: the one that was read now, or else the one that is remembered."""
        known = expiry.ShownDate.from_memory(task.memory)
        if examined.day is None:
            return known
        parts = looked_at(task.options, visits.rules_for(self.store, task))
        return replace(known, day=examined.day, parts=parts)

    def _spare(self, task: Task, fetched: FetchedPage, result: VisitResult) -> VisitResult:
        """Leave a host alone for some time whose pages are expensive to compare."""
        compared = fetched.digest and not _is_known(task, fetched)
        cost = self.analysis_pool.cost_of(task.host) if compared else 0.0
        if not result.version or cost <= EXPENSIVE:
            return result
        queue.hold(self.store, task.host, cost / MAX_SHARE_OF_HOST)
        return replace(result, reason=reasons.joined((result.reason, reasons.expensive(cost, task.host))))

    def _job(self, task: Task, fetched: FetchedPage, *, compares: bool) -> examination.ExaminationJob:
        skipped = task.memory.get("skipped") == [fetched.digest, wanted_what(task)]
        old = None if is_asked_otherwise(task) else task.newest
        others = visits.other_pages(self.store, task) if compares and old is not None else ()
        compares = compares and old is not None and not skipped
        rules = visits.rules_for(self.store, task)
        parts = looked_at(task.options, rules)
        past = pasts.read(self.store, task.watch.id, parts) if compares else None
        return examination.ExaminationJob(
            asked=task.watch.url,
            status=fetched.status,
            options=plain(task.options),
            answer=fetched.answer,
            page=fetched.page,
            folder=self.settings.archive,
            old=old.place if old is not None else None,
            misses=task.misses,
            compares=compares,
            host_pages=others,
            rules=rules,
            parts=parts,
            past=past,
            past_versions=pasts.versions(self.store, task.watch.id) if compares and past is None else (),
            still=pasts.days_still(old.captured_at if old else None, task.visited_at),
            judge=lessons.judge_model(self.store) if compares else None,
            lessons=lessons.for_task(self.store, task) if compares else (),
            health=task.memory.get("selectors"),
            unmodified=not fetched.digest,
        )

    # Fetch what the page loads, where it is going to be kept

    def _fetch_requisites(
        self, tasks: Sequence[Task], fetched: FetchedPage, examined: Sequence[Examination]
    ) -> tuple[Exchange, ...]:
        """Fetch style sheets and pictures of a version that may be kept; whatever goes wrong, the page is."""
        wanted = (
            found.resources
            for task, found in zip(tasks, examined, strict=True)
            if found.resources and fetched.page is None and self._may_be_kept(task, fetched, found)
        )
        try:
            return self.requisites.fetch(next(wanted, ()))
        except Exception:  # a page without its style sheets is better than none
            logger.exception("what a page loads could not be fetched: watch %s", tasks[0].watch.id)
            return ()

    def _may_be_kept(self, task: Task, fetched: FetchedPage, examined: Examination) -> bool:
        """Return whether a version is going to be new or changed, as far as that is known before it is judged."""
        if not fetched.digest or _is_known(task, fetched) or not examined.what.is_page:
            return False
        if task.newest is None or is_asked_otherwise(task) or examined.lost:
            return True
        if task.memory.get("skipped") == [fetched.digest, wanted_what(task)]:
            return False
        analysis = examined.analysis
        if analysis is None:  # it could not be compared
            return True
        mattering = analysis.matters or analysis.redesigned or analysis.lost
        may_notify = task.options.notify_on in ("anything", "amount", "content")
        return analysis.changed and bool(mattering or may_notify or task.options.keep != "matters")

    # Judge

    def _judge(self, task: Task, fetched: FetchedPage, examined: Examination, now: datetime) -> VisitResult:
        """Say what was found, and what there is to say about it."""
        result = VisitResult(
            watch=task.watch.id,
            at=now,
            outcome="unchanged",
            reason=fetched.notes,
            status=fetched.status,
            kept=task.options.keep == "all",
        )
        if not fetched.digest:
            return replace(result, version=unmodified(task, now))
        known, what = _is_known(task, fetched), examined.what
        title = task.newest.title if known and task.newest is not None else examined.title
        page = fetched.page or without_body(fetched.answer)
        result = replace(result, version=version_of(page, now, digest=fetched.digest, title=title))
        if known:
            return result
        if not what.is_page:
            return replace(result, outcome="not_the_page", reason=what.reason)
        result = replace(result, reason=reasons.joined((result.reason, what.note)))
        if task.newest is None:
            return replace(result, outcome="new", reason=result.reason or examined.trouble, kept=True)
        if is_asked_otherwise(task):
            why = reasons.joined((result.reason, reasons.FETCHED_DIFFERENTLY))
            return replace(result, outcome="new", reason=why, kept=True)
        if examined.lost:
            return replace(result, outcome="new", reason=reasons.PREVIOUS_LOST, kept=True)
        if task.memory.get("skipped") == [fetched.digest, wanted_what(task)]:
            return replace(result, reason=reasons.SKIPPED_BEFORE)
        return self._compare(task, result, examined)

    def _compare(self, task: Task, result: VisitResult, examined: Examination) -> VisitResult:
        """Work out the five answers, and decide about an alert."""
        assert task.newest is not None  # for the type checker
        assert result.version is not None
        analysis = examined.analysis or unknown_change(task.newest.digest, result.version.digest, examined.trouble)
        if not analysis.changed:
            return replace(result, reason=reasons.nothing_left(analysis.hidden))
        alike = visits.told_alike(self.store, task, analysis.signatures, result.at)
        analysis = replace(analysis, signature=alike or analysis.signature)
        decision = decisions.decide(
            task.options,
            analysis,
            seen_on=self._flipped_back_to(task, result, analysis),
            elsewhere=visits.alerted_pages(self.store, task, analysis.signature),
            before=visits.values_before(self.store, task) if analysis.value else decisions.UNKNOWN_RANGE,
            expires=bool(expiry.newly_met(task.options, self._shown_date(task, examined), result.at)),
        )
        kept = decision.notify or task.options.keep != "matters" or analysis.matters or analysis.redesigned
        return replace(
            result,
            outcome="changed",
            change=ChangeRecord(analysis=analysis, decision=decision),
            compared_with=(task.newest.place.filename, task.newest.place.offset),
            kept=kept,
            reason=result.reason if kept else reasons.not_kept(analysis.level, analysis.probability),
        )

    def _flipped_back_to(self, task: Task, result: VisitResult, analysis: ChangeAnalysis) -> datetime | None:
        """Give when a page was last as it is now, where it had just gone: by its bytes, or by what it says."""
        assert task.newest is not None  # for the type checker
        assert result.version is not None
        before = task.newest.captured_at
        bytes_ = *visits.last_versions(self.store, task), (result.version.digest, result.at)
        texts = *visits.said_before(self.store, task), (analysis.was, before), (analysis.now, result.at)
        stood = (result.at - before).total_seconds()
        flips = (change_groups.flipped_back_to(each, stood=stood) for each in (bytes_, texts) if each[-1][0])
        return next(filter(None, flips), None)

    # Keep

    def _captures(
        self,
        tasks: Sequence[Task],
        fetched: FetchedPage,
        results: Sequence[VisitResult],
        resources: Iterable[Exchange],
    ) -> list[Capture]:
        """Give the bytes as they are written once, with what is said about them for each watch next to them."""
        kept = [(task, result) for task, result in zip(tasks, results, strict=True) if result.kept]
        newest = kept[0][0].newest
        same = newest is not None and all(
            task.newest is not None and is_same(task, result) for task, result in kept
        )
        packed = any(name.lower() == "content-encoding" for name, _ in fetched.answer.headers)
        # What was packed again may differ in its bytes, and what a browser made may come of another document.
        sure = same and (not fetched.digest or not (packed or fetched.page))
        capture = Capture(
            fetched.answer,
            redirects=fetched.led_by,
            notes=shared_notes([result for _, result in kept]),
            attachments=attached(fetched.page) if fetched.page and not same else (),
            repeats=newest.place if sure and newest else ...,
        )
        return [*map(Capture, resources), capture]

    # Follow up

    def _follow_up(self, fetched: FetchedPage, task: Task, result: VisitResult, examined: Examination) -> FollowUp:
        """Say what comes of a visit for one watch."""
        after = replace(after_visit(task, result, fetched.retry_after), past=examined.past)
        if examined.health is not None:
            after = replace(after, memory={**(after.memory or {}), "selectors": examined.health})
        found = FollowUp(task=task, result=result, after=after, stopped=examined.stopped)
        return found if after.failures else self._with_expiry(found, examined)

    def _with_expiry(self, found: FollowUp, examined: Examination) -> FollowUp:
        """Add what there is to say about a date that expires, and remember it."""
        options, now = found.task.options, found.result.at
        if not expiry.conditions_on_dates(options):
            return found
        shown = self._shown_date(found.task, examined)
        met = expiry.newly_met(options, shown, now)
        told = replace(shown, told=(*shown.told, *((each.text, shown.day) for each in met)))
        after = replace(found.after, memory={**(found.after.memory or {}), **told.to_memory()})
        if not met:
            return replace(found, after=after)
        decision = expiry.decide_expiry(options, met, shown.day, now)
        return replace(found, after=after, expiry=decision, expires_on=shown.day)
