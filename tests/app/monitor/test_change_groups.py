"""One edit on many pages has one signature, other edits have others, and what flips back is seen."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pagedrift import PageVersion, read
from pagedrift.app.model.options import WatchOptions
from pagedrift.app.monitor.analysis import analyse
from pagedrift.app.monitor.change_groups import WINDOW, frame_nodes, is_flip_flop, signature
from pagedrift.facets.tree import read_tree

if TYPE_CHECKING:
    from pathlib import Path

    from pagedrift.app.model.change import ChangeAnalysis

WORDS = st.sampled_from("fee permit desk roof fence shed house street market winter road school water news".split())
TEXTS = st.lists(WORDS, min_size=3, max_size=12).map(" ".join)
ENTRIES = ("Home", "Permits", "News", "Contact")


@dataclass(frozen=True)
class Content:
    """What is a page's own, in a template that all share."""

    number: int
    title: str
    texts: tuple[str, ...]
    rows: tuple[str, ...]
    active: int
    deep: bool

    @property
    def url(self) -> str:
        return f"https://city.example/{'a/b/' if self.deep else ''}page-{self.number}"

    def up(self, path: str) -> str:
        return f"{'../../' if self.deep else ''}{path}"

    def html(self) -> str:
        menu = "".join(
            f"<li class='item{' active' if at == self.active else ''} item-{at}'>"
            f"<a href='{self.up(name.lower())}'>{name}</a></li>"
            for at, name in enumerate(ENTRIES)
        )
        body = "".join(f"<p>{text}</p>" for text in self.texts)
        rows = "".join(f"<li>{row}</li>" for row in self.rows)
        return (
            f"<!doctype html><html><head><title>{self.title}</title></head><body class='page page-{self.number}'>"
            f"<header class=top><a href='/'><img src='{self.up('logo.png')}' alt=City></a></header>"
            f"<nav class=main-menu><ul>{menu}</ul></nav>"
            f"<main id=post-{self.number}><h1>{self.title}</h1>{body}<ul>{rows}</ul></main>"
            f"<footer><p>City of Example, 1 Main Street</p><p class=copy>© 2025 City</p></footer></body></html>"
        )


CONTENTS = st.builds(
    Content,
    st.integers(1, 9999),
    TEXTS,
    st.lists(TEXTS, max_size=5).map(tuple),
    st.lists(TEXTS, max_size=4).map(tuple),
    st.integers(0, len(ENTRIES) - 1),
    st.booleans(),
)

Edit = Callable[[str, Content], str]
EDITS: dict[str, Edit] = {
    "a menu entry": lambda html, page: html.replace(
        "</ul></nav>", f"<li class='item item-9'><a href='{page.up('jobs')}'>Jobs</a></ul></nav>"
    ),
    "a menu entry in front": lambda html, page: html.replace(
        "main-menu><ul>", f"main-menu><ul><li class=item><a href='{page.up('x')}'>Events</a>"
    ),
    "an entry gone": lambda html, _: re.sub("<li class='[^>]*><a [^>]*>News</a></li>", "", html),
    "the year": lambda html, _: html.replace("© 2025", "© 2026"),
    "the address": lambda html, _: html.replace("1 Main Street", "7 Market Square"),
    "a banner": lambda html, _: html.replace(
        "<header", "<div class=notice><p>The town hall is closed on Monday</p></div><header"
    ),
    "the logo": lambda html, page: html.replace(page.up("logo.png"), page.up("logo-new.png")),
    "a line in the footer": lambda html, _: html.replace("</footer>", "<p>Accessibility statement</p></footer>"),
}


def changed(page: Content, *edits: Edit) -> ChangeAnalysis:
    old = new = page.html()
    for edit in edits:
        new = edit(new, page)
    assert old != new
    return analyse(PageVersion(page.url, old.encode()), PageVersion(page.url, new.encode()), WatchOptions())


@pytest.mark.parametrize("name", EDITS)
@settings(max_examples=15)
@given(one=CONTENTS, other=CONTENTS)
def test_the_same_edit_has_one_signature_on_pages_with_different_content(
    name: str, one: Content, other: Content
) -> None:
    found = changed(one, EDITS[name]), changed(other, EDITS[name])

    assert found[0].signature == found[1].signature
    assert found[0].signatures == found[1].signatures


@settings(max_examples=15)
@given(page=CONTENTS)
def test_different_edits_have_different_signatures(page: Content) -> None:
    found = [changed(page, edit).signature for edit in EDITS.values()]

    assert len(set(found)) == len(EDITS)


@settings(max_examples=25)
@given(
    one=CONTENTS,
    other=CONTENTS,
    name=st.sampled_from(["a menu entry", "the year", "the address", "a line in the footer"]),
    text=TEXTS,
)
def test_content_of_its_own_does_not_hide_what_is_shared(
    one: Content, other: Content, name: str, text: str
) -> None:
    def own(html: str, _: Content) -> str:
        return html.replace("</h1>", f"</h1><p>Only here: {text}</p>")

    shared, mixed = changed(one, EDITS[name]), changed(other, EDITS[name], own)

    assert set(mixed.signatures) > set(shared.signatures)
    assert len(set(mixed.signatures) - set(shared.signatures)) == 1
    assert mixed.signature != shared.signature


@settings(max_examples=15)
@given(page=CONTENTS)
def test_a_change_of_the_frame_is_told_from_a_change_of_the_content(page: Content) -> None:
    assert changed(page, EDITS["a menu entry"]).template
    assert changed(page, EDITS["the year"]).template
    assert not changed(
        page, lambda html, _: html.replace("</h1>", "</h1><p>A new paragraph about fees and roofs</p>")
    ).template


@pytest.mark.slow
def test_one_edit_on_real_pages_of_a_template_has_one_signature(data: Path) -> None:
    for path in sorted((data / "templates").glob("*.warc.gz"))[::5]:
        pages = [page for number, page in enumerate(read(path)) if number % 7 == 0][:3]
        for tag, line in (
            (b"</body>", b"<p>Accessibility statement</p>"),
            (b"<body", b"<p class=x>Closed on Monday</p>"),
        ):
            found = {
                analyse(page, replace(page, body=new), WatchOptions()).signature
                for page in pages
                if path.name != "noise.warc.gz" and (new := _edited(page.body, tag, line))
            }

            assert len(found) <= 1, (path.name, tag)


def _edited(body: bytes, tag: bytes, line: bytes) -> bytes | None:
    """Put a line at the beginning or the end of a page."""
    at = body.lower().rfind(tag)
    if tag == b"<body":
        at = body.find(b">", body.lower().find(tag)) + 1
    return body[:at] + line + body[at:] if at > 0 else None


def test_pages_that_are_redesigned_together_are_one_story() -> None:
    assert signature(["a"], redesigned=True) == signature(["b"], redesigned=True) != signature(["a"])


def test_a_menu_that_is_most_of_the_page_is_its_content() -> None:
    tree = read_tree("<nav><ul>" + "<li><a href=x>A street of the city</a>" * 50 + "</ul></nav><p>Streets")

    assert not any(frame_nodes(tree))


@pytest.mark.parametrize(
    ("versions", "expected"),
    [
        ("", False),
        ("A", False),
        ("AB", False),
        ("ABA", True),
        ("ABCA", True),
        ("ABAB", True),
        ("AAA", False),
        ("ABB", False),
    ],
)
def test_a_flip_flop_is_a_version_that_was_there_and_had_gone(versions: str, expected: bool) -> None:
    assert is_flip_flop(versions) is expected


def test_what_is_back_after_weeks_is_news() -> None:
    assert is_flip_flop("ABA", stood=3600)
    assert not is_flip_flop("ABA", stood=20 * 86_400)


@given(st.text("ABCDEFGHIJ", max_size=20))
def test_only_what_was_there_within_the_window_flips_back(versions: str) -> None:
    recent = versions[-WINDOW:]
    expected = len(recent) > 1 and recent[-1] != recent[-2] and recent[-1] in recent[:-1]

    assert is_flip_flop(list(versions)) is expected
