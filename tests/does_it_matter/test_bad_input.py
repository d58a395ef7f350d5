"""Pages that nobody thinks of are judged too, and one change says nothing about another."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pagedrift import PageVersion, changes, judge, past_of
from pagedrift.does_it_matter.changes.facts import FactKind
from pagedrift.does_it_matter.changes.histories import Histories
from pagedrift.does_it_matter.changes.levels import Level, judge_changes, single_changes
from pagedrift.does_it_matter.changes.pairing import compare
from pagedrift.does_it_matter.changes.passages import passages
from pagedrift.does_it_matter.changes.past import MAX_PLACES, MAX_TEXTS, Past
from pagedrift.does_it_matter.learning import judge_by
from pagedrift.does_it_matter.model import shipped
from pagedrift.facets.view import TEXT, Box, RenderedNode, Style, View

RULES = "<p>A permit is needed by all who park here for more than an hour, and costs {}.</p>"


def page(html: str) -> PageVersion:
    return PageVersion("https://city.example/", html.encode())


def test_an_empty_side_is_judged() -> None:
    full = page(f"<main>{RULES.format('$40')}</main>")
    gone, come = changes(full, page("")), changes(page(""), full)

    assert [each.action for each in gone] == ["removed"]
    assert [each.action for each in come] == ["added"]
    assert changes(page(""), page("")) == ()
    assert judge(full, page(""), past=past_of(full, full, full)).changes


def test_a_first_visit_has_no_past_and_claims_none() -> None:
    old, new = page(RULES.format("$40")), page(RULES.format("$45"))

    assert judge(old, new, past=Past()).changes == judge(old, new).changes
    assert all(each.steps == 0 for each in judge(old, new, past=past_of(old)).changes)


def test_a_page_of_only_noise_becomes_quiet() -> None:
    visits = [page(f"<div id=counter>Visitors: {1000 + 17 * visit}</div>") for visit in range(12)]
    found = changes(visits[10], visits[11], past=past_of(*visits[:11]))

    assert {each.level for each in found} == {Level.NOISE}


def test_a_page_that_changes_wholly_each_visit_becomes_quiet() -> None:
    visits = [page("".join(f"<p>{visit}x{line} {visit}y{line}</p>" for line in range(40))) for visit in range(12)]
    found = changes(visits[10], visits[11], past=past_of(*visits[:11]))

    assert {each.level for each in found} == {Level.NOISE}


def test_ten_thousand_places_are_remembered_within_bounds() -> None:
    visits = [
        page(
            "".join(
                f"<div class='c{chr(97 + number % 26)} d{'x' * (number % 9)}'>{number} {visit} word</div>"
                for number in range(10_000)
            )
        )
        for visit in range(3)
    ]
    past = past_of(*visits)

    assert len(past.texts) <= MAX_TEXTS
    assert len(past.places) <= MAX_PLACES
    assert past.steps == 2


def test_two_languages_in_turn_are_not_news_each_time() -> None:
    english = page(
        "<main><h1>Opening hours</h1><p>The museum is open every day but Monday, from ten to six.</p></main>"
    )
    french = page(
        "<main><h1>Horaires</h1><p>Le musée est ouvert tous les jours sauf le lundi, de dix à dix-huit.</p></main>"
    )
    visits = [english, french] * 6
    found = changes(visits[10], visits[11], past=past_of(*visits[:11]))

    assert Level.IMPORTANT not in {each.level for each in found}


def test_a_page_of_one_number_is_judged() -> None:
    found = changes(page("41"), page("42"))

    assert [(each.old_text, each.new_text) for each in found] == [("41", "42")]


def test_a_row_of_a_table_of_five_thousand_is_found() -> None:
    rows = [f"<tr><td>Item {number}</td><td>{number}.50 €</td></tr>" for number in range(5_000)]
    old = page(f"<table>{''.join(rows)}</table>")
    rows[2_500] = "<tr><td>Item 2500</td><td>2600.50 €</td></tr>"
    found = changes(old, page(f"<table>{''.join(rows)}</table>"))

    assert [(each.old_text, each.new_text, each.level) for each in found] == [
        ("2500.50 €", "2600.50 €", Level.IMPORTANT)
    ]


def test_a_table_of_five_thousand_rows_may_change_in_all_of_them() -> None:
    old, new = (
        page(
            "<table>"
            + "".join(f"<tr><td>No. {number}</td><td>{number}.{cents} €</td></tr>" for number in range(5_000))
        )
        for cents in (50, 60)
    )

    assert len(changes(old, new)) >= 5_000


def test_hidden_text_is_content_that_is_seen_less() -> None:
    closed = (
        "<main><h2>Refunds</h2><div hidden>"
        + RULES
        + "</div><p>Ask at the desk in the town hall for more.</p></main>"
    )
    [found] = changes(page(closed.format("$40")), page(closed.format("$45")))

    assert found.passage.hidden
    assert found.level is Level.IMPORTANT


def test_a_long_number_is_no_counter_and_no_trouble() -> None:
    old, new = page(f"<p>Serial {'7' * 9000}</p>"), page(f"<p>Serial {'7' * 8999}8</p>")

    assert len(changes(old, new)) == 1


def view(words: int) -> View:
    box = Box(0, 0, 100, 20)
    style = Style("block", "visible", 1.0, "static", "none", "", "", False, 16.0, 400, "normal", (0, 0, 0, 0))
    body = RenderedNode(-1, "body", box, style)
    text = RenderedNode(0, TEXT, box, style, "word " * words)
    return View(url="", title="", language="", width=1024, height=900, nodes=(body, text), picture=b"x")


@pytest.mark.parametrize(("sizes", "side"), [((200, 3), "new"), ((3, 200), "old")])
def test_a_side_that_was_rendered_nearly_empty_is_not_compared(sizes: tuple[int, int], side: str) -> None:
    old, new = (replace(page(RULES.format("$40")), view=view(words)) for words in sizes)

    assert judge(old, new).basis == f"source only: the {side} version was rendered nearly empty"


PARTS = [
    RULES,
    "<p>Opening hours: {}:00 to 17:00 on every day of the week but Sunday, in the town hall.</p>",
    "<footer>{} visitors</footer>",
    "<div class=ad>Buy {} now</div>",
    "<aside><p>Today: {} °C</p></aside>",
    "<p>Registration is open until {} May 2026 for all who live in the town.</p>",
]


@settings(deadline=None, max_examples=40)
@given(st.lists(st.sampled_from(PARTS), min_size=2, max_size=6, unique=True), st.data())
def test_taking_one_change_away_never_lowers_another(parts: list[str], data: st.DataObject) -> None:
    old = passages(page("".join(part.format(8) for part in parts)))
    new = passages(page("".join(part.format(9) for part in parts)))
    found = compare(old, new)
    left_out = data.draw(st.integers(0, len(found) - 1))
    kept = [change for number, change in enumerate(found) if number != left_out]
    before = {each.new_text: each for each in judge_changes(found)}

    for each in judge_changes(kept):
        assert each.level is before[each.new_text].level
        assert each.probability == before[each.new_text].probability


def test_the_past_grows_by_judged_changes_as_by_those_of_passages() -> None:
    old, new = (
        page("<p>One line<p>Two lines<p>12 visitors"),
        page("<p>One line<p>15 visitors<p>And more<p>And yet more"),
    )
    found = compare(passages(old), passages(new))
    histories = Histories()
    histories.add(old.url)
    histories.add(new.url, judge_changes(found))

    assert histories.of(new.url) == past_of(old, new)
    assert sorted(each.action for each in single_changes(judge_changes(found))) == sorted(
        each.action for each in found
    )


def test_the_oldest_histories_are_forgotten() -> None:
    histories = Histories(most=2)
    for name in "abc":
        histories.add(f"https://city.example/{name}")

    assert histories.of("https://city.example/a").versions == 0
    assert histories.of("https://city.example/c").versions == 1


def test_reasons_name_the_changes_that_are_listed() -> None:
    old = page(
        f"<main>{RULES.format('$40')}<p>Bring proof of where you live, and the papers of the car.</p></main>"
    )
    new = page(f"<main>{RULES.format('$40')}</main>")
    found = judge(old, new)

    assert [each.action for each in found.changes] == ["removed"]
    assert not any("no passage of the text" in reason.text for reason in found.reasons)


DOCUMENTS = {
    "application/json": (
        '{"permit": {"fee": "$40", "valid": "a year"}}',
        '{"permit": {"fee": "$45", "valid": "a year"}}',
    ),
    "text/plain": ("Permits\n\nA permit costs $40.\n", "Permits\n\nA permit costs $45.\n"),
    "text/csv": ("permit,fee\nfence,$40\nroof,$90\n", "permit,fee\nfence,$45\nroof,$90\n"),
    "application/rss+xml": tuple(
        "<rss version='2.0'><channel><title>Permits</title><link>https://city.example/</link><item><title>Fence"
        f"</title><guid>1</guid><description>A permit costs {fee}.</description></item></channel></rss>"
        for fee in ("$40", "$45")
    ),
}


@pytest.mark.parametrize("content_type", DOCUMENTS)
def test_documents_go_through_the_same_code(content_type: str) -> None:
    old, new = (
        PageVersion("https://city.example/fees", body.encode(), content_type=content_type)
        for body in DOCUMENTS[content_type]
    )
    found = changes(old, new, past=past_of(old, old, old))

    assert [each.level for each in found] == [Level.IMPORTANT]
    assert FactKind.MONEY in found[0].facts
    assert judge(old, new).changes[0].new_text == found[0].new_text


def test_two_cells_that_exchange_their_numbers_changed() -> None:
    table = "<table><tr><td>Union<td>41<td>{}<tr><td>Forward<td>38<td>{}</table>"
    found = changes(page(RULES + table.format(9, 8)), page(RULES + table.format(8, 9)))

    assert sorted((each.old_text, each.new_text) for each in found) == [("8", "9"), ("9", "8")]


def test_a_judge_of_ones_own_uses_the_past_too() -> None:
    visits = [page(f"{RULES.format('$40')}<p>Visitors: {1000 + visit}</p>") for visit in range(5)]
    found = judge_by({"source": shipped("source")}, *visits[3:], past=past_of(*visits[:4]))

    assert {each.steps for each in found.changes} == {3}
