from hypothesis import given
from hypothesis import strategies as st

from pagedrift.facets.view import TEXT, Box, RenderedNode, Style, View, read_view, write_view

STYLE = Style(
    "block", "visible", 1.0, "static", "none", "#000", "#fff", False, 16.0, 400, "normal", (0.0, 0.0, 1.0, 0.0)
)
BOLD = STYLE._replace(font_weight=700)


@given(st.lists(st.tuples(st.text(), st.booleans(), st.floats(0, 1e6)), max_size=8))
def test_a_view_that_is_written_is_read_back_as_it_was(rows: list[tuple[str, bool, float]]) -> None:
    nodes = [RenderedNode(-1, "body", Box(0, 0, 1024, 800), STYLE, id="top", classes="a b")]
    for text, bold, at in rows:
        style = BOLD if bold else STYLE
        nodes.append(RenderedNode(0, "a", Box(at, 1.5, 2, 3), style, href="https://city.example/", alt=text))
        nodes.append(RenderedNode(len(nodes) - 1, TEXT, Box(at, 1.5, 2, 3), style, text))
    view = View(
        url="https://city.example/",
        title="Fees",
        language="en",
        width=1024.0,
        height=800.0,
        nodes=tuple(nodes),
        cut=True,
    )

    assert read_view(write_view(view)) == view
