"""A block is found again by its selector, and shows what is different about it."""

from __future__ import annotations

import pytest
from hypothesis import given, settings

from pagedrift import PageVersion, diff
from pagedrift.app.monitor.blocks import TEXT_SHOWN, read_blocks, selector
from pagedrift.facets.tree import ELEMENT
from pagedrift.what_changed.selection import select
from tests.interstitials.interstitial_pages import FEES
from tests.strategies import pages


def page(html: str | bytes) -> PageVersion:
    return PageVersion("https://city.example/fees", html.encode() if isinstance(html, str) else html)


def test_a_selector_means_one_cell_of_a_table() -> None:
    (block,) = read_blocks(diff(page(FEES), page(FEES.replace("$40", "$45"))), page(FEES), page(FEES))

    assert block.css == "main > table.fees > tbody > tr:nth-of-type(2) > td:nth-of-type(2)"
    assert len(select(page(FEES), block.css)) == 1


@settings(max_examples=60)
@given(pages)
def test_a_selector_means_its_element(body: bytes) -> None:
    tree = page(body).tree
    for node in range(1, len(tree)):
        if tree.kind[node] == ELEMENT and not _is_inert(tree, node):
            assert node in select(page(body), selector(tree, node))


def _is_inert(tree, node: int) -> bool:  # type: ignore[no-untyped-def]
    """Tell whether a node stands in a template, which selectors do not enter."""
    while node > 0:
        node = tree.parent[node]
        if tree.tag(node) == "template":
            return True
    return False


@pytest.mark.parametrize("length", [10, 10_000])
def test_a_difference_far_into_a_text_is_shown(length: int) -> None:
    old, new = (page(f"<p>{'word ' * length} costs {price} today</p>") for price in ("$40", "$45"))
    (block,) = read_blocks(diff(old, new), old, new)

    assert "$40" in block.old
    assert "$45" in block.new
    assert len(block.new) <= TEXT_SHOWN


def test_the_kind_of_a_block_is_that_of_its_step() -> None:
    new = page(FEES.replace("<h1>", "<section><h2>News</h2><p>Open again</p></section><h1>"))
    (action,) = script = diff(page(FEES), new)
    (block,) = read_blocks(script, page(FEES), new)

    assert block.kind == f"added {action.kind}"
    assert block.title == "News"
