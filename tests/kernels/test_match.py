import gzip

import pytest
from experiments.khandagale2010.matchers import make_mutated_page
from hypothesis import given
from hypothesis import strategies as st

from pagedrift import PageVersion
from pagedrift._kernels import match_py
from pagedrift.facets.tree import read_tree
from tests.what_changed.test_patch import sources

match_cy = pytest.importorskip("pagedrift._kernels.match_cy", reason="the native kernels are not built")


def both(old, new):
    one, other = old.columns, new.columns
    return match_cy.match_columns(one, other), match_py.match_columns(one, other)


@given(sources, sources)
def test_the_native_matcher_equals_its_readable_twin(one: str, other: str) -> None:
    native, readable = both(read_tree(one), read_tree(other))

    assert native == readable


LISTS = st.lists(st.sampled_from("abcdefgh"), max_size=120)


@given(LISTS, LISTS)
def test_the_twins_align_long_lists_alike(one: list[str], other: list[str]) -> None:
    old, new = (
        read_tree("".join(f"<p class={sign}>{sign * 3} <i>word</i>" for sign in signs)) for signs in (one, other)
    )
    native, readable = both(old, new)

    assert native == readable


def test_the_twins_match_real_pairs_alike(data) -> None:
    for folder in sorted((data / "pairs").glob("*/"))[::3]:
        old, new = (
            PageVersion("https://a.example/", gzip.decompress((folder / f"{side}.html.gz").read_bytes())).tree
            for side in "ab"
        )
        native, readable = both(old, new)
        assert native == readable, folder.name


SHOP = read_tree(
    "<main id=shop><h1>Fruit of the week</h1>"
    + "".join(
        f"<div class=item><b>{name}</b> <a href=/buy/{name}>buy</a><p>{name} are {note}</p></div>"
        for name, note in (
            ("Apples", "sold out"),
            ("Bananas", "cheap"),
            ("Cherries", "sold out"),
            ("Dates", "new"),
            ("Figs", "cheap"),
        )
    )
    + "</main><footer><p>Pay at the <i>front desk</i></p></footer>"
)


@given(st.floats(0, 1), st.integers(0, 10**6))
def test_the_twins_match_mutated_pages_alike(rate: float, seed: int) -> None:
    page = make_mutated_page(SHOP, rate, seed)
    native, readable = both(page.old, page.new)

    assert native == readable
