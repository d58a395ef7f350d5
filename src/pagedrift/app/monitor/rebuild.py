"""Rebuild of the database from the WARC files alone."""

from __future__ import annotations

import logging
from hashlib import sha256
from typing import TYPE_CHECKING, Any, Final

from pagedrift.app.model.results import read_notes
from pagedrift.app.notify import alerts
from pagedrift.app.store import journal, restore, visits
from pagedrift.app.store.restore import BEGUN
from pagedrift.archive.locations import shelf
from pagedrift.archive.reader import stored
from pagedrift.read_report import Account

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

    from pagedrift.app.model.results import VisitResult
    from pagedrift.app.settings import Settings
    from pagedrift.app.store.store import Store
    from pagedrift.archive.reader import Stored

logger = logging.getLogger(__name__)
MAX_REMEMBERED_FILES: Final = 1_000  # the newest, whose ends are remembered; those before are done
CAPTURES_PER_TRANSACTION: Final = 200  # captures of one transaction


def rebuild(
    store: Store, settings: Settings, *, account: Account | None = None, show: Callable[[int], None] | None = None
) -> int:
    """Forget what the database says, and read everything off the archive; give the number of versions.

    What is damaged is left out and counted. Messages that are on their way stay so.
    """
    ends = sizes(settings)
    deliveries = restore.clear(store)
    notes = _notes(stored(settings.archive))
    restore.apply_settings(store, notes)
    count = _captures(store, stored(settings.archive, account=account, at_rest=True), show)
    restore.apply_feedback(store, notes)
    restore.send_on(store, deliveries)
    _resume_sites(store, settings)
    store.set(_mark(settings), ends)
    store.set(BEGUN, value=False)
    return count


def catch_up(store: Store, settings: Settings, *, until: Mapping[str, int] | None = None) -> int:
    """Bring the database to where the archive of our writer is; where it knows no watch at all, make it again.

    `until` says up to where in each file to look; what comes after is still on its way into the database.
    """
    if store.get(BEGUN) or (restore.is_empty(store) and shelf(settings.archive).names()):
        return _rebuilt(store, settings)
    known: dict[str, int] = store.get(_mark(settings), {})
    # At the start, a power cut may have taken from the database what the archive has; later there is none.
    notes = _notes(stored(settings.archive, after=known, writer=settings.writer)) if until is None else []
    restore.apply_settings(store, notes, again=False)
    ends = sizes(settings) if until is None else until
    found = stored(settings.archive, after=known, writer=settings.writer)
    missed = (each for each in found if each.place.offset < ends.get(each.place.filename, 0))
    count = _captures(store, missed, alert=True)
    restore.apply_feedback(store, notes, again=False)
    store.set(_mark(settings), dict(ends))
    return count


def _rebuilt(store: Store, settings: Settings) -> int:
    account = Account()
    count = rebuild(store, settings, account=account)
    for problem in account.problems:
        logger.warning("left out of the database: %s", problem)
    return count


def _notes(found: Iterable[Stored]) -> list[dict[str, Any]]:
    return [each.notes for each in found if each.url.endswith(f":{journal.NAME}")]


def sizes(settings: Settings) -> dict[str, int]:
    """Say how much our writer has written to each file."""
    held = shelf(settings.archive)
    return {name: held.size(name) for name in held.names(writer=settings.writer)[-MAX_REMEMBERED_FILES:]}


def _mark(settings: Settings) -> str:
    """Name what says up to where the database has everything that a writer wrote."""
    return f"archive {settings.writer}"


def _captures(
    store: Store, found: Iterable[Stored], show: Callable[[int], None] | None = None, *, alert: bool = False
) -> int:
    """Write down all captures; a change whose older version comes later waits for it."""
    some: list[tuple[VisitResult, Stored]] = []
    late: list[tuple[VisitResult, Stored]] = []
    count = 0
    for each in found:
        some += [(result, each) for result in read_notes(each.notes)] if each.kind == "capture" else []
        if len(some) >= CAPTURES_PER_TRANSACTION:
            count += _written(store, some, late, alert=alert)
            some.clear()
            if show:
                show(count)
    count += _written(store, some, late, alert=alert)
    with store.begin() as session:
        for result, each in late:
            visits.add_change(session, result, each.place)
    return count


def _written(
    store: Store, some: list[tuple[VisitResult, Stored]], late: list[tuple[VisitResult, Stored]], *, alert: bool
) -> int:
    count = 0
    with store.begin() as session:
        for result, each in some:
            recorded = visits.record(session, result, each.place)
            if recorded is None or recorded.version is None:
                continue
            count += 1
            if result.change is not None and recorded.change is None:
                late.append((result, each))
            is_page = result.outcome in ("new", "changed", "unchanged")
            if is_page and visits.move_to(session, recorded) and alert:
                # It was written to the archive, and then the transaction with the alert failed.
                alerts.add_change(session, result, recorded)
    return count


def _resume_sites(store: Store, settings: Settings) -> None:
    """Show the documents of each site to a detector again, and remember which entries were seen."""
    from pagedrift.app.monitor.sites import remembered

    sites = restore.followed_sites(store)
    keys: dict[str, list[str]] = {site.id: [] for site in sites}
    events: dict[str, list[Any]] = {site.id: [] for site in sites}
    for each in stored(settings.archive) if sites else ():
        for result in read_notes(each.notes):
            if result.watch in keys and result.entry:
                keys[result.watch].append(sha256(result.entry.encode("utf-8", "replace")).hexdigest()[:16])
                events[result.watch] += result.events
    for site in sites:
        restore.set_memory(store, site.id, remembered(store, settings, site, keys[site.id], events[site.id]))
