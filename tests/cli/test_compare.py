import csv
import json
from pathlib import Path

import pytest
from playwright.sync_api import Browser

from pagedrift.facets.tree import read_tree
from tests.builders import record
from tests.cli.test_commands import run, trouble
from tests.crawls.crawl_pages import NOVEMBER, OCTOBER, SITE, crawls, page, write
from tests.report.test_webpage import HOSTILE


@pytest.fixture
def town(tmp_path: Path) -> tuple[str, str]:
    return crawls(tmp_path)


def test_the_summary_lists_what_matters_and_counts_the_rest(town: tuple[str, str]) -> None:
    lines = run("compare", *town).stdout.decode().splitlines()

    assert any(line.startswith("changed") and line.endswith("Price $40 → $45") for line in lines)
    assert not any("/counter" in line or "/same" in line for line in lines)
    assert lines[-1] == (
        "13 addresses: 1 blocked or error page, 2 gone, 1 changed, 1 layout changed, 3 moved, 1 new, 1 noise only,"
        " 3 unchanged; important changes on 2 pages"
    )


def test_all_lists_every_address(town: tuple[str, str]) -> None:
    text = run("compare", *town, "--all").stdout.decode()

    assert "/counter" in text
    assert "/same" in text


def test_json_is_one_versioned_object_for_each_address(town: tuple[str, str]) -> None:
    rows = [json.loads(line) for line in run("compare", *town, "--json").stdout.splitlines()]

    assert len(rows) == 13
    assert {row["format"] for row in rows} == {1}
    (price,) = (row for row in rows if row["url"] == f"{SITE}/price")
    assert (price["state"], price["level"], price["headline"]) == ("changed", "important", "Price $40 → $45")
    assert price["old_captured_at"] == OCTOBER


@pytest.mark.parametrize("suffix", ["csv", "json", "parquet"])
def test_the_table_has_a_row_for_each_address(town: tuple[str, str], tmp_path: Path, suffix: str) -> None:
    target = tmp_path / f"table.{suffix}"
    run("compare", *town, "--to", str(target))

    if suffix == "csv":
        rows = list(csv.DictReader(target.read_text("utf-8").splitlines()))
    elif suffix == "json":
        rows = json.loads(target.read_text("utf-8"))
    else:
        rows = pytest.importorskip("pyarrow.parquet").read_table(target).to_pylist()
    assert len(rows) == 13
    assert {row["state"] for row in rows} >= {"new", "gone", "moved"}


def test_check_exits_with_1_where_anything_but_noise_changed(town: tuple[str, str]) -> None:
    assert run("compare", *town, "--check").returncode == 1
    assert run("compare", town[0], town[0], "--check").returncode == 0


def test_the_report_filters_and_opens_the_highlighted_page(
    town: tuple[str, str], tmp_path: Path, browser: Browser
) -> None:
    target = tmp_path / "report.html"
    run("compare", *town, "--html", str(target))
    tab = browser.new_page()
    tab.goto(target.as_uri())

    tab.fill("#search", "fence")
    tab.fill("#search", "price")
    assert [row.inner_text().split("\t")[0] for row in tab.locator("#addresses tbody tr:visible").all()] == [
        "changed"
    ]
    tab.click("tr:visible button[data-page]")
    assert "$45" in tab.frame_locator("iframe").locator("main").inner_text()
    tab.close()


def test_nothing_of_a_page_can_run_in_the_report(tmp_path: Path) -> None:
    old, new = (
        write(tmp_path / f"{name}.warc", record(f"{SITE}/x?{HOSTILE}", page(HOSTILE, HOSTILE + text), date=day))
        for name, text, day in (("a", " one fence", OCTOBER), ("b", " costs $45", NOVEMBER))
    )
    target = tmp_path / "report.html"
    run("compare", old, new, "--html", str(target))
    tree = read_tree(target.read_text("utf-8"))

    assert len(list(tree.elements("script"))) == 1
    assert [key for node in tree.elements() for key, _ in tree.attributes(node) if key.startswith("on")] == []


@pytest.mark.parametrize(
    ("name", "content"),
    [("empty.warc", b""), ("binary.warc.gz", bytes(range(256)) * 40), ("style.css", b"no page at all")],
)
def test_what_holds_no_page_is_refused_with_the_next_step(tmp_path: Path, name: str, content: bytes) -> None:
    (tmp_path / name).write_bytes(content)

    assert ";" in trouble("compare", str(tmp_path / name), str(tmp_path / name))


def test_a_table_without_a_format_is_refused_before_anything_is_read(town: tuple[str, str]) -> None:
    assert "end it with one of: .parquet, .csv, .json" in trouble("compare", *town, "--to", "csv")
