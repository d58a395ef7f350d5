"""The report of a comparison: one file that works offline and in which no page can do anything."""

import itertools
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Frame, Page

from pagedrift import PageVersion
from pagedrift.errors import LimitError
from pagedrift.facets.tree import read_tree
from pagedrift.report.webpage import compare_page
from pagedrift.what_changed import diff
from tests.conftest import Beacon
from tests.hostile_pages import ATTACKS, attack
from tests.report.test_highlight import NEW, OLD, URL

HOSTILE = "</textarea></script></iframe>\"'><script>window.ran=1</script><img src=x onerror=window.ran=1>"


def report(old: str, new: str, url: str = URL) -> str:
    one, other = PageVersion(url, old.encode()), PageVersion(url, new.encode())
    return compare_page(one, other, diff(one, other))


@pytest.fixture
def tab(browser: Browser, tmp_path: Path) -> Iterator[Page]:
    """The report on two versions of a long page, in a browser."""
    filler = "<p>Nothing happens in this paragraph of the page, which only takes up room.</p>" * 60
    (tmp_path / "report.html").write_text(report(OLD + filler, NEW + filler + "<p id=last>The end."), "utf-8")
    opened = browser.new_page(viewport={"width": 1000, "height": 700})
    opened.goto((tmp_path / "report.html").as_uri())
    yield opened
    opened.close()


def test_the_summary_counts_the_changes() -> None:
    page = report("<p>Fence: $40<p>a", "<p>Fence: $45<p>a<img src=x.png>")

    assert "<p>2 changes: 1 added, 1 edited text</p>" in page


def test_equal_versions_say_so() -> None:
    page = report(OLD, OLD)

    assert "0 changes" in page
    assert "The two versions are the same" in page


def test_text_of_the_page_is_escaped_everywhere() -> None:
    hidden = HOSTILE.replace("<", "&lt;").replace('"', "&quot;")
    one = f'<title>{hidden}</title><p title="{hidden}" class="{hidden}">{hidden}'
    page = report(
        f"{one} old", f"{one} new<b id='{hidden.replace(chr(39), '')}'>{hidden}</b>", url=f"{URL}?{HOSTILE}"
    )
    tree = read_tree(page)

    assert [tree.tag(node) for node in tree.elements("script")] == ["script"]
    assert [key for node in tree.elements() for key, _ in tree.attributes(node) if key.startswith("on")] == []
    assert list(tree.elements("img")) == []


def test_the_report_is_one_file_with_one_script() -> None:
    tree = read_tree(report(OLD, NEW))

    assert len(list(tree.elements("script"))) == 1
    assert list(tree.elements("link", "img", "base", "object")) == []
    assert [tree.attribute(node, "sandbox") for node in tree.elements("iframe")] == [
        "",
        "allow-same-origin",
        "allow-same-origin",
    ]


def test_no_attack_runs_or_leaves_from_a_report(browser: Browser, beacon: Beacon, tmp_path: Path) -> None:
    hurt = "".join(
        attack(name, beacon.url) for name in ATTACKS if name not in ("frames", "plaintext", "a textarea")
    )
    (tmp_path / "report.html").write_text(report(f"<p>old{hurt}", f"<p>new{hurt}{HOSTILE}"), "utf-8")
    tab = browser.new_page()
    said, asked = [], []
    tab.on("dialog", lambda dialog: (said.append(dialog.message), dialog.dismiss()))
    tab.on("request", lambda request: asked.append(request.url))
    tab.goto((tmp_path / "report.html").as_uri())
    for view in ("page", "sides", "source", "changes"):
        tab.click(f"[data-view={view}]")
        tab.keyboard.press("n")
        tab.wait_for_timeout(50)

    assert [frame.evaluate("window.ran ?? 0") for frame in tab.frames] == [0, 0, 0, 0]
    assert [url for url in asked if url[:5] not in ("data:", "about")] == [(tmp_path / "report.html").as_uri()]
    assert (said, beacon.asked) == ([], [])
    tab.close()


def test_filters_hide_and_show_kinds_of_changes(tab: Page) -> None:
    everything = tab.locator("li[data-change]:visible").count()
    added = tab.locator("li[data-mark=added]").count()

    tab.uncheck("input[value='mark added']")
    assert tab.locator("li[data-change]:visible").count() == everything - added
    tab.uncheck("input[value='kind text']")
    assert tab.locator("li[data-kind=text]:visible").count() == 0
    tab.check("input[value='mark added']")
    tab.check("input[value='kind text']")
    assert tab.locator("li[data-change]:visible").count() == everything > added > 0


def test_the_keys_n_and_p_go_from_change_to_change(tab: Page) -> None:
    rows = tab.locator("li[data-change]")

    tab.keyboard.press("n")
    tab.keyboard.press("n")
    assert rows.nth(1).get_attribute("class") == "current"
    assert tab.inner_text("#where") == f"2 of {rows.count()}"
    tab.keyboard.press("p")
    assert rows.nth(0).get_attribute("class") == "current"
    tab.keyboard.press("p")
    assert rows.nth(rows.count() - 1).get_attribute("class") == "current"


def test_a_jump_scrolls_the_highlighted_page_to_its_mark(tab: Page) -> None:
    tab.click("[data-view=page]")
    tab.keyboard.press("p")
    frame = tab.frames[1]
    frame.wait_for_function("scrollY > 500", timeout=0)
    last = tab.locator("li[data-change]").last.get_attribute("data-change")

    assert frame.evaluate("scrollY") > 500
    assert 0 <= frame.evaluate(f"document.getElementById('{last}').getBoundingClientRect().top") < 700


def test_both_sides_scroll_together(tab: Page) -> None:
    tab.click("[data-view=sides]")
    tab.wait_for_timeout(50)
    old, new = tab.frames[2], tab.frames[3]

    def scroll(one: Frame, top: int, *, until: str, other: Frame) -> None:
        for aside in itertools.cycle((0, 30)):  # for a moment after a side was scrolled for us, it leads nobody
            one.evaluate(f"scrollTo(0, {top + aside})")
            tab.wait_for_timeout(200)
            if not aside and other.evaluate(until):
                return

    scroll(old, 1500, until="900 < scrollY && scrollY < 2100", other=new)
    scroll(new, 0, until="scrollY == 0", other=old)


def test_every_change_is_visible_on_its_page(tab: Page) -> None:
    tab.click("[data-view=page]")
    names = [row.get_attribute("data-change") for row in tab.locator("li[data-change]").all()]

    assert len(names) > 10
    for name in names:
        box = tab.frames[1].evaluate(f"(({{width, height}}) => [width, height])({name_box(name)})")
        assert min(box) > 4, name


def name_box(name: str | None) -> str:
    return f"document.getElementById('{name}').getBoundingClientRect()"


def test_print_shows_the_list_and_no_controls(tab: Page) -> None:
    tab.click("[data-view=page]")
    tab.emulate_media(media="print")

    assert tab.locator("li[data-change]").first.is_visible()
    assert not tab.locator("nav").is_visible()
    assert not tab.locator("iframe").first.is_visible()


def test_the_dark_mode_of_the_system_is_followed(tab: Page) -> None:
    tab.emulate_media(color_scheme="dark")

    assert tab.evaluate("getComputedStyle(document.body).backgroundColor") == "rgb(22, 22, 22)"


def test_too_many_changes_to_look_at_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    old, new = (PageVersion("https://a.example/", source) for source in (b"<p>a<p>b", b"<p>c<p>d"))
    monkeypatch.setattr("pagedrift.report.webpage.MAX_STEPS", 1)

    with pytest.raises(LimitError, match="--json"):
        compare_page(old, new, diff(old, new))


def test_an_edit_far_into_a_long_text_is_in_the_list() -> None:
    head = "<script>window.index=[" + "1," * 4_000
    listed = report(f"{head}2]", f"{head}3]").partition("<ol>")[2].partition("</ol>")[0]

    assert "<del>2</del>" in listed
    assert "<ins>3</ins>" in listed
