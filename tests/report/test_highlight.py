"""The highlighted page: every change is marked, nothing breaks, and nothing in it is live."""

import gzip
from collections.abc import Callable
from html import escape
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from playwright.sync_api import Browser

from pagedrift import PageVersion
from pagedrift.facets.tree import ELEMENT, TEXT, Tree, read_tree
from pagedrift.report.css_sanitiser import clean
from pagedrift.report.highlight import highlight
from pagedrift.report.marks import STRICT, Side
from pagedrift.report.sanitiser import POLICY, UnsafePageError, check, inert
from pagedrift.what_changed import MATCHERS, diff
from tests.conftest import Beacon
from tests.hostile_pages import ATTACKS, attack
from tests.what_changed.test_patch import sources

URL = "https://city.example/permits/fees"
OLD = """<!doctype html><title>Fees</title><meta name=description content=old><main><h1>Fees</h1>
<p id=intro>A permit costs <b>$120</b> and takes two weeks.</p><img src=a.png alt="The town hall" width=80>
<table><tr><th>What<th>Fee<tr><td>Fence<td>$40<tr><td>Carport of any size<td>$60<tr><td>Roof<td>$85</table>
<ul><li>Bring the form<li>Bring a plan of the site<li>Pay</ul><select><option>Cash<option>Card</select>
<section class=a><h2>Hours</h2><p>We are open from nine to five, Monday to Friday, except on holidays.</section>
<p>See <a href=../help#top>help</a> or <a href=#intro>above</a>.<ins>The page's own insertion</ins><p>Gone tomorrow.
<section><h2>Address</h2><p>Town hall, second floor, room 211, next to the library.</section></main>"""
NEW = """<!doctype html><title>Fees 2027</title><meta name=description content=new><main><h1>Fees</h1>
<section><h2>Address</h2><p>Town hall, second floor, room 211, next to the library.</section>
<p id=intro>A permit costs <b>$130</b> and takes three weeks.</p><img src=b.png alt="The town hall" width=80>
<table><tr><th>What<th>Fee<tr><td>Fence<td>$45<tr><td>Roof<td>$85<tr><td>Pool<td>$300</table>
<ul><li>Bring the form<li>Pay<li>Wait</ul><select><option>Cash<option>Transfer</select>
<section class=b><h2>Hours</h2><p>We are open from nine to five, Monday to Friday, except on holidays.</section>
<p>See <a href=../faq#top>help</a> or <a href=#intro>above</a>.<ins>The page's own insertion</ins>
<p>A paragraph that is new, and <strong>long</strong> enough.</main>"""


def page(source: str, url: str = URL) -> PageVersion:
    return PageVersion(url, source.encode())


def shown(old: str, new: str, **options) -> str:
    one, other = page(old), page(new)
    return highlight(one, other, diff(one, other), prefix="x", **options)


def unmarked(html: str) -> list[str]:
    """List the tags and words in the body of a highlighted page without our own."""
    tree = read_tree(html)
    ours, out = set(), []
    for node in range(tree.find("body") + 1, len(tree)):
        tag, mark = tree.tag(node), tree.attribute(node, "data-x") or ""
        ours_is_page = tag in ("x-text", "x-words", "x-other", "x-gone")
        gone = tag.startswith("x-") and (not ours_is_page or mark == "removed")
        if tree.parent[node] in ours or gone or "ghost" in mark:
            ours.add(node)
        elif tree.kind[node] == ELEMENT and not tag.startswith("x-"):
            out.append(tag)
        elif tree.kind[node] == TEXT:
            out += tree.text(node).split()
    return out


def body_of(tree: Tree) -> list[str]:
    return [
        piece
        for node in range(tree.find("body") + 1, len(tree))
        for piece in (tree.text(node).split() if tree.kind[node] == TEXT else [tree.tag(node)])
    ]


def test_every_step_is_marked_once() -> None:
    html = shown(OLD, NEW)
    steps = len(diff(page(OLD), page(NEW)))

    assert steps > 10
    assert [html.count(f'id="x-{at}"') for at in range(1, steps + 1)] == [1] * steps


@settings(deadline=None)
@given(sources, sources, st.sampled_from(sorted(MATCHERS)))
def test_every_step_between_any_pages_is_marked(one: str, other: str, algorithm: str) -> None:
    old, new = page(one), page(other)
    script = diff(old, new, algorithm=algorithm)
    html = highlight(old, new, script, prefix="x")

    for at in range(1, len(script) + 1):
        assert html.count(f'id="x-{at}"') == 1


def test_without_its_marks_the_page_is_the_new_one() -> None:
    # Words are compared glued together: a word of which one half changed is two.
    assert "".join(unmarked(shown(OLD, NEW))) == "".join(body_of(read_tree(NEW)))


@settings(deadline=None)
@given(sources, sources)
def test_marks_leave_any_page_as_it_is(one: str, other: str) -> None:
    assert "".join(unmarked(shown(one, other))) == "".join(unmarked(shown(other, other)))


def test_the_old_side_without_its_marks_is_the_old_page() -> None:
    old, new = page(OLD), page(NEW)
    html = highlight(old, new, diff(old, new), prefix="x", side="old").replace('data-x="removed"', "")

    assert "".join(unmarked(html)) == "".join(body_of(read_tree(OLD)))


@settings(deadline=None)
@given(sources, sources)
def test_no_mark_stands_where_it_would_break_the_page(one: str, other: str) -> None:
    tree = read_tree(shown(one, other))

    for node in tree.elements():
        if tree.tag(node).startswith("x-") and tree.tag(node) not in ("x-other", "x-gone"):  # the page's own
            assert tree.tag(tree.parent[node]) not in STRICT - {"html"}


def test_words_are_marked_inside_a_text() -> None:
    html = shown("<p>Fence: $40 a year", "<p>Fence: $45 a year")

    assert '<x-words data-x="removed">$40</x-words><x-words data-x="added">$45</x-words> a year' in html


def test_what_was_removed_is_shown_where_it_was_and_does_nothing() -> None:
    html = shown("<ul><li>a<li><b onclick=x()>Bring a plan</b><li>c</ul>", "<ul><li>a<li>c</ul>")

    ghost = html[html.index('<li id="x-1" data-x="removed ghost">') : html.rindex("<li>")]
    assert "Bring a plan" in ghost
    assert "<b" not in ghost
    assert html.index("<li>a") < html.index("Bring a plan") < html.index("<li>c")


def test_what_was_removed_stands_behind_what_stayed_not_behind_what_moved() -> None:
    roof, fence = "<p>All about roofs, in one long sentence.</p>", "<p>All about fences, in one long sentence.</p>"
    html = shown(f"{fence}<b>x</b>{roof}<i>withdrawn</i><p>end", f"{roof}{fence}<b>x</b><p>end")

    assert html.index("<b>x</b>") < html.index("withdrawn") < html.index("<p>end")


def test_a_removed_row_stays_a_row() -> None:
    rows = "<tr><td>Fence<td>$40", "<tr><td>Carport of any size<td>$60", "<tr><td>Roof<td>$85"
    html = shown(f"<table>{''.join(rows)}</table>", f"<table>{rows[0]}{rows[2]}</table>")

    assert '<tr id="x-1" data-x="removed ghost"><td>Carport of any size</td><td>$60</td></tr>' in html


def test_a_move_has_one_number_at_both_places() -> None:
    one, other = "<section><p>About roofs, at length</section>", "<section><p>About fences, at length</section>"
    html = shown(f"{one}{other}<p>end", f"{other}<p>end{one}")

    assert "↔ 1 moved" in html
    assert "↔ 1 was here" in html


def test_insertions_of_the_page_itself_are_no_marks() -> None:
    html = shown("<p><ins>new</ins> a", "<p><ins>new</ins> b")

    assert "<ins>new</ins>" in html


def test_atoms_are_marked_as_a_whole() -> None:
    html = shown("<p><select><option>a<option>b</select>", "<p><select><option>a<option>c</select>")

    assert '<select data-x="edited"><option>a</option><option>c</option></select>' in html


def test_what_holds_something_that_came_or_went_looks_changed() -> None:
    html = shown("<p><select><option>a<option>b</select>", "<p><select><option>a</select>")

    assert '<select data-x="changed">' in html
    assert "− removed" in html


def test_links_are_absolute_and_places_on_the_page_stay() -> None:
    html = shown(
        "", "<a href=../help?a=1&b=2#top>h</a><a href=#intro>i</a><a href=fees#roof>r</a><a name=roof>R</a>"
    )

    assert '<a href="https://city.example/help?a=1&amp;b=2#top" target="_blank" rel="noopener noreferrer"' in html
    assert '<a href="#intro"' in html
    assert '<a href="#roof"' in html
    assert '<a id="roof"' in html


def test_resources_show_only_where_they_were_captured() -> None:
    source = "<link rel=stylesheet href=s.css><img src=a.png><img src=b.png><p style='background:url(a.png)'>x"
    captured = {
        "https://city.example/permits/a.png": ("image/png", b"PNG"),
        "https://city.example/permits/s.css": (
            "text/css",
            b"p { color: red; background: url(a.png) } @import 'x';",
        ),
    }
    html = shown(source, source, resources=captured)

    assert html.count("data:image/png;base64,UE5H") == 3
    assert "b.png" not in html
    assert "@-gone 'x'" in html


def test_a_page_keeps_its_mode() -> None:
    assert shown("", "<p>x").startswith("<html")
    assert shown("", "<!doctype html><p>x").startswith("<!DOCTYPE html><html")
    assert "Transitional" in shown("", '<!doctype html public "-//W3C//DTD XHTML 1.0 Transitional//EN" "">')[:60]


def test_the_prefix_is_random_unless_given() -> None:
    one, other = page("a"), page("b")
    script = diff(one, other)

    assert highlight(one, other, script) != highlight(one, other, script)
    assert highlight(one, other, script, prefix="x") == highlight(one, other, script, prefix="x")
    with pytest.raises(ValueError, match="small letters"):
        highlight(one, other, script, prefix='"><script>')


def test_deep_and_wide_pages_are_shown() -> None:
    deep = "<div>" * 3_000 + "x"
    wide = "<p>x</p>" * 20_000

    assert 'id="x-1"' in shown(deep, deep.replace("x", "y"))
    assert shown(wide, wide + "<p>y").count("<p") >= 20_000


hostile = st.lists(
    st.one_of(st.sampled_from(sorted(ATTACKS)).map(lambda name: attack(name, "http://b.example")), sources)
)


@settings(deadline=None)
@given(hostile.map("".join), hostile.map("".join))
def test_what_is_shown_is_allowed_and_always_the_same(one: str, other: str) -> None:
    html = shown(one, other)  # checks itself

    check(html, "x")
    assert html == shown(one, other)


ANY_CSS = st.one_of(
    st.text(alphabet="url(\\75 2c)@import'\"/*<>!-;{}x\n\r\f:#,d\0\xa0\ud800", max_size=60),
    st.text(max_size=60),
    st.lists(
        st.sampled_from(
            [
                *["url(", "URL('", "u\\72 l(", ")", "a.woff2", "format(", '"', "'", "<!--", "-->", "/*", "*/"],
                *["</style>", "\\<", "\\\\", "\\", "\0", "@import", "@media", "@", "#a", "(", "<", "width", ";"],
                *["data:image/png;base64,AA==", "{", "}", "-", "none", "\n", " ", "image-set(", "calc("],
            ]
        ),
        max_size=14,
    ).map("".join),
)  # fmt: skip


@settings(deadline=None, max_examples=300)
@given(ANY_CSS, st.sampled_from([inert, lambda _: None]))
def test_cleaned_styles_are_clean(css: str, address: Callable[[str], str | None]) -> None:
    once = clean(css, address)

    assert clean(once, address) == once
    assert clean(once, inert) == once
    assert "</" not in once


@settings(deadline=None, max_examples=300)
@given(ANY_CSS, ANY_CSS)
def test_no_style_sheet_keeps_a_page_from_being_shown(sheet: str, attribute: str) -> None:
    source = f'<style>{sheet}</style><p style="{escape(attribute)}">x'.encode(errors="replace").decode()
    html = shown(source, source)  # checks itself

    assert "x-note>" not in html


@pytest.mark.parametrize(
    ("css", "kept"),
    [
        pytest.param(
            'src:url(a.woff2)format("woff2"),url(b)format("woff")',
            'src:none/**/format("woff2"),none/**/format("woff")',
            id="no space behind an address",
        ),
        pytest.param(".a/* x */.b{}", ".a/**/.b{}", id="a comment inside a selector"),
        pytest.param("@media (400px<width<=9in){}", "@media (400px< width<=9in){}", id="a range of widths"),
        pytest.param("a\0b{}", "a\ufffdb{}", id="a zero byte"),
        pytest.param('a{content:"x-->\\<b"}', 'a{content:"x-->\\3c b"}', id="signs of HTML inside a string"),
        pytest.param("<!-- a{} -->", "/**/ a{} /**/", id="styles hidden from old browsers"),
    ],
)
def test_what_is_left_out_of_a_style_sheet_leaves_the_rest_as_it_was(css: str, kept: str) -> None:
    assert clean(css, inert) == kept


def test_minified_styles_survive_in_a_browser(browser: Browser, tmp_path: Path) -> None:
    source = (
        '<style>@font-face{font-family:f;src:url(a.woff2)format("woff2")}p{color:#010203}'
        "div{background:url(b.png)no-repeat;color:#040506}@media (1px<width){b{color:#070809}}</style>"
        "<p>p<div>d</div><b>b"
    )
    (tmp_path / "page.html").write_text(shown(source, source), "utf-8")
    tab = browser.new_page()
    tab.goto((tmp_path / "page.html").as_uri())
    colours = [
        tab.evaluate(f"getComputedStyle(document.querySelector('{tag}')).color") for tag in ("p", "div", "b")
    ]
    tab.close()

    assert colours == ["rgb(1, 2, 3)", "rgb(4, 5, 6)", "rgb(7, 8, 9)"]


@pytest.mark.parametrize("side", ["old", "new"])
def test_a_style_sheet_that_stays_unsafe_is_left_out_and_the_reader_learns_of_it(
    monkeypatch: pytest.MonkeyPatch, side: Side
) -> None:
    # No such sheet is known; were there a fault in the cleaning, it would look like this.
    monkeypatch.setattr("pagedrift.report.highlight.clean", lambda css, _: css)
    source = (
        "<style>p{background:url(//a.example)}</style><style>p{color:red}</style><p style='background:url(//b)'>x"
    )
    html = shown(source, source, side=side)

    assert "a.example" not in html
    assert "color:red" in html
    assert "1 style of this page is not shown" in html


FORMS = """<form action=/sent><input name=a id=text><input type=submit id=submit><button id=plain>go</button>
<input type=image id=image src=x.png alt=go></form><form method=dialog onsubmit=x() id=f><button formmethod=get
formaction=/sent id=method>go</button></form><button form=f formaction=/sent id=outside>go</button>
<label for=file id=label>choose</label><input type=FILE id=file multiple><input type=file id=other>"""


def test_no_form_of_a_shown_page_is_sent_and_no_file_is_chosen(
    browser: Browser, beacon: Beacon, tmp_path: Path
) -> None:
    # Without the policy that they come with: cleaning alone must do.
    html = shown(FORMS, FORMS + "<p>new").replace('http-equiv="Content-Security-Policy"', "name=none")
    (tmp_path / "page.html").write_text(html.replace("<head>", f"<head><base href={beacon.url}/>"), "utf-8")
    tab = browser.new_page()
    chosen: list[object] = []
    tab.on("filechooser", lambda chooser: chosen.extend([chooser]))
    tab.goto((tmp_path / "page.html").as_uri())
    for name in ("submit", "plain", "image", "method", "outside", "label", "file", "other"):
        tab.evaluate(f"document.getElementById('{name}')?.click()")
        tab.locator(f"#{name}").click(force=True)
    tab.locator("#text").press("Enter")
    tab.wait_for_timeout(100)
    url = tab.url
    tab.close()

    assert (beacon.asked, chosen, url) == ([], [], (tmp_path / "page.html").as_uri())


@pytest.mark.parametrize("live", ["<form>", "<form method=get>", "<input type=file>"])
def test_forms_that_could_be_sent_are_refused_at_the_second_look(live: str) -> None:
    with pytest.raises(UnsafePageError, match="list of changes"):
        check(f"<p>x{live}", "x")


@pytest.mark.parametrize(
    "live", ["<script>", "<p onclick=a>", "<a href=javascript:a>", "<img src=//a.example>", "<!-- -->"]
)
def test_what_is_left_of_a_live_page_is_refused(live: str) -> None:
    with pytest.raises(UnsafePageError, match="list of changes"):
        check(f"<p>x{live}", "x")


@pytest.mark.parametrize("name", ATTACKS)
def test_nothing_live_is_left_of_an_attack(name: str) -> None:
    html = shown(attack(name, "http://beacon.example"), "<p>x")
    html += shown("<p>x", attack(name, "http://beacon.example"))
    tree = read_tree(html)

    assert POLICY in html.replace("&#x27;", "'")
    for node in tree.elements():
        assert tree.tag(node).split(":")[-1] not in (
            "script",
            "iframe",
            "object",
            "embed",
            "base",
            "noscript",
            "template",
        )
        for key, value in tree.attributes(node):
            assert not key.startswith("on")
            assert key in ("title", "content") or key.startswith("data-") or "javascript:" not in value.lower()
            assert (
                key not in ("src", "action", "formaction", "srcset", "poster", "background") or value[:5] == "data:"
            )


def test_no_attack_runs_or_leaves_in_a_browser(browser: Browser, beacon: Beacon, tmp_path: Path) -> None:
    tab = browser.new_page()
    said, asked = [], []
    tab.on("dialog", lambda dialog: (said.append(dialog.message), dialog.dismiss()))
    tab.on("request", lambda request: asked.append(request.url))
    for number, name in enumerate(ATTACKS):
        hurt = attack(name, beacon.url)
        # Without the policy that they come with: cleaning alone must do.
        for side, html in enumerate((shown(f"{hurt}<p>old", f"{hurt}<p>new"), shown(hurt, "<p>new"))):
            file = tmp_path / f"{number}-{side}.html"
            file.write_text(html.replace('http-equiv="Content-Security-Policy"', "name=none"), "utf-8")
            asked.clear()
            tab.goto(file.as_uri())
            assert tab.evaluate("[window.ran ?? 0, document.title == '1']") == [0, False], name
            assert [url for url in asked if not url.startswith("data:")] == [file.as_uri()], name
    tab.wait_for_timeout(100)
    tab.close()
    assert (said, beacon.asked) == ([], [])


def test_the_attacks_are_real(browser: Browser, beacon: Beacon, tmp_path: Path) -> None:
    tab = browser.new_page()
    tab.on("dialog", lambda dialog: dialog.dismiss())
    for name in ("a script", "an event handler", "a style with escapes", "svg with a handler"):
        (tmp_path / "live.html").write_text(attack(name, beacon.url), "utf-8")
        beacon.asked.clear()
        tab.goto((tmp_path / "live.html").as_uri())
        while not beacon.asked:
            tab.wait_for_timeout(50)
    tab.close()


def test_every_mark_is_visible_in_a_browser(browser: Browser, tmp_path: Path) -> None:
    (tmp_path / "page.html").write_text(shown(OLD, NEW), "utf-8")
    tab = browser.new_page(viewport={"width": 1000, "height": 800})
    tab.goto((tmp_path / "page.html").as_uri())

    for at in range(1, len(diff(page(OLD), page(NEW))) + 1):
        box = tab.locator(f"#x-{at}").bounding_box()
        assert box, at
        assert min(box["width"], box["height"]) > 4, at
    assert tab.locator("x-legend").inner_text().count("added") == 1
    tab.close()


def test_real_pages_are_shown_with_every_step_marked(data: Path) -> None:
    for folder in sorted(path for path in (data / "pairs").iterdir() if path.is_dir())[::6]:
        old, new = (PageVersion(URL, gzip.decompress((folder / f"{side}.html.gz").read_bytes())) for side in "ab")
        script = diff(old, new)
        html = highlight(old, new, script, prefix="x")
        shown_on_page = [at for at in range(1, len(script) + 1) if html.count(f'id="x-{at}"') == 1]
        assert len(shown_on_page) == len(script) or "more</x-line>" in html, folder.name
