import re
from datetime import UTC, datetime

import pytest
import turbohtml
from hypothesis import given
from hypothesis import strategies as st

from pagedrift.app.model.alert import AlertPage
from pagedrift.app.notify.digest import compose_digest
from pagedrift.app.notify.formats import format_of, prepare
from pagedrift.app.notify.message import TITLE, VERDICTS, AlertBlock, compose, plain

AT = datetime(2026, 11, 16, tzinfo=UTC)


def composed(**more: object) -> dict[str, object]:
    given = {
        "uid": "u",
        "verdict": "matters",
        "headline": "24 € → 29 €",
        "pages": [AlertPage(watch="w1", url="https://city.example/fees", name="Fees", change=7)],
        "at": AT,
        "base_url": "http://127.0.0.1:8710",
    }
    return compose(**(given | more))


def test_the_title_begins_with_the_verdict_and_ends_with_the_page():
    assert composed()["title"] == "Important: 24 € → 29 € · Fees"


def test_a_change_on_many_pages_is_one_message_with_a_list():
    pages = [AlertPage(watch=f"w{at}", url=f"https://city.example/{at}", change=at) for at in range(300)]
    told = composed(pages=pages)
    assert told["title"] == "Important on 300 pages: 24 € → 29 € · https://city.example/0"
    assert "https://city.example/19" in told["text"]
    assert "and 280 more" in told["text"]
    assert len(told["pages"]) == 300
    assert told["url"] == "http://127.0.0.1:8710/change/0"


def test_it_says_why_and_where_to_look():
    told = composed(reason="important, 93 % sure")
    assert "Why you got this alert: important, 93 % sure" in told["text"]
    assert "View the change: http://127.0.0.1:8710/change/7" in told["text"]
    assert 'href="http://127.0.0.1:8710/change/7"' in told["html"]


def test_only_the_words_that_changed_are_coloured():
    told = composed(blocks=[AlertBlock("A permit is 24 €", "A permit is 29 €")])
    assert ">24 €</span>" in told["html"]
    assert ">29 €</span>" in told["html"]
    assert "<ins" not in told["html"]
    assert "<style" not in told["html"]
    assert "− A permit is 24 €\n+ A permit is 29 €" in told["text"]


def test_of_many_places_the_first_are_shown_and_the_others_counted():
    told = composed(blocks=[AlertBlock(f"old {at}", f"new {at}") for at in range(25)])
    assert "and 15 more edits" in told["text"]
    assert len(told["blocks"]) == 25


def test_long_texts_are_cut_where_they_differ():
    long = "word " * 1000
    told = composed(blocks=[AlertBlock(f"{long} $40", f"{long} $45")])
    assert "$40" in told["text"]
    assert "$45" in told["html"].replace('<span style="', "").replace("</span>", "") or ">45<" in told["html"]
    assert len(told["text"]) < 3000


@pytest.mark.parametrize("verdict", VERDICTS)
def test_every_verdict_is_told(verdict):
    assert composed(verdict=verdict)["title"].startswith(VERDICTS[verdict][0])


def test_a_watch_without_a_change_leads_to_itself():
    told = composed(
        verdict="trouble",
        headline="the server does not answer",
        pages=[AlertPage(watch="w1", url="https://a.example")],
    )
    assert told["url"] == "http://127.0.0.1:8710/watch/w1"


HOSTILE = st.text(max_size=60) | st.sampled_from(
    ["<script>alert(1)</script>", '"><img src=x onerror=alert(1)>', "javascript:alert(1)", "a\r\nBcc: b", "]]>"]
)


@given(HOSTILE, HOSTILE, HOSTILE, HOSTILE)
def test_no_page_gets_a_word_in_that_is_no_text(old, new, name, headline):
    told = composed(
        headline=headline,
        blocks=[AlertBlock(old, new)],
        pages=[AlertPage(watch="w", url=f"https://a.example/{old}", name=name)],
    )
    assert "\n" not in told["title"]
    assert len(told["title"]) <= TITLE + 1
    document = turbohtml.parse(told["html"])
    allowed = {"html", "head", "body", "p", "b", "span", "ul", "li", "a"}
    for element in document.select("*"):
        assert element.tag in allowed
        assert set(element.attrs) <= {"style", "href"}
        assert (element.attrs.get("href") or "http").startswith("http")


@given(st.text())
def test_plain_text_is_one_line_of_signs_that_are_seen(text):
    line = plain(text)
    assert plain(line) == line
    assert "\n" not in line
    assert "\x00" not in line


CHAT = "slack://T1JJ3T3L2/A1BRTD4JD/TIiajkdnlazkcOXrIdevi7FQ/"


def test_a_chat_gets_a_few_lines_with_a_link():
    told = composed(blocks=[AlertBlock("A permit is 24 €", "A permit is 29 €"), AlertBlock("", "New: online")])
    assert prepare(told, format_of(CHAT)).body.splitlines() == [
        "**Before:** A permit is 24 €",
        "**Now:** A permit is 29 €",
        "**New:** New: online",
        "[View the change](http://127.0.0.1:8710/change/7)",
    ]
    short = prepare(told, format_of("tgram://123456789:abcdefg_hijklmnop/12315544/")).body
    assert "View the change: http://127.0.0.1:8710/change/7" in short
    assert "**" not in short


@given(HOSTILE, HOSTILE, HOSTILE)
def test_nothing_that_a_page_says_is_a_link_or_a_mention_in_a_chat(old, new, headline):
    told = composed(headline=headline, blocks=[AlertBlock(old, new)], pages=[])
    made = prepare(told, "markdown")
    text = made.title + made.body.replace("[View the change](http://127.0.0.1:8710/alerts)", "")
    for sign in ("](", "://", "<", ">", "`"):
        assert sign not in text
    assert not re.search("@[^\u200b]|@$", text)


def test_a_digest_in_a_chat_is_a_list_of_links():
    digest = compose_digest([composed(uid=str(at)) for at in range(12)], at=AT, base_url="http://127.0.0.1:8710")
    lines = prepare(digest, "markdown").body.splitlines()
    assert lines[0] == "1. [Important: 24 € → 29 € · Fees](http://127.0.0.1:8710/change/7)"
    assert lines[-2:] == ["and 2 more alerts", "[All alerts](http://127.0.0.1:8710/alerts)"]
