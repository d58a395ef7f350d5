"""Comparison of versions covers only what a watch looks at, even on hostile pages."""

from __future__ import annotations

import json
import pickle
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given

from pagedrift import PageVersion
from pagedrift.app.model.options import WatchOptions
from pagedrift.app.model.rules import Rule
from pagedrift.app.monitor.analysis import analyse
from pagedrift.app.monitor.decisions import decide
from pagedrift.app.monitor.edits import EditEvidence
from pagedrift.does_it_matter.model import changes_model
from pagedrift.errors import LimitError
from tests.hostile_pages import ATTACKS, attack
from tests.interstitials.interstitial_pages import FEES
from tests.strategies import pages

if TYPE_CHECKING:
    from pagedrift.app.model.change import ChangeAnalysis

URL = "https://city.example/fees"
ARTICLE = (
    "<article><h2>Winter market opens</h2><p>The market is open from Friday on, with forty stalls.</p></article>"
)


def page(html: str | bytes, **fields: Any) -> PageVersion:
    return PageVersion(URL, html.encode() if isinstance(html, str) else html, **fields)


def ask(new: str, *rules: Rule, old: str = FEES, **options: Any) -> ChangeAnalysis:
    return analyse(page(old), page(new), WatchOptions(**options), rules)


@pytest.mark.parametrize(
    ("new", "expected"),
    [
        (FEES.replace("$40", "$45"), "Price $40 → $45"),
        (FEES.replace("<h1>", f"{ARTICLE}<h1>"), "New: Winter market opens"),
        (FEES.replace("</ul></nav>", "<li><a href=/jobs>Jobs</a></ul></nav>"), "New in the navigation: Jobs"),
        (FEES.replace("<li><a href=/news>News</a>", ""), "Removed from the navigation: News"),
        (FEES.replace("on the first Saturday", "on the last Sunday"), "Date Saturday → Sunday"),
        (FEES.replace("href=/imprint", "href=/about"), "address of a link changed: /imprint → /about"),
        (FEES.replace("<main>", "<main><img src=/hall.jpg alt='The town hall'>"), "New picture: The town hall"),
        (
            FEES.replace("$40", "$45").replace("Roof", "Roofs").replace("<p>City", "<p>Town"),
            "Price $40 → $45 and 1 other change",
        ),
        (FEES.replace("/city.js", "/town.js"), "nothing that a reader sees: 1 step in scripts and metadata"),
        (FEES, "nothing changed"),
    ],
)
def test_a_change_is_told_in_one_line(new: str, expected: str) -> None:
    assert ask(new).headline == expected


def test_all_five_answers_are_on_the_card() -> None:
    found = ask(FEES.replace("<h1>", f"{ARTICLE * 5}<h1>"))

    assert found.changed
    assert found.visible
    assert found.same_template
    assert not found.redesigned
    assert found.matters
    assert 0 < found.amount < 1
    assert found.answers["does_it_matter"]["probability"] == pytest.approx(found.probability, abs=1e-3)
    assert found.lines[0].startswith("what changed")
    assert json.loads(json.dumps(found.answers)) == found.answers


def test_answers_can_be_sent_to_another_process() -> None:
    found = ask(FEES.replace("$40", "$45"))

    assert pickle.loads(pickle.dumps(found)) == found


def test_only_what_is_selected_is_looked_at() -> None:
    new = FEES.replace("$40", "$45").replace("<p>City", "<p>Town").replace("<h1>", f"{ARTICLE}<h1>")

    footer = ask(new, include=("footer",))
    assert footer.headline == "City → Town"
    assert not ask(new, include=("nav",)).changed
    assert ask(new, include=("nav",)).hidden == 3
    assert ask(new, include=("table", "nav")).headline == "Price $40 → $45"


def test_measure_and_judgement_are_of_what_is_selected() -> None:
    new = FEES.replace("$40", "$45").replace("<h1>", f"{ARTICLE * 20}<h1>")
    whole, part = ask(new), ask(new, include=("tr:nth-child(2)",))

    assert part.amount < whole.amount
    assert (part.level, part.probability) == ("important", 1.0)  # it was selected
    assert len(part.edits) < len(whole.edits)
    assert part.answers["what_changed"] == {"edited": 1}


def test_a_selector_that_finds_nothing_any_more_is_told() -> None:
    renamed = ask(FEES.replace("class=fees", "class=prices"), include=("table.fees", "nav"))
    never = ask(FEES.replace("$40", "$45"), include=("#no-such-thing",))

    assert renamed.lost == ("table.fees",)
    assert decide(WatchOptions(), renamed).notify
    assert "table.fees no longer matches" in decide(WatchOptions(), renamed).sentence
    assert not never.lost
    assert not never.changed


def test_what_comes_or_goes_around_the_selected_counts() -> None:
    boxed = FEES.replace("<table class=fees>", "<section><table class=fees>")

    assert ask(FEES.replace("<table class=fees>", "<p>").replace("<td>$40", ""), include=("table",)).changed
    assert not ask(boxed, include=("td",)).changed


def test_what_is_left_out_or_ignored_is_no_change() -> None:
    new = FEES.replace("$40", "$45").replace("<p>City", "<p>Visitor 17. City")

    assert not ask(new, exclude=("table", "footer")).changed
    assert ask(new, exclude=("table",), ignore_text=(r"Visitor \d+\.",)).hidden == 2
    assert not ask(new, exclude=("table",), ignore_text=(r"Visitor \d+\.",)).changed
    stamped = FEES.replace("<h1>", "<p>Updated 3 minutes ago</p><h1>")
    assert not ask(stamped, ignore_text=(r"Updated \d+ minutes ago",)).changed


def test_ignored_text_changes_neither_measure_nor_judgement() -> None:
    new = FEES.replace("<p>City", "<p>" + "Rotating advertisement number one. " * 30 + "City").replace("$40", "$45")
    found = ask(new, ignore_text=(r"Rotating [\w ]+\.",))

    assert found.amount == pytest.approx(ask(FEES.replace("$40", "$45")).amount, rel=0.3)


def test_a_page_that_says_the_same_again_is_known_though_its_scripts_differ() -> None:
    other = FEES.replace("$40", "$45").replace("/city.js", "/city.js?v=2").replace("<p>Every", "<p data-id=7>Every")
    there, back = ask(other), ask(FEES.replace("/city.js", "/town.js"), old=other)

    assert there.was == back.now
    assert there.now == back.was != there.was


def test_rules_hide_blocks_texts_and_kinds() -> None:
    new = FEES.replace("$40", "$45").replace("href=/imprint", "href=/about")

    assert (
        ask(new, Rule(scope="all", of="", kind="block", value="table")).headline
        == "address of a link changed: /imprint → /about"
    )
    assert ask(new, Rule(scope="all", of="", kind="kind", value="changed link")).headline == "Price $40 → $45"
    assert ask(new, Rule(scope="all", of="", kind="text", value=r"\$\d+")).hidden == 1
    assert not ask(
        new,
        Rule(scope="all", of="", kind="text", value=r"\$\d+"),
        Rule(scope="all", of="", kind="kind", value="link"),
    ).changed


def test_a_redesign_is_told_as_such() -> None:
    new = "<!doctype html><title>Fees</title><link rel=stylesheet href=/new.css><body class=v2>" + "".join(
        f"<section class='card c-{number}'><div class=grid><article class=tile><h3>Fee {number}</h3></article>"
        "</div></section>"
        for number in range(30)
    )
    found = ask(new)

    assert found.redesigned
    assert found.headline.startswith("redesigned: ")


def test_text_is_compared_line_by_line() -> None:
    old, new = (page(f"Fence $40\nRoof {fee}\n", content_type="text/plain") for fee in ("$85", "$90"))

    assert analyse(old, new, WatchOptions()).headline == "Price $85 → $90"


def test_json_is_compared_value_by_value_and_the_order_of_keys_is_no_change() -> None:
    old = page('{"fees": {"fence": 40, "roof": 85}, "open": true}', content_type="application/json")
    same = page('{"open": true, "fees": {"roof": 85, "fence": 40}}', content_type="application/json")
    new = page('{"open": true, "fees": {"roof": 90, "fence": 40}}', content_type="application/json")

    assert not analyse(old, same, WatchOptions()).changed
    assert analyse(old, new, WatchOptions()).headline == "fees.roof: 85 → fees.roof: 90"


@pytest.mark.parametrize("broken", ['{"a": ', "[" * 100_000, "", '{"a": 1e999}', "nul\0l"])
def test_json_that_is_none_is_compared_as_text(broken: str) -> None:
    old = page('{"a": 1}', content_type="application/json")

    assert analyse(old, page(broken, content_type="application/json"), WatchOptions()).changed


def test_bytes_that_nobody_knows_are_a_file() -> None:
    old, new = (page(b"\0" + body, content_type="application/octet-stream") for body in (b"one" * 9, b"two" * 9))
    assert analyse(old, new, WatchOptions()).headline == "the file is another: 28 B → 28 B"


@pytest.mark.parametrize(
    ("body", "name"), [(b"%PDF-1.7 ", "PDF document"), (b"\x89PNG\r\n", "picture"), (b"PK\x03\x04", "packed file")]
)
def test_of_documents_and_pictures_the_bytes_are_compared(body: bytes, name: str) -> None:
    found = analyse(page(body + b"one" * 1000), page(body + b"two" * 2000), WatchOptions())

    assert found.headline.startswith(f"the {name} is another: 3.0 kB → 6.0 kB")
    assert found.changed
    assert found.matters
    assert not analyse(page(body), page(body), WatchOptions()).changed


def test_a_page_that_became_a_document_is_told() -> None:
    assert (
        analyse(page(FEES), page(b"%PDF-1.7"), WatchOptions()).headline
        == "it was a web page and is a PDF document now"
    )


def test_what_this_installation_learned_is_asked_but_silences_no_key_fact() -> None:
    never, always = (EditEvidence(model=replace(changes_model(), bias=bias)) for bias in (-50.0, 50.0))
    old, town = page(FEES), page(FEES.replace("<p>City", "<p>The City"))
    fee, room = page(FEES.replace("$40", "$45")), page(FEES.replace("Permit fees</h1>", "What permits cost</h1>"))

    assert analyse(old, town, WatchOptions(), by=always).level == "minor"
    assert analyse(old, town, WatchOptions()).level == "noise"
    assert analyse(old, room, WatchOptions(), by=never).level == "noise"
    assert analyse(old, fee, WatchOptions(), by=never).level == "important"


@pytest.mark.parametrize("name", ATTACKS)
def test_hostile_pages_are_answered_about(name: str) -> None:
    new = FEES.replace("<h1>", attack(name, "https://evil.example") + "<h1>")

    assert ask(new, include=("body",), exclude=("nav",), ignore_text=("x+",)).changed in (True, False)


@given(old=pages, new=pages)
def test_any_two_pages_are_answered_about(old: bytes, new: bytes) -> None:
    found = analyse(page(old), page(new), WatchOptions(exclude=("p",), ignore_text=("a",)))

    assert 0 <= found.amount <= 1
    assert found.headline
    assert bool(found.signature) is found.changed


@pytest.mark.slow
def test_hundreds_of_thousands_of_nested_elements_are_answered_about() -> None:
    deep = "<div>" * 200_000

    assert ask(deep + "new", old=deep + "old").headline == "old → new"


@pytest.mark.slow
def test_a_change_of_everything_is_answered_about() -> None:
    old, new = (
        "".join(f"<p class=c{number}>{word} {number}</p>" for number in range(6_000)) for word in ("a", "b")
    )

    assert len(ask(new, old=old).blocks) == 50


def test_a_page_beyond_the_limits_is_refused_clearly() -> None:
    with pytest.raises(LimitError, match="leave it out"):
        ask("<html>" * 20_000)


def test_a_headline_names_a_price_before_anything_else() -> None:
    new = (
        FEES.replace("$40", "$45").replace("<h1>", f"{ARTICLE}<h1>").replace("Monday to Friday", "Monday to Sunday")
    )
    found = ask(new.replace("<p>City", "<p>Visitor 17. City"))

    assert found.headline.startswith("Price $40 → $45 and ")
    assert found.edits[-1].level == "noise"
