"""Trees that are read off the source must be those that the parser builds."""

import gzip

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from pagedrift._kernels import NATIVE, TreeBuilder, is_utf8, read_well_formed, tree_py
from pagedrift.facets.tree import MAX_TREE_NODES, Tree, _build, _encoded, _read_back, read_tree
from tests.strategies import pages

pytestmark = pytest.mark.skipif(not NATIVE, reason="only the native kernels read trees off the source")

# Around what UTF-8 forbids: signs written too long, halves of surrogate pairs, and what is beyond Unicode.
HEX = "61 80 c1bf c280 e09fbf e0a080 ed9fbf eda080 efbf f08fbfbf f0908080 f48fbfbf f4908080 f5808080"
EDGES = st.sampled_from([bytes.fromhex(each) for each in HEX.split()])
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
    builder, data = TreeBuilder(MAX_TREE_NODES), _encoded(source)
    if data is None or not read_well_formed(builder, data):
        return None
    return Tree(builder.finish(), tuple(builder.names))


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


@given(st.binary(max_size=30) | st.text(max_size=12).map(str.encode) | st.lists(EDGES, max_size=6).map(b"".join))
@example(b"a" * 9 + "é".encode())
@example(b"a" * 9 + b"\xc3")
def test_what_is_utf8_is_what_python_decodes(data: bytes) -> None:
    assert is_utf8(data) == tree_py.is_utf8(data)


@given(
    st.lists(st.sampled_from([b"<p>", b"caf\xc3\xa9", b"caf\xe9", b"\r\n", b"<b title='", b"'>", b"</b>"])).map(
        b"".join
    )
)
def test_bytes_have_the_tree_of_the_text_that_they_are(data: bytes) -> None:
    assert read_tree(data) == read_tree(data.decode("utf-8", "replace"))


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
