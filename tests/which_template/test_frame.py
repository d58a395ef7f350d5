"""What the pages of a template share, and where they differ."""

import random
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pagedrift import PageVersion, read
from pagedrift.errors import InputError
from pagedrift.which_template.frame import SAMPLE, Frame, FrameNode, compare, frame
from tests import strategies


def page(html: str) -> PageVersion:
    return PageVersion("https://a.example/", html.encode())


def article(day: int) -> PageVersion:
    """An article of a made site: fixed head and foot, an optional picture, paragraphs and tags that vary."""
    chance = random.Random(day)
    paragraphs = "".join(f"<p>Words {word} and <b>more</b>" for word in range(chance.randrange(1, 9)))
    picture = f"<figure class=photo><img src=/{day}.png></figure>" if day % 10 < 7 else ""
    quote = "<blockquote>Said</blockquote>" if day % 10 == 0 else ""
    tags = "".join(f'<li class="tag tag-{day}"><a href=/{tag}>Tag {tag}</a>' for tag in range(day % 4 + 1))
    return page(
        f"<title>Day {day}</title><body class='single post-{day}'><header id=top><h1>The News</h1></header>"
        f"<nav><ul><li class='item{' active' if day % 2 else ''}'>Home<li class=item>About</ul></nav>"
        f"<main id=post-{day}><h2 class=title>On day {day}</h2>{picture}{paragraphs}{quote}</main>"
        f"<ul class=tags>{tags}</ul><footer>Contact</footer>"
    )


ARTICLES = [article(day) for day in range(20)]


@pytest.fixture(scope="module")
def shared() -> Frame:
    return frame(ARTICLES)


def node(shared: Frame, label: str) -> FrameNode:
    return next(node for node in shared.nodes if node.label == label)


def test_fixed_parts_are_the_frame(shared: Frame) -> None:
    assert node(shared, "header#top").slots == ()
    assert node(shared, "h1").text == "The News"
    assert node(shared, "footer").text == "Contact"
    assert {node.share for node in shared.nodes if not node.slots} - {0.7} == {1.0}  # 0.7: inside what is optional


def test_words_that_differ_are_a_slot(shared: Frame) -> None:
    assert node(shared, "h2.title").slots == ("text",)
    assert node(shared, "title").slots == ("text",)


def test_what_comes_in_different_numbers_is_repeated(shared: Frame) -> None:
    assert node(shared, "p").slots == ("text", "content", "repeated")
    assert "repeated" in node(shared, "li.tag").slots
    assert (node(shared, "li.tag").least, node(shared, "li.tag").most) == (1, 4)


def test_what_some_pages_lack_is_optional(shared: Frame) -> None:
    photo = node(shared, "figure.photo")

    assert photo.slots == ("optional",)
    assert photo.share == 0.7
    assert node(shared, "img").slots == ("link",)


def test_what_few_pages_have_is_content(shared: Frame) -> None:
    assert [node for node in shared.nodes if node.tag == "blockquote"] == []
    assert "content" in node(shared, "main").slots


def test_ids_and_class_names_of_single_pages_are_left_out(shared: Frame) -> None:
    assert node(shared, "body.single").classes == ("single",)
    assert node(shared, "main").id == ""
    assert shared.class_names() == {"single", "item", "title", "photo", "tags", "tag"}


def test_an_active_entry_is_still_the_same_entry(shared: Frame) -> None:
    assert [node.text for node in shared.nodes if node.label == "li.item"] == ["Home", "About"]


def test_the_only_one_of_its_kind_needs_one_class_name_in_common() -> None:
    kinds = ("news", "sport", "local")
    pages = [
        page(f"<body class='{kind}'><div class='list {kind}'><p>{kind}</div>") for kind in kinds for _ in "abc"
    ]

    assert [node.label for node in frame(pages).nodes[2:]] == ["body", "div.list", "p"]


def test_nodes_come_in_document_order_below_their_parents(shared: Frame) -> None:
    labels = [node.tag for node in shared.nodes if node.depth == 2 and node.parent]

    assert labels == ["title", "header", "nav", "main", "ul", "footer"]
    assert all(node.parent < at for at, node in enumerate(shared.nodes))
    assert all(node.depth == shared.nodes[node.parent].depth + 1 for node in shared.nodes if node.parent >= 0)
    assert shared.end(0) == len(shared.nodes)


def test_the_regions_are_landmarks_and_what_has_an_id(shared: Frame) -> None:
    assert [node.label for node in shared.regions()] == ["header#top", "nav", "main", "footer"]


@settings(deadline=None, max_examples=10)
@given(st.randoms())
def test_the_order_of_the_pages_does_not_matter(chance: random.Random) -> None:
    shuffled = list(ARTICLES)
    chance.shuffle(shuffled)

    assert frame(shuffled) == frame(ARTICLES)


def test_a_sample_is_enough_and_never_exceeded() -> None:
    many = frame(article(day) for day in range(150))

    assert many.pages == SAMPLE
    assert {node.label for node in many.regions()} == {node.label for node in frame(ARTICLES).regions()}


def test_one_page_is_all_frame() -> None:
    assert frame([ARTICLES[0]]).slots() == ()


def test_without_a_page_there_is_no_template() -> None:
    with pytest.raises(InputError, match="at least one"):
        frame([])


@settings(deadline=None)
@given(st.lists(strategies.pages, min_size=1, max_size=4))
def test_any_pages_have_a_frame(pages: list[bytes]) -> None:
    found = frame(PageVersion("", body) for body in pages)

    assert found.nodes[0].tag == "html"
    assert all(0.5 <= node.share <= 1 and 1 <= node.least <= node.most for node in found.nodes)


@pytest.mark.parametrize(
    "html",
    [
        "<div>" * 3_000,
        "<p>" * 10_000,
        "".join(f"<p class='a{number}'>" for number in range(2_000)),
        "".join(f"<i id=a{number} class='b{number} c'></i>" for number in range(2_000)),
    ],
)
def test_deep_long_and_motley_pages_are_no_trouble(html: str) -> None:
    assert frame(page(html + str(day)) for day in range(3)).nodes


def test_new_words_are_no_change_of_the_template() -> None:
    change = compare(frame(article(day) for day in range(40)), frame(article(day) for day in range(40, 80)))

    assert not change
    assert change.similarity == 1


def test_a_change_of_the_template_is_named() -> None:
    def redesigned(day: int) -> PageVersion:
        html = article(day).source.replace("<footer>", "<aside id=promo>Buy</aside><footer>")
        return page(
            html.replace("class=title", "class=headline").replace("<nav>", "<div>").replace("</nav>", "</div>")
        )

    change = compare(frame(ARTICLES), frame(redesigned(day) for day in range(20)))

    assert change
    assert (change.regions_added, change.regions_removed) == (("aside#promo",), ("nav",))
    assert (change.classes_added, change.classes_removed) == (("headline",), ("title",))
    assert 0.5 < change.similarity < 1


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "regions", "slots"),
    [
        (
            "0cch-post",
            {"nav.navbar.navbar-inverse", "ul#article-nav.nav.nav-justified.nav-pills"},
            {"time", "title"},
        ),
        ("wikipedia-en-article", {"div#mw-page-base.noprint"}, {"h1#firstHeading.firstHeading"}),
        ("dostips-viewtopic", {"div#page-body[role=main].page-body"}, {"title"}),
    ],
)
def test_frames_of_real_templates(data: Path, name: str, regions: set[str], slots: set[str]) -> None:
    pages = list(read(data / "templates" / f"{name}.warc.gz"))
    one, other = frame(pages[::2]), frame(pages[1::2])

    assert regions <= {node.label for node in one.regions()}
    assert slots <= {node.label for node in one.slots()}
    assert compare(one, other).similarity > 0.8
