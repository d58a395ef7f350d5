import gzip
from pathlib import Path

import pytest
import turbohtml

from pagedrift import PageVersion
from pagedrift.errors import InputError, LimitError
from pagedrift.what_changed.selection import check, select, text_of

HARD = [
    "",
    "<div>" * 2000 + "x",
    "<div><template shadowrootmode=open><p>a</p></template><p>b</div>",
    "<frameset><frame>",
    "<svg><template><p></p></template><foreignObject><p>x</svg><math><mi>x",
    "<template><template><td>x</template></template>",
    "<select><b>x<option>y",
    "<table><p>x<tr><td>" + "<b><i>" * 300,
]


def page(source: str) -> PageVersion:
    return PageVersion("https://city.example/", source.encode())


def assert_same_elements(version: PageVersion) -> None:
    """Compare the elements of the tree that selectors run on with those of ours."""
    document = turbohtml.parse(version.source, positions=False, allow_declarative_shadow_roots=False)
    ours = [
        (version.tree.tag(node).removeprefix("svg:").removeprefix("math:"), dict(version.tree.attributes(node)))
        for node in select(version, "*")
    ]
    theirs = [
        (element.tag, {name: element.attr(name) or "" for name in element.attrs})
        for element in document.select("*")
    ]

    assert [tag for tag, _ in ours] == [tag for tag, _ in theirs]
    assert [set(attributes) for _, attributes in ours] == [set(attributes) for _, attributes in theirs]


@pytest.mark.parametrize("source", HARD)
def test_selectors_see_the_elements_of_our_tree(source: str) -> None:
    assert_same_elements(page(source))


def test_selectors_see_the_elements_of_our_tree_on_real_pages(data: Path) -> None:
    for path in sorted((data / "pairs").glob("*/a.html.gz")):
        assert_same_elements(PageVersion("https://site.example/", gzip.decompress(path.read_bytes())))


def test_a_selector_finds_elements_in_the_order_of_the_page() -> None:
    version = page("<p class=a>1<div><p class='b a'>2</div><p>3<p id=c class=a>4")

    assert [text_of(version.tree, node) for node in select(version, ".a, #c")] == ["1", "2", "4"]


@pytest.mark.parametrize("css", ["", " ", "p[", "p >", "::before", "p:unheard-of", "a{b}", "p,", "\0", "p:has("])
def test_an_invalid_selector_is_refused_with_an_example_of_a_valid_one(css: str) -> None:
    with pytest.raises(InputError, match=r'is not a valid CSS selector .*; write one such as "#news li"') as caught:
        check(css)

    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    "css",
    [
        ":has(" * 6 + "x" + ")" * 6,
        ":HAS(:is(:Has(x)))",
        r":h\61 s(:h\61 s(x))",
        "p:has(~ p ~ p ~ p.x)",
        "[title=')'] :has(i ~ b, :not(i ~ u))",
    ],
)
def test_a_selector_that_could_run_for_ever_is_refused(css: str) -> None:
    with pytest.raises(InputError, match=r"forever.*; write one such as"):
        check(css)


@pytest.mark.parametrize(
    "css",
    ["p:nth-child(2n of p)", "p:nth-last-child(1 OF .a)", r"p:\6eth-child(2n of p)", r"p:nth-child(2n o\66  p)"],
    ids=["of", "in capitals", "an escaped name", "an escaped of"],
)
def test_a_selector_that_counts_siblings_for_each_element_is_refused(css: str) -> None:
    with pytest.raises(InputError, match="could run forever"):
        check(css)


@pytest.mark.parametrize(
    "css",
    [
        "p:has(a):has(b)",
        "p:has(~ p) ~ p ~ p",
        r".md\:has\(",
        "[title=':has(:has(']",
        "i:has([a~=b][c~=d])",
        "a ~ b ~ c",
        "li:nth-child(2n+1) a:not(.offer)",
        "p:nth-of-type(2)",
    ],
)
def test_a_selector_that_only_looks_costly_is_taken(css: str) -> None:
    check(css)


def test_a_selector_longer_than_people_write_is_refused() -> None:
    with pytest.raises(InputError, match="more than 1,000 characters; "):
        check("p," * 600 + "p")


def test_elements_that_hold_one_another_are_refused_before_they_cost_their_square() -> None:
    with pytest.raises(LimitError, match="more than 5,000,000 nodes in them; select fewer"):
        select(page("<div>" * 500 + "<p></p>" * 11_000), "div")


@pytest.mark.parametrize(
    ("source", "css", "text"),
    [
        ("<table><tr><td>Fence<td>$40", "tr", "Fence $40"),
        ("<p><b>foot</b>ball\n  <i> today</i>", "p", "football today"),
        ("<p>one<br>two", "p", "one two"),
        ("<ul><li>a<li>b</ul>c", "body", "a b c"),
        ("<p>seen<script>x()</script><style>p{}</style><template>t</template>", "body", "seen"),
        ("<title> Fees  of 2026</title>", "title", "Fees of 2026"),
        ("<script>x()</script>", "script", "x()"),
        ("<p>日本<b>語</b>", "p", "日本語"),
        ("<img alt=seal>", "img", ""),
    ],
)
def test_the_text_of_an_element_is_what_a_reader_sees_of_it(source: str, css: str, text: str) -> None:
    version = page(source)

    assert [text_of(version.tree, node) for node in select(version, css)] == [text]
