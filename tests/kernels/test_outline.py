import gzip

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pagedrift._kernels import outline_py, scan
from tests.strategies import pages

outline_cy = pytest.importorskip("pagedrift._kernels.outline_cy", reason="the native kernels are not built")

PIECES = b"""<p <link <script </script> </script > > class id href src CLASS = " ' / ? # .css a1 22 post-17 x/y.css
    b.js <a href=/m.css?v htm html index.html .html .htm http:// // : ../ mailto:x
    class=a id="b\tc" 'd e' =f \0 <i/class=z> """.split()
SPACES = [b" ", b"\n"]
tags = st.lists(st.sampled_from(PIECES + SPACES), max_size=30).map(b"".join)


@given(st.one_of(pages, tags))
def test_the_native_outline_equals_that_of_the_readable_twin(page: bytes) -> None:
    assert outline_cy.outline(page) == outline_py.outline(page)


def test_the_twins_agree_on_real_pages(data) -> None:
    for path in sorted((data / "pairs").glob("*/a.html.gz"))[::10]:
        page = gzip.decompress(path.read_bytes())
        assert outline_cy.outline(page) == outline_py.outline(page), path.parent.name


@given(st.one_of(pages, tags))
def test_its_tags_are_those_of_a_scan(page: bytes) -> None:
    assert outline_cy.outline(page)[0] == scan(page)[0]


def names(page: bytes) -> set[int]:
    return set(outline_cy.outline(page)[1])


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (b'<div class="nav main">', b"<div class='main  nav'>"),
        (b"<div id=top>", b"<DIV ID='top'>"),
        (b"<li class=post-17>", b"<li class=post-4>"),
        (b"<script src='/a/jquery-1.9.0.min.js'></script>", b"<script src=jquery-3.7.1.min.js?x></script>"),
        (b"<link rel=stylesheet href=//cdn.example/m.css?2>", b"<link href=/m.css#a>"),
    ],
)
def test_these_carry_the_same_names(one: bytes, other: bytes) -> None:
    assert names(one) == names(other) != set()


@pytest.mark.parametrize(
    "page",
    [
        b"<p>class=a",
        b"<p class=''>",
        b"<!-- <p class=a> -->",
        b"<link rel=next href=/page/2>",
        b"</p class=a>",
        b"<p",
    ],
)
def test_these_carry_no_name(page: bytes) -> None:
    assert names(page) == set()


def links(page: bytes) -> set[int]:
    return set(outline_cy.outline(page)[2])


@pytest.mark.parametrize(
    "href", [b"/fees", b"fees/", b"../fees.html", b"https://city.example/fees.htm?a", b"//x/fees/index.html#top"]
)
def test_these_lead_to_one_place(href: bytes) -> None:
    assert links(b"<a href='%s'>" % href) == links(b"<a href=fees>") != set()


@pytest.mark.parametrize(
    "href", [b"", b"/", b"#top", b"mailto:a@b", b"javascript:void(0)", b"https://city.example", b"../"]
)
def test_these_lead_to_no_page(href: bytes) -> None:
    assert links(b"<a href='%s'>" % href) == set()


def test_the_element_is_part_of_the_name() -> None:
    assert names(b"<p class=a>").isdisjoint(names(b"<div class=a><p id=a>"))


def test_the_tags_of_a_script_are_not_those_of_the_page() -> None:
    assert names(b"<script>'<p class=a>'</script>") == set()
