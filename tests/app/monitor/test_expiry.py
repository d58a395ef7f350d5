"""Dates that expire, from the page to the alert, by a clock that is set."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Any

import pytest

from pagedrift.app.model.conditions import is_expiring, parse_condition
from pagedrift.app.model.watch import Watch
from pagedrift.app.notify import alerts
from pagedrift.app.store import queries, watches
from pagedrift.app.store.tables import AlertRow, VisitRow
from pagedrift.errors import InputError
from tests.app.monitor.test_visit import rows
from tests.server import HTML

if TYPE_CHECKING:
    from pagedrift.app.monitor.scheduler import Scheduler
    from tests.server import Site

# Tomorrow: by a clock behind that of the queue, every visit would be due again at once, without end.
NOW = datetime.now(UTC).replace(hour=9, minute=0, second=0, microsecond=0) + timedelta(days=1)


def at(days: float) -> datetime:
    return NOW + timedelta(days=days)


def shows(site: Site, days: int, *, more: str = "", **headers: str) -> str:
    """Let the page show a date some days from now; give it as ISO 8601 writes it."""
    day = at(days).date()
    body = f"<title>Permit</title><main><p id=ends>Valid until {day:%d %B %Y}</p><p>{more}</p></main>".encode()
    site.pages["/permit"] = (200, {**HTML, **headers}, body)
    return day.isoformat()


def watched(scheduler: Scheduler, site: Site, *conditions: str, **options: Any) -> str:
    wanted = {"value": "date", "include": ["main"], "conditions": list(conditions), **options}
    return watches.add(scheduler.store, Watch(f"{site.url}/permit", options=wanted)).id


def check(scheduler: Scheduler, days: float) -> None:
    """Check everything when the clock says that some days have passed."""
    scheduler.visitor.clock = lambda: at(days)
    for watch in watches.every(scheduler.store):
        watches.visit_now(scheduler.store, watch.id)
    scheduler.run_once()


def said(scheduler: Scheduler) -> list[str]:
    """Give what the alerts say that there were so far."""
    alerts.close_due(scheduler.store, datetime.now(UTC), "http://here", waiting=True)
    return [alert.told["headline"] for alert in rows(scheduler.store, AlertRow) if alert.kind == "expiry"]


def test_an_alert_comes_once_when_the_date_is_near_though_the_page_stays_as_it_is(
    scheduler: Scheduler, site: Site
) -> None:
    day = shows(site, 30)
    watched(scheduler, site, "expires in 14 days")
    for days, number in ((0, 0), (10, 0), (15, 0), (17, 1), (18, 1), (29, 1), (31, 1)):
        check(scheduler, days)
        assert len(said(scheduler)) == number, days
    assert said(scheduler) == [f"{day} is in 13 days: your condition “expires in 14 days” is met"]


def test_a_page_that_the_server_does_not_send_again_expires_too(scheduler: Scheduler, site: Site) -> None:
    shows(site, 30, ETag='"1"')
    _, headers, body = site.pages["/permit"]  # type: ignore[misc]
    site.pages["/permit"] = lambda request: (
        (304, {"ETag": '"1"'}, b"") if request.headers.get("If-None-Match") else (200, headers, body)
    )
    watch = watched(scheduler, site)
    check(scheduler, 0)
    # The condition comes later than the version: its date is read from the archive.
    watches.edit(scheduler.store, watch, options={"include": ["main"], "conditions": ["expires within 2w"]})
    check(scheduler, 1)
    assert said(scheduler) == []
    check(scheduler, 20)
    assert len(said(scheduler)) == 1
    assert [row.status for row in rows(scheduler.store, VisitRow)] == [200, 304, 304]


def test_another_date_is_news_again_and_the_same_one_is_not(scheduler: Scheduler, site: Site) -> None:
    watched(scheduler, site, "expires in 14 days")
    first = shows(site, 10)
    check(scheduler, 0)  # near when it is seen for the first time
    shows(site, 40, more="Renewed.")
    check(scheduler, 1)
    second = shows(site, 12, more="Taken back.")
    check(scheduler, 2)
    shows(site, 10)
    check(scheduler, 3)
    assert [each.partition(" ")[0] for each in said(scheduler)] == [first, second]


def test_a_date_that_has_passed_is_told_once(scheduler: Scheduler, site: Site) -> None:
    day = shows(site, -3)
    watched(scheduler, site, "expires in 1 day")
    check(scheduler, 0)
    check(scheduler, 1)
    assert said(scheduler) == [f"{day} has passed: your condition “expires in 1 day” is met"]


def test_conditions_stand_next_to_others_and_a_change_says_that_its_date_is_told(
    scheduler: Scheduler, site: Site
) -> None:
    shows(site, 30)
    watch = watched(scheduler, site, "contains revoked", "urgent expires in 14 days")
    check(scheduler, 0)
    shows(site, 30, more="Revoked by the council.")
    check(scheduler, 1)
    shows(site, 9, more="Revoked by the council.")
    check(scheduler, 2)
    with scheduler.store.read() as session:
        changes, _ = queries.changes(session, which=watch)
    assert [(change.alerted, change.reason) for change in reversed(changes)] == [
        (True, "Your condition “contains revoked” is met"),
        (False, "Ignored because there is an alert of its own about the date that the page shows"),
    ]
    assert len(said(scheduler)) == 1
    assert [alert.urgent for alert in rows(scheduler.store, AlertRow) if alert.kind == "expiry"] == [True]


def test_nothing_is_said_where_alerts_are_off_where_there_is_no_date_or_where_the_check_fails(
    scheduler: Scheduler, site: Site
) -> None:
    shows(site, 5)
    watched(scheduler, site, "expires in 14 days", notify_on="nothing")
    watched(scheduler, site, "expires in 14 days", include=["title"])
    site.pages["/none"] = b"<p>Valid for ever</p>"
    watches.add(scheduler.store, Watch(f"{site.url}/none", options={"conditions": ["expires in 14 days"]}))
    check(scheduler, 0)
    check(scheduler, 1)
    assert said(scheduler) == []


def test_a_failed_check_does_not_use_up_the_alert(scheduler: Scheduler, site: Site) -> None:
    shows(site, 30)
    watched(scheduler, site, "expires in 14 days")
    check(scheduler, 0)
    good, site.pages["/permit"] = site.pages["/permit"], (500, HTML, b"<p>Down")
    check(scheduler, 20)
    assert said(scheduler) == []
    site.pages["/permit"] = good
    check(scheduler, 21)
    assert len(said(scheduler)) == 1


@pytest.mark.parametrize("text", ["expires", "expires in", "expires in 5 minutes", "expires in two weeks"])
def test_a_time_that_is_none_is_refused_with_the_next_step(text: str) -> None:
    with pytest.raises(InputError, match="; write one"):
        parse_condition(text)


@pytest.mark.parametrize(
    ("text", "hours"), [("expires in 14 days", 336), ("Expires  within 2w", 336), ("expires in 36h", 36)]
)
def test_a_date_is_near_from_that_time_before_it_begins(text: str, hours: int) -> None:
    begins = datetime(2027, 3, 15, tzinfo=UTC)
    condition = parse_condition(text)
    for before, near in ((timedelta(hours=hours, seconds=1), False), (timedelta(hours=hours), True)):
        assert is_expiring(condition, "2027-03-15", begins - before) is near
