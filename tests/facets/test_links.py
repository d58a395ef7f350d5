import pytest
from hypothesis import given
from hypothesis import strategies as st

from pagedrift.facets.links import Link, Resource, normalise, read_links, read_resources, resolve, source_set
from pagedrift.facets.tree import read_tree

URL = "https://city.example/permits/index.html"


def links(source: str) -> list[tuple[str, str]]:
    return [(link.kind, link.url) for link in read_links(read_tree(source), URL)]


def resources(source: str) -> list[tuple[str, str]]:
    return [(resource.kind, resource.url) for resource in read_resources(read_tree(source), URL)]


@pytest.mark.parametrize(
    ("href", "expected"),
    [
        ("fees.html", "https://city.example/permits/fees.html"),
        (" /fees\n", "https://city.example/fees"),
        ("//other.example", "https://other.example/"),
        ("HTTP://Other.Example:80/a/../b", "http://other.example/b"),
        ("?b=2&a=1", "https://city.example/permits/index.html?a=1&b=2"),
        ("?id=3&utm_source=x&fbclid=y", "https://city.example/permits/index.html?id=3"),
        ("#top", "https://city.example/permits/index.html"),
        ("#!/route", "https://city.example/permits/index.html#!/route"),
        ("mailto:clerk@city.example", "mailto:clerk@city.example"),
        ("javascript:void(0)", None),
        ("JavaScript:x", None),
        ("data:text/html,x", None),
        ("http://[bad", None),
        ("\\\\other.example\\fees", "https://other.example/fees"),
        ("java\nscript:1", None),
    ],
)
def test_references_become_absolute_and_normal(href: str, expected: str | None) -> None:
    assert resolve(URL, href) == expected


@given(st.text(max_size=30))
def test_no_reference_breaks_it_and_normal_forms_stay(reference: str) -> None:
    target = resolve(URL, reference)

    assert target is None or normalise(target) == target or not target.startswith("http")


def test_the_first_base_counts_and_is_itself_relative_to_the_page() -> None:
    source = "<base target=x><base href='../archive/'><base href='/no/'><a href=fees>"

    assert links(source) == [("anchor", "https://city.example/archive/fees")]


@pytest.mark.parametrize("base", ["javascript:1", "data:,x", "http://a b/"])
def test_a_base_that_leads_nowhere_does_not_count(base: str) -> None:
    assert links(f"<base href='{base}'><a href=fees>") == [("anchor", "https://city.example/permits/fees")]


def test_what_stands_in_a_template_does_not_count() -> None:
    source = "<template><base href=/no/><a href=no></a><img src=no></template><a href=fees>"

    assert links(source) == [("anchor", "https://city.example/permits/fees")]
    assert resources(source) == []


def test_links_have_their_kind_and_text() -> None:
    source = """<link rel=canonical href=/permits><link rel="alternate" type="application/rss+xml" href=/feed>
        <link rel=alternate hreflang=de href=/de><a href=/fees>All <b>fees</b></a><map><area href=/map></map>
        <a name=x>no link</a>"""

    assert read_links(read_tree(source), URL) == (
        Link("canonical", "https://city.example/permits"),
        Link("feed", "https://city.example/feed"),
        Link("anchor", "https://city.example/fees", "All fees"),
        Link("anchor", "https://city.example/map"),
    )


def test_resources_have_their_kind_and_come_once() -> None:
    source = """<link rel=stylesheet href=a.css><link rel="shortcut icon" href=i.ico><script src=a.js></script>
        <script>inline</script><img src=a.png data-src=b.png srcset="a.png 1x, c.png 2x"><img src=a.png>
        <picture><source srcset="d.webp"></picture><iframe src=f.html></iframe><img src="data:image/png,x">"""
    base = "https://city.example/permits/"

    assert resources(source) == [
        ("stylesheet", base + "a.css"),
        ("image", base + "i.ico"),
        ("script", base + "a.js"),
        ("image", base + "a.png"),
        ("image", base + "b.png"),
        ("image", base + "c.png"),
        ("image", base + "d.webp"),
        ("frame", base + "f.html"),
    ]
    assert read_resources(read_tree("<img src=''>"), URL) == ()
    assert Resource("image", "x") == Resource("image", "x")


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        ("", []),
        ("a.png", ["a.png"]),
        ("a.png 480w, b.png 2x", ["a.png", "b.png"]),
        ("a.png,b.png", ["a.png,b.png"]),  # one URL: the standard wants white space after a comma
        ("a.png, b.png", ["a.png", "b.png"]),
        (" a.png  1x ,\n b.png 2x, ", ["a.png", "b.png"]),
        ("data:image/png;base64,AA== 1x, b.png 2x", ["data:image/png;base64,AA==", "b.png"]),
    ],
)
def test_a_source_set_is_a_list_of_urls(value: str, expected: list[str]) -> None:
    assert source_set(value) == expected


@pytest.mark.parametrize(
    "value", ["," * 100_000, " " * 100_000, "a" + "," * 100_000, "a (" * 50_000, "a 1x, " * 20_000]
)
def test_no_source_set_takes_long(value: str) -> None:
    assert len(source_set(value)) <= 20_000


@pytest.mark.slow
def test_links_in_links_do_not_cost_their_square() -> None:
    source = "<svg>" + "<a href=x>y" * 100_000

    assert len(links(source)) == 100_000
