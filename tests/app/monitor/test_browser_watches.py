"""Watches that visit pages with a real browser."""

from __future__ import annotations

import zlib
from datetime import UTC, datetime
from typing import TYPE_CHECKING

import pytest

from pagedrift.app.captures import page_of
from pagedrift.app.model.watch import Watch
from pagedrift.app.monitor import rebuild
from pagedrift.app.notify import alerts
from pagedrift.app.store import failed_steps, watches
from pagedrift.app.store.tables import AlertRow, ChangeRow, FailedStepRow, VersionRow, VisitRow, WatchRow
from pagedrift.archive.locations import Place
from pagedrift.archive.reader import attachments_at
from tests.app.monitor.test_visit import rows, visit
from tests.conftest import CHROMIUM

if TYPE_CHECKING:
    from pagedrift.app.monitor.scheduler import Scheduler
    from tests.server import Site

PAGE = """<!doctype html><title>Fees</title><link rel=stylesheet href=/style.css><h1>Fees</h1><p id=price></p>
<p>A permit for a fence or a roof is given within two weeks after all papers came in.</p>
<img src=/logo.svg alt=Logo>
<script>document.getElementById("price").textContent = "A permit costs {price} from today on."</script>"""
LOGO = (
    200,
    {"Content-Type": "image/svg+xml"},
    b"<svg xmlns='http://www.w3.org/2000/svg'><rect width='9' height='9'/></svg>",
)

pytestmark = pytest.mark.slow


@pytest.fixture
def shown(site: Site) -> Site:
    if CHROMIUM is None:
        pytest.skip("there is no Chromium on this machine; on Debian: apt-get install chromium")
    site.pages |= {"/": PAGE.format(price="24 EUR").encode(), "/logo.svg": LOGO}
    site.pages["/style.css"] = (200, {"Content-Type": "text/css"}, b"h1 { color: #0b5cad }")
    return site


def test_what_scripts_wrote_is_compared_and_kept_with_its_picture(scheduler: Scheduler, shown: Site) -> None:
    watches.add(scheduler.store, Watch(f"{shown.url}/", options={"browser": True, "notify_on": "anything"}))
    scheduler.run_once()
    shown.pages["/"] = PAGE.format(price="39 EUR").encode()
    visit(scheduler)
    visit(scheduler)
    first, second, third = rows(scheduler.store, VersionRow)
    (change,) = rows(scheduler.store, ChangeRow)
    assert "24 EUR → 39 EUR" in change.card["headline"]
    assert [row.outcome for row in rows(scheduler.store, VisitRow)] == ["new", "changed", "unchanged"]
    kept = page_of(scheduler.settings.archive, Place(second.filename, second.offset, second.length))
    assert b"costs 39 EUR from" in kept.body
    assert kept.view is not None
    assert kept.view.picture
    assert kept.view.picture.startswith(b"\x89PNG")
    assert first.pictured
    assert second.pictured
    # The third is the same again: a revisit, without a second picture of the same.
    assert not attachments_at(scheduler.settings.archive, Place(third.filename, third.offset, third.length))
    scheduler.housekeeper.tidy()
    assert rebuild.rebuild(scheduler.store, scheduler.settings) == 3


def test_a_login_is_gone_through_and_its_secret_is_nowhere(scheduler: Scheduler, shown: Site) -> None:
    shown.pages["/login"] = b"""<!doctype html><title>Login</title><form onsubmit="event.preventDefault();
        if (document.forms[0].word.value == 'open sesame') location = '/'"><input name=word type=password>
        <button>Enter</button></form>"""
    options = {
        "browser": True,
        "steps": ["fill input[name=word] = {secret:WORD}", "click button", "wait #price"],
        "secrets": [["WORD", "open sesame"]],
    }
    watches.add(scheduler.store, Watch(f"{shown.url}/login", options=options))
    scheduler.run_once()
    scheduler.housekeeper.tidy()
    (kept,) = rows(scheduler.store, VersionRow)
    assert (
        b"costs 24 EUR" in page_of(scheduler.settings.archive, Place(kept.filename, kept.offset, kept.length)).body
    )
    written = b"".join(path.read_bytes() for path in (scheduler.settings.data / "warc").iterdir())
    plain, rest = b"", written
    while rest:
        unpacker = zlib.decompressobj(31)
        plain += unpacker.decompress(rest)
        rest = unpacker.unused_data
    assert b"open sesame" not in plain.replace(b"== 'open sesame'", b"")


def test_a_step_that_fails_is_trouble_on_the_watch(scheduler: Scheduler, shown: Site) -> None:
    options = {"browser": True, "steps": ["click #nowhere"]}
    watches.add(scheduler.store, Watch(f"{shown.url}/", options=options))
    scheduler.run_once()
    (row,) = rows(scheduler.store, WatchRow)
    assert row.state == "trouble"
    assert "#nowhere" in row.trouble


def test_the_picture_of_a_failed_step_is_kept_until_a_check_succeeds_and_the_alert_leads_to_it(
    scheduler: Scheduler, shown: Site
) -> None:
    options = {"browser": True, "steps": ["wait h1", "fill #price = 1"], "alert_after_failures": 1}
    watch = watches.add(scheduler.store, Watch(f"{shown.url}/", options=options))
    scheduler.run_once()
    with scheduler.store.read() as session:
        failed = failed_steps.read(session, watch.id)
    assert failed is not None
    assert (failed.number, failed.step) == (2, "fill #price = 1")
    assert "not an <input>" in failed.problem
    assert failed.picture.startswith(b"\xff\xd8")
    alerts.close_due(scheduler.store, datetime.now(UTC), "https://pagedrift.example", waiting=True)
    (alert,) = rows(scheduler.store, AlertRow)
    assert alert.told["url"] == f"https://pagedrift.example/watch/{watch.id}#trouble"
    assert "View the failed check" in alert.told["text"]

    watches.edit(scheduler.store, watch.id, options={**options, "steps": ["wait h1"]})
    visit(scheduler)
    with scheduler.store.read() as session:
        assert failed_steps.read(session, watch.id) is None
    assert rows(scheduler.store, FailedStepRow) == []


def test_a_check_that_fails_for_another_reason_shows_no_old_picture(scheduler: Scheduler, shown: Site) -> None:
    options = {"browser": True, "steps": ["fill h1 = 1"]}
    watches.add(scheduler.store, Watch(f"{shown.url}/", options=options))
    scheduler.run_once()
    assert len(rows(scheduler.store, FailedStepRow)) == 1
    shown.pages["/"] = (302, {"Location": "http://169.254.169.254/"}, b"")
    visit(scheduler)
    assert rows(scheduler.store, FailedStepRow) == []


def test_the_first_version_after_a_switch_to_the_browser_is_a_new_beginning(
    scheduler: Scheduler, shown: Site
) -> None:
    watch = watches.add(scheduler.store, Watch(f"{shown.url}/", options={"notify_on": "anything"}))
    scheduler.run_once()
    watches.edit(scheduler.store, watch.id, options={"notify_on": "anything", "browser": True})
    visit(scheduler)
    shown.pages["/"] = PAGE.format(price="39 EUR").encode()
    visit(scheduler)

    _, switched, _ = rows(scheduler.store, VisitRow)
    (change,) = rows(scheduler.store, ChangeRow)
    assert [row.outcome for row in rows(scheduler.store, VisitRow)] == ["new", "new", "changed"]
    assert "its fetch options were changed" in switched.reason
    assert "24 EUR → 39 EUR" in change.card["headline"]
