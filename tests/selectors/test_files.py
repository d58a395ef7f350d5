"""Selectors in the files of scrapers."""

from pathlib import Path

import pytest

from pagedrift import InputError
from pagedrift.selectors.files import read_selector_file, selectors_in_source, with_proposals

SPIDER = """
import scrapy

class Fees(scrapy.Spider):
    def parse(self, response):
        for row in response.css("table.fees tr"):
            yield {"name": row.css("td.name::text").get(), "fee": row.xpath("./td[2]/text()").get()}
        loader.add_css("title", "h1::text")
        loader.add_xpath("date", "//time/text()")
        loader.add_css("price", ".price::text")
        link = response.css(f"a.{self.kind}::attr(href)").get()
"""


def test_selectors_of_a_spider_are_found_by_its_syntax_tree() -> None:
    found = selectors_in_source(SPIDER)

    assert [(each.name, each.source, each.fixable) for each in found] == [
        ("line 6", "table.fees tr", True),
        ("name", "td.name::text", True),
        ("fee", "./td[2]/text()", True),
        ("title", "h1::text", True),
        ("date", "//time/text()", True),
        ("price", ".price::text", True),
    ]


def test_what_is_asked_from_a_row_knows_what_selects_the_rows() -> None:
    found = {each.name: each.rows and each.rows.written for each in selectors_in_source(SPIDER)}

    assert found["name"] == found["fee"] == "table.fees tr"
    assert found["line 6"] is found["title"] is None
    assert not selectors_in_source('fee = row.xpath("./td/text()")')[0].fixable


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("a.json", '{"title": "h1", "page": {"fees": ["td", "th"]}}'),
        ("a.yaml", "title: h1\npage:\n  fees: [td, th]\n"),
    ],
)
def test_fields_are_read_from_json_and_yaml(name: str, text: str, tmp_path: Path) -> None:
    (tmp_path / name).write_text(text, "utf-8")

    assert [(each.name, each.region.written) for each in read_selector_file(tmp_path / name)] == [
        ("title", "h1"),
        ("page.fees", "td, th"),
    ]


@pytest.mark.parametrize(
    ("name", "body"),
    [
        ("a.json", b"{"),
        ("a.yaml", b"a: [b"),
        ("a.json", b"[1]"),
        ("a.json", b'{"a": "li["}'),
        ("a.py", b"def ("),
        ("a.py", b"pass"),
        ("a.txt", b""),
        ("a.txt", b"\xff\xfe\x00"),
        ("a.yaml", b"a: " + b"x" * 5_000_001),
    ],
)
def test_a_file_without_selectors_is_refused_with_the_next_step(name: str, body: bytes, tmp_path: Path) -> None:
    (tmp_path / name).write_bytes(body)

    with pytest.raises(InputError, match=";"):
        read_selector_file(tmp_path / name)


def test_proposals_are_written_where_the_selectors_stand() -> None:
    assert with_proposals(SPIDER, {"td.name::text": ".fee-name::text"}) == SPIDER.replace(
        "td.name::text", ".fee-name::text"
    )
    assert with_proposals("title  h1\nsub    h1 a\n", {"h1": ".t"}) == "title  .t\nsub    h1 a\n"
