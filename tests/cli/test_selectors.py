"""The command `pagedrift selectors`."""

import json
from pathlib import Path

import pytest

from tests.cli.test_commands import run, trouble

OLD = "<title>Lantern</title><h1 class=name>Lantern</h1><p class=price>$40</p><p>Made of brass and glass by hand."
NEW = "<title>Lantern</title><h2 class=title>Lantern</h2><b class=amount>$45</b><p>Made of brass and glass by hand."
NEWS = "examples/news.warc.gz"


@pytest.fixture
def files(tmp_path: Path) -> list[str]:
    for name, text in (
        ("old.html", OLD),
        ("new.html", NEW),
        ("shop.txt", "name  h1.name\nprice  .price\nmade  p:last-child\n"),
    ):
        (tmp_path / name).write_text(text, "utf-8")
    return [str(tmp_path / "old.html"), str(tmp_path / "new.html"), "--selectors", str(tmp_path / "shop.txt")]


def test_each_selector_is_listed_with_what_to_write_instead(files: list[str]) -> None:
    lines = run("selectors", *files).stdout.decode().splitlines()

    assert lines[-1] == "2 of 3 selectors broke; a new one is proposed for 2"
    assert [line.split()[:2] for line in lines if line.strip().startswith("now")] == [
        ["now", ".title"],
        ["now", ".amount"],
    ]


def test_json_has_an_object_per_selector(files: list[str]) -> None:
    found = [json.loads(line) for line in run("selectors", *files, "--json").stdout.splitlines()]

    assert [(one["name"], one["status"]) for one in found] == [
        ("name", "moved"),
        ("price", "moved"),
        ("made", "works"),
    ]
    assert found[0]["proposal"]["selector"] == ".title"


def test_the_exit_status_says_whether_one_broke(files: list[str]) -> None:
    assert run("selectors", *files, "--check").returncode == 1
    assert run("selectors", files[0], files[0], *files[2:], "--check").returncode == 0


def test_without_any_that_matched_before_there_is_no_answer(files: list[str], tmp_path: Path) -> None:
    (tmp_path / "shop.txt").write_text("name  .never\n", "utf-8")

    assert run("selectors", *files, "--check").returncode == 4


def test_fix_writes_the_proposals_into_the_file_and_shows_the_difference(files: list[str], tmp_path: Path) -> None:
    done = run("selectors", *files, "--fix", "--yes")

    assert b"+name  .title" in done.stderr
    assert (tmp_path / "shop.txt").read_text("utf-8") == "name  .title\nprice  .amount\nmade  p:last-child\n"


def test_fix_writes_xpath_where_a_spider_asks_for_xpath(files: list[str], tmp_path: Path) -> None:
    spider = tmp_path / "spider.py"
    spider.write_text("name = response.xpath(\"//h1[@class='name']/text()\").get()\n", "utf-8")
    run("selectors", *files[:2], "--selectors", str(spider), "--fix", "--yes")

    fixed = spider.read_text("utf-8")
    assert "response.xpath(\"//*[contains(concat(' ', normalize-space(@class), ' '), ' title ')]/text()\")" in fixed
    assert run("selectors", files[1], files[1], "--selectors", str(spider), "--check").returncode == 0


def test_fix_asks_before_it_writes(files: list[str], tmp_path: Path) -> None:
    run("selectors", *files, "--fix", stdin=b"n\n")

    assert "h1.name" in (tmp_path / "shop.txt").read_text("utf-8")


def test_the_report_shows_the_regions_on_both_pages(files: list[str], tmp_path: Path) -> None:
    run("selectors", *files, "--html", str(tmp_path / "report.html"))

    report = (tmp_path / "report.html").read_text("utf-8")
    assert report.count("<iframe") == 2
    assert "-region=&quot;price&quot;" in report


def test_an_archive_dates_each_break() -> None:
    lines = (
        run("selectors", "--archive", NEWS, "--selectors", "examples/news.selectors").stdout.decode().splitlines()
    )

    assert [line[:10] for line in lines if "broken" in line] == ["2026-04-05"] * 2
    assert lines[-1] == "2 breaks in 40 versions"


def test_an_error_page_is_not_a_broken_selector(files: list[str], tmp_path: Path) -> None:
    (tmp_path / "new.html").write_text("<title>404 Not Found</title><h1>404 Not Found</h1><p>nginx", "utf-8")

    assert "the new page is not there" in trouble("selectors", *files)


@pytest.mark.parametrize("arguments", [[], ["only-one.html"]])
def test_too_few_pages_are_refused(arguments: list[str], files: list[str]) -> None:
    assert "name an old and a new page" in trouble("selectors", *arguments, *files[2:])


def test_fix_writes_what_can_be_asked_from_a_row_where_a_spider_goes_through_rows(
    files: list[str], tmp_path: Path
) -> None:
    rows = "".join(
        f"<li class=item><h2>Lamp {n}</h2><i class=price>${n}</i><i>{n} left</i></li>" for n in range(1, 6)
    )
    cards = "".join(f"<p class=card><a>Lamp {n}</a><b>${n}</b><em>{n} left</em>" for n in range(1, 6))
    (tmp_path / "old.html").write_text(f"<ul>{rows}</ul><i>5 in all</i>", "utf-8")
    (tmp_path / "new.html").write_text(f"<b>New:</b><main>{cards}</main><b>5 in all</b>", "utf-8")
    spider = tmp_path / "spider.py"
    spider.write_text(
        'for row in response.css("li.item"):\n'
        '    price, name = row.css(".price::text").get(), row.xpath("./h2/text()").get()\n',
        "utf-8",
    )

    run("selectors", *files[:2], "--selectors", str(spider), "--fix", "--yes")

    assert spider.read_text("utf-8") == (
        'for row in response.css(".card"):\n'
        '    price, name = row.css("b::text").get(), row.xpath(".//a/text()").get()\n'
    )
