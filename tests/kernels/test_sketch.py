import pytest
from hypothesis import given
from hypothesis import strategies as st

from pagedrift._kernels import sketch_py
from tests.strategies import pages

sketch_cy = pytest.importorskip("pagedrift._kernels.sketch_cy", reason="the native kernels are not built")

names = st.sampled_from("class CLASS id Id href data-class".split()).map(str.encode)
values = st.text(alphabet="aZé0-_:. \t\n'=/>", max_size=12).map(str.encode)
tags = st.sampled_from("html body div ul li p td a span h2 input table svg path title my-box".split()).map(
    str.encode
)


@st.composite
def attributes(draw: st.DrawFn) -> bytes:
    value = draw(values)
    written = draw(st.sampled_from([b'="%s"', b" = '%s'", b"=%s", b"%.0s"]))
    if b"'" in written:
        value = value.replace(b"'", b"")
    return draw(names) + written % value


@st.composite
def marked_up(draw: st.DrawFn) -> bytes:
    """Draw pages with many attributes, well formed or not."""
    parts = []
    for _ in range(draw(st.integers(0, 20))):
        tag = draw(tags)
        if draw(st.booleans()):
            inside = b" ".join([tag, *draw(st.lists(attributes(), max_size=3))])
            parts.append(b"<" + inside + draw(st.sampled_from([b">", b"/>", b" >"])))
        else:
            parts.append(b"</" + tag + b">")
    return b"text".join(parts)


@st.composite
def repeated(draw: st.DrawFn) -> bytes:
    """Draw pages whose tags come again, at other depths and with names that begin and end alike."""
    names = st.sampled_from([b"", b" ", b" a", b"ab", b"menu-item-home", b"menu-link-home", b"menu", b"x" * 5000])
    opened = st.builds(b'<%s class="%s" id="%s">'.__mod__, st.tuples(tags, names, names))
    some = draw(st.lists(opened | tags.map(b"<%s>".__mod__) | tags.map(b"</%s>".__mod__), min_size=1, max_size=6))
    return b"".join(draw(st.lists(st.sampled_from(some), max_size=60)))


sketches = st.lists(st.integers(0, 1), min_size=94, max_size=94).map(bytes)


@given(pages | marked_up() | repeated())
def test_the_native_sketch_equals_its_readable_twin(page: bytes) -> None:
    expected = sketch_py.sketch(page)
    assert sketch_cy.sketch(page) == expected
    among = bytearray(b"<i>" + page + b"\0<b></b>")
    assert sketch_cy.sketch(among, 3, 3 + len(page)) == sketch_py.sketch(among, 3, 3 + len(page)) == expected


def test_more_features_than_fit_in_the_tables_of_those_met_lately_are_all_counted() -> None:
    words = [bytes((97 + at % 26, 97 + at // 26 % 26, 97 + at // 676)) for at in range(3000)]
    page = b"".join(b"<div class=%s><b class='%s x'></b></div>" % (word, word) for word in words + words[::-1])

    assert sketch_cy.sketch(page) == sketch_py.sketch(page)


@given(sketches, sketches)
def test_native_keys_equal_those_of_the_readable_twin(one: bytes, other: bytes) -> None:
    assert sketch_cy.sketch_keys(one) == sketch_py.sketch_keys(one)
    assert sketch_cy.shares_key(one, other) == sketch_py.shares_key(one, other)


def test_the_keys_are_all_that_follows_the_features() -> None:
    sketch = bytes(range(sketch_py.LENGTH))

    assert b"".join(key[1:] for key in sketch_py.sketch_keys(sketch)) == sketch[sketch_py.BITS_BYTES :]
    assert [key[0] for key in sketch_py.sketch_keys(sketch)] == list(range(sketch_py.KEYS))
