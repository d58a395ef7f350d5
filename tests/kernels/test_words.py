from array import array

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pagedrift._kernels import attributes_py, groups_py, words_py
from pagedrift.facets.tree import read_tree
from pagedrift.selectors.groups import _kinds
from pagedrift.selectors.varieties import Varieties
from tests.what_changed.test_patch import sources

words_cy = pytest.importorskip("pagedrift._kernels.words_cy", reason="the native kernels are not built")
attributes_cy = pytest.importorskip("pagedrift._kernels.attributes_cy")
groups_cy = pytest.importorskip("pagedrift._kernels.groups_cy")

texts = st.text() | st.text("aÇß日本_ -\u3000\x1c\x85©7İΣ")
links = st.lists(
    st.sampled_from(
        [
            "<a href=/b>",
            "<a>",
            "</a>",
            "<img src=c>",
            "<img>",
            "<p title=d>",
            "x",
            "<ul><li class=e>",
            "<b class='e f'>",
        ]
    ),
    max_size=12,
).map("".join)


@given(texts)
def test_the_native_words_equal_those_of_the_readable_twin(text: str) -> None:
    assert words_cy.words_of(text) == words_py.words_of(text)

    numbers: tuple[dict[str, int], dict[str, int]] = {"a": 0}, {"a": 0}
    found = [groups_py.Lists(array("i", [0, 1]), array("i", [0])) for _ in range(2)]
    may, meant = list[bytes](), array("i", [0, 4])
    for twin, known, lists in zip((words_cy, words_py), numbers, found, strict=True):
        may.append(twin.add_words([text], known, lists, meant))
        may.append(twin.add_words([text + " a b", "", text, "a", "a >"], known, lists, meant))
    assert may[:2] == may[2:]
    assert found[0] == found[1]
    assert numbers[0] == numbers[1]


@given(sources | links, texts)
def test_the_native_texts_of_a_page_equal_those_of_the_readable_twin(source: str, text: str) -> None:
    tree = read_tree(f"{source}<p>{text}</p><script>{source}</script>")
    columns, silent = tree.columns, bytes(name in ("script", "b") for name in tree.names)

    for node in range(len(tree)):
        assert words_cy.has_text(columns, node) == words_py.has_text(columns, node)
    assert words_cy.read_words(columns, silent) == words_py.read_words(columns, silent)
    nodes, before, values = words_py.find_texts(columns)
    assert words_cy.find_texts(columns) == (nodes, before, values)
    starts, stops = (array("i", [before[node] for node in places]) for places in (range(len(tree)), tree.end))
    for most in (0, 3, 120):
        given = columns, nodes, starts, stops, most
        assert words_cy.join_texts(*given) == words_py.join_texts(*given)

    words, *_, before, _, _ = words_py.read_words(columns, silent)
    said = tuple(array("i", [before[node] for node in places]) for places in (range(len(tree)), tree.end))
    for most in (0, 2, 99):
        given_shapes = (starts, stops), values, said, most
        assert words_cy.guess_shapes(*given_shapes) == words_py.guess_shapes(*given_shapes)
    starts, stops = said
    for most in (0, 2, 99):
        assert words_cy.join_words(words, starts, stops, most) == words_py.join_words(words, starts, stops, most)


@given(st.lists(st.sampled_from("abc")), st.lists(st.sampled_from("abcd")))
def test_the_native_triples_equal_those_of_the_readable_twin(words: list[str], sought: list[str]) -> None:
    assert words_cy.mark_triples(words, sought) == words_py.mark_triples(words, sought)


@given(sources | links)
def test_the_native_attributes_and_links_equal_those_of_the_readable_twin(source: str) -> None:
    tree = read_tree(source)
    for wanted in (bytes(len(tree.names)), b"\1" * len(tree.names)):
        expected = attributes_py.number_attributes(tree.columns, wanted)
        assert attributes_cy.number_attributes(tree.columns, wanted) == expected
    names = tuple(tree.names.index(name) if name in tree.names else -1 for name in ("a", "img", "href", "src"))

    assert words_cy.find_links(tree.columns, names) == words_py.find_links(tree.columns, names)


@given(sources | links, st.integers(1, 6))
def test_the_native_lists_equal_those_of_the_readable_twin(source: str, levels: int) -> None:
    tree = read_tree(source)
    varieties = Varieties(tree)
    kinds = _kinds(varieties)
    headings, parts = (array("i", [node % every == 0 for node in range(len(tree))]) for every in (3, 4))

    assert groups_cy.group_elements(tree.parent, kinds, levels) == groups_py.group_elements(
        tree.parent, kinds, levels
    )
    given = tree.parent, kinds.of_node, headings, parts
    assert groups_cy.look_around(*given) == groups_py.look_around(*given)


def test_a_page_with_many_lists_has_the_same_ones_in_both_twins() -> None:
    row = "<li class='e f'><a href=/b class=g>x</a><b>y</b></li>"
    tree = read_tree("".join(f"<ul id=u{number}>{row * 9}</ul>" for number in range(60)))
    kinds = _kinds(Varieties(tree))

    assert groups_cy.group_elements(tree.parent, kinds, 6) == groups_py.group_elements(tree.parent, kinds, 6)
