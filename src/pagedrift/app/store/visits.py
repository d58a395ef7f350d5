"""Reads and writes of a visit: what it needs beforehand, and its result in one transaction."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Any, Final, cast

from sqlalchemy import func, or_, select

from pagedrift.app.model.decision import Decision, Reason
from pagedrift.app.model.rules import Rule
from pagedrift.app.model.task import Task
from pagedrift.app.model.watch import name_from_title
from pagedrift.app.store import change_index, pasts, people
from pagedrift.app.store.effective_options import Inheritance, options_of
from pagedrift.app.store.queries.values import value_range
from pagedrift.app.store.queries.versions import stored_version
from pagedrift.app.store.tables import (
    AlertRow,
    AlertWatchRow,
    ChangeRow,
    RuleRow,
    ValueRow,
    VersionRow,
    VisitRow,
    WatchRow,
)
from pagedrift.app.store.watches import watch_of
from pagedrift.archive.locations import Place
from pagedrift.errors import PagedriftError

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping

    from sqlalchemy.orm import Session

    from pagedrift.app.model.conditions import ValueRange
    from pagedrift.app.model.options import WatchOptions
    from pagedrift.app.model.results import StoredVersion, VisitResult
    from pagedrift.app.model.task import AfterVisit
    from pagedrift.app.store.store import Store

SAME_CHANGE_WITHIN: Final = timedelta(days=30)
MAX_CHANGES_COMPARED: Final = 50  # changes of other pages of a host
PRICE: Final = "price of a visit"
MAX_PAST_VERSIONS: Final = 12  # versions before, among which a page may flip
OTHER_PAGES: Final = 6  # of a host, which may all show the same instead of themselves
State = tuple[str, datetime]  # what a page was like, as a digest, and when


def task(store: Store, which: str) -> Task | None:
    """Read what a visit needs; None where the watch was removed meanwhile."""
    found = tasks(store, (which,)).get(which)
    if isinstance(found, PagedriftError):
        raise found
    return found


def tasks(store: Store, ids: Collection[str]) -> dict[str, Task | PagedriftError]:
    """Read what many visits need, all at once; of a watch whose options are not understood, why that is so.

    Watches that were removed meanwhile are left out.
    """
    found: dict[str, Task | PagedriftError] = {}
    with store.read() as session:
        rows = session.scalars(select(WatchRow).where(WatchRow.id.in_(ids), ~WatchRow.deleted)).all()
        newest = select(VersionRow).where(VersionRow.id.in_([row.newest_id for row in rows if row.newest_id]))
        versions = {row.id: stored_version(row) for row in session.scalars(newest)}
        price = session.get(ValueRow, PRICE)
        for row in rows:
            try:
                found[row.id] = _task(session, row, versions.get(row.newest_id or 0), price)
            except PagedriftError as error:
                found[row.id] = error
    return found


def _task(session: Session, row: WatchRow, newest: StoredVersion | None, price: ValueRow | None) -> Task:
    return Task(
        watch=watch_of(row),
        options=options_of(session, row),
        newest=newest,
        visited_at=row.visited_at,
        failures=row.failures,
        misses=row.memory.get("misses", 0),
        tries=row.memory.get("tries", 0),
        rate=dict(row.rate),
        memory=dict(row.memory),
        host=row.host,
        price=price.value if price else None,
        lease=row.lease,
        revision=row.revision,
    )


def is_wanted(store: Store, which: str) -> bool:
    """Return whether a watch is still there."""
    with store.read() as session:
        return session.scalar(select(WatchRow.deleted).where(WatchRow.id == which)) is False


def rates_and_options(store: Store) -> list[tuple[dict[str, Any], WatchOptions]]:
    """Give how often each watch that is not paused changes, with its options."""
    columns = (WatchRow.url, WatchRow.group, WatchRow.parent_id, WatchRow.options, WatchRow.rate)
    with store.read() as session:
        inheritance = Inheritance(session)
        rows = session.execute(select(*columns).where(~WatchRow.deleted, ~WatchRow.paused))
        return [(row.rate, inheritance.options_of(row)) for row in rows]


def options_of_watch(session: Session, which: str) -> WatchOptions:
    """Put together what a watch, its site and its group say."""
    return options_of(session, session.get_one(WatchRow, which))


def rules_of_watch(session: Session, which: str) -> tuple[Rule, ...]:
    """Give the rules that are about a watch."""
    return rules_of(session, session.get_one(WatchRow, which))


def rules_for(store: Store, task: Task) -> tuple[Rule, ...]:
    """Give the rules that the comparison of a page needs."""
    with store.read() as session:
        return rules_of_watch(session, task.watch.id)


def last_versions(store: Store, task: Task) -> tuple[State, ...]:
    """Give digests of the last versions of a page, and when they were there; newest last."""
    found_at = task.newest.url if task.newest is not None else task.watch.url  # it may lead elsewhere
    last = (
        select(VersionRow.digest, VersionRow.captured_at)
        .where(VersionRow.watch_id == task.watch.id, VersionRow.url == found_at)
        .order_by(VersionRow.captured_at.desc())
        .limit(MAX_PAST_VERSIONS)
    )
    with store.read() as session:
        return tuple((digest, at) for digest, at in reversed(session.execute(last).all()))


def other_pages(store: Store, task: Task) -> tuple[Place, ...]:
    """Say where the newest versions of other pages of a host are, of those that changed last."""
    others = (
        select(VersionRow.filename, VersionRow.offset, VersionRow.length)
        .join(WatchRow, WatchRow.newest_id == VersionRow.id)
        .where(WatchRow.host == task.host, WatchRow.url != task.watch.url, ~WatchRow.deleted)
        .order_by(WatchRow.changed_at.desc())
        .limit(OTHER_PAGES)
    )
    with store.read() as session:
        return tuple(Place(*row) for row in session.execute(others))


def rules_of(session: Session, row: WatchRow) -> tuple[Rule, ...]:
    """Give the rules that are about a watch."""
    mine = or_(
        RuleRow.scope == "all",
        (RuleRow.scope == "watch") & (RuleRow.of == row.id),
        (RuleRow.scope == "host") & (RuleRow.of == row.host),
        (RuleRow.scope == "group") & (RuleRow.of == row.group),
    )
    rows = session.scalars(select(RuleRow).where(~RuleRow.deleted, mine).order_by(RuleRow.created_at))
    return tuple(
        Rule(scope=cast("Any", each.scope), of=each.of, kind=cast("Any", each.kind), value=each.value, id=each.id)
        for each in rows
    )


def told_alike(store: Store, task: Task, signatures: Collection[str], now: datetime) -> str:
    """Find an alert about another page of the host whose change includes this one; give its signature."""
    lately = (
        select(ChangeRow.signature, ChangeRow.card)
        .join(WatchRow, WatchRow.id == ChangeRow.watch_id)
        .where(WatchRow.host == task.host, WatchRow.url != task.watch.url)
        .where(ChangeRow.told, ChangeRow.at >= now - SAME_CHANGE_WITHIN)
        .order_by(ChangeRow.at.desc())
        .limit(MAX_CHANGES_COMPARED)
    )
    with store.read() as session:
        for signature, card in session.execute(lately):
            if set(signatures) <= set(card.get("signatures", ())):
                return str(signature)
    return ""


def alerted_pages(store: Store, task: Task, signature: str) -> int:
    """Count the other pages of a host in the alert about the same change that is about to be sent."""
    others = (
        select(func.count())
        .select_from(AlertWatchRow)
        .join(AlertRow, AlertRow.id == AlertWatchRow.alert_id)
        .join(WatchRow, WatchRow.id == AlertWatchRow.watch_id)
        .where(AlertRow.host == task.host, AlertRow.signature == signature, AlertRow.closed_at.is_(None))
        .where(WatchRow.url != task.watch.url)
    )
    with store.read() as session:
        return session.scalar(others) or 0


def said_before(store: Store, task: Task) -> tuple[State, ...]:
    """Give digests of what a page said before each of its last changes, whatever its scripts said; newest last."""
    lately = (
        select(ChangeRow.card["was"].as_string(), VersionRow.captured_at)
        .join(VersionRow, VersionRow.id == ChangeRow.old_id)
        .where(ChangeRow.watch_id == task.watch.id)
        .order_by(ChangeRow.at.desc())
        .limit(MAX_PAST_VERSIONS)
    )
    with store.read() as session:
        return tuple((said, at) for said, at in reversed(session.execute(lately).all()) if said)


def values_before(store: Store, task: Task) -> ValueRange:
    """Give the lowest and highest number that the watched part of a page said so far."""
    with store.read() as session:
        return value_range(session, task.watch.id)


@dataclass(frozen=True, slots=True)
class RecordedVisit:
    """What a visit left in the database, by ids."""

    watch: str
    version: int | None = None
    change: int | None = None


def record(session: Session, result: VisitResult, place: Place | None) -> RecordedVisit | None:
    """Write down what a visit found; None where that watch is not known, or this was written down before."""
    row = session.get(WatchRow, result.watch, with_for_update=True)
    if row is None or (place and _at(session, row.id, place) is not None):
        return None
    version = _version(session, result, place) if place and result.version else None
    change = _change(session, result, version) if version and result.change else None
    session.add(VisitRow(**visit_values(result, version.id if version else None)))
    row.visits += 1
    row.visited_at = max(result.at, row.visited_at or result.at)
    if result.outcome in ("new", "changed"):
        row.changed_at = max(result.at, row.changed_at or result.at)
    return RecordedVisit(row.id, version.id if version else None, change.id if change else None)


def visit_values(result: VisitResult, version: int | None) -> dict[str, Any]:
    """Give the columns of a visit."""
    return {
        "watch_id": result.watch,
        "at": result.at,
        "outcome": result.outcome,
        "reason": result.reason,
        "status": result.status,
        "seconds": result.seconds,
        "version_id": version,
        "kept": result.kept,
    }


def refuse(store: Store, which: str, reason: str) -> None:
    """Write on a watch that it cannot be visited as it is; it is tried again tomorrow, or once it was edited."""
    with store.begin() as session:
        row = session.get_one(WatchRow, which, with_for_update=True)
        row.state, row.trouble, row.failures = "trouble", reason, row.failures + 1
        row.next_at, row.lease, row.leased_until = datetime.now(UTC) + timedelta(days=1), None, None


def is_ours(task: Task, row: Any) -> bool:
    """Return whether a visit still counts: nobody took it over meanwhile, and the same page is watched."""
    return bool(row.lease == task.lease and row.url == task.watch.url and not row.deleted)


def settle(session: Session, task: Task, recorded: RecordedVisit, after: AfterVisit) -> bool:
    """Set when a watch is due again and how it stands, and give its lease back; False where it is not ours."""
    row = session.get_one(WatchRow, recorded.watch)
    ours = is_ours(task, row)
    if row.lease == task.lease:
        row.lease = row.leased_until = None
    if not ours:  # it is as others, or the user, left it
        if recorded.change is not None:
            session.get_one(ChangeRow, recorded.change).decide(Decision(False, Reason.WATCH_EDITED))
        return False
    row.state, row.trouble, row.failures = after.state, after.trouble, after.failures
    if row.revision == task.revision:  # otherwise it is due at once, as it is wanted now
        row.next_at = after.next_at
    if after.rate is not None:
        row.rate = after.rate
    if after.memory is not None:
        row.memory = {**row.memory, **after.memory}
    if after.past is not None:
        pasts.write(session, row.id, *after.past)
    if after.moves and recorded.version is not None:
        row.newest_id = recorded.version
    _name_by_title(session, row)
    return True


def _name_by_title(session: Session, row: WatchRow) -> None:
    """Name a watch after the title of its page, unless it has a name; the user did not set it, so no revision."""
    if not row.name and row.kind == "page" and row.newest_id:
        version = session.get(VersionRow, row.newest_id)
        row.name = name_from_title(version.title) if version else ""


def remember(session: Session, task: Task, recorded: RecordedVisit, memory: Mapping[str, Any]) -> bool:
    """Remember something about a watch during its visit; False if the visit no longer counts."""
    row = session.get_one(WatchRow, recorded.watch)
    if is_ours(task, row):
        row.memory = {**row.memory, **memory}
        return True
    return False


def move_to(session: Session, recorded: RecordedVisit) -> bool:
    """Compare the next version of a page with the one that was recorded, unless a newer one is known."""
    row, version = session.get_one(WatchRow, recorded.watch), session.get(VersionRow, recorded.version or 0)
    known = session.get(VersionRow, row.newest_id) if row.newest_id else None
    if row.kind != "page" or version is None or (known is not None and known.captured_at > version.captured_at):
        return False
    row.newest_id, row.state = version.id, "fine"
    _name_by_title(session, row)
    return True


def _at(session: Session, which: str, place: Place | tuple[str, int]) -> VersionRow | None:
    """Find the version of a watch at a place; other watches of its address may have theirs there."""
    there = select(VersionRow).where(VersionRow.filename == place[0], VersionRow.offset == place[1])
    return session.scalars(there.where(VersionRow.watch_id == which)).first()


def add_change(session: Session, result: VisitResult, place: Place) -> None:
    """Write down a change whose versions are both known by now, if they are kept at all."""
    version = _at(session, result.watch, place)
    if version is not None:
        _change(session, result, version, all_known=True)


def _version(session: Session, result: VisitResult, place: Place) -> VersionRow:
    row = VersionRow(**version_values(result, place))
    session.add(row)
    session.flush()
    return row


def version_values(result: VisitResult, place: Place) -> dict[str, Any]:
    """Give the columns of the version that a visit kept at a place."""
    kept = result.version
    assert kept is not None  # for the type checker
    return {
        "watch_id": result.watch,
        "url": kept.url,
        "captured_at": kept.captured_at,
        "digest": kept.digest,
        "mime": kept.mime[:255],
        "status": kept.status,
        "title": kept.title,
        "filename": place.filename,
        "offset": place.offset,
        "length": place.length,
        "etag": kept.etag,
        "modified": kept.modified,
        "pictured": kept.pictured,
    }


def _before(session: Session, version: VersionRow) -> int | None:
    """Find the version before one, where compaction moved it since that was written down."""
    pages = select(VersionRow.id).join(VisitRow, VisitRow.version_id == VersionRow.id)
    pages = pages.where(VersionRow.watch_id == version.watch_id, VersionRow.captured_at < version.captured_at)
    pages = pages.where(
        VisitRow.watch_id == version.watch_id, VisitRow.outcome.in_(("new", "changed", "unchanged"))
    )
    return session.scalars(pages.order_by(VersionRow.captured_at.desc()).limit(1)).first()


def _change(
    session: Session, result: VisitResult, version: VersionRow, *, all_known: bool = False
) -> ChangeRow | None:
    assert result.change is not None  # for the type checker
    assert result.compared_with is not None
    found, before = result.change.analysis, _at(session, result.watch, result.compared_with)
    old = before.id if before else _before(session, version) if all_known else None
    if old is None:  # it was dropped, by the policy or by hand
        return None
    row = ChangeRow(
        watch_id=result.watch,
        old_id=old,
        new_id=version.id,
        at=result.at,
        card=result.change.to_json(),
        amount=found.amount,
        probability=found.probability,
        matters=found.matters,
        redesigned=found.redesigned,
        signature=found.signature[:64],
        told=result.change.decision.notify,
        reason_name=str(result.change.decision.reason),
    )
    session.add(row)
    session.flush()
    change_index.add(session, row.id, result.watch, result.at, result.change)
    if row.told:
        people.add_unread(session, row.id, row.at)
    return row
