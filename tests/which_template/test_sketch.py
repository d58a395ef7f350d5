import pytest
from hypothesis import given
from hypothesis import strategies as st

import pagedrift.which_template.index as index_module
from pagedrift import Fingerprint, PageVersion, TemplateClusterer, TemplateIndex, fingerprint, same_template
from pagedrift._kernels.sketch_py import BITS_BYTES, KEY_BYTES, KEYS, LENGTH
from pagedrift.which_template.consensus import LAYOUT, NAMES, TemplateRule
from pagedrift.which_template.sketch import MAX_READ_BYTES, features, is_same, keys, look
from tests.strategies import pages

PAGE = (
    b'<html><body class="single post-17"><div id="page"><ul class="menu"><li><a href="/">Home</a></ul>'
    b"<article><h1>One title</h1><p>Some <em>text</em>.</p></article></div></body></html>"
)


def taken(body: bytes, **fields: str) -> bytes:
    return bytes(fingerprint(PageVersion("", body, **fields), algorithm="pagedrift"))


@st.composite
def crowds(draw: st.DrawFn) -> list[bytes]:
    """Draw sketches of which many share keys and features: each is an older one, some of it kept."""
    crowd = [bytes(LENGTH)]
    for number in range(1, draw(st.integers(1, 8))):
        one = bytearray((number,) * LENGTH)
        older = draw(st.sampled_from(crowd))
        for key in draw(st.sets(st.integers(0, KEYS - 1), max_size=2)):
            start = BITS_BYTES + KEY_BYTES * key
            end = start + KEY_BYTES - draw(st.integers(0, 1))  # the whole key, or nearly
            one[start:end] = older[start:end]
        crowd.append(bytes(one))
    return crowd


@given(pages)
def test_every_page_has_a_fingerprint_of_one_size(page: bytes) -> None:
    assert len(taken(page)) == LENGTH == 94


@given(st.text(alphabet="abc 123.é\n", max_size=30))
def test_text_addresses_and_comments_do_not_matter(text: str) -> None:
    other = PAGE.replace(b"One title", text.encode()).replace(b'"/"', b'"/other"').replace(b"<p>", b"<!-- a --><p>")

    assert taken(other) == taken(PAGE)


def test_numbers_in_names_do_not_matter() -> None:
    assert taken(PAGE.replace(b"post-17", b"post-9")) == taken(PAGE)


def test_repeating_content_does_not_matter() -> None:
    again = b"<p>More <em>text</em>.</p>" * 50

    assert taken(PAGE.replace(b"</article>", again + b"</article>")) == taken(PAGE)


def test_what_authors_write_into_their_text_does_not_matter() -> None:
    written = b"<p>A <a class=more href=/><b>bold</b></a> <code class=python>move</code>.</p>"

    assert taken(PAGE.replace(b"<p>Some <em>text</em>.</p>", written)) == taken(PAGE)


def test_the_kind_of_page_that_the_body_names_matters() -> None:
    other = taken(PAGE.replace(b"single post-17", b"archive date"))

    assert not is_same(taken(PAGE), other)
    assert features(other) & LAYOUT == features(taken(PAGE)) & LAYOUT
    assert not features(other) & features(taken(PAGE)) & NAMES


def test_two_versions_are_of_one_template_if_they_have_most_features_in_common() -> None:
    with_comments = taken(PAGE.replace(b"</article>", b"</article><section id=comments></section>"))
    one = Fingerprint("pagedrift", taken(PAGE))
    other = Fingerprint("pagedrift", with_comments[:BITS_BYTES].ljust(LENGTH, b"\0"))  # and no key in common

    assert not is_same(bytes(one), bytes(other))
    assert same_template(one, other)
    assert not same_template(one, Fingerprint("pagedrift", taken(b"<table><tr><td>")))


def test_the_encoding_does_not_matter() -> None:
    wide = PAGE.decode().encode("utf-16")

    assert taken(wide) == taken(wide, content_type="text/html") == taken(PAGE)


def test_a_page_without_end_is_read_to_the_limit() -> None:
    endless = b"<div class=a><p>x" * 6_000_000
    found = taken(endless)

    assert found == taken(endless[:MAX_READ_BYTES]) == look(endless[:MAX_READ_BYTES], None, is_all=False)
    assert look(PAGE, None, is_all=False) is None
    assert look(PAGE, None, is_all=True) == taken(PAGE)


@given(crowds())
def test_two_are_the_same_if_and_only_if_they_share_a_key(crowd: list[bytes]) -> None:
    for one in crowd:
        for other in crowd:
            assert is_same(one, other) == bool(set(keys(one)) & set(keys(other)))


@given(crowds())
def test_a_query_gives_exactly_what_comparing_with_each_would(crowd: list[bytes]) -> None:
    index = TemplateIndex("pagedrift")
    for one in crowd:
        index.add(Fingerprint("pagedrift", one))
    for asked in crowd:
        found = [bytes(known.fingerprint) for known in index.query(Fingerprint("pagedrift", asked))]
        assert found == [one for one in dict.fromkeys(crowd) if is_same(one, asked)]


@given(crowds(), st.randoms(use_true_random=False))
def test_groups_are_what_comparing_all_with_all_links_in_any_order(crowd: list[bytes], chance: object) -> None:
    chance.shuffle(crowd)  # type: ignore[attr-defined]
    rule = TemplateRule(least_pages=len(crowd) + 1)  # no group is large enough to be joined
    labels = TemplateClusterer("pagedrift", rule=rule).fit(Fingerprint("pagedrift", one) for one in crowd).labels_
    expected = list(range(len(crowd)))
    for at, one in enumerate(crowd):
        for before in range(at):
            if is_same(one, crowd[before]):
                joined = {expected[at], expected[before]}
                expected = [min(joined) if label in joined else label for label in expected]

    assert list(labels) == expected


@given(crowds())
def test_of_very_many_those_that_speak_for_them_are_found(crowd: list[bytes]) -> None:
    index = TemplateIndex("pagedrift")
    for one in crowd:
        index.add(Fingerprint("pagedrift", one))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(index_module, "CROWD", 0)
        for asked in [*crowd, bytes((200,) * LENGTH)]:
            found = {bytes(known.fingerprint) for known in index.nearest(Fingerprint("pagedrift", asked))}
            same = {one for one in crowd if is_same(one, asked)}
            assert found <= same
            assert bool(found) == bool(same)
            assert (asked in found) == (asked in crowd)
            assert {key for one in found for key in keys(one)} >= set(keys(asked)) & {
                key for one in same for key in keys(one)
            }


def test_linking_costs_the_same_however_many_pages_a_template_has(monkeypatch: pytest.MonkeyPatch) -> None:
    clusterer = TemplateClusterer("pagedrift")
    shared = range(BITS_BYTES, BITS_BYTES + KEY_BYTES)
    for number in range(500):
        own = number.to_bytes(2, "big")
        one = bytes(7 if at in shared else own[at % 2] for at in range(LENGTH))
        clusterer.add(Fingerprint("pagedrift", one))
    monkeypatch.setattr(clusterer.index_, "matches", None)  # which would compare with all of them
    clusterer.add(Fingerprint("pagedrift", bytes(7 if at in shared else 99 for at in range(LENGTH))))

    assert clusterer.count() == 1
    assert len(clusterer.labels_) == 501
