import json
import os
from pathlib import Path

import pytest

from pagedrift import pick
from pagedrift.how_much import METRICS, Frequencies, measure
from tests.builders import DAYS, record
from tests.cli.test_commands import EXAMPLE, run, trouble

OLD, NEW = f"{EXAMPLE}@2026-11-08", f"{EXAMPLE}@2026-11-15"


@pytest.fixture
def crawl(tmp_path: Path) -> str:
    """Five versions of a page, one of them a failure, and two of another page."""
    words = "a permit for a fence costs forty dollars in all towns".split()
    bodies = [words, [*words, "today"], words[::-1], words[::-1]]
    path = tmp_path / "crawl.warc.gz"
    path.write_bytes(
        b"".join(record(body=f"<p>{' '.join(body)}".encode(), date=DAYS[day]) for day, body in enumerate(bodies))
        + record(body=b"<p>Sorry", status="503 Service Unavailable", date=DAYS[5])
        + record("https://city.example/other", b"<p>one two", date=DAYS[6])
        + record("https://city.example/other", b"<p>one three", date=DAYS[7])
    )
    return str(path)


@pytest.fixture
def pages(tmp_path: Path) -> tuple[str, str]:
    """Two files whose pages differ in one of four words."""
    old, new = tmp_path / "old.html", tmp_path / "new.html"
    old.write_text("<p>A permit costs $120")
    new.write_text("<p>A permit costs $145")
    return str(old), str(new)


def test_every_metric_is_printed_and_one_sentence(pages: tuple[str, str]) -> None:
    lines = run("how-much", *pages).stdout.decode().splitlines()

    assert [line.split()[0] for line in lines[:-1]] == list(METRICS)
    assert "extended   0.2500" in lines
    assert lines[-1] == "about 25 % of the words: 1 word replaced"


def test_one_metric_can_be_asked_for(pages: tuple[str, str]) -> None:
    lines = run("how-much", *pages, "--metric", "words").stdout.decode().splitlines()

    assert lines == ["words  0.2500", "about 25 % of the words: 1 word replaced"]


def test_json_is_one_versioned_object_with_counts_and_words() -> None:
    answer = json.loads(run("how-much", OLD, NEW, "--json").stdout)
    expected = measure(pick(OLD), pick(NEW))

    assert answer["format"] == 1
    assert answer["old"]["captured_at"] == "2026-11-08T09:12:00Z"
    assert answer["metrics"] == dict(expected)
    assert answer["extended"]["counts"] == expected.extended.counts
    assert ["$120", "$145"] in answer["extended+"]["replaced"]


@pytest.mark.parametrize(
    ("options", "status"),
    [
        (["--check"], 1),
        (["--check", "--above", "0.2"], 1),
        (["--check", "--above", "0.25"], 0),
        (["--above", "0.2"], 0),
        (["--check", "--above", "0.9", "--metric", "bytewise"], 1),
    ],
)
def test_check_exits_with_1_above_the_threshold(pages: tuple[str, str], options: list[str], status: int) -> None:
    assert run("how-much", *pages, *options).returncode == status


def test_check_of_the_same_page_exits_with_0(pages: tuple[str, str]) -> None:
    ran = run("how-much", pages[0], pages[0], "--check")

    assert ran.returncode == 0
    assert ran.stdout.decode().splitlines()[-1] == "no word changed"


def test_weights_and_the_length_of_shingles_are_options(tmp_path: Path) -> None:
    old, new = tmp_path / "old.html", tmp_path / "new.html"
    old.write_text("<p>a b c d")
    new.write_text("<p>b c d a")

    said = run("how-much", str(old), str(new), "--b", "0.5", "--k", "1").stdout.decode().splitlines()

    assert "extended+  0.1250" in said
    assert "shingles   0.0000" in said


def test_main_content_leaves_the_navigation_out(tmp_path: Path) -> None:
    old, new = tmp_path / "old.html", tmp_path / "new.html"
    for path, entry in ((old, "Home"), (new, "Start")):
        text = "A permit for a fence costs forty dollars in all towns of the county. " * 5
        path.write_text(f"<body><nav><ul><li><a href=/>{entry}</a></ul></nav><main><p>{text}</p></main>")

    assert b"no word changed" not in run("how-much", str(old), str(new)).stdout
    assert b"no word changed" in run("how-much", str(old), str(new), "--main-content").stdout


def test_frequencies_of_a_collection_weigh_words(pages: tuple[str, str], tmp_path: Path) -> None:
    saved = tmp_path / "frequencies.json"
    Frequencies.of_words([["A", "permit", "costs"]] * 50).save(saved)
    plain = run("how-much", *pages, "--metric", "cosine").stdout
    weighed = run("how-much", *pages, "--metric", "cosine", "--frequencies", str(saved)).stdout

    assert plain.startswith(b"cosine  0.25")
    assert not weighed.startswith(b"cosine  0.25")


def test_a_series_is_a_line_per_version_with_bars_and_counts(crawl: str) -> None:
    said = run("how-much", crawl, "--series", "--url", "city.example/fees", "--above", "0.5").stdout.decode()

    assert said.splitlines() == [
        "https://city.example/fees",
        "  2026-11-02 12:00  0.0833  1 word added",
        "! 2026-11-03 12:00  0.5833  8 words moved, 1 removed",
        "  2026-11-04 12:00  0.0000  no word changed",
        "▂█▁",
        "3 steps: 1 alarm above 0.5 (lowest 0.5833), 2 quiet (highest 0.0833)",
    ]


def test_a_series_covers_every_page_and_says_what_it_left_out(crawl: str) -> None:
    ran = run("how-much", crawl, "--series")
    lines = ran.stdout.decode().splitlines()

    assert "https://city.example/other" in lines
    assert lines[-1].startswith("all 2 pages: 4 steps: 3 above 0.01, ")
    assert b"note: 1 failed response (status 400 and above) was left out" in ran.stderr


def test_a_series_as_json_is_one_object_per_version(crawl: str) -> None:
    ran = run("how-much", crawl, "--series", "--json", "--above", "0.1", "--metric", "words")
    answers = [json.loads(line) for line in ran.stdout.splitlines()]

    assert len(answers) == 4
    assert answers[0] == {
        "format": 1,
        "url": "https://city.example/fees",
        "since": "2026-11-01T12:00:00Z",
        "captured_at": "2026-11-02T12:00:00Z",
        "metric": "words",
        "value": pytest.approx(1 / 23),
        "counts": {"add": 1},
        "alarm": False,
        "changes": {"noise": 0, "minor": 1, "important": 0},
    }
    assert [answer["alarm"] for answer in answers] == [False, False, False, True]


def test_a_series_can_be_checked(crawl: str) -> None:
    assert run("how-much", crawl, "--series", "--check", "--above", "0.9").returncode == 0
    assert run("how-much", crawl, "--series", "--check", "--above", "0.4").returncode == 1


def test_a_series_can_be_drawn(crawl: str, tmp_path: Path) -> None:
    picture = tmp_path / "series.png"
    ran = run("how-much", crawl, "--series", "--plot", str(picture), "--above", "0.1")

    assert ran.returncode == 0, ran.stderr
    assert picture.read_bytes().startswith(b"\x89PNG\r\n\x1a\n")


def test_saved_pages_are_a_series_under_the_url_given(tmp_path: Path) -> None:
    for day in (1, 2):
        path = tmp_path / f"{day}.html"
        path.write_text(f"<p>day {day}")
        os.utime(path, (day * 86_400, day * 86_400))

    assert b"1970-01-03 00:00  0.5000" in run("how-much", str(tmp_path), "--series", "--url", "city.example").stdout
    assert "say which with --url URL" in trouble("how-much", str(tmp_path), "--series")


def test_an_empty_page_differs_in_all_from_one_with_words(tmp_path: Path) -> None:
    full, empty, image = tmp_path / "full.html", tmp_path / "empty.html", tmp_path / "image.html"
    full.write_text("<p>A permit")
    empty.write_text("<p></p>")
    image.write_text("<img src=a.png>")

    assert b"all of the words: 2 words removed" in run("how-much", str(full), str(empty)).stdout
    assert b"all of the words: 2 words added" in run("how-much", str(empty), str(full)).stdout
    assert b"extended+  0.0000\nno word changed" in run("how-much", str(empty), str(image)).stdout


def test_an_archive_with_one_version_is_no_series(tmp_path: Path) -> None:
    path = tmp_path / "crawl.warc"
    path.write_bytes(record())

    assert "holds no page in two versions; keep a second one" in trouble("how-much", str(path), "--series")


@pytest.mark.parametrize(
    ("options", "reason"),
    [
        (["--metric", "percent"], "'bytewise', 'cosine', 'words', 'edit', 'shingles', 'extended', 'extended+'"),
        (["--a", "2"], "a is 2.0, but it is a cost between 0 and 1; the paper's value is 0.75"),
        (["--b", "-1"], "b is -1.0"),
        (["--a", "nan"], "a is nan"),
        (["--k", "0"], "k is 0"),
        (["--above", "5"], "the threshold is 5, but degrees of change are from 0 to 1; for 5 % use 0.05"),
        (["--above", "nan"], "the threshold is nan"),
        (["--plot", "a.png"], "--plot draws a series; add --series."),
        (["--frequencies", "missing.json"], "missing.json cannot be read"),
        (["--series"], "--series takes one ARCHIVE"),
    ],
)
def test_bad_options_are_told(pages: tuple[str, str], options: list[str], reason: str) -> None:
    assert reason in trouble("how-much", *pages, *options)


def test_a_page_alone_asks_for_another(pages: tuple[str, str]) -> None:
    assert "Missing argument 'NEW'; give it, or ask for all versions" in trouble("how-much", pages[0])


@pytest.mark.parametrize(
    ("name", "reason"), [("series.gif", ".png or .svg"), ("missing/series.png", "does not exist")]
)
def test_a_plot_that_cannot_be_written_is_told_before_reading(
    crawl: str, tmp_path: Path, name: str, reason: str
) -> None:
    assert reason in trouble("how-much", crawl, "--series", "--plot", str(tmp_path / name))


def test_a_plot_in_the_place_of_a_folder_is_told(crawl: str, tmp_path: Path) -> None:
    folder = tmp_path / "series.png"
    folder.mkdir()
    ran = run("how-much", crawl, "--series", "--plot", str(folder))

    assert ran.returncode == 2
    assert b"Traceback" not in ran.stderr
    assert b"error: " in ran.stderr
