"""The paper's algorithm, with its strengths and its two blind spots."""

import pytest

from pagedrift import PageVersion, diff, patch
from pagedrift.errors import InputError
from pagedrift.what_changed.signatures import node_signatures


def page(source: str) -> PageVersion:
    return PageVersion("https://city.example/", source.encode())


def steps(old: str, new: str) -> list[str]:
    return [type(action).__name__ for action in diff(page(old), page(new), algorithm="signatures")]


def test_the_signature_of_an_inner_node_is_the_sum_of_its_childrens() -> None:
    tree = page("<div><p>a</p><p>b</p></div>").tree
    signature = node_signatures(tree)
    outer = tree.find("div")

    assert signature[outer] == sum(signature[child] for child in tree.children(outer)) % 2**64


@pytest.mark.parametrize(
    ("old", "new", "expected"),
    [
        ("<p>one<p>two", "<p>one<p>two", []),
        ("<p>one<p>two", "<p>one<p>three", ["UpdateText"]),
        ("<font color=red>x</font>", "<font color=blue>x</font>", ["ChangeAttribute"]),
        ("<a href=/a>x</a>", "<a href=/b>x</a>", ["ChangeAttribute"]),
        ("<p>one", "<p>one<p>two", ["Insert"]),
        ("<p>one<p>two", "<p>one", ["Delete"]),
    ],
)
def test_changes_of_text_and_attributes_are_found(old: str, new: str, expected: list[str]) -> None:
    assert steps(old, new) == expected
    assert patch(page(old), diff(page(old), page(new), algorithm="signatures")) == page(new).tree


def test_swapped_children_go_unseen_since_a_sum_knows_no_order() -> None:
    assert steps("<p>a<p>b", "<p>b<p>a") == []
    assert len(diff(page("<p>a<p>b"), page("<p>b<p>a"))) == 1


def test_an_insertion_shifts_all_that_follows() -> None:
    old, new = "<ul><li>a<li>b<li>c</ul>", "<ul><li>new<li>a<li>b<li>c</ul>"

    assert steps(old, new) == ["UpdateText", "UpdateText", "UpdateText", "Insert"]
    assert len(diff(page(old), page(new))) == 1


def test_an_unknown_algorithm_is_refused_with_those_there_are() -> None:
    with pytest.raises(InputError, match="signatures"):
        diff(page(""), page(""), algorithm="nonsense")
