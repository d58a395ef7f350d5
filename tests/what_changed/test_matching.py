"""The right nodes are matched: what was wrapped, unwrapped, renamed or moved, and nothing by coincidence."""

from __future__ import annotations

import pytest

from pagedrift.facets.tree import Tree, read_tree
from pagedrift.what_changed import diff_trees
from pagedrift.what_changed.actions import UpdateText
from pagedrift.what_changed.matching import match

LIST = "<ul><li>Apples<li>Bananas are sold out<li>Cherries</ul>"


def partners(old: Tree, new: Tree, tag: str) -> list[str]:
    """Say what the partners of the old page's elements of a name are, by tag and text."""
    new_of = match(old, new).new_of
    return [f"{new.tag(new_of[i])} {new.text_below(new_of[i])}" for i in old.elements(tag) if new_of[i] >= 0]


@pytest.mark.parametrize("wrapper", ["div", "section"])
def test_an_element_with_a_new_one_around_it_is_the_same(wrapper: str) -> None:
    old = read_tree("<p>Fees</p><div>A copy is $2</div><p>Hours</p>")
    new = read_tree(f"<p>Fees</p><{wrapper} class=box><div>A copy is $2</div></{wrapper}><p>Hours</p>")

    assert partners(old, new, "div") == ["div A copy is $2"]
    assert new.attributes(match(old, new).new_of[old.find("div")]) == (), "not the one around it"
    assert partners(new, old, "div")[-1] == "div A copy is $2", "and back"


def test_an_element_with_another_name_is_the_same() -> None:
    old = read_tree("<h2 class=title>Opening hours <b>new</b></h2><p>9 to 5</p><p>Closed on Monday</p>")
    new = read_tree("<p>9 to 5</p><div><p>Closed on Monday</p><h3 class=title>Opening hours <i>soon</i></h3></div>")

    assert partners(old, new, "h2") == ["h3 Opening hours soon"]


def test_a_small_element_that_is_nowhere_else_is_found_again() -> None:
    old = read_tree(f"<main>{LIST}<p><a href=/desk>Desk</a> and <b>more</b></main><footer><p>Town</footer>")
    new = read_tree(
        f"<main>{LIST}<p>See <b>more</b></main><footer><p>Town<p><i>Ask: <a href=/desk>Desk</a></i></footer>"
    )

    assert partners(old, new, "a") == ["a Desk"]


def test_a_price_that_another_row_had_is_edited_and_not_moved() -> None:
    page = "<table><tr><td>Small hall<td>{}<tr><td>Large hall<td>{}<tr><td>Garden<td>{}</table>"
    old = read_tree(page.format("$1,200.00", "$1,900.00", "$2,400.00"))
    new = read_tree(page.format("$1,350.00", "$1,200.00", "$2,900.00"))
    script = list(diff_trees(old, new))

    assert {type(step) for step in script} == {UpdateText}
    assert [step.after for step in script if isinstance(step, UpdateText)] == [
        "$1,350.00",
        "$1,200.00",
        "$2,900.00",
    ]
