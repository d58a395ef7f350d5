import pytest
from hypothesis import given
from hypothesis import strategies as st
from turbohtml.treebuild import parse_into

from pagedrift._kernels import tree_py
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
