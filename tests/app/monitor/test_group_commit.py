"""Visits that end at about the same time are written down together, and none suffers for another."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Any

import pytest
from sqlalchemy import select, update

from pagedrift.app.model.results import VersionMetadata, VisitResult
from pagedrift.app.model.watch import Watch
from pagedrift.app.monitor import group_commit
from pagedrift.app.monitor.followup import FollowUp, after_visit, settle, settle_unchanged
from pagedrift.app.monitor.group_commit import GroupCommit
from pagedrift.app.store import queue, visits, watches
from pagedrift.app.store.tables import VersionRow, VisitRow, WatchRow
from pagedrift.archive.locations import ArchiveError, Place
from pagedrift.archive.writer import ArchiveWriter, Capture
from pagedrift.dates import EARLIEST
from pagedrift.page import PageVersion

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pagedrift.app.settings import Settings
    from pagedrift.app.store.store import Store

NOW = datetime(2026, 11, 18, 8, tzinfo=UTC)
OWNER = "main"


def _found(store: Store, count: int = 4, *, outcome: Any = "unchanged") -> list[FollowUp]:
    """Claim watches, and give what comes of visits that found each as it was."""
    watches.add_all(store, [Watch(f"https://city.example/{number}", name="City") for number in range(count)])
    with store.begin() as session:
        session.execute(update(WatchRow).values(next_at=EARLIEST))
    ids = queue.claim(store, OWNER, most=count, per_host=count)
    tasks = [task for task in visits.tasks(store, ids).values() if not isinstance(task, Exception)]
    follow_ups = []
    for task in sorted(tasks, key=lambda task: task.watch.url):
        version = VersionMetadata(url=task.watch.url, captured_at=NOW, digest="as before", status=200)
        result = VisitResult(watch=task.watch.id, at=NOW, outcome=outcome, kept=True, version=version)
        after = replace(after_visit(task, result, 0.0), moves=False)
        follow_ups.append(FollowUp(task=task, result=result, after=after))
    return follow_ups


def _capture(found: FollowUp) -> Capture:
    return Capture(PageVersion(found.task.watch.url, b"<p>Fees", captured_at=NOW, status=200))


def _rows(store: Store, table: Any) -> list[dict[str, Any]]:
    with store.read() as session:
        found = session.scalars(select(table).order_by(table.id)).all()
        return [{column.name: getattr(row, column.name) for column in table.__table__.columns} for row in found]


@pytest.fixture
def archive(settings: Settings) -> Iterator[ArchiveWriter]:
    with ArchiveWriter(settings.archive) as archive:
        yield archive


def test_visits_that_wait_for_each_other_are_one_transaction(
    any_store: Store, archive: ArchiveWriter, monkeypatch: pytest.MonkeyPatch
) -> None:
    found, groups = _found(any_store), []

    def counted(store: Store, follow_ups: list[FollowUp]) -> None:
        groups.append(len(follow_ups))
        settle_unchanged(store, follow_ups)

    monkeypatch.setattr(group_commit, "settle_unchanged", counted)
    monkeypatch.setattr(group_commit, "MAX_WAIT_SECONDS", 60.0)
    commit = GroupCommit(any_store, archive, under_way=lambda: len(found))
    with ThreadPoolExecutor(len(found)) as threads:
        list(threads.map(lambda each: commit.settle([each], [_capture(each)]), found))
    assert groups == [len(found)]
    versions = {row["id"]: row for row in _rows(any_store, VersionRow)}
    assert {row["watch_id"] for row in versions.values()} == {each.task.watch.id for each in found}
    for row in _rows(any_store, VisitRow):
        assert versions[row["version_id"]]["watch_id"] == row["watch_id"]
    assert all(row["visits"] == 1 and row["lease"] is None for row in _rows(any_store, WatchRow))


def test_many_at_once_leave_what_each_by_itself_leaves(any_store: Store) -> None:
    found = [
        replace(each, place=Place("a.warc.gz", number, 1), result=replace(each.result, kept=number != 2))
        for number, each in enumerate(_found(any_store))
    ]
    settle(any_store, *found)
    tables = (WatchRow, VersionRow, VisitRow)
    by_itself = [_rows(any_store, table) for table in tables]
    with any_store.begin() as session:
        for table in (VisitRow, VersionRow):
            session.query(table).delete()
        for each in found:
            row = session.get_one(WatchRow, each.task.watch.id)
            row.visits, row.visited_at, row.state, row.memory, row.rate = 0, None, "new", {}, {}
            row.next_at, row.lease, row.leased_until = EARLIEST, OWNER, NOW + timedelta(days=1)
    settle_unchanged(any_store, found)
    together = [_rows(any_store, table) for table in tables]
    for rows in (*by_itself[1:], *together[1:]):
        rows.sort(key=lambda row: str(row["watch_id"]))
        for row in rows:
            row["id"] = row["version_id"] = None
    assert together == by_itself


def test_where_a_group_cannot_be_recorded_each_visit_is_by_itself(
    any_store: Store, archive: ArchiveWriter, monkeypatch: pytest.MonkeyPatch
) -> None:
    found = _found(any_store)

    def broken(*_: object) -> None:
        raise OSError("the database is away")

    monkeypatch.setattr(group_commit, "settle_unchanged", broken)
    commit = GroupCommit(any_store, archive)
    commit.settle(found, [_capture(found[0])])
    assert len(_rows(any_store, VisitRow)) == len(found)


def test_a_visit_whose_bytes_cannot_be_written_is_not_recorded_and_the_others_are(
    any_store: Store, archive: ArchiveWriter, monkeypatch: pytest.MonkeyPatch
) -> None:
    found = _found(any_store)
    write = archive.write

    def full(packed: Any) -> Any:
        kept = write(packed)
        return [
            ArchiveError("the disk is full") if each.entries[0].url.endswith("/1") else kept[number]
            for number, each in enumerate(packed)
        ]

    monkeypatch.setattr(archive, "write", full)
    monkeypatch.setattr(group_commit, "MAX_WAIT_SECONDS", 60.0)
    commit = GroupCommit(any_store, archive, under_way=lambda: len(found))

    def settled(each: FollowUp) -> bool:
        try:
            commit.settle([each], [_capture(each)])
        except ArchiveError:
            return False
        return True

    with ThreadPoolExecutor(len(found)) as threads:
        assert list(threads.map(settled, found)) == [True, False, True, True]
    assert found[1].task.watch.id not in {row["watch_id"] for row in _rows(any_store, VisitRow)}


def test_a_watch_that_was_edited_meanwhile_stays_due(any_store: Store) -> None:
    found = _found(any_store)
    watches.edit(any_store, found[0].task.watch.id, name="Another name")
    with any_store.read() as session:
        due = session.get_one(WatchRow, found[0].task.watch.id).next_at
    settle_unchanged(any_store, found)
    with any_store.read() as session:
        row = session.get_one(WatchRow, found[0].task.watch.id)
    assert (row.next_at, row.lease, row.visits) == (due, None, 1)


def test_a_watch_that_another_took_over_keeps_its_lease(any_store: Store) -> None:
    found = _found(any_store)
    with any_store.begin() as session:
        session.get_one(WatchRow, found[0].task.watch.id).lease = "another"
    settle_unchanged(any_store, found)
    with any_store.read() as session:
        row = session.get_one(WatchRow, found[0].task.watch.id)
    assert (row.lease, row.state) == ("another", "new")
    assert len(_rows(any_store, VisitRow)) == len(found)


def test_what_is_recorded_already_is_not_recorded_again(any_store: Store) -> None:
    found = [replace(each, place=Place("a.warc.gz", 7, 1)) for each in _found(any_store)]
    with any_store.begin() as session:
        visits.record(session, found[0].result, found[0].place)
    settle_unchanged(any_store, found)
    assert len(_rows(any_store, VisitRow)) == len(_rows(any_store, VersionRow)) == len(found)
