import gzip

import pytest
from hypothesis import given
from hypothesis import strategies as st
from turbohtml.treebuild import parse_into

from pagedrift import PageVersion
from pagedrift._kernels import tree_py
from pagedrift.facets.tree import _build, _read_back
from tests.strategies import pages

tree_cy = pytest.importorskip("pagedrift._kernels.tree_cy", reason="the native kernels are not built")


def built(builder, source: str):
    parse_into(source, builder)
    return builder.finish(), builder.names


@given(st.one_of(pages.map(lambda page: page.decode("utf-8", "replace")), st.text()))
def test_the_native_builder_equals_its_readable_twin(source: str) -> None:
    assert built(tree_cy.TreeBuilder(1000), source) == built(tree_py.TreeBuilder(1000), source)


@pytest.mark.parametrize("kernel", [tree_py, tree_cy])
def test_a_page_beyond_the_limit_is_refused(kernel) -> None:
    with pytest.raises(OverflowError):
        parse_into("<p>" * 100, kernel.TreeBuilder(50))


def test_many_different_names_find_their_numbers() -> None:
    source = "".join(f"<x{number} y{number}=1>" for number in range(2000))

    assert built(tree_cy.TreeBuilder(10_000), source) == built(tree_py.TreeBuilder(10_000), source)


MARKUP = [
    "<!doctype html public '-//W3C//DTD HTML 4.01//EN' 'http://www.w3.org/TR/html4/strict.dtd'><p>a&nbsp;b&lt;&amp;amp;",
    "<p a\"b=1 =x=2 <c title='&quot;&lt;>&amp;nbsp;'>t<a<b c>x</a<b>",
    "<script>if (a < b) { '</scrip' + '<script>' }</script><style>p > a::before { content: '<' }</style>",
    "<script><!-- document.write('<script></script>') //--></script><p>x",
    "<script><!-- x //--></script><noscript><p>&lt;</noscript><xmp><b>&amp;</xmp><iframe><b></iframe>",
    "<pre>\n\nx</pre><textarea>\n</textarea><textarea>\n\n</textarea><listing>\n\n\nx</listing><pre><!--x-->\n</pre>",
    "<svg viewbox=1><style>a&lt;b</style><link/><title><p>x</title><foreignObject><p>hi<br><svg><g/></svg></svg>y",
    "<svg><a xlink:href=1 xml:lang=en xmlns:xlink=http://www.w3.org/1999/xlink /><image/></svg><image>",
    "<math><mi>x<b>y</b></mi></math>",
    "<!-- a -- b ---><!---><!--><!--a--!>b--><! x><?php echo ?></ x>",
    "<plaintext></plaintext><p>",
    "<table>a<tr>b<td>c</table>d<b>1<p>2</b>3<template><td>x</template>",
    "<div><template shadowrootmode=open><p>inside</template></div>",
    "<select><option>1<optgroup><option>2</select><frameset>",
    "\ud800 half a pair",
    "größer \u2028 \U0001f600 <p title='größer'>",
]


@pytest.mark.parametrize("source", MARKUP)
def test_a_tree_read_off_written_markup_is_the_one_the_parser_built(source: str) -> None:
    _equal_or_untold(source)


@given(st.one_of(pages.map(lambda page: page.decode("utf-8", "replace")), st.text()))
def test_and_so_it_is_of_any_page(source: str) -> None:
    _equal_or_untold(source)


def test_and_of_real_pages_which_nearly_all_can_be_read_so(data) -> None:
    told = [_equal_or_untold(source) for source in real_sources(data)]

    assert told.count(False) < len(told) / 50


def _equal_or_untold(source: str) -> bool:
    read, built = _read_back(source, 10_000_000), _build(source, 10_000_000)
    if read is None:
        return False
    assert (read.finish(), read.names) == (built.finish(), built.names)
    return True


def real_sources(data):
    for path in sorted(data.glob("pairs/*/b.html.gz")):
        yield PageVersion("", gzip.decompress(path.read_bytes())).source
