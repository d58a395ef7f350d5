from hypothesis import given
from hypothesis import strategies as st

from pagedrift import PageVersion
from pagedrift.does_it_matter.passages import WeightedPassage, passages
from pagedrift.does_it_matter.text_changes import compare


def read(html: str) -> tuple[WeightedPassage, ...]:
    return passages(PageVersion("", html.encode()))


def weights(html: str) -> dict[str, float]:
    return {each.text: each.weight for each in read(html)}


BODY = "<p>" + "The city council meets every second Tuesday of the month in the old town hall. " * 3


def test_inline_elements_do_not_end_a_passage_and_blocks_do() -> None:
    assert [each.text for each in read("<div>one <b>two</b> three<p>four</p>five</div>")] == [
        "one two three",
        "four",
        "five",
    ]


def test_menus_sidebars_and_footers_weigh_little() -> None:
    found = weights(f"<nav>Home</nav>{BODY}<div class=sidebar>Recent</div><div id=footer>Imprint</div>")

    assert max(found, key=found.__getitem__).startswith("the city")
    assert all(found[text] < 0.3 for text in ("home", "recent", "imprint"))


def test_a_part_that_is_most_of_the_page_weighs_fully_whatever_its_name() -> None:
    items = "".join(f"<div class=menu-item>Soup number {number} with bread</div>" for number in range(9))
    found = weights(f"<div id=menu>{items}</div><div class=nav>Home</div>")

    assert found["soup number 1 with bread"] == 1
    assert found["home"] < 0.2


def test_hidden_text_and_scripts_are_no_passages() -> None:
    html = "<p hidden>a<p style='display: none'>b<script>c</script><template>d</template><p>e"

    assert [each.text for each in read(html)] == ["e"]


def test_a_change_of_numbers_alone_is_recounting() -> None:
    found = compare(read("<p>Stars: 17<p>Open"), read("<p>Stars: 18<p>Open"))

    assert [edit.new.text for edit in found.recounted] == ["stars: 18"]
    assert not found.inserted
    assert not found.edited


def test_a_change_of_signs_and_case_alone_is_nothing() -> None:
    found = compare(read("<p>Open, all week."), read("<p>open all week!"))

    assert found == compare((), ())


def test_a_reworded_passage_is_edited_and_a_moved_one_stays() -> None:
    old = read("<p>The library opens at nine every day<p>Call us")
    new = read("<p>Call us<p>The library opens at ten every day")
    found = compare(old, new)

    assert [edit.words for edit in found.edited] == [2]
    assert not found.inserted
    assert not found.deleted


WORDS = st.lists(st.sampled_from("fee permit open closed 3 7 town hall desk".split()), min_size=1, max_size=6)
PAGES = st.lists(WORDS, max_size=6).map(lambda parts: "".join(f"<p>{' '.join(words)}</p>" for words in parts))


@given(PAGES, PAGES)
def test_every_passage_is_accounted_for(old: str, new: str) -> None:
    before, after = read(old), read(new)
    found = compare(before, after)
    paired = len(found.edited)

    assert len(before) - len(found.deleted) - paired == len(after) - len(found.inserted) - paired
    assert compare(before, before) == compare((), ())


def test_many_passages_are_compared_in_bounded_time() -> None:
    old = read("".join(f"<p>number one {'x' * (n % 50)} {n * 7}a" for n in range(3_000)))
    new = read("".join(f"<p>number two {'x' * (n % 50)} {n * 11}b" for n in range(3_000)))

    assert compare(old, new).edited


def test_a_list_of_recent_posts_is_not_the_page_though_it_has_more_words_than_a_short_post() -> None:
    links = "".join(
        f'<li><a href="/{number}">How we moved service {number} to another machine</a>' for number in range(30)
    )
    found = weights(f"<article>{BODY}</article><ul id=recent_posts>{links}</ul>")

    assert found["how we moved service 7 to another machine"] < 0.3
    assert max(found.values()) == 1


def test_a_passage_that_is_cut_or_continued_is_reworded() -> None:
    short = "<p>Requests from the public are welcome."
    long = (
        "<p>Requests from the public are welcome. Please send them to the forum of the town by the end of the year."
    )
    for old, new in ((long, short), (short, long)):
        found = compare(read(old), read(new))

        assert [edit.words for edit in found.edited] == [15]
        assert not found.inserted
        assert not found.deleted
