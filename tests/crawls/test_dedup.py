"""A thinned collection: what brings nothing new is a revisit, and everything still gives a page."""

import csv
import gzip
import subprocess
from datetime import UTC, datetime
from pathlib import Path

import pytest

from pagedrift import PageVersion, read
from pagedrift.crawls.dedup import REASON, SIMILAR, dedup
from pagedrift.crawls.keeping import KeepLevel, PageGate
from pagedrift.errors import InputError
from tests.archive.test_replay import WAYBACK, replaying
from tests.builders import record, revisit, wacz
from tests.cli.test_commands import run, trouble
from tests.crawls.crawl_pages import SITE, page, write

DAYS = [f"2026-10-{day:02}T08:00:00Z" for day in range(1, 9)]
TEXT = "A permit for a fence costs {} and is valid for a year."


def fees(fee: str, visitors: int) -> bytes:
    return page("Fees", TEXT.format(fee), visitors=visitors)


@pytest.fixture
def crawl(tmp_path: Path) -> str:
    """A price that changes once, a counter at every visit, the same bytes once, and a style sheet."""
    bodies = [fees("$40", 1), fees("$40", 2), fees("$40", 2), fees("$45", 3), fees("$45", 4)]
    css = [("Content-Type", "text/css")]
    records = [record(f"{SITE}/fees", body, date=day, packed=True) for body, day in zip(bodies, DAYS, strict=False)]
    styles = [record(f"{SITE}/a.css", b"p {}", headers=css, date=day, packed=True) for day in DAYS[:2]]
    return write(tmp_path / "crawl.warc.gz", *records, *styles)


def bodies_of(folder: Path | str) -> list[bytes]:
    return [version.body for version in read(folder)]


def test_noise_becomes_a_revisit_and_a_fact_never_does(crawl: str, tmp_path: Path) -> None:
    report = dedup([crawl], tmp_path / "out")

    assert report.reasons == {"first": 1, "important": 1, "not a page": 1}
    assert report.skipped == {"noise": 3, "identical": 1}
    assert bodies_of(tmp_path / "out") == [fees("$40", 1)] * 3 + [fees("$45", 3)] * 2


def test_all_keeps_everything_but_the_same_bytes(crawl: str, tmp_path: Path) -> None:
    dedup([crawl], tmp_path / "out", level=KeepLevel.ALL)

    assert bodies_of(tmp_path / "out") == bodies_of(crawl)


def test_the_originals_are_copied_byte_for_byte_and_left_alone(crawl: str, tmp_path: Path) -> None:
    before = Path(crawl).read_bytes()
    dedup([crawl], tmp_path / "out")
    first = before[: before.index(b"\x1f\x8b\x08", 10)]

    assert Path(crawl).read_bytes() == before
    assert (tmp_path / "out" / "crawl.warc.gz").read_bytes().startswith(first)


def test_a_revisit_says_why_and_of_what(crawl: str, tmp_path: Path) -> None:
    dedup([crawl], tmp_path / "out")
    text = gzip.decompress((tmp_path / "out" / "crawl.warc.gz").read_bytes()).decode()

    assert f"WARC-Profile: {SIMILAR}" in text
    assert f"{REASON}: noise" in text
    assert f"WARC-Refers-To-Date: {DAYS[0]}" in text
    assert "identical-payload-digest" in text


def test_what_revisits_of_the_collection_repeat_is_never_replaced(tmp_path: Path) -> None:
    old = write(
        tmp_path / "a.warc",
        record(f"{SITE}/fees", fees("$40", 1), date=DAYS[0]),
        record(f"{SITE}/fees", fees("$40", 2), date=DAYS[1]),
        revisit(f"{SITE}/fees", date=DAYS[2], refers_to_uri=f"{SITE}/fees", refers_to_date=DAYS[1]),
    )
    report = dedup([old], tmp_path / "out")

    assert report.reasons["referred to"] == 1
    assert bodies_of(tmp_path / "out") == bodies_of(old)


def test_small_changes_add_up_to_one_that_is_kept() -> None:
    gate = PageGate(KeepLevel.IMPORTANT)
    words = "The desk in the town hall is open on weekdays and closed on holidays of the whole region".split()
    kept = []
    for visit in range(4 * len(words)):
        text = " ".join(f"{word}s" if at < visit // 4 else word for at, word in enumerate(words))
        kept.append(gate.decide(PageVersion("", page("Desk", text, visitors=visit))).kept)

    assert kept[:8] == [True] + [False] * 7
    assert any(kept[8:])


def test_a_page_that_became_a_login_is_kept_as_evidence() -> None:
    gate = PageGate(KeepLevel.IMPORTANT)
    gate.decide(PageVersion(f"{SITE}/x", page("Fees", TEXT.format("$40") * 5)))
    login = b"<title>Log in</title><h1>Log in</h1><form><input type=password></form>"

    assert gate.decide(PageVersion(f"{SITE}/x", login)).reason == "login"


def test_a_page_is_never_a_revisit_of_something_that_cannot_be_read(tmp_path: Path) -> None:
    packed = [("Content-Type", "text/html")]
    bodies = [fees("$40", 1), b"PK\x03\x04" + bytes(300), fees("$40", 2), fees("$40", 3)]
    old = write(
        tmp_path / "a.warc",
        *(record(f"{SITE}/fees", body, date=day, headers=packed) for body, day in zip(bodies, DAYS, strict=False)),
    )
    dedup([old], tmp_path / "out")

    assert bodies_of(tmp_path / "out") == [bodies[0], bodies[1], bodies[2], bodies[2]]


def test_a_page_is_a_revisit_of_what_it_was_compared_with(tmp_path: Path) -> None:
    old = write(
        tmp_path / "a.warc",
        *(record(f"{SITE}/fees", fees("$40", at), date=day) for at, day in enumerate(DAYS[:3])),
        revisit(f"{SITE}/fees", date=DAYS[3], refers_to_uri=f"{SITE}/fees", refers_to_date=DAYS[1]),
    )
    dedup([old], tmp_path / "out")

    assert bodies_of(tmp_path / "out") == [fees("$40", 0), fees("$40", 1), fees("$40", 0), fees("$40", 1)]


def test_two_captures_of_one_second_may_differ(tmp_path: Path) -> None:
    bodies = [fees("$40", 1), fees("$45", 2)]
    old = write(tmp_path / "a.warc", *(record(f"{SITE}/fees", body, date=DAYS[0]) for body in bodies))
    dedup([old], tmp_path / "out")

    assert bodies_of(tmp_path / "out") == bodies


def test_a_long_address_stays_whole(tmp_path: Path) -> None:
    url = f"{SITE}/{'a' * 3_000}"
    old = write(tmp_path / "a.warc", *(record(url, fees("$40", 1), date=day) for day in DAYS[:2]))

    assert dedup([old], tmp_path / "out").checked == 2
    assert {version.url for version in read(tmp_path / "out")} == {url}


def test_an_archive_in_a_wacz_is_thinned_too(crawl: str, tmp_path: Path) -> None:
    package = wacz(tmp_path / "crawl.wacz", {"archive/data.warc.gz": Path(crawl).read_bytes()})
    dedup([str(package)], tmp_path / "out")

    assert len(bodies_of(tmp_path / "out")) == 5


def test_damage_is_counted_and_the_rest_is_copied(crawl: str, tmp_path: Path) -> None:
    cut = tmp_path / "cut.warc.gz"
    cut.write_bytes(Path(crawl).read_bytes()[:-40])
    report = dedup([str(cut)], tmp_path / "out")

    assert report.account.counts.damaged
    assert len(bodies_of(tmp_path / "out")) == 5


def test_a_folder_that_holds_something_is_refused(crawl: str, tmp_path: Path) -> None:
    (tmp_path / "out").mkdir()
    (tmp_path / "out" / "mine.txt").write_text("mine")

    with pytest.raises(InputError, match="name a new folder"):
        dedup([crawl], tmp_path / "out")
    assert (tmp_path / "out" / "mine.txt").read_text() == "mine"


def test_the_command_lists_every_decision(crawl: str, tmp_path: Path) -> None:
    table = tmp_path / "decisions.csv"
    said = run("dedup", crawl, "--to", str(tmp_path / "out"), "--report", str(table)).stdout.decode()
    rows = list(csv.DictReader(table.read_text("utf-8").splitlines()))

    assert said.startswith("7 captures: 3 kept (")
    assert ", 4 replaced by revisits (" in said
    assert "read back: 5 captures, each still gives a page" in said
    assert [row["decision"] for row in rows if row["url"].endswith("fees")] == [
        "keep",
        "revisit",
        "revisit",
        "keep",
        "revisit",
    ]


def test_a_collection_of_single_captures_has_nothing_to_compare(tmp_path: Path) -> None:
    one = write(tmp_path / "one.warc", record(f"{SITE}/fees", fees("$40", 1)))

    assert b"nothing to compare" in run("dedup", one, "--to", str(tmp_path / "out")).stdout


def test_an_archive_without_a_readable_record_is_refused_before_anything_is_written(tmp_path: Path) -> None:
    (tmp_path / "noise.warc.gz").write_bytes(bytes(range(256)) * 100)

    said = trouble("dedup", str(tmp_path / "noise.warc.gz"), "--to", str(tmp_path / "out"))
    assert "no capture could be read" in said
    assert not (tmp_path / "out").exists()


def test_what_holds_no_archive_is_refused(tmp_path: Path) -> None:
    (tmp_path / "page.html").write_text("<p>Page")

    assert "holds no archive; give" in trouble("dedup", str(tmp_path / "page.html"), "--to", str(tmp_path / "out"))


@pytest.mark.slow
def test_pywb_replays_every_address_and_time_of_the_copy(crawl: str, tmp_path: Path) -> None:
    dedup([crawl], tmp_path / "out")
    if not WAYBACK.exists():
        pytest.skip("there is no pywb beside the tests; install it with: make .venv/players/installed")
    manager = WAYBACK.with_name("wb-manager")
    home = tmp_path / "player"
    home.mkdir()
    subprocess.run([manager, "init", "pages"], cwd=home, check=True, capture_output=True)
    added = ["add", "pages", tmp_path / "out" / "crawl.warc.gz"]
    subprocess.run([manager, *added], cwd=home, check=True, capture_output=True)
    with replaying(home, settings=None) as replay:
        moments = [datetime.fromisoformat(day).astimezone(UTC) for day in DAYS[:5]]
        answers = [replay(f"{SITE}/fees", moment) for moment in moments]

    assert answers == [(200, fees("$40", 1))] * 3 + [(200, fees("$45", 3))] * 2
