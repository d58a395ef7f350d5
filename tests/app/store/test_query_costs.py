"""Cost of frequent queries with very many watches, visits and changes."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from sqlalchemy import event, update

from pagedrift.app.model.watch import Watch
from pagedrift.app.notify import alerts
from pagedrift.app.store import journal, queue, visits, watches
from pagedrift.app.store.tables import VisitRow

if TYPE_CHECKING:
    from pagedrift.app.store.store import Store

LARGE = ("watches", "visits", "versions", "changes", "alerts", "alert_watches", "labels", "deliveries")


def test_what_is_done_each_second_and_with_each_visit_scans_no_large_table(store: Store) -> None:
    watch = watches.add(store, Watch("https://city.example/"))
    plans: dict[str, list[str]] = {}

    def explain(connection: Any, _: object, asked: str, given: Any, *__: object) -> None:
        if asked.startswith(("SELECT", "UPDATE", "DELETE")):
            cursor = connection.connection.cursor()
            plans[asked] = [row[3] for row in cursor.execute(f"EXPLAIN QUERY PLAN {asked}", given)]

    event.listen(store.engine, "before_cursor_execute", explain)
    now = datetime.now(UTC)
    queue.claim(store, "one", most=4)
    task = visits.task(store, watch.id)
    assert task is not None
    visits.told_alike(store, task, ["a"], now)
    visits.said_before(store, task)
    alerts.close_due(store, now, "")
    with store.begin() as session:
        journal._pending(session)
        session.execute(
            update(VisitRow).where(VisitRow.version_id == 7).values(version_id=None)
        )  # as retention does
    assert len(plans) > 10
    scanned = {step for plan in plans.values() for step in plan if step.startswith("SCAN")}
    assert scanned.isdisjoint(f"SCAN {table}" for table in LARGE)
    assert any("ix_changes_told" in step for plan in plans.values() for step in plan)
