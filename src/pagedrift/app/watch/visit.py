"""One visit, one path: fetch, is it the page, compare, keep, tell or not, and when to come again."""

from __future__ import annotations

import random
import time
from dataclasses import asdict, dataclass, replace
from datetime import UTC, datetime, timedelta
from hashlib import sha256
from typing import TYPE_CHECKING, Any, Final, TypeGuard

from pagedrift.app.kept import attached, page_of
from pagedrift.app.notify import stories
from pagedrift.app.seen import Change, Seen, Version
from pagedrift.app.store import visits
from pagedrift.app.store.visits import After, Recorded
from pagedrift.app.watch import answers, decide, grouping, rates, recognise
from pagedrift.app.watch.answers import Answers
from pagedrift.app.watch.beside import Beside, is_part
from pagedrift.app.watches import DAY, LONGEST, lacking
from pagedrift.archive.places import Place
from pagedrift.archive.writing import Capture
from pagedrift.capture.asking import Asking
from pagedrift.errors import InputError, PagedriftError
from pagedrift.page import PageVersion
from pagedrift.redesigned.selectors import SelectorHealth, parse_selectors

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sqlalchemy.orm import Session

    from pagedrift.app.settings import Settings
    from pagedrift.app.store.store import Store
    from pagedrift.app.store.visits import Task
    from pagedrift.app.watch.analyst import Analyst
    from pagedrift.app.watches import Options
    from pagedrift.archive.writing import ArchiveWriter
    from pagedrift.capture.browser import Browser
    from pagedrift.capture.http import Client
    from pagedrift.exchange import Exchange
    from pagedrift.redesigned.selectors import Stopped

DOUBLINGS: Final = 5  # of the interval, while visits fail
FAILED: Final = 400  # statuses of errors
SPREAD: Final = 0.1  # of an interval, so that visits that once fell together drift apart


@dataclass(frozen=True, slots=True)
class Found:
    """What a visit brought home, before anyone thought about it."""

    page: PageVersion | None  # None where the server says that nothing changed
    status: int
    answer: Exchange
    led_by: tuple[Exchange, ...] = ()
    resources: tuple[Exchange, ...] = ()
    notes: str = ""
    retry_after: float = 0.0


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
        seen = replace(self._judge(task, found, now), seconds=round(time.monotonic() - started, 3))
        health, stopped = _selectors(task, found, seen)
        place = self._keep(task, found, seen) if seen.kept else None
        return self._settle(task, seen, place, retry_after=found.retry_after, health=health, stopped=stopped)

    # Fetch

    def _fetch(self, task: Task) -> Found:
        asking = asking_of(task.options)
        if task.options.browser:
            return self._looked_at(task, asking)
        fetched = self.client.fetch(task.watch.url, known=_known(task), asking=asking)
        notes = [
            f"found at {fetched.url}" * (fetched.url != task.watch.url),
            "robots.txt forbids it" * (fetched.robots_allow is False),
        ]
        *led_by, answer = fetched.exchanges
        said = "; ".join(filter(None, notes))
        return Found(
            fetched.page,
            fetched.status,
            answer,
            tuple(led_by),
            notes=said,
            retry_after=fetched.retry_after or 0.0,
        )

    def _looked_at(self, task: Task, asking: Asking) -> Found:
        """Fetch a page as a browser shows it."""
        from pagedrift.capture.steps import parse_step

        steps = tuple(map(parse_step, task.options.steps))
        visited = self.browser.visit(
            task.watch.url, client=self.client, steps=steps, asking=asking, secrets=dict(task.options.secrets)
        )
        return Found(
            visited.page,
            visited.status,
            visited.document,
            visited.led_by,
            tuple(filter(is_part, visited.resources)),
            notes="robots.txt forbids it" * (visited.robots_allow is False),
            retry_after=visited.retry_after or 0.0,
        )

    # Judge

    def _judge(self, task: Task, found: Found, now: datetime) -> Seen:
        """Say what was found, and what there is to say about it."""
        seen = Seen(task.watch.id, now, "unchanged", found.notes, found.status, kept=task.options.keep == "all")
        if found.page is None or found.status == 304:  # noqa: PLR2004 - HTTP
            return replace(seen, version=_unmodified(task, now))
        page = found.page
        version = version_of(page, now)
        if task.newest is not None and version.digest == task.newest.digest and found.status < FAILED:
            return replace(seen, version=version)
        old = self._old(task)
        what = recognise.recognise(
            page, status=found.status, previous=old, in_a_row=task.misses, asked=task.watch.url
        )
        if not what.is_page:
            return replace(seen, outcome="not_the_page", reason=what.reason, version=version)
        seen = replace(seen, reason="; ".join(filter(None, (seen.reason, what.note))))
        if task.newest is None:
            return replace(seen, outcome="new", version=version, kept=True)
        if old is None:
            lost = "the version before could not be read; it is compared again from here on"
            return replace(seen, outcome="new", reason=lost, version=version, kept=True)
        if task.memory.get("skipped") == [version.digest, _wanted(task)]:
            return replace(seen, reason="the same as what was found before and not kept", version=version)
        return self._compare(task, replace(seen, version=version), old, page)

    def _compare(self, task: Task, seen: Seen, old: PageVersion, new: PageVersion) -> Seen:
        """Work out the five answers and whether they are told."""
        assert task.newest is not None  # for the type checker
        assert seen.version is not None
        rules, digests = visits.comparing(self.store, task)
        try:
            found = self.analyst.ask(answers.work_out, old, new, task.options, rules, models=self.settings.models)
        except PagedriftError as error:
            found = _unknown(old, new, str(error))
        if not found.changed:
            why = f"only what is left out changed ({found.hidden})" if found.hidden else "nothing but noise changed"
            return replace(seen, reason=why)
        stood = (seen.at - task.newest.captured_at).total_seconds()
        chains = (*digests, seen.version.digest), (*visits.said_before(self.store, task), found.was, found.now)
        flips = any(grouping.is_flip_flop(chain, stood=stood) for chain in chains if chain[-1])
        decision = decide.decide(task.options, found, flip_flop=flips)
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

    def _old(self, task: Task) -> PageVersion | None:
        """Read the version that the new one is compared with."""
        if task.newest is None:
            return None
        try:
            return page_of(self.settings.archive, _place(task.newest))
        except (PagedriftError, OSError):
            return None

    # Keep

    def _keep(self, task: Task, found: Found, seen: Seen) -> Place:
        """Write the bytes, with what is said about them beside them."""
        same = task.newest is not None and _same(task, seen)
        packed = any(name.lower() == "content-encoding" for name, _ in found.answer.headers)
        # What was packed anew may differ in its bytes, and what a browser made may come of another document.
        sure = same and (found.page is None or not (packed or found.page.view))
        capture = Capture(
            found.answer,
            redirects=found.led_by,
            notes=seen.notes(),
            attachments=attached(found.page) if found.page and not same else (),
            repeats=_place(task.newest) if sure else ...,
        )
        resources = found.resources
        if task.options.resources and seen.outcome in ("new", "changed") and _is_plain_html(found.page):
            resources = self.beside.of(found.page)
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
                title = decide.decide_selector(one).reason
                tell(
                    session,
                    recorded,
                    kind="selector",
                    signature=f"selector {one.name}"[:64],
                    title=title,
                    now=seen.at,
                )
            stories.tell_seen(session, seen, recorded.watch, recorded.change)
        return seen


def after_visit(task: Task, seen: Seen, retry_after: float) -> After:
    """Say when to come again and how the watch stands."""
    failed, missed = seen.outcome == "trouble", seen.outcome == "not_the_page"
    failures = task.failures + 1 if failed or missed else 0
    rate = rates.Rate.from_dict(task.rate)
    if not failures and task.visited_at is not None:
        interval = (seen.at - task.visited_at).total_seconds()
        mattered = seen.change is not None and seen.change.matters
        rate = rate.seen(interval, changed=seen.outcome == "changed", mattered=mattered)
    wait = rates.next_interval(rate, task.options, price=task.price)
    if failures:
        wait = min(max(DAY, task.options.every), task.options.every * 2 ** min(failures, DOUBLINGS))
    wait = max(wait * random.uniform(1 - SPREAD, 1 + SPREAD), min(retry_after, LONGEST))
    missing = lacking(task.options)  # those it would tell are not known: it is visited, and says so
    return After(
        seen.at + timedelta(seconds=wait),
        "not_the_page" if missed else "trouble" if failed or missing else "fine",
        seen.reason if failures else _lost(missing) if missing else "",
        failures,
        rate.as_dict(),
        {"misses": task.misses + 1 if missed else 0, **_remembered(task, seen)},
        moves=not failures and (task.newest is None or not _same(task, seen)),
    )


def _remembered(task: Task, seen: Seen) -> dict[str, Any]:
    """Give how the version that the next one is compared with was asked for, and what was found and not kept."""
    if seen.outcome in ("trouble", "not_the_page"):
        return {}
    found = seen.version.digest if seen.version else ""
    skipped = [found, _wanted(task)] if seen.outcome == "changed" and not seen.kept else None
    known = {"skipped": skipped} if seen.status != 304 and (skipped or seen.kept) else {}  # noqa: PLR2004 - HTTP
    return {"asked": _asked(task.options), **known}


def _asked(options: Options) -> str:
    """Name how a page is asked for: by other headers, a server may give another page."""
    told = (options.browser, options.headers, options.cookies, options.proxy, options.steps)
    return sha256(repr(told).encode("utf-8", "replace")).hexdigest()[:16]


def _wanted(task: Task) -> str:
    """Name what is to be kept and told: where that is changed, what was skipped is looked at again."""
    return sha256(repr(task.options).encode("utf-8", "replace")).hexdigest()[:16]


def tell_trouble(session: Session, task: Task, seen: Seen, recorded: Recorded, after: After) -> None:
    """Tell that visits fail, when there are as many in a row as the user allows, and that they succeed again."""
    if after.failures:
        what, decision = "trouble", decide.decide_trouble(task.options, after.failures, seen.reason)
    else:
        what, decision = "recovery", decide.decide_recovery(task.options, task.failures)
    if decision.told:
        signature = f"{what} {recorded.watch.id}"
        tell(session, recorded, kind=what, signature=signature, title=decision.reason, now=seen.at)


def tell(session: Session, recorded: Recorded, *, kind: str, signature: str, title: str, now: datetime) -> None:
    """Tell something that is no change of the page."""
    stories.tell(session, watch=recorded.watch, change=None, kind=kind, signature=signature, title=title, now=now)


def _selectors(task: Task, found: Found, seen: Seen) -> tuple[dict[str, Any] | None, tuple[Stopped, ...]]:
    """See whether the user's selectors still find something; give what is to be remembered, and what stopped."""
    page = found.page
    if not task.options.selectors or page is None or seen.outcome in ("trouble", "not_the_page"):
        return None, ()
    try:
        health = SelectorHealth(parse_selectors("\n".join(task.options.selectors)))
        health.restore(task.memory.get("selectors", {}))
        redesigned = seen.change is not None and seen.change.redesigned
        stopped = health.take(page, redesigned_since=1 if redesigned else None)
    except PagedriftError:  # no selectors, or a page that cannot be looked into
        return None, ()
    return health.state(), stopped


def asking_of(options: Options) -> Asking:
    """Say how a watch wants its pages asked for; without its secrets, nobody is asked."""
    if missing := [name for name in lacking(options) if name != "to"]:
        raise InputError(_lost(missing))
    return Asking(headers=options.headers, cookies=options.cookies, proxy=options.proxy or None)


def _lost(names: Sequence[str]) -> str:
    return f"secrets are not in the archive, from which all was made again; give them again: {', '.join(names)}"


def _unknown(old: PageVersion, new: PageVersion, reason: str) -> Answers:
    """Answer about versions that could not be compared: that they differ, and a person has to look."""
    line = f"changed, but how is not known: {reason}"
    made = grouping.signature([old.digest, new.digest])
    return Answers(
        {"changed": True, "note": line},
        (line,),
        line,
        changed=True,
        visible=True,
        amount=1.0,
        probability=0.5,
        matters=True,
        same_template=True,
        redesigned=False,
        signature=made,
        signatures=(made,),
        blocks=(),
        hidden=0,
        template=False,
    )


def _known(task: Task) -> PageVersion | None:
    """Give the newest version as far as a server is asked about it; one that was asked for otherwise is another."""
    newest = task.newest
    if newest is None or newest.url != task.watch.url or task.memory.get("asked", "") != _asked(task.options):
        return None
    headers = (("ETag", newest.etag), ("Last-Modified", newest.modified))
    return PageVersion(newest.url, b"", status=200, headers=tuple((name, said) for name, said in headers if said))


def _place(row: Any) -> Place:
    return Place(row.filename, row.offset, row.length)


def version_of(page: PageVersion, now: datetime) -> Version:
    """Say of a version what is remembered beside its bytes."""
    return Version(
        page.url,
        page.captured_at or now,
        page.digest,
        (page.content_type or "").partition(";")[0].strip(),
        page.status,
        _title(page),
        page.header("etag") or "",
        page.header("last-modified") or "",
        pictured=page.view is not None,
    )


def _title(page: PageVersion) -> str:
    """Read the title of a page, if it is one that a tree can be made of."""
    try:
        return page.title[:500] if "html" in (page.content_type or "html") else ""
    except PagedriftError:
        return ""


def _is_plain_html(page: PageVersion | None) -> TypeGuard[PageVersion]:
    """Tell whether a page came without what it loads, which a browser would have brought along."""
    return page is not None and page.view is None and "html" in (page.content_type or "html")


def _same(task: Task, seen: Seen) -> bool:
    """Tell whether a visit found the version that is known."""
    known, found = task.newest, seen.version
    return known is None or found is None or known.digest == found.digest


def _unmodified(task: Task, now: datetime) -> Version | None:
    """Give the newest version again, as of now."""
    row = task.newest
    if row is None:
        return None
    return Version(
        row.url, now, row.digest, row.mime, row.status, row.title, row.etag, row.modified, pictured=False
    )
