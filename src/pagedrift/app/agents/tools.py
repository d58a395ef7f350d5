"""What agents may ask of an installation: each question is a function, its answer plain data of bounded size."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime
from itertools import islice
from typing import TYPE_CHECKING, Any, Final

from pagedrift.app.agents.page_answers import MAX_EDITS, MAX_QUOTED_CHARS, compared, relocated
from pagedrift.app.captures import page_of
from pagedrift.app.model.actors import check_actor
from pagedrift.app.model.watch import Watch
from pagedrift.app.store import queries, watches
from pagedrift.capture.http import Client
from pagedrift.dates import iso_moment, parse_date
from pagedrift.durations import parse_duration
from pagedrift.errors import InputError, NotFoundError, PagedriftError
from pagedrift.reading.inputs import is_address
from pagedrift.text import fold

if TYPE_CHECKING:
    from pagedrift.app.model.change import JudgedEdit
    from pagedrift.app.model.results import StoredVersion
    from pagedrift.app.monitor.worker_pool import AnalysisPool
    from pagedrift.app.settings import Settings
    from pagedrift.app.store.queries import ChangeSummary, WatchStatus
    from pagedrift.app.store.store import Store
    from pagedrift.page import PageVersion

MAX_ROWS: Final = 100  # of one answer
_STATES: Final = {
    "new": "not checked yet",
    "fine": "OK",
    "trouble": "failing",
    "not_the_page": "blocked or error page",
}


@dataclass(frozen=True, slots=True)
class AgentTools:
    """The questions, about one installation; pages are compared in processes with limits."""

    settings: Settings
    store: Store
    pool: AnalysisPool

    def list_watches(self, search: str = "", limit: int = 50) -> dict[str, Any]:
        """List the watched pages with their state; `search` looks in names, addresses and groups."""
        found, after = list[dict[str, Any]](), ""
        while len(found) <= _rows(limit):
            with self.store.read() as session:
                page, more = queries.statuses_after(session, after, size=MAX_ROWS)
            found += [_watch(each) for each in page if _has(each, search)]
            if more is None:
                break
            after = more
        return {"watches": found[: _rows(limit)], "more": len(found) > _rows(limit)}

    def changes_since(self, since: str, important_only: bool = True, limit: int = 50) -> dict[str, Any]:
        """List what changed since a time, such as 2026-11-15 or 24h; by default only what is important."""
        start = _moment(since)
        with self.store.read() as session:
            changes = queries.changes_since(session, start)
        wanted = (each for each in reversed(changes) if each.level == "important" or not important_only)
        found = list(islice(map(_change, wanted), _rows(limit) + 1))
        return {"since": iso_moment(start), "changes": found[: _rows(limit)], "more": len(found) > _rows(limit)}

    def read_change(self, change: int) -> dict[str, Any]:
        """Give one change with its edits: what was there, what is there now, where, how important and why."""
        with self.store.read() as session:
            detail = queries.change(session, change)
        if detail is None:
            raise NotFoundError(f"change {change} not found; list them with changes_since")
        edits = [_edit(each) for each in detail.record.analysis.edits if each.level != "noise"]
        return {
            **_change(detail.change),
            "old_captured_at": iso_moment(detail.old.captured_at),
            "new_captured_at": iso_moment(detail.new.captured_at),
            "edits": edits[:MAX_EDITS],
            "more_edits": max(0, len(edits) - MAX_EDITS),
        }

    def list_versions(self, watch: str, limit: int = 20) -> dict[str, Any]:
        """List the stored versions of a watch, newest first; `watch` is its id, address or name."""
        which = watches.get(self.store, watch).id
        with self.store.read() as session:
            found = queries.versions(session, which, most=_rows(limit))
        return {"watch": which, "versions": [_version(each) for each in found]}

    def compare_versions(self, old: int, new: int) -> dict[str, Any]:
        """Answer the five questions about two stored versions, given by their ids."""
        return self.pool.run(compared, self._stored(old), self._stored(new))

    def compare_urls(self, old: str, new: str) -> dict[str, Any]:
        """Fetch two addresses and answer the five questions about them."""
        return self.pool.run(compared, self._fetched(old), self._fetched(new))

    def relocate_selector(self, watch: str, selector: str) -> dict[str, Any]:
        """Say whether a selector that worked on the oldest stored version of a watch works on the newest one."""
        which = watches.get(self.store, watch).id
        with self.store.read() as session:
            found = queries.all_versions(session, which)
        if len(found) < 2:  # noqa: PLR2004 - two, to compare
            raise InputError("this watch has fewer than two versions; ask again when it has changed")
        return self.pool.run(relocated, self._stored(found[0].id), self._stored(found[-1].id), selector)

    def add_watch(self, url: str, name: str = "") -> dict[str, Any]:
        """Watch a page from now on."""
        check_actor("editor")
        added = watches.add(self.store, Watch(url, name=name))
        return {"watch": added.id, "url": added.url}

    def check_watch(self, watch: str) -> dict[str, Any]:
        """Have a watch checked as soon as possible; the application that is running does it."""
        check_actor("editor")
        which = watches.get(self.store, watch).id
        watches.visit_now(self.store, which)
        return {"watch": which, "due": True}

    def _stored(self, number: int) -> PageVersion:
        with self.store.read() as session:
            found = queries.version(session, number)
        if found is None:
            raise NotFoundError(f"version {number} not found; list them with list_versions")
        return page_of(self.settings.archive, found.place)

    def _fetched(self, url: str) -> PageVersion:
        """Fetch an address by the rules of the installation: never a file, nor a machine it may not reach."""
        if not is_address(url):
            raise InputError(f"{fold(url, 100)} is not an address; give one that begins with https://")
        with Client(allow_private=self.settings.allow_private) as client:
            fetched = client.fetch(url, robots="ignore")
        if fetched.page is None or fetched.failed:
            raise InputError(f"{fold(url, 100)} answers with status {fetched.status}; check the address")
        return fetched.page


def _rows(limit: int) -> int:
    return max(1, min(limit, MAX_ROWS))


def _moment(text: str) -> datetime:
    """Read a date, or a time span back from now."""
    if (moment := parse_date(text)) is not None:
        return moment
    try:
        return datetime.fromtimestamp(datetime.now(UTC).timestamp() - parse_duration(text), UTC)
    except PagedriftError:
        raise InputError(f"{fold(text, 60)} is not a time; write one such as 2026-11-15 or 24h") from None


def _has(status: WatchStatus, search: str) -> bool:
    watch = status.watch
    return search.lower() in f"{watch.name} {watch.url} {watch.group}".lower()


def _watch(status: WatchStatus) -> dict[str, Any]:
    watch = status.watch
    return {
        "id": watch.id,
        "url": watch.url,
        "name": watch.name,
        "group": watch.group,
        "state": "paused" if watch.paused else _STATES.get(status.state, status.state),
        "problem": fold(status.trouble, MAX_QUOTED_CHARS),
        "last_checked": iso_moment(status.visited_at),
        "last_change": iso_moment(status.changed_at),
    }


def _change(change: ChangeSummary) -> dict[str, Any]:
    return {
        "change": change.id,
        "watch": change.watch,
        "title": fold(change.title, 200),
        "at": iso_moment(change.at),
        "headline": fold(change.headline, MAX_QUOTED_CHARS),
        "level": change.level,
        "sure": round(change.probability, 2),
        "alerted": change.alerted,
        "reason": fold(change.reason, MAX_QUOTED_CHARS),
    }


def _edit(edit: JudgedEdit) -> dict[str, Any]:
    return {
        "level": edit.level,
        "sure": round(edit.probability, 2),
        "summary": fold(edit.summary, MAX_QUOTED_CHARS),
        "before": fold(edit.old, MAX_QUOTED_CHARS),
        "after": fold(edit.new, MAX_QUOTED_CHARS),
        "where": edit.zone,
        "selector": edit.css,
        "why": edit.why,
    }


def _version(version: StoredVersion) -> dict[str, Any]:
    return {"version": version.id, "captured_at": iso_moment(version.captured_at), "bytes": version.length}
