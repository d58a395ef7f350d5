"""Trees that are read off the source must be those that the parser builds."""

import gzip

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pagedrift._kernels import NATIVE, TreeBuilder, read_well_formed
from pagedrift.facets.tree import MAX_TREE_NODES, Tree, _build, _read_back
from tests.strategies import pages

pytestmark = pytest.mark.skipif(not NATIVE, reason="only the native kernels read trees off the source")

NAMES = (
    "html head body title meta link script style noscript p li ul ol dd dt dl div span a b em code h1 h2 table"
    " tbody thead tr td th caption colgroup col select option optgroup form input br img hr button pre textarea"
    " svg path g desc linearGradient address section object iframe label x-card font nav template center math"
    " dialog nobr"
).split()
ODD_MARKUP = (
    "<!doctype html>",
    '<!DOCTYPE html PUBLIC "-//W3C//DTD XHTML 1.0" "a.dtd">',
    "<?xml version=1?>",
    "<?php x?>",
    "<!-- c -->",
    "<!-->",
    "<![if IE]>",
    "< 3",
    "</>",
    "</ x>",
    "<p class=a id='b' title=\"c&lt=d&amp;\">",
    "<a href=?a=1&b=2&copy=3&amp;d>",
    "<div a a=2 b= c>",
    '<li class=""">',
    "<path d=1 />",
    '<svg viewbox="0 0" xlink:href=x />',
    "<br/>",
    "<div/>",
    "<pre>\n\n",
    "<pre>&#10;",
    "</P >",
    "</p a=b>",
    "<script><!-- <script> </script> --></script>",
    "<style>a<b</style>",
    "<title>A &amp; B</title>",
)
TEXTS = (
    "x",
    " ",
    "\n",
    "\r\n",
    "\f",
    "é",
    "a &amp; b",
    "&copy",
    "&notit;",
    "&#8217;",
    "&#128;",
    "&#0;",
    "&nGt;",
    "&;",
)
words = st.sampled_from((*TEXTS, *ODD_MARKUP, *(f"<{name}>" for name in NAMES), *(f"</{name}>" for name in NAMES)))


@st.composite
def _element(draw: st.DrawFn, inside: st.SearchStrategy[str]) -> str:
    name = draw(st.sampled_from(NAMES))
    return f"<{name}>{draw(inside)}" + draw(st.sampled_from((f"</{name}>", f"</{name}>", f"</{name}>", "")))


nested = st.recursive(
    words, lambda inside: st.lists(_element(inside) | words, max_size=4).map("".join), max_leaves=20
)
framed = st.tuples(
    st.sampled_from(("", "<!doctype html><html><head><title>a</title></head>\n<body>", "<html><body>")),
    nested,
    st.sampled_from(("", "</body>", "</body></html>\n", "</body> </html>\n<!-- x -->\n", "</html> <p>late")),
).map("".join)


def parsed(source: str) -> Tree:
    builder = _read_back(source, MAX_TREE_NODES) or _build(source, MAX_TREE_NODES)
    return Tree(builder.finish(), tuple(builder.names))


def read(source: str) -> Tree | None:
    builder = TreeBuilder(MAX_TREE_NODES)
    return Tree(builder.finish(), tuple(builder.names)) if read_well_formed(builder, source) else None


def assert_same(tree: Tree, expected: Tree) -> None:
    assert tree == expected
    assert (tree.parent, tree.end) == (expected.parent, expected.end)


@given(
    st.lists(words, max_size=9).map("".join)
    | nested
    | framed
    | pages.map(lambda page: page.decode("utf-8", "replace"))
)
def test_what_is_read_off_the_source_is_what_the_parser_builds(source: str) -> None:
    tree = read(source)

    if tree is not None:
        assert_same(tree, parsed(source))


@pytest.mark.parametrize(
    "source",
    [
        "",
        "plain text",
        "<!doctype html><html lang=en><head><title>A &amp; B</title></head><body><p>x</p></body></html>\n",
        "<ul><li>one<li>two</ul>",
        "<p>one<p>two<div>three</div>",
        "<table><tr><td>1<td>2<tr><td>3</table>",
        "<div></p></div>",
        "text</b> goes on",
        "<div><span>open</div>",
        "<svg viewbox='0 0 1 1'><path d='M0' /><title>Icon</title></svg>",
        "<a href='?a=1&b=2'>a < b</a>",
        "<body>x</body>\n<script>late()</script></html>\n<!-- made by a machine -->",
        "<select><option>1<option selected>2</select>",
    ],
)
def test_plain_pages_and_common_mistakes_are_read_without_the_parser(source: str) -> None:
    tree = read(source)

    assert tree is not None
    assert_same(tree, parsed(source))


@pytest.mark.parametrize(
    "source",
    [
        "<b><p>misnested</b></p>",
        "<table>text of no cell</table>",
        "<template><p>x</p></template>",
        "<p><table></table>",
        "<a>one<a>two</a>",
        "<math><mi>x</mi></math>",
        "<svg><div>",
        "<pre>&#10;&#10;x</pre>",
        "<p a=1 \0>",
        "<div>" * 600,
        "x" + "</a>x" * 200,
        "\ud800",
        "\ufeff",
    ],
)
def test_whatever_a_browser_corrects_at_length_is_left_to_the_parser(source: str) -> None:
    assert read(source) is None


@pytest.mark.slow
def test_most_real_pages_are_read_without_the_parser_and_none_wrongly(data) -> None:
    found = total = 0
    for path in sorted((data / "pairs").glob("*/?.html.gz")):
        source = gzip.decompress(path.read_bytes()).decode("utf-8", "replace")
        tree = read(source)
        total += 1
        if tree is not None:
            found += 1
            assert_same(tree, parsed(source))
    assert found / total >= 0.75
