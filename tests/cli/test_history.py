import json
import os
from pathlib import Path

import pytest

from tests.builders import DAYS, record
from tests.cli.test_commands import EXAMPLE, run, trouble

BOTH = pytest.mark.parametrize("command", [["history"], ["introduced", "--since", "2026-11-10"]], ids=" ".join)


@pytest.fixture
def crawl(tmp_path: Path) -> str:
    """Four versions of a list, the last like the third, and one of another page."""
    bodies = ["Fence: $40", "Fence: $40</li><li>Roof", "Pool</li><li>Fence: $45", "Pool</li><li>Fence: $45"]
    path = tmp_path / "crawl.warc.gz"
    path.write_bytes(
        b"".join(record(body=f"<ul><li>{body}</ul>".encode(), date=DAYS[day]) for day, body in enumerate(bodies))
        + record("https://city.example/other", date=DAYS[9])
    )
    return str(path)


def test_history_prints_a_dated_line_at_each_change(crawl: str) -> None:
    said = run("history", crawl, "--select", "li", "--url", "city.example/fees").stdout.decode()

    assert said.splitlines() == [
        "2026-11-01 12:00  Fence: $40",
        "2026-11-02 12:00  Fence: $40 | Roof",
        "2026-11-03 12:00  Pool | Fence: $45",
    ]


def test_history_of_all_versions_marks_the_changes(crawl: str) -> None:
    said = run("history", crawl, "--select", "li + li", "--url", "city.example/fees", "--all").stdout.decode()

    assert said.splitlines() == [
        "* 2026-11-01 12:00  -",
        "* 2026-11-02 12:00  Roof",
        "* 2026-11-03 12:00  Fence: $45",
        "  2026-11-04 12:00  Fence: $45",
    ]


def test_history_as_json_is_one_versioned_object_per_line() -> None:
    ran = run("history", EXAMPLE, "--select", "main p a", "--attribute", "href", "--json")
    first, second = map(json.loads, ran.stdout.splitlines())

    assert first == {
        "format": 1,
        "url": "https://city.example/permits",
        "captured_at": "2026-11-08T09:12:00Z",
        "value": ["/permits/apply?utm_source=home"],
        "changed": True,
    }
    assert second["value"] == ["/permits/online?utm_source=news"]


def test_introduced_lists_what_is_new_gone_and_edited(crawl: str) -> None:
    options = ["--select", "li", "--since", "2026-11-02", "--url", "https://city.example/fees"]
    said = run("introduced", crawl, *options).stdout.decode()

    assert said.splitlines() == [
        "+ 2026-11-03 12:00  Pool",
        "- 2026-11-02 12:00  Roof",
        "~ 2026-11-03 12:00  Fence: $40 → Fence: $45",
        "1 new, 1 gone, 1 edited from 2026-11-01 12:00 to 2026-11-04 12:00, 4 versions",
    ]


def test_introduced_as_json_is_one_versioned_object() -> None:
    ran = run("introduced", EXAMPLE, "--select", "aside li", "--since", "2026-11-10", "--json")
    answer = json.loads(ran.stdout)

    assert {key: answer[key] for key in ("format", "compared_with", "until", "versions", "items", "edited")} == {
        "format": 1,
        "compared_with": "2026-11-08T09:12:00Z",
        "until": "2026-11-15T09:12:00Z",
        "versions": 2,
        "items": 3,
        "edited": [],
    }
    assert answer["appeared"] == [
        {
            "value": "Winter market",
            "link": None,
            "first_seen": "2026-11-15T09:12:00Z",
            "last_seen": "2026-11-15T09:12:00Z",
            "url": "https://city.example/permits",
            "path": "aside.news › ul › li[1]",
        }
    ]
    assert [item["value"] for item in answer["gone"]] == ["Road works on Main Street"]


def test_what_came_back_is_said_to_have_been_there_before(tmp_path: Path) -> None:
    path = tmp_path / "crawl.warc"
    bodies = [b"<ul><li>Fence<li>Roof</ul>", b"<ul><li>Fence</ul>", b"<ul><li>Fence<li>Roof</ul>"]
    path.write_bytes(b"".join(record(body=body, date=DAYS[day]) for day, body in enumerate(bodies)))
    said = run("introduced", str(path), "--select", "li", "--since", "2026-11-03").stdout.decode()

    assert said.splitlines()[0] == "+ 2026-11-01 12:00  Roof  (was there before)"


@pytest.mark.parametrize(
    ("since", "note"),
    [
        ("2026", "note: no version is older than that; compared with the first one, of 2026-11-08 09:12"),
        ("2027", "note: no version is newer than that; the newest is of 2026-11-15 09:12"),
    ],
)
def test_a_day_beyond_the_versions_is_noted(since: str, note: str) -> None:
    ran = run("introduced", EXAMPLE, "--select", "li", "--since", since)

    assert ran.returncode == 0
    assert ran.stderr.decode().strip() == note


@BOTH
def test_a_selector_that_matches_nothing_is_noted(command: list[str]) -> None:
    ran = run(*command, EXAMPLE, "--select", ".missing")

    assert ran.returncode == 0
    assert b"note: none of 2 versions has an element that matches .missing; check it" in ran.stderr


def test_a_selector_that_matches_nothing_has_a_dash_for_a_value() -> None:
    assert run("history", EXAMPLE, "--select", ".missing").stdout.decode() == "2026-11-08 09:12  -\n"


@BOTH
@pytest.mark.parametrize(
    ("css", "reason"),
    [
        (
            "p[",
            '"p[" is not a valid CSS selector (expected an identifier at position 2); write one such as "#news li"',
        ),
        (":has(:has(p))", "could run forever"),
        ("p," * 1000, "more than 1,000 characters"),
    ],
)
def test_a_bad_selector_is_told_with_an_example(command: list[str], css: str, reason: str) -> None:
    said = trouble(*command, EXAMPLE, "--select", css)

    assert reason in said
    assert said.startswith("error: ")
    assert len(said.splitlines()) == 1


@BOTH
def test_an_archive_with_several_pages_asks_which(command: list[str], crawl: str) -> None:
    said = trouble(*command, crawl, "--select", "li")

    assert "https://city.example/fees, https://city.example/other; say which one with --url URL" in said
    assert "only of https://city.example/fees" in trouble(
        *command, crawl, "--select", "li", "--url", "nowhere.example"
    )


def test_a_date_that_is_none_is_told_with_an_example() -> None:
    assert "write one such as 2026-11-10" in trouble(
        "introduced", EXAMPLE, "--select", "li", "--since", "yesterday"
    )


@BOTH
def test_archives_that_hold_nothing_or_cannot_be_read_are_told(command: list[str], tmp_path: Path) -> None:
    empty, image = tmp_path / "empty.warc", tmp_path / "image.warc"
    empty.write_bytes(b"")
    image.write_bytes(record(headers=[("Content-Type", "image/png")], body=b"\x89PNG\r\n\x1a\n"))
    for path in (empty, image, tmp_path / "missing.warc"):
        assert "; " in trouble(*command, str(path), "--select", "li").splitlines()[-1]


@BOTH
@pytest.mark.parametrize(
    "body",
    [
        b"plain words, no tags",
        b"<frameset><frame src=a><frame src=b></frameset>",
        b"<svg>" + b"<g><path d='M0 0'/></g>" * 220_000 + b"</svg>",
        "<ul><li>één".encode("utf-16"),
    ],
    ids=["no HTML", "frameset", "5 MB of SVG", "another encoding"],
)
def test_odd_pages_have_a_clear_answer(command: list[str], body: bytes, tmp_path: Path) -> None:
    path = tmp_path / "crawl.warc"
    path.write_bytes(
        record(body=b"<ul><li>\xc3\xa9\xc3\xa9n</ul>")
        + record(body=body, date=DAYS[20], headers=[("Content-Type", "text/html")])
    )
    ran = run(*command, str(path), "--select", "li")

    assert ran.returncode == 0, ran.stderr
    assert "één" in ran.stdout.decode() or b"0 edited" in ran.stdout


def test_a_folder_of_saved_pages_is_one_page_under_the_url_given(tmp_path: Path) -> None:
    for day in (1, 2):
        path = tmp_path / f"{day}.html"
        path.write_text(f"<p>day {day}")
        os.utime(path, (day * 86_400, day * 86_400))
    said = run("history", str(tmp_path), "--select", "p", "--url", "https://city.example/").stdout.decode()

    assert said.splitlines() == ["1970-01-02 00:00  day 1", "1970-01-03 00:00  day 2"]


def test_texts_of_pages_cannot_steer_the_terminal(tmp_path: Path) -> None:
    path = tmp_path / "crawl.warc"
    path.write_bytes(record(body=b"<p>a\x1b[31mb") + record(body=b"<p>\x1b]0;x\x07", date=DAYS[1]))
    for command in (["history"], ["introduced", "--since", "2026-11-02"]):
        assert b"\x1b" not in run(*command, str(path), "--select", "p").stdout


def test_several_pages_are_shown_one_after_the_other_and_written_as_a_table(tmp_path: Path) -> None:
    crawls = str(Path(EXAMPLE).parent / "crawls")
    table = tmp_path / "prices.csv"
    lines = (
        run("history", crawls, "--select", "//td[2]", "--all-pages", "--to", str(table))
        .stdout.decode()
        .splitlines()
    )
    pages = [line for line in lines if line.startswith("https://")]

    assert len(pages) == 4
    assert "2026-10-03 06:01  $45 | $95" in lines
    assert "https://elm.example/fees,2026-10-03T06:01:00Z,$45 | $95,True" in table.read_text("utf-8").splitlines()


def test_two_pages_are_chosen_by_their_addresses() -> None:
    crawls = str(Path(EXAMPLE).parent / "crawls")
    chosen = [part for name in ("fees", "library") for part in ("--url", f"https://elm.example/{name}")]
    lines = run("history", crawls, "--select", "h1", *chosen).stdout.decode().splitlines()

    assert [line for line in lines if line.startswith("https://")] == [
        "https://elm.example/fees",
        "https://elm.example/library",
    ]


def test_xpath_that_could_run_forever_is_refused() -> None:
    assert "it could run forever" in trouble("history", EXAMPLE, "--select", "//p/following::p")


def test_what_is_new_is_listed_for_every_page(tmp_path: Path) -> None:
    crawls = str(Path(EXAMPLE).parent / "crawls")
    table = tmp_path / "items.json"
    arguments = ("--select", "li", "--since", "2026-10-15", "--all-pages", "--to", str(table))
    text = run("introduced", crawls, *arguments).stdout.decode()

    assert text.startswith("https://elm.example/council\n+ 2026-11-03 06:02  Ingrid Aalto")
    assert [row["what"] for row in json.loads(table.read_text("utf-8"))] == ["new", "gone"]
