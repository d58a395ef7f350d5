import pytest
from hypothesis import given

from pagedrift._kernels import match_py, steps_py
from pagedrift.facets.tree import read_tree
from tests.what_changed.test_patch import sources

steps_cy = pytest.importorskip("pagedrift._kernels.steps_cy", reason="the native kernels are not built")


@given(sources, sources)
def test_the_native_steps_equal_those_of_the_readable_twin(one: str, other: str) -> None:
    old, new = read_tree(one).columns, read_tree(other).columns
    partners = match_py.match_columns(old, new)

    assert steps_cy.find_steps(old, new, partners) == steps_py.find_steps(old, new, partners)


@given(sources)
def test_the_native_places_equal_those_of_the_readable_twin(source: str) -> None:
    tree = read_tree(source).columns

    assert steps_cy.place_nodes(tree) == steps_py.place_nodes(tree)
