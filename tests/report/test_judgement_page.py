"""The report of a judgement: one file that works offline, in which no page can do anything, seen in Chromium."""

import itertools
import re
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import cv2
import numpy
import pytest
from playwright.sync_api import Browser as Chromium
from playwright.sync_api import Page

from pagedrift import InputError, PageVersion, judge
from pagedrift.capture.browser import Browser
from pagedrift.facets.tree import read_tree
from pagedrift.facets.view import View
from pagedrift.report.judgement_page import judgement_page
from tests.conftest import CHROMIUM
from tests.report.test_webpage import HOSTILE

URL = "https://city.example/"
STYLE = "<style>body{margin:0}div{padding:12px;margin:30px 20px;background:#eef}</style>"
ITEMS = [
    f"<div><h2>Office {name}</h2><p>The office of {name} is open for {name} from nine to five, says {name}.</div>"
    for name in "Permits Parks Schools Roads Water Taxes Housing Archives Music Trees Dogs Boats Light Rail".split()
]
BANNER = "<div style='height:240px'><h2>Elections on Sunday</h2><p>Vote, all of you, from eight.</div>"
OLD = STYLE + "".join(ITEMS)
NEW = STYLE + BANNER + "".join(ITEMS[:5]) + ITEMS[5].replace("nine", "ten") + "".join(ITEMS[6:12])


@pytest.fixture(scope="module")
def versions() -> tuple[PageVersion, PageVersion]:
    """Two versions as a real browser shows them: a banner came, one office went, another changed its hours."""
    if not CHROMIUM:
        pytest.skip("there is no Chromium on this machine; on Debian: apt-get install chromium")
    with Browser() as browser:
        old, new = (PageVersion(URL, html.encode()) for html in (OLD, NEW))
        return replace(old, view=browser.render(old)), replace(new, view=browser.render(new))


@pytest.fixture
def tab(browser: Chromium, versions: tuple[PageVersion, PageVersion], tmp_path: Path) -> Iterator[Page]:
    """The report on them, in a browser of its own."""
    (tmp_path / "report.html").write_text(judgement_page(*versions, judge(*versions)), "utf-8")
    opened = browser.new_page(viewport={"width": 1300, "height": 700})
    errors: list[str] = []
    opened.on("pageerror", lambda error: errors.append(str(error)))
    opened.on("console", lambda message: errors.append(message.text))
    opened.goto((tmp_path / "report.html").as_uri())
    yield opened
    opened.close()
    assert errors == []


@pytest.mark.slow
def test_blocks_are_outlined_by_what_became_of_them(tab: Page) -> None:
    assert tab.locator("[data-side=new] i.inserted").count() > 0
    assert tab.locator("[data-side=old] i.deleted").count() > 0
    assert tab.locator("#sides i.updated").count() > 0
    box = tab.locator("#sides [data-side=new] i.inserted").first.bounding_box()
    assert box
    assert box["width"] > 100


@pytest.mark.slow
def test_an_inserted_banner_does_not_colour_the_page_below(tab: Page) -> None:
    tab.click("[data-view=overlay]")
    told = re.search(r"(\d+) % of the screenshot", tab.locator("#overlay p").inner_text())
    assert told
    assert int(told[1]) < 30  # half of the picture is there again, 300 px further down
    shot = cv2.imdecode(numpy.frombuffer(tab.locator("#overlay .sheet img").screenshot(), numpy.uint8), 1)
    lower = shot[int(shot.shape[0] * 0.45) : int(shot.shape[0] * 0.7)].astype(int)

    assert (lower.max(axis=2) - lower.min(axis=2) < 20).mean() > 0.95  # grey: the same as before


@pytest.mark.slow
def test_keys_and_rows_lead_to_their_boxes(tab: Page) -> None:
    rows = tab.locator("aside li[data-block]").count()
    tab.keyboard.press("n")
    assert tab.locator("#where").inner_text().startswith("1 of ")
    tab.keyboard.press("p")
    assert tab.locator("#where").inner_text().split()[0] == tab.locator("#where").inner_text().split()[2]
    for number in range(rows):
        tab.locator("aside li[data-block]").nth(number).click()
        assert tab.locator(".sheet i.current").count() > 0
    reason = tab.locator("aside li[data-new]").first
    reason.click()
    assert tab.locator("#sides i.reason").count() == 1


@pytest.mark.slow
def test_the_slider_cuts_between_old_and_new(tab: Page) -> None:
    tab.click("[data-view=slider]")
    widths = []
    for value in ("10", "90"):
        tab.locator("#cut").fill(value)
        widths.append(tab.locator(".over").evaluate("(over) => over.clientWidth"))
    assert widths[0] < widths[1]
    visible = "(images) => images.map((image) => getComputedStyle(image).display !== 'none')"
    assert tab.locator(".over img").evaluate_all(visible) == [True, False]
    tab.click("#aligned")
    assert tab.locator(".over img").evaluate_all(visible) == [False, True]


@pytest.mark.slow
def test_both_pictures_scroll_so_that_the_same_blocks_meet(tab: Page) -> None:
    old, new = tab.locator("#sides .scroll").all()
    for top in itertools.cycle((200, 190)):  # for a moment after a side was scrolled for us, it leads nobody
        old.evaluate(f"(scroller) => {{ scroller.scrollTop = {top} }}")
        tab.wait_for_timeout(300)
        if new.evaluate("(scroller) => scroller.scrollTop") > 250:  # the banner was passed
            break


@pytest.mark.slow
def test_the_report_is_one_file_with_one_script_and_no_address(versions: tuple[PageVersion, PageVersion]) -> None:
    page = judgement_page(*versions, judge(*versions))
    tree = read_tree(page)

    assert len(list(tree.elements("script"))) == 1
    assert list(tree.elements("link", "iframe", "base", "object")) == []
    sources = [tree.attribute(node, "src") or "" for node in tree.elements("img")]
    assert sources
    assert all(source.startswith("data:image/webp;base64,") for source in sources)
    assert "default-src 'none'" in page


def test_without_pictures_it_says_so_and_lists_the_text() -> None:
    old, new = PageVersion(URL, b"<p>Open all week"), PageVersion(URL, b"<p>Open all week<p>Closed on Sunday")
    page = judgement_page(old, new, judge(old, new))

    assert "there are no screenshots" in page
    assert "closed on sunday" in page
    assert list(read_tree(page).elements("img")) == []


def test_text_of_the_page_is_escaped_everywhere() -> None:
    hidden = HOSTILE.replace("<", "&lt;").replace('"', "&quot;")
    old = PageVersion(f"{URL}?{HOSTILE}", f"<title>{hidden}</title><p>{hidden} old".encode())
    new = PageVersion(f"{URL}?{HOSTILE}", f"<title>{hidden}</title><p>{hidden} new<p>more {hidden}".encode())
    tree = read_tree(judgement_page(old, new, judge(old, new)))

    assert [tree.tag(node) for node in tree.elements("script")] == ["script"]
    assert [key for node in tree.elements() for key, _ in tree.attributes(node) if key.startswith("on")] == []
    assert list(tree.elements("img")) == []


def test_a_corrupt_picture_is_refused_with_the_next_step() -> None:
    broken = replace(
        PageVersion(URL, b"<p>x"),
        view=View(url="", title="", language="", width=1024, height=9, nodes=(), picture=b"\x89PNG\r\n"),
    )
    whole = judge(PageVersion(URL, b"<p>x"), PageVersion(URL, b"<p>x"))

    with pytest.raises(InputError, match="render the page again"):
        judgement_page(broken, broken, whole)


@pytest.mark.slow
def test_blank_and_tall_pages_are_reported(browser: Chromium) -> None:  # noqa: ARG001 - there is one
    with Browser() as looking:
        blank, tall = (
            PageVersion(URL, html) for html in (b"", b"<p>top<div style='height:100000px'>x</div><p>end")
        )
        blank, tall = replace(blank, view=looking.render(blank)), replace(tall, view=looking.render(tall))
    page = judgement_page(blank, tall, judge(blank, tall))

    assert "the first 6,000 of 100," in page
