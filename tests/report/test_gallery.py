"""The report of templates: one file that works offline and in which no page can do anything."""

from pathlib import Path

import pytest
from playwright.sync_api import Browser

from pagedrift import PageVersion
from pagedrift.facets.tree import read_tree
from pagedrift.report.gallery import MAX_DEPTH, GalleryTemplate, templates_page
from pagedrift.which_template.frame import Frame, frame
from tests.conftest import Beacon
from tests.report.test_webpage import HOSTILE
from tests.which_template.test_frame import ARTICLES

URL = "https://news.example/"


def report(*frames: Frame, url: str = URL) -> str:
    templates = [
        GalleryTemplate(name=f"{HOSTILE}-{at}", pages=20 - at, examples=(url, url + "2"), frame=found)
        for at, found in enumerate(frames)
    ]
    return templates_page("news", templates, pages=50, clusters=9)


def hostile_frame() -> Frame:
    """A template that tries to leave its box by its words, class names, ids and roles."""
    safe = HOSTILE.replace("<", "&lt;").replace('"', "&quot;")
    name = safe.replace(" ", "/")
    part = f'<nav id="{name}" class="{name}" role="{name}"><p>{safe}</p></nav><p class="{name}">{{}}</p>'
    return frame(PageVersion("", part.format(day).encode()) for day in range(3))


def test_the_summary_tells_how_much_is_shown() -> None:
    page = report(frame(ARTICLES), frame(ARTICLES[:9]))

    assert "<p>50 pages, 9 templates; the 2 largest, below, have 78% of the pages</p>" in page


def test_what_pages_bring_is_escaped_everywhere() -> None:
    tree = read_tree(report(hostile_frame(), url=URL + HOSTILE))

    assert "ran=1" in "".join(tree.text_below(node) for node in tree.elements("main"))
    assert list(tree.elements("script", "img", "iframe", "textarea")) == []
    assert [key for node in tree.elements() for key, _ in tree.attributes(node) if key.startswith("on")] == []
    assert {tree.attribute(node, "class") for node in tree.elements("nav")} == set()


def test_a_report_has_no_script_and_asks_for_nothing() -> None:
    page = report(frame(ARTICLES))
    tree = read_tree(page)

    assert list(tree.elements("script", "link", "img", "base", "object", "iframe")) == []
    assert "default-src 'none'; script-src 'none'" in page


def test_a_template_without_pages_to_look_at_is_listed_without_a_drawing() -> None:
    page = templates_page("news", [GalleryTemplate(name="news-1", pages=5, examples=(URL,))], pages=5, clusters=1)

    assert "news-1: 5 pages, 100.0%" in page
    assert 'class="outline"' not in page


def test_boxes_are_closed_and_not_too_deep() -> None:
    html = "".join(f"<div id=l{chr(97 + n // 26)}{chr(97 + n % 26)}>" for n in range(60))
    tree = read_tree(report(frame(PageVersion("", f"{html}{day}".encode()) for day in range(3))))
    boxes = [node for node in tree.elements("div") if (tree.attribute(node, "class") or "").startswith("box")]
    depths = {}
    for node in boxes:
        depths[node] = depths.get(tree.parent[node], 0) + 1

    assert len(boxes) == 60 + 4  # and those of the legend
    assert max(depths.values()) == MAX_DEPTH + 1


@pytest.fixture
def path(tmp_path: Path) -> Path:
    (tmp_path / "report.html").write_text(report(frame(ARTICLES), hostile_frame(), url=URL + HOSTILE), "utf-8")
    return tmp_path / "report.html"


def test_a_browser_shows_every_part_and_runs_and_fetches_nothing(
    browser: Browser, beacon: Beacon, path: Path
) -> None:
    tab = browser.new_page(viewport={"width": 1000, "height": 700})
    asked, said = [], []
    tab.on("request", lambda request: asked.append(request.url))
    tab.on("console", lambda message: said.append(message.text))
    tab.goto(path.as_uri())
    boxes = tab.locator(".outline .box")

    assert boxes.count() >= 12
    assert all(min(box["width"], box["height"]) > 8 for box in (one.bounding_box() for one in boxes.all()))
    assert tab.locator(".outline .box", has_text="h2.title").locator(".slot").first.inner_text() == "content"
    assert tab.evaluate("document.documentElement.scrollWidth <= innerWidth")
    assert tab.evaluate("window.ran ?? 0") == 0
    assert (asked, said, beacon.asked) == ([path.as_uri()], [], [])
    tab.close()


def test_a_number_in_the_table_leads_to_its_template(browser: Browser, path: Path) -> None:
    tab = browser.new_page(viewport={"width": 1000, "height": 300})
    tab.goto(path.as_uri())
    tab.click("td a >> nth=1")

    assert abs(tab.locator("#t1").bounding_box()["y"]) < 300
    assert tab.evaluate("scrollY") > 100
    tab.close()


def test_slots_can_be_read_in_the_light_and_in_the_dark(browser: Browser, path: Path) -> None:
    tab = browser.new_page()
    tab.goto(path.as_uri())
    for scheme, paper in (("light", "rgb(255, 255, 255)"), ("dark", "rgb(22, 22, 22)")):
        tab.emulate_media(color_scheme=scheme)
        assert tab.evaluate("getComputedStyle(document.body).backgroundColor") == paper
        assert tab.evaluate("getComputedStyle(document.querySelector('.slot')).color") == paper
    tab.close()
