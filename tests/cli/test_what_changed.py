import json
import resource
import subprocess
from pathlib import Path

import pytest

from tests.builders import DAYS, URL, record
from tests.cli.test_commands import EXAMPLE, PROGRAM, run, trouble

OLD, NEW = f"{EXAMPLE}@2026-11-08", f"{EXAMPLE}@2026-11-15"


def test_each_change_is_shown_with_its_place_and_what_was_and_is() -> None:
    lines = run("what-changed", OLD, NEW).stdout.decode().splitlines()
    price = lines.index("main › section.fees[1] › table › tr[4] › td[2]")

    assert lines[price + 1 : price + 3] == ["  - $120", "  + $145"]
    assert "  + <p> New fees apply from 1 December 2026." in lines
    assert lines[-1] == "1 attribute changed, 2 edited, 2 added, 1 removed"


def test_the_script_as_json_has_ids_kinds_and_both_paths() -> None:
    ran = run("what-changed", OLD, NEW, "--json")
    script = json.loads(ran.stdout)
    edit = next(action for action in script["actions"] if action.get("after") == "$145")

    assert script["format"] == 1
    assert edit["action"] == "UpdateText"
    assert edit["kind"] == "text"
    assert edit["old"]["exact"].endswith("/td[2]/text()[1]")
    assert len({action["id"] for action in script["actions"]}) == len(script["actions"])
    assert run("what-changed", OLD, NEW, "--json").stdout == ran.stdout


def test_check_says_by_its_status_whether_anything_changed() -> None:
    assert run("what-changed", OLD, NEW, "--check").returncode == 1
    assert run("what-changed", OLD, OLD, "--check").returncode == 0
    assert run("what-changed", OLD, NEW).returncode == 0


def test_nothing_changed_is_an_answer() -> None:
    assert run("what-changed", NEW, NEW).stdout == b"nothing changed\n"


def test_noise_can_be_shown_and_left_out(tmp_path: Path) -> None:
    old, new = tmp_path / "old.html", tmp_path / "new.html"
    old.write_text("<p id=1 data-x=1>Visitor 12</p><img src=a.png?v=1>")
    new.write_text("<p id=1 data-x=2>Visitor 13</p>\n<img src=a.png?v=2>")

    def count(*options: str) -> int:
        shown = run("what-changed", str(old), str(new), "--json", *options)
        return len(json.loads(shown.stdout)["actions"])

    assert count() == 2
    assert count("--exact") == 4
    assert count("--ignore-attribute", "data-*", "--ignore-text", r"\d+") == 0


def test_a_selector_that_leaves_nothing_out_is_noted() -> None:
    assert b"matches .visiter" in run("what-changed", OLD, NEW, "--ignore", ".visiter").stderr
    assert run("what-changed", OLD, NEW, "--ignore", "footer").stderr == b""


@pytest.mark.parametrize(
    ("old", "new"),
    [("<p>a", "<frameset><frame src=a></frameset>"), ("<p>a", "<svg>" + "<path d=M0/>" * 20_000), ("x<", "<p>")],
)
def test_unusual_pages_are_compared(tmp_path: Path, old: str, new: str) -> None:
    (tmp_path / "old.html").write_text(old)
    (tmp_path / "new.html").write_bytes(new.encode("utf-16"))
    ran = run("what-changed", str(tmp_path / "old.html"), str(tmp_path / "new.html"))

    assert ran.returncode == 0, ran.stderr


def test_bad_sides_and_expressions_are_refused(tmp_path: Path) -> None:
    empty = tmp_path / "empty.html"
    empty.write_bytes(b"")

    assert "empty" in trouble("what-changed", str(empty), NEW)
    assert "regular expression" in trouble("what-changed", OLD, NEW, "--ignore-text", "(")
    assert "repeats too much" in trouble("what-changed", OLD, NEW, "--ignore-text", "a{1000000000}")


def test_the_report_is_one_file_that_asks_for_nothing_else(tmp_path: Path) -> None:
    report = tmp_path / "report.html"
    ran = run("what-changed", OLD, NEW, "--html", str(report))
    written = report.read_text()

    assert ran.returncode == 0
    assert "Content-Security-Policy" in written
    assert "$145" in written or "145" in written
    assert "src=http" not in written


def test_a_report_that_cannot_be_written_is_told(tmp_path: Path) -> None:
    assert "No such file or directory" in trouble_after(
        "what-changed", OLD, NEW, "--html", str(tmp_path / "missing" / "report.html")
    )


def test_a_report_is_written_wholly_or_not_at_all(tmp_path: Path) -> None:
    report = tmp_path / "report.html"
    report.write_text("the report of yesterday")
    ran = subprocess.run(
        [PROGRAM, "what-changed", OLD, NEW, "--html", str(report)],
        capture_output=True,
        check=False,
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (4096, 4096)),  # as if the disk were full
    )

    assert ran.returncode == 2
    assert str(report).encode() in ran.stderr
    assert [path.read_text() for path in tmp_path.iterdir()] == ["the report of yesterday"]


def trouble_after(*arguments: str) -> str:
    ran = run(*arguments)
    assert ran.returncode == 2
    assert b"Traceback" not in ran.stderr
    return ran.stderr.decode()


def test_pictures_appear_where_the_archive_holds_them(tmp_path: Path) -> None:
    picture = b"GIF89a\x01\x00\x01\x00\x80\x00\x00\x00\x00\x00\xff\xff\xff!\xf9\x04\x01\x00\x00\x00\x00,"
    picture += b"\x00\x00\x00\x00\x01\x00\x01\x00\x00\x02\x02D\x01\x00;"
    page = b"<p>a<img src=held.gif><img src=missing.gif>"
    archive = tmp_path / "crawl.warc.gz"
    archive.write_bytes(
        record(URL, page, date=DAYS[0], packed=True)
        + record(
            "https://city.example/held.gif",
            picture,
            date=DAYS[0],
            packed=True,
            headers=[("Content-Type", "image/gif")],
        )
        + record(URL, page.replace(b"a", b"b", 1), date=DAYS[1], packed=True)
    )
    report = tmp_path / "report.html"
    url = f"{archive}@{URL}"
    ran = run("what-changed", f"{url}@{DAYS[0]}", f"{url}@{DAYS[1]}", "--html", str(report))

    assert ran.returncode == 0, ran.stderr
    assert report.read_text().count("data:image/gif") >= 1
