import time
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pagedrift import InputError, PageVersion
from pagedrift.does_it_matter.block_changes import compare_blocks
from pagedrift.does_it_matter.blocks import BlockItem, VisualBlock, blocks, segment
from pagedrift.does_it_matter.features import READINGS, STRUCTURAL, VISUAL, structural_features
from pagedrift.does_it_matter.separators import find_separators
from pagedrift.does_it_matter.vips_rules import Divider
from pagedrift.facets.view import TEXT, Box, RenderedNode, Style, View

PLAIN = Style(
    "block", "visible", 1, "static", "none", "black", "rgba(0, 0, 0, 0)", False, 16, 400, "normal", (0,) * 4
)


def laid_out(parts: list[tuple[str, float, float, float, float]]) -> View:
    """A page of paragraphs, each with its text and its box."""
    nodes = [RenderedNode(-1, "body", Box(0, 0, 1024, 2000), PLAIN)]
    for text, *box in parts:
        nodes.append(RenderedNode(0, "div", Box(*box), PLAIN))
        nodes.append(RenderedNode(len(nodes) - 1, TEXT, Box(*box), PLAIN, text))
    return View(url="", title="", language="", width=1024, height=2000, nodes=tuple(nodes))


HEAD_AND_COLUMNS = [("head", 0, 0, 1024, 100), ("left", 0, 140, 300, 800), ("right", 340, 140, 684, 400)]


def test_a_page_is_cut_along_its_widest_gaps() -> None:
    found = segment(laid_out(HEAD_AND_COLUMNS))

    assert [leaf.text for leaf in found.leaves()] == ["head", "left", "right"]
    assert len(found.children) == 2


def test_blocks_that_overlap_are_not_cut() -> None:
    found = segment(laid_out([("one", 0, 0, 600, 600), ("two", 300, 300, 600, 600)]))

    assert [leaf.text for leaf in found.leaves()] == ["one two"]


def test_lines_of_a_pixel_at_one_place_are_divided_in_the_end() -> None:
    found = segment(laid_out([("one", 0, 10, 500, 1), ("two", 0, 10, 500, 1), ("three", 0, 10, 1, 1)]))

    assert sorted(" ".join(leaf.text for leaf in found.leaves()).split()) == ["one", "three", "two"]


def test_a_page_that_was_not_rendered_says_how_to_render_it() -> None:
    with pytest.raises(InputError, match=r"render it first, with: pagedrift\.render\(page\)"):
        blocks(PageVersion("https://city.example/", b"<p>Fees"))


def test_a_degree_of_coherence_beyond_its_range_is_refused() -> None:
    with pytest.raises(InputError, match="from 1 to 11, not 12"):
        segment(laid_out(HEAD_AND_COLUMNS), coherent=12)


def test_an_empty_view_is_one_block() -> None:
    assert segment(View(url="", title="", language="", width=0, height=0, nodes=())).leaf


NUMBER = st.integers(0, 1000).map(float)
BOXES = st.lists(st.tuples(st.text("abc", min_size=1), NUMBER, NUMBER, NUMBER, NUMBER), max_size=12)


@given(BOXES, st.integers(1, 11))
def test_the_leaves_hold_every_visible_text_once(
    parts: list[tuple[str, float, float, float, float]], degree: int
) -> None:
    view = laid_out(parts)
    found = segment(view, coherent=degree)

    told = sorted(word for leaf in found.leaves() for word in leaf.text.split())
    assert told == sorted(view.texts())
    for block in found.walk():
        assert all(child.coherence >= block.coherence for child in block.children)


def leaf(ref: str, text: str, *links: str) -> VisualBlock:
    return VisualBlock(
        ref=ref,
        box=Box(0, 100 * float(ref[-1]), 500, 90),
        coherence=9,
        children=(),
        links=tuple(BlockItem(each, "/" + each) for each in links),
        images=(),
        text=text,
    )


def whole(*leaves: VisualBlock) -> VisualBlock:
    return VisualBlock(ref="1", box=Box(0, 0, 1024, 2000), coherence=1, children=leaves)


OLD = whole(leaf("1.1", "menu", "home"), leaf("1.2", "the long story of the town"), leaf("1.3", "imprint"))


def test_equal_pages_have_no_block_changes() -> None:
    found = compare_blocks(OLD, OLD)

    assert found.same_structure
    assert found.changes == ()


def test_an_inserted_block_moves_no_other() -> None:
    new = whole(
        leaf("1.1", "offer"),
        leaf("1.2", "menu", "home"),
        leaf("1.3", "the long story of the town"),
        leaf("1.4", "imprint"),
    )
    found = compare_blocks(OLD, new)

    assert [(each.deed, each.thing) for each in found.changes] == [("insert", "block")]
    assert not found.same_structure


def test_a_block_that_changed_places_is_moved() -> None:
    new = whole(leaf("1.1", "imprint"), leaf("1.2", "menu", "home"), leaf("1.3", "the long story of the town"))

    assert [(each.deed, each.thing) for each in compare_blocks(OLD, new).changes] == [("move", "block")]


def test_a_link_that_leads_elsewhere_is_updated_and_a_text_edited() -> None:
    new = whole(
        leaf("1.1", "menu", "home", "shop"), leaf("1.2", "the longer story of the town"), leaf("1.3", "imprint")
    )
    found = {(each.deed, each.thing) for each in compare_blocks(OLD, new).changes}

    assert found == {("insert", "link"), ("update", "text")}


def test_the_figures_are_those_of_the_paper() -> None:
    found = structural_features(OLD, OLD)

    assert len(VISUAL) == 16
    assert {len(reading) for reading in READINGS.values()} == {25}
    assert set(found) == set(STRUCTURAL)
    assert found["same_structure"] == found["jaccard_links"] == found["no_insert_nor_delete"] == 1


def test_a_line_between_blocks_parts_them_more_strongly() -> None:
    parts = [("one", 0, 0, 1024, 100), ("two", 0, 120, 1024, 100), ("three", 0, 240, 1024, 100)]
    plain = laid_out(parts)
    ruler = RenderedNode(0, "hr", Box(0, 229, 1024, 2), PLAIN)
    ruled = replace(plain, nodes=(*plain.nodes, ruler))

    def heaviest(view: View) -> list[float]:
        divider = Divider(view)
        return [each.weight for each in find_separators(divider.divide(divider.whole()), divider)]

    assert heaviest(plain) == [5, 5]
    assert heaviest(ruled) == [5, 7]
    assert [part.text for part in segment(ruled).children] == ["one two", "three"]


def test_a_bar_that_stays_in_its_place_is_a_block_of_its_own() -> None:
    plain = laid_out([("one", 0, 0, 1024, 100), ("two", 0, 140, 1024, 100)])
    bar = RenderedNode(1, "nav", Box(0, 90, 1024, 80), PLAIN._replace(position="fixed"))
    menu = RenderedNode(len(plain.nodes), TEXT, bar.box, bar.style, "menu")
    found = segment(replace(plain, nodes=(*plain.nodes, bar, menu)))

    assert [[leaf.text for leaf in part.leaves()] for part in found.children] == [["one", "two"], ["menu"]]
    assert found.coherence == 1


def test_a_page_that_stays_in_its_place_as_a_whole_is_a_page_like_any_other() -> None:
    plain = laid_out(HEAD_AND_COLUMNS)
    fixed = RenderedNode(0, "div", Box(0, 0, 1024, 1000), PLAIN._replace(position="fixed"))
    inside = [replace(node, parent=node.parent + 1) for node in plain.nodes[1:]]
    found = segment(replace(plain, nodes=(plain.nodes[0], fixed, *inside)))

    assert found.ref == "1"
    assert [leaf.text for leaf in found.leaves()] == ["head", "left", "right"]
    assert len(found.children) == 2


@pytest.mark.slow
def test_deep_and_crowded_pages_are_divided_in_bounded_time() -> None:
    deep = [RenderedNode(number - 1, "div", Box(0, 0, 1024, 2000), PLAIN) for number in range(10_000)]
    deep.append(RenderedNode(9_999, TEXT, Box(0, 0, 100, 20), PLAIN, "deep"))
    crowded = laid_out([(str(number), 0, 40 * number, 1024, 20) for number in range(9_000)])
    start = time.process_time()

    assert [
        leaf.text
        for leaf in segment(
            View(url="", title="", language="", width=1024, height=2000, nodes=tuple(deep))
        ).leaves()
    ] == ["deep"]
    assert len(list(segment(crowded, coherent=11).leaves())) == 9_000
    assert time.process_time() - start < 20
