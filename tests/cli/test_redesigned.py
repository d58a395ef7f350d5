"""pagedrift redesigned, as a user runs it."""

import json
import os
import signal
import subprocess
import sys
import time
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from tests.builders import record
from tests.capture.test_feed import RSS, item, rss
from tests.cli.test_commands import PROGRAM, run, trouble
from tests.designs import new, old
from tests.server import Site

NEWS = str(Path(__file__).parents[2] / "examples" / "news.warc.gz")
SELECTORS = str(Path(__file__).parents[2] / "examples" / "news.selectors")


def archive(folder: Path, bodies: list[bytes]) -> str:
    path = folder / "site.warc"
    start = datetime(2026, 1, 1, tzinfo=UTC)
    path.write_bytes(
        b"".join(
            record(
                f"https://news.example/{number}", body, date=f"{start + timedelta(days=number):%Y-%m-%dT%H:%M:%SZ}"
            )
            for number, body in enumerate(bodies)
        )
    )
    return str(path)


def test_one_dated_line_per_redesign_with_certainty_and_evidence() -> None:
    ran = run("redesigned", NEWS)
    line, summary = ran.stdout.decode().splitlines()

    assert line.startswith("2026-04-05  news.example  redesigned (")
    assert "pages since share a template that none of the 30 before have" in line
    assert line.endswith("https://news.example/articles/30")
    assert summary == "1 redesign in 40 documents from 2026-01-05 to 2026-05-02"


def mixed(folder: Path, hosts: dict[str, list[bytes]]) -> str:
    """Write an archive of several sites, a page of each in turn."""
    path, start = folder / "crawl.warc", datetime(2026, 1, 1, tzinfo=UTC)
    pages = sorted((number, host, body) for host, bodies in hosts.items() for number, body in enumerate(bodies))
    path.write_bytes(
        b"".join(
            record(f"https://{host}/{number}", body, date=f"{start + timedelta(days=number):%Y-%m-%dT%H:%M:%SZ}")
            for number, host, body in pages
        )
    )
    return str(path)


def test_each_site_of_a_crawl_is_followed_by_itself(tmp_path: Path) -> None:
    changed = [old(number) for number in range(30)] + [new(number) for number in range(12)]
    crawl = mixed(
        tmp_path,
        {
            "news.example": changed,
            "www.town.example": [new(number) for number in range(42)],
            "blog.town.example": [new(number) for number in range(42)],
            "tiny.example": [old(0)],
        },
    )

    line, _, *table, _, summary = run("redesigned", crawl).stdout.decode().splitlines()
    *_, by_host = run("redesigned", crawl, "--by", "host").stdout.decode().splitlines()
    *_, by_none = run("redesigned", crawl, "--by", "none").stdout.decode().splitlines()
    said = [json.loads(each) for each in run("redesigned", crawl, "--json").stdout.splitlines()]

    assert line.startswith("2026-01-31  news.example  redesigned (")
    assert summary == (
        "1 redesign on 1 site in 127 documents of 3 sites from 2026-01-01 to 2026-02-11; "
        "1 of them has too few documents"
    )
    assert table == [
        "site          documents  redesigns  edits  share of templates",
        "news.example         42          1      0  71%, 29%",
        "town.example         84          0      0  100%",
        "tiny.example          1          –      –  too few documents",
    ]
    assert "of 4 sites" in by_host
    assert "sites" not in by_none
    assert [each["kind"] for each in said] == ["redesign", "site", "site", "site", "summary"]
    assert {each["site"]: (each["redesigns"], each["edits"], each["templates"]) for each in said[1:4]} == {
        "news.example": (1, 0, [0.7143, 0.2857]),
        "tiny.example": (0, 0, [1.0]),
        "town.example": (0, 0, [1.0]),
    }


def test_the_report_and_the_plots_of_a_crawl_show_each_site(tmp_path: Path) -> None:
    changed = [old(number) for number in range(30)] + [new(number) for number in range(12)]
    crawl = mixed(tmp_path, {"news.example": changed, "town.example": changed[:30], "tiny.example": [old(0)]})

    run("redesigned", crawl, "--html", str(tmp_path / "report.html"), "--plot", str(tmp_path / "stripe.svg"))

    page = (tmp_path / "report.html").read_text()
    assert "Which sites were redesigned?" in page
    assert page.index("<td>town.example</td>") < page.index('<h2 class="site">news.example</h2>')
    assert '<h2 class="site">town.example</h2>' not in page
    assert sorted(path.name for path in tmp_path.glob("*.svg")) == [
        "stripe-news.example.svg",
        "stripe-town.example.svg",
    ]


@pytest.mark.slow
def test_an_archive_of_all_real_sites_gives_what_each_gives_by_itself(data: Path) -> None:
    paths = [str(path) for path in sorted((data / "streams").glob("*.warc.gz"))[:5]]

    def events(*inputs: str) -> list[dict]:
        lines = map(json.loads, run("redesigned", *inputs, "--json").stdout.splitlines())
        return [each for each in lines if each["kind"] == "redesign"]

    together = sorted(events(*paths), key=lambda each: (each["site"], each["document"]))
    alone = [each for path in paths for each in events(path)]

    assert together == sorted(alone, key=lambda each: (each["site"], each["document"]))
    assert together


def test_check_exits_with_status_1_if_there_was_a_redesign(tmp_path: Path) -> None:
    assert run("redesigned", NEWS, "--check").returncode == 1
    quiet = archive(tmp_path, [old(number) for number in range(50)])
    ran = run("redesigned", quiet, "--check")

    assert ran.returncode == 0
    assert ran.stdout.decode().startswith("no redesign in 50 documents")


def test_json_has_an_object_per_event_and_a_summary() -> None:
    event, summary = map(
        json.loads, run("redesigned", NEWS, "--json", "--selectors", SELECTORS).stdout.splitlines()
    )

    assert (event["format"], event["kind"], event["document"]) == (1, "redesign", 30)
    assert event["published_at"] == "2026-04-05T08:00:00Z"
    assert 0.5 < event["certainty"] <= 1
    assert [one["name"] for one in event["selectors"]] == ["title", "author"]
    assert event["selectors"][0]["closest"]["css"] == ".article-title"
    assert (summary["kind"], summary["redesigns"], summary["documents"], summary["gaps"]) == ("summary", 1, 40, 0)


def test_selectors_stand_below_the_event() -> None:
    lines = run("redesigned", NEWS, "--selectors", SELECTORS).stdout.decode().splitlines()

    assert lines[1].strip() == (
        'title: h2.entry-title matched 100% before, 0% since; closest now: .article-title "Harbour 32"'
    )


@pytest.mark.slow
def test_every_detector_can_be_chosen(tmp_path: Path) -> None:
    site = archive(tmp_path, [old(number) for number in range(30)] + [new(number) for number in range(30, 50)])
    for detector in ("max-avg-diff", "cluster"):
        lines = run("redesigned", site, "--detector", detector, "--history", "10").stdout.decode().splitlines()
        assert lines[0].startswith("2026-01-31  news.example  redesigned: "), detector
    assert run("redesigned", NEWS, "--detector", "magic").returncode == 2


def test_a_user_can_be_told_early_or_surely(tmp_path: Path) -> None:
    site = archive(tmp_path, [old(number) for number in range(30)] + [new(number) for number in range(30, 32)])
    early = run("redesigned", site, "--certainty", "0.3")
    surely = run("redesigned", site, "--certainty", "0.99")

    assert early.stdout.decode().startswith("2026-01-31  news.example  redesigned (")
    assert surely.stdout.decode().startswith("no redesign")
    assert "note: a redesign of news.example on 2026-01-31 is suspected (" in surely.stderr.decode()
    assert "has no setting 'certainty'" in trouble(
        "redesigned", NEWS, "--detector", "cluster", "--certainty", "0.5"
    )
    assert "give a number between 0 and 1" in trouble("redesigned", NEWS, "--certainty", "7")


def test_a_short_stream_says_that_it_is_too_short(tmp_path: Path) -> None:
    said = run("redesigned", archive(tmp_path, [old(1), old(2)])).stdout.decode()

    assert said == (
        "no answer: 2 documents from 2026-01-01 to 2026-01-02 are too few for a history of 20; give more, or a "
        "smaller --history\n"
    )


def test_gaps_are_counted_and_outliers_told_on_request(tmp_path: Path) -> None:
    bodies = [old(number) for number in range(30)]
    bodies[15] = b"<table><tr><td><center><font><img></font></center></td></tr></table><map><area></map>"
    path = archive(tmp_path, bodies)
    with Path(path).open("ab") as file:
        file.write(
            record("https://news.example/gone", b"<p>Gone", date="2026-03-01T00:00:00Z", status="404 Not Found")
        )
    said = run("redesigned", path, "--outliers").stdout.decode().splitlines()

    assert said[0].startswith("2026-01-16  news.example  outlier: ")
    assert said[-1] == "no redesign in 30 documents from 2026-01-01 to 2026-01-30, 1 gaps"


@pytest.mark.slow
def test_plot_and_report_are_written(tmp_path: Path) -> None:
    run("redesigned", NEWS, "--plot", str(tmp_path / "a.png"), "--html", str(tmp_path / "a.html"))

    assert (tmp_path / "a.png").read_bytes().startswith(b"\x89PNG")
    assert "article-title" in (tmp_path / "a.html").read_text("utf-8")


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        ([NEWS, "--follow"], "only a feed or sitemap can be followed"),
        ([NEWS, "--state", "x.json"], "only a feed or sitemap can be followed"),
        (["http://localhost/feed", NEWS], "followed alone"),
        ([NEWS, "--every", "soon"], "not a valid duration; write one such as"),
        ([NEWS, "--plot", "a.doc"], "is not a valid image name; use one that ends with .png"),
        ([NEWS, "--history", "0"], "history is 0; give a whole number"),
        ([NEWS, "--selectors", NEWS], "is not a text in UTF-8"),
        (["missing.warc"], "cannot be read"),
        (["http://localhost/feed"], "PAGEDRIFT_ALLOW_PRIVATE=localhost"),
    ],
)
def test_trouble_is_one_line_with_the_next_step(arguments: list[str], says: str) -> None:
    assert says in trouble("redesigned", *arguments)


# --- feeds -----------------------------------------------------------------------------------------------------


def publish(site: Site, numbers: range) -> None:
    """Let a site publish articles, redesigned from number 30 on."""
    start = datetime(2026, 1, 1, tzinfo=UTC)
    entries = []
    for number in numbers:
        site.pages[f"/news/{number}"] = (old if number < 30 else new)(number)
        date = f"{start + timedelta(days=number):%a, %d %b %Y %H:%M:%S} GMT"
        entries.append(f"<item><link>/news/{number}</link><pubDate>{date}</pubDate></item>")
    site.pages["/feed"] = (200, RSS, rss(*reversed(entries)))


LOCAL = ("--allow-private", "127.0.0.1", "--delay", "0")


@pytest.mark.slow
def test_a_feed_is_read_once_and_goes_on_from_its_state(site: Site, tmp_path: Path) -> None:
    publish(site, range(28))
    state = str(tmp_path / "state.json")
    first = run("redesigned", f"{site.url}/feed", "--state", state, *LOCAL).stdout.decode()
    publish(site, range(20, 40))
    second = run("redesigned", f"{site.url}/feed", "--state", state, *LOCAL).stdout.decode().splitlines()

    assert first.startswith("no redesign in 28 documents")
    assert second[0].startswith("2026-01-31  127.0.0.1  redesigned")
    assert second[-1].startswith("1 redesign in 40 documents")
    assert site.paths.count("/news/25") == 1


@pytest.mark.slow
def test_following_tells_events_as_they_happen_and_stops_cleanly(site: Site, tmp_path: Path) -> None:
    publish(site, range(28))
    # Whoever runs the tests in the background ignores Ctrl-C, and what they start would too.
    heed = (
        "import os, signal, sys; signal.signal(signal.SIGINT, signal.SIG_DFL); os.execv(sys.argv[1], sys.argv[1:])"
    )
    command = [PROGRAM, "redesigned", "--follow", f"{site.url}/feed", "--every", "1s", *LOCAL]
    command += ["--state", str(tmp_path / "state.json"), "--json"]
    with subprocess.Popen(
        [sys.executable, "-c", heed, *command],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env={**os.environ, "PYTHONUNBUFFERED": "1"},
    ) as running:
        until = time.monotonic() + 600
        while "/news/27" not in site.paths and time.monotonic() < until:
            time.sleep(0.05)
        publish(site, range(20, 40))
        event = json.loads(running.stdout.readline())
        running.send_signal(signal.SIGINT)
        rest, said = running.communicate(timeout=600)

    assert (event["kind"], event["document"]) == ("redesign", 30)
    assert running.returncode == 0, said
    assert said.decode().strip().endswith("stopped")
    assert json.loads(rest.splitlines()[-1])["kind"] == "summary"
    assert json.loads((tmp_path / "state.json").read_text())["format"] == 2


def test_a_feed_that_is_none_names_the_one_that_is(site: Site) -> None:
    site.pages["/"] = b"<html><link rel=alternate type=application/rss+xml href=/feed.xml><p>News"

    assert f"the page names one: {site.url}/feed.xml" in trouble("redesigned", f"{site.url}/", *LOCAL)


def test_a_broken_state_is_refused(site: Site, tmp_path: Path) -> None:
    (tmp_path / "state.json").write_text('{"format": 1}')

    said = trouble("redesigned", f"{site.url}/feed", "--state", str(tmp_path / "state.json"), *LOCAL)
    assert "state.json is not a saved state; name another file" in said


def test_pages_that_fail_are_gaps_and_are_told(site: Site) -> None:
    site.pages["/feed"] = (200, RSS, rss(item(1), item(2, link="http://10.0.0.1/private")))
    site.pages["/news/1"] = old(1)
    ran = run("redesigned", f"{site.url}/feed", *LOCAL)

    assert ran.stdout.decode().startswith("no answer: 1 documents")
    assert ", 1 gaps" in ran.stdout.decode()
    assert "note: http://10.0.0.1/private: 10.0.0.1 is not on the public internet" in ran.stderr.decode()
