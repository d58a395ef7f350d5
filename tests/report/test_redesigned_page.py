"""The report of a redesign: one file without scripts, in which no page can do anything."""

from pathlib import Path

import pytest
from playwright.sync_api import Browser

from pagedrift.facets.tree import read_tree
from pagedrift.redesigned.detectors import RedesignDetector
from pagedrift.redesigned.stream import Stream
from pagedrift.redesigned.stream_monitor import StreamMonitor
from pagedrift.report.redesigned_page import redesign_page
from pagedrift.selectors.expressions import parse_selectors
from pagedrift.selectors.health import SelectorHealth
from tests.conftest import Beacon
from tests.hostile_pages import ATTACKS, attack
from tests.redesigned.test_stream_monitor import REDESIGN, stream

HOSTILE = "\"'><script>window.ran=1</script><img src=x onerror=window.ran=1>"


def report(documents, **options) -> str:
    health = SelectorHealth(parse_selectors("title h2.entry-title"))
    running = StreamMonitor(RedesignDetector(**options), keep_pages=True, keep_stripe=True, selectors=health)
    told = [one for document in documents for one in running.take(document)]
    return redesign_page([running], told, Stream(documents=()))


def test_the_report_shows_both_designs_and_what_changed() -> None:
    page = report(REDESIGN)
    tree = read_tree(page)
    text = tree.text_below(0)

    assert "1 redesign in 70 documents" in text
    assert "Before: what 10 pages share" in text
    assert "After: what 10 pages share" in text
    for name in ("entry-title", "article-title", "navbar-brand", "closest now"):
        assert name in text


def test_a_stream_without_redesign_and_an_empty_one_have_a_report_too() -> None:
    assert "no redesign in 40 documents" in report(REDESIGN[:40])
    assert "no answer: 0 documents" in report([])


def test_pages_beyond_the_limits_are_left_out() -> None:
    bodies = [one.page.body for one in REDESIGN]
    bodies[41] += b"<body>" * 10_001
    page = report(stream(*bodies))

    assert "After: what 9 pages share" in page
    assert "1 redesign in 70 documents" in page


def test_nothing_of_a_page_gets_out_of_the_report(browser: Browser, beacon: Beacon, tmp_path: Path) -> None:
    hurt = "".join(
        attack(name, beacon.url) for name in ATTACKS if name not in ("frames", "plaintext", "a textarea")
    )
    quoted = HOSTILE.replace('"', "&quot;").replace("<", "&lt;")
    bodies = []
    for one in REDESIGN:
        body = (
            one.page.body.decode()
            .replace('class="', f'class="{quoted.replace(" ", "/")} ')
            .replace("</body>", hurt)
        )
        bodies.append(body.encode())
    page = report(stream(*bodies))
    tree = read_tree(page)
    (tmp_path / "report.html").write_text(page, "utf-8")
    tab = browser.new_page()
    tab.goto((tmp_path / "report.html").as_uri())
    tab.wait_for_timeout(300)

    assert list(tree.elements("script", "iframe", "object", "embed", "base", "form", "a", "img")) == []
    assert [key for node in tree.elements() for key, _ in tree.attributes(node) if key.startswith("on")] == []
    assert tab.evaluate("window.ran") is None
    assert beacon.asked == []
    tab.close()


@pytest.mark.parametrize("width", [390, 1200])
def test_the_report_fits_a_phone_and_a_screen(browser: Browser, tmp_path: Path, width: int) -> None:
    (tmp_path / "report.html").write_text(report(REDESIGN), "utf-8")
    tab = browser.new_page(viewport={"width": width, "height": 800})
    tab.goto((tmp_path / "report.html").as_uri())

    assert tab.evaluate("document.documentElement.scrollWidth") <= width
    assert tab.evaluate("document.querySelector('svg image').getBoundingClientRect().height") > 30
    assert tab.evaluate("getComputedStyle(document.querySelector('.box.new')).borderTopColor") == "rgb(27, 127, 59)"
    tab.close()
