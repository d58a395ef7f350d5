from hypothesis import given

from pagedrift import PageVersion
from pagedrift.facets.tags import read_tags
from tests.strategies import pages


def test_start_and_end_tags_are_told_apart_and_can_be_folded() -> None:
    tags = read_tags(b"<p>One</p>")

    assert list(tags) == ["p", "/p"]
    assert len(set(tags.folded())) == 1


def test_a_name_has_the_same_number_on_every_page() -> None:
    one, other = read_tags(b"<my-widget><p>"), read_tags(b"<p><x-y><my-widget>")

    assert one.codes[0] == other.codes[2]
    assert one.codes[1] == other.codes[0]


@given(pages)
def test_counting_and_looking_up_agree_with_the_list(page: bytes) -> None:
    tags = PageVersion("https://a.example/", page).tags

    assert [tags.count(tag) for tag in tags] == [list(tags).count(tag) for tag in tags]
    assert all(tag in tags for tag in tags)
    assert "no-such-tag" not in tags


def test_slices_are_tags_too() -> None:
    assert list(read_tags(b"<ul><li><li></ul>")[1:3]) == ["li", "li"]
