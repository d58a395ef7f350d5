"""The outline of a template: few lines that tell what it is."""

from hypothesis import given, settings
from hypothesis import strategies as st

from pagedrift import PageVersion
from pagedrift.report.outline import LINES, OutlineLine, draw, outline
from pagedrift.which_template.frame import frame
from tests import strategies
from tests.which_template.test_frame import ARTICLES


def lines_of(*pages: str) -> list[OutlineLine]:
    return outline(frame(PageVersion("", page.encode()) for page in pages))


def drawn(*pages: str) -> list[str]:
    return list(draw(lines_of(*pages)))


def test_an_outline_of_articles() -> None:
    assert list(draw(outline(frame(ARTICLES)))) == [
        "header#top      The News",
        "nav             Home · About",
        "main            ‹content›",
        "  h2.title      ‹text›",
        "  figure.photo  on 70 %",
        "    img         ‹picture›",
        "  p             ‹text› ‹content› 1–8 times",
        "li.tag          1–4 times",
        "  a             ‹text›",
        "footer          Contact",
    ]


def test_wrappers_and_the_unseen_take_no_line() -> None:
    pages = (f"<title>{day}</title><div><div><script>{day}</script><p>{day}</div></div>" for day in "abc")

    assert drawn(*pages) == ["p  ‹text›"]


def test_parts_in_a_row_that_look_alike_are_one_line() -> None:
    pages = (f"<dl><dt>Name<dd>{day}<dt>Age<dd>{day}<dt>Seat<dd>{day}</dl><p>{day}<p>{day}" for day in "abc")

    assert drawn(*pages)[-1] == "p   ‹text› 2 times"


def test_a_large_template_is_drawn_with_fewer_levels() -> None:
    part = "<section id=s{0}><div id=d{0}><h2>{0}</h2><p>{1}</p></div></section>"
    pages = ("".join(part.format(f"x{chr(97 + n)}", day) for n in range(18)) for day in "abc")
    lines = lines_of(*pages)

    assert 18 <= len(lines) <= LINES
    assert {line.depth for line in lines} == {0, 1}


def test_signs_that_move_the_cursor_stay_in_the_page() -> None:
    shown = "\n".join(drawn(*(f"<p class='a\x1b[31m'>Fixed \x1b[2J words<p>{day}" for day in "abc")))

    assert "\x1b" not in shown


@settings(deadline=None)
@given(st.lists(strategies.pages, min_size=1, max_size=3))
def test_every_line_stands_below_one_of_the_level_above(pages: list[bytes]) -> None:
    before = -1
    for line in outline(frame(PageVersion("", page) for page in pages)):
        assert 0 <= line.depth <= before + 1
        before = line.depth
