"""What changed, as lines at a terminal."""

import click

from pagedrift import PageVersion, diff
from pagedrift.report.changes import describe


def told(old: str, new: str) -> list[str]:
    pages = [PageVersion("https://city.example/", source.encode()) for source in (old, new)]
    return [click.unstyle(line) for line in describe(pages[0], diff(*pages))]


def test_an_edit_far_into_a_long_text_is_seen() -> None:
    head = "window.index=[" + "1," * 4_000
    _, before, after, _ = told(f"<script>{head}2]</script>", f"<script>{head}3]</script>")

    assert before.startswith("  - …")
    assert before.endswith("1,2]")
    assert after.endswith("1,3]")


def test_a_change_of_a_long_attribute_is_seen() -> None:
    link = "/a?" + "x=1&" * 200
    _, before, after, _ = told(f"<a href='{link}y=1'>a</a>", f"<a href='{link}y=2'>a</a>")

    assert before.startswith("  - href: …")
    assert (before[-3:], after[-3:]) == ("y=1", "y=2")


def test_a_long_text_that_begins_otherwise_is_shown_from_its_beginning() -> None:
    _, before, after, _ = told("<p>Old " + "word " * 100, "<p>New " + "word " * 100)

    assert before.startswith("  - Old word")
    assert after.startswith("  + New word")
    assert after.endswith("…")


def test_a_comment_does_not_look_like_an_element() -> None:
    assert told("<p>a<!--x-->", "<p>a<!-- <div>x</div> -->")[1:3] == ["  - <!-- x -->", "  + <!-- <div>x</div> -->"]
    assert told("<p>a", "<p>a<!-- <div>x -->")[1] == "  + <!-- <div>x -->"
    assert told("<p>a<!--x-->", "<p>a")[1] == "  - <!-- x -->"


def test_what_is_said_in_a_new_element_is_not_what_its_comments_say() -> None:
    assert told("<p>a", "<p>a<div>b<!--c--></div>")[1] == "  + <div> b"


def test_white_space_is_named_where_it_is_all_that_changed() -> None:
    assert told("<p>a</p><p>b", "<p>a</p>\n<p>b")[1] == "  + (white space)"
    assert told("<p>a</p>\n<p>b", "<p>a</p><p>b")[1] == "  - (white space)"
    assert told("<p>a  b", "<p>a b")[1] == "  ~ white space in: a b"
