import json
from pathlib import Path

import cv2
import pytest

from pagedrift import PageVersion, judge, pick
from tests.builders import DAYS, record
from tests.cli.test_commands import EXAMPLE, run, trouble
from tests.conftest import CHROMIUM
from tests.does_it_matter.test_audit import NEWS
from tests.does_it_matter.test_judge import ARTICLE
from tests.server import Site

OLD, NEW = f"{EXAMPLE}@2026-11-08", f"{EXAMPLE}@2026-11-15"
needs_chromium = pytest.mark.skipif(not CHROMIUM, reason="there is no Chromium on this machine")


@pytest.fixture
def crawl(tmp_path: Path) -> str:
    """Five versions of a page, one of them a failure."""
    path = tmp_path / "crawl.warc.gz"
    bodies = [ARTICLE, ARTICLE, ARTICLE + "<p>Visitors: 7", NEWS + ARTICLE]
    versions = (
        record(body=f"<main>{body}</main>".encode(), date=DAYS[day], packed=True) for day, body in enumerate(bodies)
    )
    path.write_bytes(b"".join(versions) + record(body=b"<p>x", status="503 Sorry", date=DAYS[9], packed=True))
    return str(path)


@pytest.fixture
def saved(tmp_path: Path) -> Path:
    """Pages that differ in nothing, in little and in much, and labels on them."""
    for name, body in (("a", ARTICLE), ("b", ARTICLE + "<p>Visitors: 7"), ("c", NEWS + ARTICLE)):
        (tmp_path / f"{name}.html").write_text(f"<main>{body}</main>")
    lines = ["old,new,label", *(f"{tmp_path}/a.html,{tmp_path}/{other}" for other in ("b.html,no", "c.html,yes"))]
    (tmp_path / "labels.csv").write_text("\n".join([*lines, *lines[1:]]) + "\n")
    return tmp_path


def test_the_answer_comes_with_reasons_and_a_status() -> None:
    ran = run("does-it-matter", OLD, NEW, "--no-pictures", "--check")
    lines = ran.stdout.decode().splitlines()

    assert ran.returncode == 1
    assert lines[0].startswith("yes, 9")
    assert any(line.startswith("  for ") for line in lines)
    same = run("does-it-matter", OLD, OLD, "--no-pictures", "--check")
    assert same.returncode == 0
    assert same.stdout.decode().startswith("no, ")


def test_an_audit_tells_what_would_be_kept(crawl: str) -> None:
    ran = run("does-it-matter", crawl, "--audit")
    lines = ran.stdout.decode().splitlines()

    assert [line.split()[0] for line in lines[:-1]] == ["keep", "skip", "skip", "keep"]
    assert lines[-1].startswith("4 versions: 2 kept, 2 skipped (1 identical); ")
    assert "1 failed response (status 400 and above) was left out" in ran.stderr.decode()


def test_an_audit_as_json_ends_with_the_total(crawl: str) -> None:
    *found, last = map(json.loads, run("does-it-matter", crawl, "--audit", "--json").stdout.splitlines())

    assert [each["why"] for each in found] == ["first", "identical", "similar", "dissimilar"]
    assert last["total"]["bytes_saved"] == found[1]["bytes"] + found[2]["bytes"]
    assert last["total"]["versions"] == 4


def test_learning_tells_figures_and_writes_a_judge(saved: Path) -> None:
    mine = str(saved / "mine.json")
    lines = run("does-it-matter", "learn", f"{saved}/labels.csv", "--to", mine, "--no-pictures").stdout.decode()

    assert [line.split()[:4] for line in lines.splitlines()[1:]] == [
        ["source", "before", "4", "4"],
        ["source", "after", "4", "4"],
    ]
    pages = [f"{saved}/a.html", f"{saved}/c.html"]
    answer = json.loads(run("does-it-matter", *pages, "--judge", mine, "--json").stdout)
    plain = json.loads(run("does-it-matter", *pages, "--no-pictures", "--json").stdout)
    assert answer["basis"] == "source only"
    assert answer["probability"] != plain["probability"]


def nearly(folder: Path) -> None:
    """Write a page whose change the judge only just takes for one that matters."""
    old = pick(str(folder / "a.html"))
    for words in range(1, 200):
        text = f"<main>{ARTICLE}<p>{' '.join(f'word{number}' for number in range(words))}</main>"
        if judge(old, PageVersion(old.url, text.encode())).probability > 0.5:
            (folder / "d.html").write_text(text)
            return
    raise AssertionError("no change is enough")


def test_a_judge_that_would_get_worse_is_not_written_unless_forced(saved: Path) -> None:
    nearly(saved)
    lines = [f"{saved}/a.html,{saved}/d.html,yes"] * 8 + [f"{saved}/a.html,{saved}/c.html,no"] * 5
    (saved / "wrong.csv").write_text("\n".join(["old,new,label", *lines]))
    asked = ["does-it-matter", "learn", f"{saved}/wrong.csv", "--to", f"{saved}/worse.json", "--no-pictures"]

    assert "insist with --force" in trouble(*asked)
    assert not (saved / "worse.json").exists()
    forced = run(*asked, "--force")
    assert "judges worse by source than before, kept all the same" in forced.stderr.decode()
    assert (saved / "worse.json").exists()


@pytest.mark.parametrize(
    ("content", "told"),
    [
        ("", "has no columns"),
        ("old,new,label\n", "holds no label"),
        ("old,new,label\na.html,b.html,yes\n", "all labels of"),
        ("old,new,label\n{0}/a.html,{0}/nothing.html,yes\n{0}/a.html,{0}/b.html,no\n", "line 2:"),
        ("old,new,label\n{0}/a.html,{0}/b.html,maybe\n", "line 2: the label is"),
    ],
)
def test_label_files_that_teach_nothing_are_refused(saved: Path, content: str, told: str) -> None:
    (saved / "labels.csv").write_text(content.format(saved))

    assert told in trouble("does-it-matter", "learn", f"{saved}/labels.csv", "--to", f"{saved}/x.json")
    assert not (saved / "x.json").exists()


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        ([OLD], "Missing argument 'NEW'"),
        ([OLD, NEW, "--audit"], "--audit takes one ARCHIVE"),
        ([str(EXAMPLE), "--audit", "--check"], "leave out --audit"),
        ([OLD, NEW, "--html", "/nothing/here.html"], "make it first"),
        ([OLD, NEW, "--judge", "/nothing/judge.json"], "train one with: pagedrift does-it-matter learn"),
        (["/nothing.warc", "--audit"], "cannot be read"),
        ([f"{EXAMPLE}", "--audit", "--url", "https://other.example/"], "no version of"),
    ],
)
def test_what_cannot_be_answered_is_refused_with_the_next_step(arguments: list[str], told: str) -> None:
    assert told in trouble("does-it-matter", *arguments)


def test_without_a_browser_it_judges_by_the_source_and_says_so(tmp_path: Path) -> None:
    none = {"PATH": str(tmp_path), "PLAYWRIGHT_BROWSERS_PATH": str(tmp_path)}
    ran = run("does-it-matter", OLD, NEW, **none)

    assert "(from the source only)" in ran.stdout.decode()
    assert "note: judged without pictures, since Chromium is not installed" in ran.stderr.decode()
    insisted = run("does-it-matter", OLD, NEW, "--pictures", **none)
    assert insisted.returncode == 2
    assert "install it" in insisted.stderr.decode()


@needs_chromium
@pytest.mark.slow
def test_an_archived_page_is_shown_with_what_its_archive_holds(tmp_path: Path) -> None:
    style, script = (("Content-Type", "text/css"),), (("Content-Type", "text/javascript"),)
    html = b"<link rel=stylesheet href=/city.css><script src=/a.js></script><img src=/gone.png><main><p id=a>Fees"
    data = record(body=html, date=DAYS[0]) + record(body=html + b" and more", date=DAYS[1])
    data += record("https://city.example/city.css", b"p { color: red }", headers=style)
    data += record("https://city.example/a.js", b"document.title = 'ran'", headers=script)
    (tmp_path / "a.warc").write_bytes(data)
    report = tmp_path / "report.html"
    old, new = (f"{tmp_path}/a.warc@{day[:10]}" for day in DAYS[:2])
    ran = run("does-it-matter", old, new, "--pictures", "--html", str(report))

    assert "(from the source and pictures)" in ran.stdout.decode()
    assert ran.stderr.decode().count("shown without 1 thing it wanted to load") == 2
    assert "data:image/webp" in report.read_text()


@needs_chromium
@pytest.mark.slow
def test_a_saved_page_is_shown_with_what_lies_below_its_folder(saved: Path) -> None:
    (saved / "d_files").mkdir()
    (saved / "d_files" / "s.css").write_text("p { color: red }")
    (saved / "d.html").write_text(f"<link rel=stylesheet href=d_files/s.css><main>{ARTICLE}</main>")
    (saved / "e.html").write_text(f"<link rel=stylesheet href=/lost/s.css><main>{ARTICLE}</main>")
    same = run("does-it-matter", f"{saved}/d.html", f"{saved}/d.html", "--pictures")
    unstyled = run("does-it-matter", f"{saved}/d.html", f"{saved}/e.html", "--pictures").stdout.decode()

    assert same.stderr == b""
    assert "source only: 1 style sheet of the new version could not be had" in unstyled
    assert unstyled.startswith("no, ")


@needs_chromium
@pytest.mark.slow
def test_a_live_page_is_shown_through_our_client(site: Site) -> None:
    site.pages["/"] = b"<link rel=stylesheet href=/city.css><img src=http://localhost:1/x.png><p>Fees"
    site.pages["/city.css"] = (200, {"Content-Type": "text/css"}, b"p { color: red }")
    ran = run("does-it-matter", f"{site.url}/", f"{site.url}/", "--pictures", PAGEDRIFT_ALLOW_PRIVATE="127.0.0.1")

    assert "(from the source and pictures)" in ran.stdout.decode()
    assert "without 1 thing it wanted to load" in ran.stderr.decode()
    agents = {headers["user-agent"].partition("/")[0] for path, headers, _ in site.asked if path == "/city.css"}
    assert agents == {"Pagedrift"}


@needs_chromium
@pytest.mark.slow
def test_blocks_are_drawn_over_the_picture(tmp_path: Path) -> None:
    run("show", NEW, "--blocks", str(tmp_path / "blocks.png"))

    assert cv2.imread(str(tmp_path / "blocks.png")).shape[1] == 1024
    assert "ends with .png" in trouble("show", NEW, "--blocks", str(tmp_path / "blocks.gif"))


@needs_chromium
@pytest.mark.slow
def test_learning_and_audits_look_at_pictures_where_asked(saved: Path, crawl: str) -> None:
    asked = ["does-it-matter", "learn", f"{saved}/labels.csv", "--to", f"{saved}/mine.json", "--pictures", "--json"]
    learned = json.loads(run(*asked).stdout)["learned"]
    found = run("does-it-matter", crawl, "--audit", "--pictures", "--judge", f"{saved}/mine.json").stdout.decode()

    assert learned["pictures"]["before"]["labels"] == 4
    assert found.splitlines()[-1].startswith("4 versions: 2 kept")


CRAWLS = str(Path(EXAMPLE).parent / "crawls")


def test_a_level_says_what_is_kept_and_why() -> None:
    lines = run("does-it-matter", CRAWLS, "--audit", "--keep", "all").stdout.decode().splitlines()

    assert lines[-1].startswith("16 versions: 16 kept, 0 skipped; 0% of")


def test_the_curve_never_loses_an_important_change_by_a_level() -> None:
    points = [
        json.loads(line)
        for line in run("does-it-matter", CRAWLS, "--audit", "--curve", "--json").stdout.splitlines()
    ]

    assert [point["name"] for point in points[:3]] == ["--keep all", "--keep changed", "--keep important"]
    assert [point["important"] for point in points[:3]] == [0, 0, 0]
    assert all(point["kept"] + point["skipped"] == 16 for point in points)


def test_levels_are_for_an_audit() -> None:
    assert "go with --audit" in trouble("does-it-matter", OLD, NEW, "--keep", "changed")


def test_one_capture_of_each_page_leaves_nothing_to_compare() -> None:
    first = str(Path(CRAWLS) / "2026-08.warc.gz")

    assert b"nothing to compare" in run("does-it-matter", first, "--audit", "--curve").stdout
