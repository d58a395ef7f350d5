"""The timeline of a collection: what happened when, noise left out."""

import csv
from pathlib import Path

import pytest

from pagedrift.crawls.timeline import timeline
from tests import designs
from tests.builders import record
from tests.cli.test_commands import run, trouble
from tests.crawls.crawl_pages import SITE, page, write

DAYS = [f"2026-10-{day:02}T08:00:00Z" for day in range(1, 9)]


@pytest.fixture
def crawl(tmp_path: Path) -> str:
    def fee(amount: int, visitors: int) -> bytes:
        return page("Fees", f"A permit for a fence costs ${amount} and is valid for a year.", visitors=visitors)

    gone = record(f"{SITE}/fees", b"<p>Not found", status="404 Not Found", date=DAYS[3])
    records = [
        record(f"{SITE}/fees", fee(40, 1), date=DAYS[0]),
        record(f"{SITE}/fees", fee(40, 2), date=DAYS[1]),
        record(f"{SITE}/fees", fee(45, 2), date=DAYS[2]),
        gone,
        record(f"{SITE}/fees", fee(45, 2), date=DAYS[4]),
        record(f"{SITE}/news", designs.old(3), date=DAYS[2]),
        record(f"{SITE}/news", designs.new(3), date=DAYS[5]),
    ]
    return write(tmp_path / "crawl.warc", *records)


def test_what_happened_is_told_in_order_and_noise_is_not(crawl: str) -> None:
    found = timeline([crawl])

    assert [
        (event.at.day, str(event.kind), event.url.removeprefix(SITE)) for event in found.events if event.at
    ] == [
        (3, "changed", "/fees"),
        (3, "appeared", "/news"),
        (4, "vanished", "/fees"),
        (5, "came back", "/fees"),
        (6, "layout changed", "/news"),
    ]


def test_a_change_has_its_headline_and_level(crawl: str) -> None:
    (change,) = (event for event in timeline([crawl]).events if event.kind == "changed")

    assert (change.headline, change.level) == ("Price $40 → $45", "important")


def test_a_redesign_of_the_site_is_one_event(tmp_path: Path) -> None:
    days = [f"2026-{1 + at // 28:02}-{1 + at % 28:02}T08:00:00Z" for at in range(50)]
    records = [
        record(f"{SITE}/{at}", (designs.old if at < 35 else designs.new)(at), date=day)
        for at, day in enumerate(days)
    ]
    found = timeline([write(tmp_path / "crawl.warc", *records)])

    assert [str(event.kind) for event in found.events] == ["site redesigned"]


def test_the_page_and_the_table_show_every_event(crawl: str, tmp_path: Path) -> None:
    html, table = tmp_path / "timeline.html", tmp_path / "events.csv"
    ran = run("timeline", crawl, "--html", str(html), "--to", str(table))
    rows = list(csv.DictReader(table.read_text("utf-8").splitlines()))

    assert len(rows) == 5
    assert "5 events on 2 pages" in ran.stdout.decode()
    assert html.read_text("utf-8").count("<title>") == 1 + 5


def test_what_holds_no_archive_is_refused(tmp_path: Path) -> None:
    (tmp_path / "a.warc").write_bytes(b"")

    assert ";" in trouble("timeline", str(tmp_path / "a.warc"))
