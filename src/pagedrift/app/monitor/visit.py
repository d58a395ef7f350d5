"""One visit from start to end: fetch, recognise, compare, keep, decide about an alert, schedule the next."""

from __future__ import annotations

import time
from dataclasses import asdict, dataclass, replace
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any, Final

from pagedrift.app.captures import attached
from pagedrift.app.model.results import Change, Seen
from pagedrift.app.monitor import analysis, change_groups, decisions, examination, retries
from pagedrift.app.monitor.examination import Examined
from pagedrift.app.monitor.followup import after_visit, tell, tell_trouble
from pagedrift.app.monitor.interstitials import PAGE, Recognised
from pagedrift.app.monitor.requests import (
    asking_of,
    is_asked_otherwise,
    is_same,
    known_version,
    place_of,
    unmodified,
    version_of,
    wanted_what,
    without_body,
)
from pagedrift.app.monitor.requisites import Beside, is_part
from pagedrift.app.monitor.worker_pool import EXPENSIVE
from pagedrift.app.notify import alerts
from pagedrift.app.store import queue, visits
from pagedrift.archive.writer import Capture
from pagedrift.capture.http import FetchError
from pagedrift.errors import PagedriftError
from pagedrift.http_exchange import is_failure

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from pagedrift.app.monitor.worker_pool import Analyst
    from pagedrift.app.settings import Settings
    from pagedrift.app.store.store import Store
    from pagedrift.app.store.visits import Task
    from pagedrift.archive.locations import Place
    from pagedrift.archive.writer import ArchiveWriter
    from pagedrift.capture.browser import Browser
    from pagedrift.capture.http import Client, Fetched
    from pagedrift.capture.request_options import Asking
    from pagedrift.http_exchange import Exchange
    from pagedrift.page import PageVersion
    from pagedrift.redesigned.selectors import Stopped

MAX_SHARE_OF_HOST: Final = 0.1  # of one processor, for comparing the pages of one host


@dataclass(frozen=True, slots=True)
class Found:
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


def _is_known(task: Task, found: Found) -> bool:
    """Tell whether a visit found the bytes that are known."""
    return task.newest is not None and found.digest == task.newest.digest and not is_failure(found.status)


class Visitor:
    """Visits watches of pages, whoever's turn it is; threads may share it."""

    def __init__(
        self,
        settings: Settings,
        store: Store,
        *,
        archive: ArchiveWriter,
        client: Client,
        analyst: Analyst,
        browser: Browser,
    ) -> None:
        self.settings = settings
        self.store = store
        self.archive = archive
        self.client = client
        self.analyst = analyst
        self.browser = browser
        self.beside = Beside(client)

    def visit(self, task: Task) -> Seen:
        """Visit a page, and leave everything written down."""
        started, now = time.monotonic(), datetime.now(UTC)
        try:
            found = self._fetch(task)
        except PagedriftError as error:  # the network, a step of the login, the browser
            seen = Seen(task.watch.id, now, "trouble", str(error), seconds=time.monotonic() - started)
            return self._settle(task, seen, None, retry_after=0.0)
        examined = self._examine(task, found)
        seen = replace(self._judge(task, found, examined, now), seconds=round(time.monotonic() - started, 3))
        if found.digest and not _is_known(task, found):  # else nothing was compared
            seen = self._spare(task, seen)
        place = self._keep(task, found, seen, examined.resources) if seen.kept else None
        return self._settle(
            task,
            seen,
            place,
            retry_after=found.retry_after,
            health=examined.health,
            stopped=examined.stopped,
        )

    # Fetch

    def _fetch(self, task: Task) -> Found:
        asking = asking_of(task.options)
        if task.options.browser:
            return self._looked_at(task, asking)
        fetched = self._fetched(task, asking)
        notes = [
            f"found at {fetched.url}" * (fetched.url != task.watch.url),
            "robots.txt forbids it" * (fetched.robots_allow is False),
        ]
        *led_by, answer = fetched.exchanges
        said = "; ".join(filter(None, notes))
        return Found(
            fetched.status,
            answer,
            fetched.digest,
            fetched.size,
            led_by=tuple(led_by),
            notes=said,
            retry_after=fetched.retry_after or 0.0,
        )

    def _fetched(self, task: Task, asking: Asking) -> Fetched:
        """Fetch a page; trouble that may pass in a moment is left to a later try."""
        try:
            fetched = self.client.fetch(task.watch.url, known=known_version(task), asking=asking, unpack=False)
        except FetchError as error:
            retries.check_failure(task, error)
            raise
        retries.check_answer(task, fetched)
        return fetched

    def _looked_at(self, task: Task, asking: Asking) -> Found:
        """Fetch a page as a browser shows it."""
        from pagedrift.capture.steps import parse_step

        steps = tuple(map(parse_step, task.options.steps))
        visited = self.browser.visit(
            task.watch.url, client=self.client, steps=steps, asking=asking, secrets=dict(task.options.secrets)
        )
        return Found(
            visited.status,
            visited.document,
            visited.page.digest,
            len(visited.page.body),
            visited.page,
            visited.led_by,
            tuple(filter(is_part, visited.resources)),
            notes="robots.txt forbids it" * (visited.robots_allow is False),
            retry_after=visited.retry_after or 0.0,
        )

    # Examine: in another process, and only what is not known already

    def _examine(self, task: Task, found: Found) -> Examined:
        """Have everything found out that the page itself says, in one go."""
        known = not found.digest or _is_known(task, found)
        if known and not (found.digest and task.options.selectors):
            return Examined()
        work = examination.look_again if known else examination.examine
        try:
            job = self._job(task, found, compares=not known)
            return self.analyst.ask_about(found.size, work, job, host=task.host)
        except PagedriftError as error:
            failed = Recognised("error", f"status {found.status}") if is_failure(found.status) else PAGE
            return Examined(failed, trouble=str(error))

    def _spare(self, task: Task, seen: Seen) -> Seen:
        """Leave a host alone for some time whose pages are expensive to compare."""
        cost = self.analyst.cost_of(task.host)
        if not seen.version or cost <= EXPENSIVE:
            return seen
        queue.hold(self.store, task.host, cost / MAX_SHARE_OF_HOST)
        said = f"comparing it took {cost:.0f} s of processor time, so {task.host} is visited less often"
        return replace(seen, reason="; ".join(filter(None, (seen.reason, said))))

    def _job(self, task: Task, found: Found, *, compares: bool) -> examination.Job:
        skipped = task.memory.get("skipped") == [found.digest, wanted_what(task)]
        old = None if is_asked_otherwise(task) else task.newest
        compares = compares and old is not None and not skipped
        return examination.Job(
            task.watch.url,
            found.status,
            task.options,
            found.answer,
            found.page,
            folder=self.settings.archive,
            old=place_of(old) if old is not None else None,
            misses=task.misses,
            compares=compares,
            rules=tuple(visits.comparing(self.store, task)[0]) if compares else (),
            models=self.settings.models,
            health=task.memory.get("selectors"),
        )

    # Judge

    def _judge(self, task: Task, found: Found, examined: Examined, now: datetime) -> Seen:
        """Say what was found, and what there is to say about it."""
        seen = Seen(task.watch.id, now, "unchanged", found.notes, found.status, kept=task.options.keep == "all")
        if not found.digest:
            return replace(seen, version=unmodified(task, now))
        known, what = _is_known(task, found), examined.what
        title = task.newest.title if known and task.newest is not None else examined.title
        page = found.page or without_body(found.answer)
        seen = replace(seen, version=version_of(page, now, digest=found.digest, title=title))
        if known:
            return seen
        if not what.is_page:
            return replace(seen, outcome="not_the_page", reason=what.reason)
        seen = replace(seen, reason="; ".join(filter(None, (seen.reason, what.note))))
        if task.newest is None:
            return replace(seen, outcome="new", reason=seen.reason or examined.trouble, kept=True)
        if is_asked_otherwise(task):
            why = "it is fetched in another way since its options were changed, and compared from here on"
            return replace(seen, outcome="new", reason="; ".join(filter(None, (seen.reason, why))), kept=True)
        if examined.lost:
            lost = "the version before could not be read; it is compared again from here on"
            return replace(seen, outcome="new", reason=lost, kept=True)
        if task.memory.get("skipped") == [found.digest, wanted_what(task)]:
            return replace(seen, reason="the same as what was found before and not kept")
        return self._compare(task, seen, examined)

    def _compare(self, task: Task, seen: Seen, examined: Examined) -> Seen:
        """Say what the five answers are and whether they are told."""
        assert task.newest is not None  # for the type checker
        assert seen.version is not None
        digests = visits.comparing(self.store, task)[1]
        found = examined.found or analysis.unknown(task.newest.digest, seen.version.digest, examined.trouble)
        if not found.changed:
            why = f"only what is left out changed ({found.hidden})" if found.hidden else "nothing but noise changed"
            return replace(seen, reason=why)
        stood = (seen.at - task.newest.captured_at).total_seconds()
        chains = (*digests, seen.version.digest), (*visits.said_before(self.store, task), found.was, found.now)
        flips = any(change_groups.is_flip_flop(chain, stood=stood) for chain in chains if chain[-1])
        decision = decisions.decide(task.options, found, flip_flop=flips)
        change = Change(
            (task.newest.filename, task.newest.offset),
            found.headline,
            {
                name: value
                for name, value in asdict(found).items()
                if name not in Change.__slots__ or name == "card"
            },
            found.amount,
            found.probability,
            found.matters,
            found.redesigned,
            visits.told_alike(self.store, task, found.signatures, seen.at) or found.signature,
            decision.told,
            decision.reason,
        )
        kept = decision.told or task.options.keep != "matters" or found.matters or found.redesigned
        why = "" if kept else f"not kept: it matters with {found.probability:.2f} only, and what matters is kept"
        return replace(seen, outcome="changed", change=change, kept=kept, reason=why or seen.reason)

    # Keep

    def _keep(self, task: Task, found: Found, seen: Seen, named: Iterable[tuple[str, str]]) -> Place:
        """Write the bytes, with what is said about them beside them."""
        same = task.newest is not None and is_same(task, seen)
        packed = any(name.lower() == "content-encoding" for name, _ in found.answer.headers)
        # What was packed anew may differ in its bytes, and what a browser made may come of another document.
        sure = same and (not found.digest or not (packed or found.page))
        capture = Capture(
            found.answer,
            redirects=found.led_by,
            notes=seen.notes(),
            attachments=attached(found.page) if found.page and not same else (),
            repeats=place_of(task.newest) if sure else ...,
        )
        resources = found.resources
        if seen.outcome in ("new", "changed") and found.page is None:
            resources = self.beside.of(named)
        return self.archive.append_all([*map(Capture, resources), capture])[-1].place

    # Tell, and come again

    def _settle(
        self,
        task: Task,
        seen: Seen,
        place: Place | None,
        *,
        retry_after: float,
        health: dict[str, Any] | None = None,
        stopped: Sequence[Stopped] = (),
    ) -> Seen:
        """Write down what was found, tell it, and set the next visit: one transaction."""
        after = after_visit(task, seen, retry_after)
        if health is not None and after.memory is not None:
            after.memory["selectors"] = health
        with self.store.begin() as session:
            recorded = visits.record(session, seen, place)
            if recorded is None or not visits.settle(task, recorded, after):
                return seen
            tell_trouble(session, task, seen, recorded, after)
            for one in stopped:
                title = decisions.decide_selector(one).reason
                tell(
                    session,
                    recorded,
                    kind="selector",
                    signature=f"selector {one.name}"[:64],
                    title=title,
                    now=seen.at,
                )
            alerts.tell_seen(session, seen, recorded.watch, recorded.change)
        return seen
