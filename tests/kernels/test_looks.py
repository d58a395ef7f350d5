from array import array

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pagedrift import PageVersion
from pagedrift._kernels import looks_py
from pagedrift._kernels.groups_py import as_lists
from pagedrift._kernels.looks_py import FIGURES
from pagedrift.selectors.candidates import CandidateFinder
from pagedrift.selectors.likeness import compare_with_itself
from pagedrift.selectors.selectable import SelectablePage
from tests.what_changed.test_patch import sources

looks_cy = pytest.importorskip("pagedrift._kernels.looks_cy", reason="the native kernels are not built")

pieces = st.lists(
    st.sampled_from(
        [
            "<h1 class=headline>Spring sale</h1>",
            "<ul class=posts>",
            "<li class='post odd'><a href=/tag/a title='Next page'>Older posts »</a>",
            "<time class=date>3 May 2021</time>",
            "<span class=price>$40</span>",
            "</ul>",
            "<nav><a href=//other.example/>About</a></nav>",
            "<footer>© 2024</footer>",
            "<img src=/p.png alt=photo>",
            "<p id=intro>Some words about the sale of spring, and some words more",
            "<div class=content><script>var a</script>",
        ]
    ),
    max_size=14,
).map(lambda found: "<title>Spring sale</title>" + "".join(found))
pages = sources | pieces


def finder(source: str) -> CandidateFinder:
    return CandidateFinder(SelectablePage(PageVersion("https://shop.example/", source.encode())))


@given(pages, pages, st.data())
def test_the_native_figures_equal_those_of_the_readable_twin(one: str, other: str, data: st.DataObject) -> None:
    old, new = finder(one), finder(other)
    nodes = data.draw(st.lists(st.sampled_from(old.page.elements), min_size=1, max_size=4, unique=True).map(sorted))
    matched = data.draw(st.lists(st.sampled_from(new.page.elements), max_size=3, unique=True).map(sorted))
    sample = old.sample(nodes, data.draw(st.sampled_from(["", "title", "price", "next", "posts"])))
    every, table = new._candidates([sample]), new._table
    chosen = array("i", range(every.size))
    table.read(array("i", [every.nodes[start] for start in every.starts[:-1]]))
    sought = new._seeker.seek(sample, matched)

    expected = looks_py.compare_candidates(sought, table.columns, every, chosen)
    assert len(expected) == every.size * len(FIGURES)
    assert all(0 <= value <= 1 for value in expected)
    assert looks_cy.compare_candidates(sought, table.columns, every, chosen) == expected
    same = looks_py.find_same_words(table.columns, every, chosen)
    assert looks_cy.find_same_words(table.columns, every, chosen) == same
    weights = array("d", [number / 7 for number in range(len(FIGURES))])
    scores = looks_py.weigh_candidates(expected, weights)
    assert looks_cy.weigh_candidates(expected, weights) == scores
    ranked = looks_py.rank_candidates(scores, every, chosen)
    assert looks_cy.rank_candidates(scores, every, chosen) == ranked
    assert looks_cy.share_odds(scores, same, ranked) == looks_py.share_odds(scores, same, ranked)


@given(pages, st.data())
def test_the_native_votes_equal_those_of_the_readable_twin(source: str, data: st.DataObject) -> None:
    new = finder(source)
    columns, singles = new._table.columns, new._singles
    clues = looks_py.index_clues(columns, singles.nodes)
    known = st.sampled_from(range(clues.size)) if clues.size else st.nothing()
    words = array("i", data.draw(st.lists(known, unique=True)))
    profiles = array("i", [node % 3 for node in range(len(columns.tag))]), array("d", [0.5, 0.25, 0.125])

    assert looks_cy.index_clues(columns, singles.nodes) == clues
    votes = looks_py.vote(singles.nodes, profiles, clues, words)
    assert looks_cy.vote(singles.nodes, profiles, clues, words) == votes
    for most in (0, 1, 5, 100):
        assert looks_cy.most_voted(votes, singles, most) == looks_py.most_voted(votes, singles, most)


@given(pages, st.data())
def test_what_is_looked_for_is_as_like_itself_as_the_kernel_finds(source: str, data: st.DataObject) -> None:
    page = finder(source)
    nodes = data.draw(
        st.lists(st.sampled_from(page.page.elements), min_size=1, max_size=4, unique=True).map(sorted)
    )
    sample = page.sample(nodes, data.draw(st.sampled_from(["", "title", "price", "next", "body"])))
    page._table.read(array("i", nodes))
    sought = page._seeker.seek(sample, [])

    found = looks_py.compare_candidates(sought, page._table.columns, as_lists([tuple(nodes)]), array("i", [0]))
    assert dict(zip(FIGURES, compare_with_itself(sample), strict=True)) == pytest.approx(
        dict(zip(FIGURES, found, strict=True))
    )
