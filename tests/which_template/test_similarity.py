"""The eight measures: laws that all obey, and the definition of each on pages small enough to count by hand."""

import math

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pagedrift import PageVersion
from pagedrift.errors import InputError
from pagedrift.facets.tree import ELEMENT
from pagedrift.which_template.similarity import SHINGLE, SIMILARITIES, SimilarityClassifier, head_sequence
from tests import strategies

CARD = "<html><head><title>A</title></head><body><h1>A</h1><ul><li>B<li>C</ul></body></html>"
LONGER = CARD.replace("<li>C", "<li>C<li>D")
OTHER = "<html><head><title>A</title></head><body><table><tr><td>B<td>C</table></body></html>"


def page(html: str | bytes) -> PageVersion:
    return PageVersion("https://a.example/", html if isinstance(html, bytes) else html.encode())


def test_the_eight_of_the_paper_are_there() -> None:
    assert sorted(SIMILARITIES) == sorted("RTDM LCTS TV CP CPS CTSS MD5 MDH5".split())


@pytest.mark.parametrize("name", SIMILARITIES)
@settings(deadline=None)
@given(one=strategies.pages, other=strategies.pages)
def test_a_similarity_lies_between_0_and_1_and_knows_no_order(name: str, one: bytes, other: bytes) -> None:
    measure, first, second = SIMILARITIES[name], page(one), page(other)

    assert 0 <= measure(first, second) == measure(second, first) <= 1
    assert measure(first, first) == measure(first, page(one)) == 1


@pytest.mark.parametrize("name", SIMILARITIES)
def test_words_and_attributes_do_not_count(name: str) -> None:
    assert SIMILARITIES[name](page("<h1 id=a>Fees</h1><p>A"), page("<h1 class=b>Other</h1><!-- x --><p>B C")) == 1


@pytest.mark.parametrize("name", [name for name in SIMILARITIES if name != "MDH5"])
def test_another_template_is_less_similar_than_one_more_row(name: str) -> None:
    measure = SIMILARITIES[name]

    assert measure(page(CARD), page(OTHER)) <= measure(page(CARD), page(LONGER))
    assert measure(page(CARD), page(OTHER)) < 1


@pytest.mark.parametrize("name", SIMILARITIES)
@pytest.mark.parametrize(
    "html",
    [b"", b"only words", b"<", b"\xff\xfe<\0p\0>\0", b"\xff\xfe", b"\x1b$B", b"<p>" * 3_000],
    ids=["nothing", "only words", "half a tag", "utf-16", "a mark alone", "half an escape", "very deep"],
)
def test_odd_pages_have_a_similarity(name: str, html: bytes) -> None:
    assert 0 <= SIMILARITIES[name](page(html), page(CARD)) <= 1
    assert SIMILARITIES[name](page(html), page(html)) == 1


def root_paths(html: str) -> set[tuple[str, ...]]:
    """The ways to leaves, by going up from each."""
    tree, found = page(html).tree, set()
    for node in tree.elements():
        if not any(tree.kind[child] == ELEMENT for child in tree.children(node)):
            path = []
            while node > 0:
                path.append(tree.tag(node))
                node = tree.parent[node]  # noqa: PLW2901
            found.add(tuple(reversed(path)))
    return found


def pieces(path: tuple[str, ...]) -> set[tuple[str, ...]]:
    return {path[at : at + SHINGLE] for at in range(max(1, len(path) - SHINGLE + 1))}


PATHS = {"card": CARD, "longer": LONGER, "other": OTHER, "paragraph": "<p>A", "text": "A"}


@pytest.mark.parametrize("other", PATHS.values(), ids=PATHS)
@pytest.mark.parametrize("one", PATHS.values(), ids=PATHS)
def test_paths_are_compared_as_sets_over_the_larger(one: str, other: str) -> None:
    first, second = root_paths(one), root_paths(other)
    shorter, further = ({piece for path in ways for piece in pieces(path)} for ways in (first, second))
    cp = len(first & second) / max(len(first), len(second))
    cps = len(shorter & further) / max(len(shorter), len(further))

    assert SIMILARITIES["CP"](page(one), page(other)) == cp
    assert SIMILARITIES["CPS"](page(one), page(other)) == cps


def test_measures_on_tags_by_hand() -> None:
    one, other = page("<p>A</p><p>B</p><b>C</b>"), page("<p>A</p><p>B</p><p>C</p><b>D</b>")
    # p p p p b b, and p p p p p p b b: their runs of four are pppp pppb ppbb, the same in both
    assert SIMILARITIES["CTSS"](one, other) == 1
    assert SIMILARITIES["LCTS"](one, other) == 6 / 8
    assert SIMILARITIES["TV"](one, other) == 1 / (1 + 1)
    assert SIMILARITIES["MD5"](one, other) == 0
    assert SIMILARITIES["TV"](one, page("<i>A</i>")) == 1 / (1 + math.sqrt(4 + 1 + 1))
    # html html head head body body, with an h1 in one: html, head, body of both, and one step
    assert SIMILARITIES["RTDM"](page("A"), page("<h1>A</h1>")) == 1 - 1 / 7


@pytest.mark.parametrize(
    ("html", "tags"),
    [
        ("<html><head><title>A</title><meta name=b></head><body><p>C", 5),
        ("<title>A</title><body>B", 2),
        ("<title>A</title><p>B<meta>", 2),
        ("<title>A</title></p><link>B", 4),
        ("", 0),
        ("<script></script>" * 200 + "</head><p>", 400),
        ("<script></script>" * 32, 64),
    ],
)
def test_a_head_ends_where_a_browser_ends_it(html: str, tags: int) -> None:
    assert len(head_sequence(page(html))) == tags


def test_the_threshold_of_a_template_is_the_least_similarity_of_its_examples() -> None:
    pages = [page(CARD), page(LONGER), page(OTHER)]
    trained = SimilarityClassifier("CP").fit([*pages, page(OTHER)], ["card", "card", "wide", "wide"])
    least = SIMILARITIES["CP"](page(CARD), page(LONGER))

    assert trained.thresholds_ == {"card": least, "wide": 1}
    assert SimilarityClassifier("CTSS").fit(pages, ["a", "a", "b"]).thresholds_ == {"a": 0.8, "b": 0.8}
    assert SimilarityClassifier("MD5").fit(pages, ["a", "a", "b"]).thresholds_ == {"a": 1, "b": 1}


@pytest.mark.parametrize("name", SIMILARITIES)
def test_a_page_of_no_known_template_gets_none(name: str) -> None:
    trained = SimilarityClassifier(name).fit([page(CARD), page(LONGER)], ["card", "card"])
    stranger = page("<head><link></head><form>" + "<select><option>A</select>" * 30)

    assert trained.predict([page(CARD), stranger]) == ["card", None]
    assert trained.templates_of(page(CARD)) == {"card": 1}


def test_a_page_may_reach_the_threshold_of_several_templates() -> None:
    trained = SimilarityClassifier("MDH5").fit([page(CARD), page(OTHER)], ["card", "wide"])

    assert trained.templates_of(page(CARD)) == {"card": 1, "wide": 1}


def test_an_unknown_measure_is_named_with_those_there_are() -> None:
    with pytest.raises(InputError, match="choose one of RTDM"):
        SimilarityClassifier("XYZ").fit([], [])


@settings(deadline=None)
@given(st.lists(st.sampled_from("<p> </p> <b> </b> <ul> </ul> <li>".split()), max_size=30))
def test_equal_tags_are_equal_to_every_measure(tags: list[str]) -> None:
    spaced, close = page("A ".join(tags)), page("".join(tags))

    assert all(
        measure(spaced, close) == 1 for name, measure in SIMILARITIES.items() if name not in ("CP", "CPS", "RTDM")
    )
