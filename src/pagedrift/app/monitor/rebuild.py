"""Rebuild of the database from the WARC files alone."""

from __future__ import annotations

import logging
from datetime import UTC, datetime
from hashlib import sha256
from typing import TYPE_CHECKING, Any, Final

from sqlalchemy import select

from pagedrift.app.model.decision import Decision
from pagedrift.app.model.options import HIDDEN
from pagedrift.app.model.results import VisitResult
from pagedrift.app.notify import alerts
from pagedrift.app.store import journal, visits
from pagedrift.app.store.tables import (
    ChangeRow,
    DeliveryRow,
    GroupRow,
    LabelRow,
    RuleRow,
    StoryRow,
    StoryWatchRow,
    Table,
    ValueRow,
    VersionRow,
    WatchRow,
)
from pagedrift.app.store.watches import with_secrets
from pagedrift.archive.locations import shelf
from pagedrift.archive.reader import stored
from pagedrift.read_report import Account

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

    from sqlalchemy.orm import Session

    from pagedrift.app.settings import Settings
    from pagedrift.app.store.store import Store
    from pagedrift.app.store.visits import Recorded
    from pagedrift.archive.reader import Stored

logger = logging.getLogger(__name__)
FILES: Final = 1_000  # the newest, whose ends are remembered; those before are done
BEGUN: Final = "rebuild"  # says that the database is being made again, until it is
AT_ONCE: Final = 200  # captures of one transaction
_SET: Final[tuple[tuple[type[Any], str], ...]] = ((GroupRow, "name"), (WatchRow, "id"), (RuleRow, "id"))
_TIMES: Final = ("created_at", "at", "opened_at", "closed_at", "next_at", "delivered_at")


def rebuild(
    store: Store, settings: Settings, *, account: Account | None = None, show: Callable[[int], None] | None = None
) -> int:
    """Forget what the database says, and read everything off the archive; give the number of versions.

    What is damaged is left out and counted. Messages that are on their way stay so.
    """
    ends = sizes(settings)
    with store.begin() as session:
        known = session.get(ValueRow, BEGUN)
        deliveries = known.value if known and known.value else _deliveries(session)
        session.merge(ValueRow(name=BEGUN, value=deliveries))
        for table in reversed(Table.metadata.sorted_tables):
            if table.name not in ("tokens", "values"):  # keys are not in the archive
                session.execute(table.delete())
    notes = _notes(stored(settings.archive))
    with store.begin() as session:
        for note in notes:
            _definitions(session, note)
    count = _captures(store, stored(settings.archive, account=account, at_rest=True), show)
    with store.begin() as session:
        for note in notes:
            _feedback(session, note)
        _send_on(session, deliveries)
    _resume_sites(store, settings)
    store.set(_mark(settings), ends)
    store.set(BEGUN, value=False)
    return count


def catch_up(store: Store, settings: Settings, *, until: Mapping[str, int] | None = None) -> int:
    """Bring the database to where the archive of our writer is; where it knows no watch at all, make it again.

    `until` says up to where in each file to look; what comes after is still on its way into the database.
    """
    with store.read() as session:
        empty = session.scalar(select(WatchRow.id).limit(1)) is None
    if store.get(BEGUN) or (empty and shelf(settings.archive).names()):
        return _rebuilt(store, settings)
    known: dict[str, int] = store.get(_mark(settings), {})
    # At the start, a power cut may have taken from the database what the archive has; later there is none to mend.
    notes = _notes(stored(settings.archive, after=known, writer=settings.writer)) if until is None else []
    with store.begin() as session:
        for note in notes:
            _definitions(session, note, again=False)
    ends = sizes(settings) if until is None else until
    found = stored(settings.archive, after=known, writer=settings.writer)
    missed = (each for each in found if each.place.offset < ends.get(each.place.filename, 0))
    count = _captures(store, missed, tell=True)
    with store.begin() as session:
        for note in notes:
            _feedback(session, note, again=False)
    store.set(_mark(settings), dict(ends))
    return count


def _rebuilt(store: Store, settings: Settings) -> int:
    account = Account()
    count = rebuild(store, settings, account=account)
    for problem in account.problems:
        logger.warning("left out of the database: %s", problem)
    return count


def _deliveries(session: Session) -> dict[str, list[dict[str, Any]]]:
    """Take down the messages on their way, and those that arrived, by story: the archive does not have them."""
    found: dict[str, list[dict[str, Any]]] = {"": []}  # never empty: it also says that a rebuild has begun
    for row, uid in session.execute(
        select(DeliveryRow, StoryRow.uid).join(StoryRow, StoryRow.id == DeliveryRow.story)
    ):
        told = {name: getattr(row, name) for name in ("channel", "attempts", "error", "next_at", "delivered_at")}
        found.setdefault(uid, []).append(
            {name: value.isoformat() if isinstance(value, datetime) else value for name, value in told.items()}
        )
    return found


def _send_on(session: Session, deliveries: dict[str, list[dict[str, Any]]]) -> None:
    for uid, told in deliveries.items():
        story = session.scalar(select(StoryRow.id).where(StoryRow.uid == uid))
        if story is not None:
            session.add_all(DeliveryRow(story=story, **_with_times(each)) for each in told)


def _notes(found: Iterable[Stored]) -> list[dict[str, Any]]:
    return [each.notes for each in found if each.url.endswith(f":{journal.NAME}")]


def sizes(settings: Settings) -> dict[str, int]:
    """Say how much our writer has written to each file."""
    held = shelf(settings.archive)
    return {name: held.size(name) for name in held.names(writer=settings.writer)[-FILES:]}


def _mark(settings: Settings) -> str:
    """Name what says up to where the database has everything that a writer wrote."""
    return f"archive {settings.writer}"


def _captures(
    store: Store, found: Iterable[Stored], show: Callable[[int], None] | None = None, *, tell: bool = False
) -> int:
    """Write down all captures; a change whose older version comes later waits for it."""
    some: list[tuple[VisitResult, Stored]] = []
    late: list[tuple[VisitResult, Stored]] = []
    count = 0
    for each in found:
        result = VisitResult.from_notes(each.notes) if each.kind == "capture" else None
        if result is not None:
            some.append((result, each))
        if len(some) >= AT_ONCE:
            count += _written(store, some, late, tell=tell)
            some.clear()
            if show:
                show(count)
    count += _written(store, some, late, tell=tell)
    with store.begin() as session:
        for result, each in late:
            visits.add_change(session, result, each.place)
    return count


def _written(
    store: Store, some: list[tuple[VisitResult, Stored]], late: list[tuple[VisitResult, Stored]], *, tell: bool
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
            if result.outcome in ("new", "changed", "unchanged") and _moves(session, recorded):
                recorded.watch.newest, recorded.watch.state = recorded.version.id, "fine"
                if tell:  # it was written to the archive, and then the transaction that tells it failed
                    alerts.alert_about(session, result, recorded.watch, recorded.change)
    return count


def _moves(session: Session, recorded: Recorded) -> bool:
    """Tell whether a version is the newest of its page: files of several writers are read one after the other."""
    row, version = recorded.watch, recorded.version
    known = session.get(VersionRow, row.newest) if row.newest else None
    return row.kind == "page" and (known is None or version is None or known.captured_at <= version.captured_at)


def _definitions(session: Session, note: dict[str, Any], *, again: bool = True) -> None:
    """Apply what was set by the user: the last revision, in whichever order they are read."""
    for table, key in _SET:
        for told in note.get(table.__tablename__, ()):
            known = session.get(table, told[key])
            if known is None or known.revision < told["revision"] + again:
                _define(session, table, known, told)


def _define(session: Session, table: type[Any], known: Any, told: dict[str, Any]) -> None:
    values = _with_times(told) | {"journalled": told["revision"]}
    if known is not None and "options" in told:
        values["options"] = with_secrets(told["options"], known.options, lost=HIDDEN)
    if known is None and table is WatchRow:
        values["next_at"] = datetime.now(UTC)
    session.merge(table(**values))


def _feedback(session: Session, note: dict[str, Any], *, again: bool = True) -> None:
    """Apply what was said about changes and what was told of them, now that they are there."""
    for told in note.get("labels", ()):
        change = _change_named(session, told.pop("change"))
        known = session.get(LabelRow, change) if change is not None else None
        if change is not None and (known is None or known.revision < told["revision"] + again):
            session.merge(LabelRow(**_with_times(told), change=change, journalled=told["revision"]))
    for told in note.get("stories", ()):
        _retell(session, told, told.pop("watches"), told.pop("changes", []))


def _retell(
    session: Session, told: dict[str, Any], pages: list[dict[str, Any]], changes: list[dict[str, Any]]
) -> None:
    """Write down a story that was told; where it is known, what joined it since an earlier note."""
    story = session.scalar(select(StoryRow).where(StoryRow.uid == told["uid"]))
    if story is None:
        story = StoryRow(**_with_times(told), journalled=True)
        session.add(story)
        session.flush()
    for page in pages:
        change = _change_named(session, page["change"])
        if session.get(StoryWatchRow, (story.id, page["watch"])) is None:
            session.add(StoryWatchRow(story=story.id, watch=page["watch"], group=page["group"], change=change))
    for joined in changes or pages:  # older notes name the changes of pages only
        change = _change_named(session, joined["change"])
        row = None if change is None else session.get_one(ChangeRow, change)
        if row is not None:
            row.story = story.id
            if "decision" in joined or "not_told" in joined:  # a sentence, in older notes
                row.decide(Decision.from_json(joined.get("decision"), text=joined.get("not_told", "")))


def _with_times(told: dict[str, Any]) -> dict[str, Any]:
    return {
        name: datetime.fromisoformat(value) if name in _TIMES and value else value for name, value in told.items()
    }


def _change_named(session: Session, name: list[Any] | None) -> int | None:
    """Find a change by its watch and its time."""
    if name is None:
        return None
    named = select(ChangeRow.id).where(ChangeRow.watch == name[0], ChangeRow.at == datetime.fromisoformat(name[1]))
    return session.scalars(named.limit(1)).first()


def _resume_sites(store: Store, settings: Settings) -> None:
    """Show the documents of each site to a detector again, and remember which entries were seen."""
    from pagedrift.app.monitor.sites import remembered

    with store.read() as session:
        sites = session.scalars(
            select(WatchRow).where(WatchRow.kind.in_(("feed", "sitemap")), ~WatchRow.deleted)
        ).all()
    keys: dict[str, list[str]] = {row.id: [] for row in sites}
    events: dict[str, list[Any]] = {row.id: [] for row in sites}
    for each in stored(settings.archive) if sites else ():
        result = VisitResult.from_notes(each.notes)
        if result is not None and result.watch in keys and result.entry:
            keys[result.watch].append(sha256(result.entry.encode("utf-8", "replace")).hexdigest()[:16])
            events[result.watch] += result.events
    for site in sites:
        memory = remembered(store, settings, site, keys[site.id], events[site.id])
        with store.begin() as session:
            session.get_one(WatchRow, site.id).memory = memory
