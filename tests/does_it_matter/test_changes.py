"""Each change is seen, named and judged by itself."""

from __future__ import annotations

import json
from collections import Counter

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pagedrift import PageVersion
from pagedrift.does_it_matter.changes import JudgedChange, Level, Past, changes, past_of
from pagedrift.does_it_matter.changes.facts import FactKind, changed_facts, read
from pagedrift.does_it_matter.changes.features import describe
from pagedrift.does_it_matter.changes.noise_rules import is_request
from pagedrift.does_it_matter.changes.pairing import (
    ADDED,
    EDITED,
    RECOUNTED,
    REMOVED,
    REPLACED,
    PassageChange,
    compare,
)
from pagedrift.does_it_matter.changes.passages import Passage, passages
from pagedrift.does_it_matter.changes.past import MAX_PLACES, MAX_TEXTS
from pagedrift.errors import InputError
from tests.strategies import pages

SWAPPED = {ADDED: REMOVED, REMOVED: ADDED, EDITED: EDITED, RECOUNTED: RECOUNTED, REPLACED: REPLACED}


def page(html: str) -> PageVersion:
    return PageVersion("", html.encode())


def told(old: str, new: str, past: Past | None = None) -> list[tuple[str, str, str]]:
    return [(each.action, each.old_text, each.new_text) for each in changes(page(old), page(new), past=past)]


def levels(*versions: str) -> set[Level]:
    """Judge the last step of a page by all before it."""
    *before, old, new = map(page, versions)
    return {each.level for each in changes(old, new, past=past_of(*before, old))}


# Laws


@given(pages)
def test_an_unchanged_page_has_no_changes(body: bytes) -> None:
    assert changes(PageVersion("", body), PageVersion("", body)) == ()
    assert changes(PageVersion("", body), PageVersion("", body), past=Past(9)) == ()


@given(pages, pages)
def test_any_two_pages_are_compared(old: bytes, new: bytes) -> None:
    found = changes(PageVersion("", old), PageVersion("", new))

    assert all(0 <= each.probability <= 1 and (each.old or each.new) for each in found)


def paragraph(number: int, *, edited: bool = False) -> str:
    """Say something that no other paragraph says; edited, with two words exchanged."""
    said = [f"word{number}x{letter}" for letter in "abcdefghijkl"]
    if edited:
        said[3:5] = [f"other{number}x{letter}" for letter in "yz"]
    return f"<p>{' '.join(said)}.</p>"


states = st.lists(st.sampled_from(["stays", "added", "removed", "edited"]), min_size=3, max_size=9)


@given(states)
def test_swapping_both_versions_swaps_what_was_added_and_removed(given_states: list[str]) -> None:
    numbered = list(enumerate(given_states))
    old = "".join(paragraph(number) for number, state in numbered if state != "added")
    new = "".join(paragraph(number, edited=state == "edited") for number, state in numbered if state != "removed")
    there = Counter(each.action for each in compare(passages(page(old)), passages(page(new))))
    back = Counter(SWAPPED[each.action] for each in compare(passages(page(new)), passages(page(old))))

    assert there == back


@given(st.sets(st.integers(0, 7), min_size=1))
def test_what_is_said_of_a_change_does_not_depend_on_the_others(edited: set[int]) -> None:
    def version(which: set[int]) -> PageVersion:
        return page("".join(paragraph(number, edited=number in which) for number in range(8)))

    together = {each.new_text: each for each in changes(version(set()), version(edited))}
    assert len(together) == len(edited)
    for number in edited:
        (alone,) = changes(version(set()), version({number}))
        same = together[alone.new_text]
        assert (same.level, same.probability) == (alone.level, pytest.approx(alone.probability))


def test_noise_added_to_a_page_does_not_hide_a_fact() -> None:
    rules = (
        "<main><p>A permit is needed by all who park here for more than an hour, and costs {}.</p>"
        "<p>It is to be had at the desk on the ground floor of the town hall, every morning.</p></main>"
    )
    noise = "".join(f"<div class=ad>Advertisement {{0}}{number}</div>" for number in range(30))
    old, new = (rules.format(fee) + noise.format(visit) for fee, visit in (("$40", 1), ("$45", 2)))
    alone = changes(page(rules.format("$40")), page(rules.format("$45")))
    first, *others = changes(page(old), page(new))

    assert first.fact is FactKind.MONEY
    assert first.level is alone[0].level is Level.IMPORTANT
    assert {each.level for each in others} == {Level.NOISE}


# The past


@given(st.lists(pages, max_size=5))
def test_the_past_comes_back_from_json(bodies: list[bytes]) -> None:
    past = past_of(*(PageVersion("", body) for body in bodies))

    assert Past.from_json(json.loads(json.dumps(past.to_json()))) == past
    assert past.versions == len(bodies)


@pytest.mark.parametrize("data", [None, [], {}, {"format": 2}, {"format": 1, "versions": 1, "texts": {"x": 1}}])
def test_what_is_no_past_is_refused(data: object) -> None:
    with pytest.raises(InputError, match="not the past of a page"):
        Past.from_json(data)


def test_the_first_version_teaches_nothing_and_a_quiet_page_stays_empty() -> None:
    quiet = page("<p>Open from 9 to 5")

    for past in (past_of(quiet), past_of(*[quiet] * 20)):
        assert (dict(past.texts), dict(past.places)) == ({}, {})


def test_the_past_is_bounded() -> None:
    def side(number: int, visit: int) -> Passage:
        words = (f"{visit}", f"text{number}")
        return Passage(words=words, text=" ".join(words), place=number, slot=-number - 1)

    past = Past().after(())
    for visit in range(3):
        past = past.after(
            PassageChange(RECOUNTED, side(number, visit), side(number, visit + 1)) for number in range(10_000)
        )

    assert (len(past.texts), len(past.places)) == (MAX_TEXTS, MAX_PLACES)
    assert past.versions == 4
    assert past.place(9_999).changed >= 1  # the newest are kept
    assert len(json.dumps(past.to_json())) < 200_000


def test_a_page_that_changes_wholly_at_each_visit_ends_as_noise() -> None:
    def version(visit: int) -> str:
        return "".join(f"<p>quote{visit}x{number} of the day{visit} by nobody{visit}</p>" for number in range(6))

    assert levels(*(version(visit) for visit in range(15))) == {Level.NOISE}


def test_two_languages_in_turn_end_as_noise() -> None:
    english = (
        "<main><h1>Town hall</h1><p>The town hall is open to all citizens on working days, also at noon.</main>"
    )
    french = "<main><h1>Mairie</h1><p>La mairie est ouverte à tous les jours ouvrables, et aussi à midi.</main>"

    assert levels(*[english, french] * 6) <= {Level.NOISE}


def test_a_fact_in_a_quiet_place_is_important_among_counters() -> None:
    text = "<main><h1>Pool</h1><p>Ticket for adults: {}</p><p>{} visitors so far</p></main>"
    visits = [text.format("4.50 €", 100 + 7 * visit) for visit in range(11)]
    old, new = visits[-1], text.format("5.20 €", 190)
    found = changes(page(old), page(new), past=past_of(*map(page, visits)))

    assert [(each.level, each.fact) for each in found] == [
        (Level.IMPORTANT, FactKind.MONEY),
        (Level.NOISE, FactKind.NUMBER),
    ]


# Pages of every kind


def test_a_page_of_one_number() -> None:
    assert told("7", "8") == [(RECOUNTED, "7", "8")]


def test_an_empty_side() -> None:
    assert told("", "<p>Now there is something to read") == [(ADDED, "", "Now there is something to read")]
    assert told("<p>Now there is something to read", "") == [(REMOVED, "Now there is something to read", "")]
    assert told("", "") == []


def test_a_table_of_5000_rows() -> None:
    rows = [f"<tr><td>Part {number}<td>{number}.50 €" for number in range(5_000)]
    old = f"<table>{''.join(rows)}</table>"
    rows[2_500] = "<tr><td>Part 2500<td>1999.00 €"

    assert told(old, f"<table>{''.join(rows)}</table>") == [(RECOUNTED, "2500.50 €", "1999.00 €")]


def test_the_same_text_in_other_blocks_is_no_change() -> None:
    text = "<p>Bring your plans. Pay at the desk.</p>"

    assert told(text, "<p>Bring your plans.</p><p>Pay at the desk.</p>") == []
    assert told("<ul><li>One thing<li>Another one</ul>", "<div>One thing</div><div>Another one</div>") == []
    assert (
        told(f"<p>Before</p>{text}<p>After</p>", "<p>Before Bring your plans.</p><p>Pay at the desk. After") == []
    )


@pytest.mark.parametrize("more", ["Not {}", "{} at all", "Not {} at all"])
@pytest.mark.parametrize("around", ["{}", "<p>Before</p>{}<p>After</p>"])
def test_a_passage_that_words_were_put_before_or_after_was_edited(more: str, around: str) -> None:
    old, new = "smoking is allowed here", more.format("smoking is allowed here")

    assert told(around.format(f"<p>{old}</p>"), around.format(f"<p>{new}</p>")) == [(EDITED, old, new)]
    assert told(around.format(f"<p>{new}</p>"), around.format(f"<p>{old}</p>")) == [(EDITED, new, old)]


def test_what_only_moved_is_no_change() -> None:
    one, other = "<p>The desk is closed on Mondays.</p>", "<p>Bring your plans.</p>"

    assert told(one + other, other + one) == []


def test_marks_alone_are_no_change() -> None:
    assert told("<p>Terms, and conditions", "<p>Terms and conditions.") == []


def test_a_mark_after_the_number_of_a_section_is_no_change() -> None:
    assert told("<h2>11 Website policy</h2>", "<h2>11. Website policy</h2>") == []
    assert told("<h2>2.1 Support</h2>", "<h2>2.1. Support</h2>") == []


@pytest.mark.parametrize(("old", "new"), [("1.5 m", "15 m"), ("-5 °C", "5 °C"), ("10 %", "10"), ("$5", "€5")])
def test_marks_that_make_another_number_are_a_change(old: str, new: str) -> None:
    assert len(told(f"<p>It is {old} now", f"<p>It is {new} now")) == 1


def test_a_picture_that_was_replaced_is_seen() -> None:
    page_of = "<main><p>A cottage with a garden and a view of the mill.</p><img src=/{}.jpg alt='{}'></main>"
    found = told(page_of.format("front", "From the lane"), page_of.format("garden", "From the garden"))

    assert found == [(REPLACED, "From the lane", "From the garden")]


def test_the_same_picture_from_another_server_or_in_another_size_is_no_change() -> None:
    old = "<img src=https://a.example/i/front-800x600.jpg?v=1>"

    assert told(old, "<img src=https://cdn.example/x/front-400x300.jpg?v=2>") == []


def test_a_file_that_was_replaced_is_seen() -> None:
    page_of = "<p>The calendar: <a href=/files/{}>download it here</a>"
    found = changes(page(page_of.format("calendar-2026-v2.pdf")), page(page_of.format("calendar-2026-v3.pdf")))

    assert [(each.action, each.fact) for each in found] == [(REPLACED, FactKind.FILE)]


@pytest.mark.parametrize(
    "page_of", ["<p>Monday 9 to 5<br>Tuesday {}<br>Friday 9 to 12", "<pre>a: 1\nTuesday {}\nb: 2"]
)
def test_lines_are_changes_of_their_own(page_of: str) -> None:
    assert [old for _, old, _ in told(page_of.format("closed"), page_of.format("9 to 5"))] == ["Tuesday closed"]


def test_what_was_added_in_one_piece_is_one_change() -> None:
    old = paragraph(1) + "{}" + paragraph(2)
    (found,) = changes(page(old.format("")), page(old.format(paragraph(7) + paragraph(8))))

    assert (found.action, len(found.new)) == (ADDED, 2)
    assert isinstance(found, JudgedChange)


@settings(max_examples=20)
@given(st.integers(0, 9))
def test_the_number_of_a_change_is_where_it_stands(number: int) -> None:
    old, new = ("".join(paragraph(each, edited=each == which) for each in range(10)) for which in (-1, number))
    (found,) = changes(page(old), page(new))

    assert found.passage.number == number


# Facts, in the languages of the web

FACTS = [
    # English
    ("A permit costs $120 a year", "A permit costs $145 a year", FactKind.MONEY),
    ("Applications are due by 1 May 2026", "Applications are due by 15 May 2026", FactKind.DEADLINE),
    ("Open 9:00 – 17:00", "Open 9:00 – 16:00", FactKind.HOURS),
    ("Call (555) 123-4567", "Call (555) 123-4599", FactKind.CONTACT),
    ("Refunds are possible", "Refunds are not possible", FactKind.OBLIGATION),
    ("In stock", "Sold out", FactKind.STATUS),
    ("Download 4.2.1", "Download 4.2.2", FactKind.VERSION),
    ("Interest 3.5 %", "Interest 3.9 %", FactKind.PERCENTAGE),
    ("Head teacher: Ann Miller", "Head teacher: Tom Baker", FactKind.PERSON),
    # German
    ("Die Gebühr beträgt 24,50 €", "Die Gebühr beträgt 26,00 €", FactKind.MONEY),
    ("Bewerbungsschluss: 30.04.2026", "Bewerbungsschluss: 15.05.2026", FactKind.DEADLINE),
    ("Mo–Fr 8.30 Uhr bis 16.00 Uhr", "Mo–Fr 8.30 Uhr bis 15.00 Uhr", FactKind.HOURS),
    ("Telefon 030 1234567", "Telefon 030 1234599", FactKind.CONTACT),
    ("Hunde sind erlaubt", "Hunde sind verboten", FactKind.OBLIGATION),
    ("Das Konzert: ausverkauft", "Das Konzert: abgesagt", FactKind.STATUS),
    ("Der Satz liegt bei 19 Prozent", "Der Satz liegt bei 21 Prozent", FactKind.PERCENTAGE),
    # French
    ("Tarif plein : 12 €", "Tarif plein : 14 €", FactKind.MONEY),
    ("Inscriptions jusqu'au 3 mai 2026", "Inscriptions jusqu'au 10 mai 2026", FactKind.DEADLINE),
    ("De 8h30 à 12h00", "De 9h00 à 12h00", FactKind.HOURS),
    ("Tél. 01 23 45 67 89", "Tél. 01 23 45 67 90", FactKind.CONTACT),
    ("Les chiens sont autorisés", "Les chiens ne sont pas autorisés", FactKind.OBLIGATION),
    ("Spectacle complet", "Spectacle annulé", FactKind.STATUS),
    ("Une remise de 10 pour cent", "Une remise de 15 pour cent", FactKind.PERCENTAGE),
    # Spanish, Italian, Portuguese
    ("El alquiler: 850 euros", "El alquiler: 890 euros", FactKind.MONEY),
    ("Plazo hasta el 5 de junio de 2026", "Plazo hasta el 12 de junio de 2026", FactKind.DEADLINE),
    ("Entradas disponibles", "Entradas: agotado", FactKind.STATUS),
    ("Scadenza: 15/06/2026", "Scadenza: 30/06/2026", FactKind.DEADLINE),
    ("Il museo è aperto", "Il museo è chiuso", FactKind.STATUS),
    ("É permitido estacionar", "Não é permitido estacionar", FactKind.OBLIGATION),
    ("Prazo: até 20 de maio", "Prazo: até 27 de maio", FactKind.DEADLINE),
    # Polish, Russian, Arabic
    ("Opłata wynosi 120 zł", "Opłata wynosi 150 zł", FactKind.MONEY),
    ("Цена: 1500 руб", "Цена: 1700 руб", FactKind.MONEY),
    ("Срок подачи: 10 мая 2026", "Срок подачи: 20 мая 2026", FactKind.DEADLINE),
    ("Бассейн открыт", "Бассейн закрыт", FactKind.STATUS),
    ("Парковка разрешена", "Парковка запрещена", FactKind.OBLIGATION),
    ("Телефон: +7 495 123-45-67", "Телефон: +7 495 123-45-99", FactKind.CONTACT),
    ("Скидка 10%", "Скидка 20%", FactKind.PERCENTAGE),
    ("السعر 250 ريال", "السعر 300 ريال", FactKind.MONEY),
    ("المكتب مفتوح", "المكتب مغلق", FactKind.STATUS),
    ("يجب الحجز", "لا يجب الحجز", FactKind.OBLIGATION),
    ("هاتف 0123456789", "هاتف 0123456799", FactKind.CONTACT),
    # Japanese and Chinese
    ("価格：2,800円（税込）", "価格：3,200円（税込）", FactKind.MONEY),
    ("2026年5月10日まで", "2026年5月20日まで", FactKind.DEADLINE),
    ("営業時間 10:00〜18:00", "営業時間 10:00〜17:00", FactKind.HOURS),
    ("電話 03-1234-5678", "電話 03-1234-5699", FactKind.CONTACT),
    ("在庫あり", "在庫切れ", FactKind.STATUS),
    ("撮影は可能です", "撮影は禁止です", FactKind.OBLIGATION),
    ("价格：299元", "价格：349元", FactKind.MONEY),
    ("报名截止 2026年5月1日", "报名截止 2026年6月1日", FactKind.DEADLINE),
    ("有货", "缺货", FactKind.STATUS),
    ("折扣 15%", "折扣 25%", FactKind.PERCENTAGE),
    ("版本 v2.1.0", "版本 v2.2.0", FactKind.VERSION),
]


@pytest.mark.parametrize(("old", "new", "kind"), FACTS)
def test_a_fact_that_changed_is_named(old: str, new: str, kind: FactKind) -> None:
    found = changed_facts(read(old).facts, read(new).facts)

    assert kind in found, found


@pytest.mark.parametrize(("old", "new", "kind"), FACTS)
def test_a_fact_that_changed_in_a_quiet_place_is_content(old: str, new: str, kind: FactKind) -> None:
    before = (
        "<main><h1>About</h1><p>What follows is what you have to know before you come to see us.</p>"
        "<p>Our house stands at the market place, opposite to the old town hall, since 1840.</p><p>{}</p>"
        "<p>Dogs have to wait outside, where there is water for them and some shade.</p></main>"
    )
    version = page(before.format(old))
    found = changes(version, page(before.format(new)), past=past_of(*[version] * 11))

    assert found
    assert all(each.level is not Level.NOISE for each in found), (kind, found)


def test_a_label_that_leads_on_is_no_change_of_what_an_entry_says() -> None:
    page = "<main><h1>Letters</h1><p>All letters to parents of this year, the newest one first.</p><p>{}</p></main>"
    dated = "20 May 2026 · For parents and teachers"
    old, labelled, reworded = (
        PageVersion("", page.format(text).encode())
        for text in (dated, f"{dated} <a href=/1>Read more »</a>", dated.replace("teachers", "nobody else"))
    )

    assert [each.level for each in changes(old, labelled)] == [Level.NOISE]
    assert [each.level for each in changes(labelled, old)] == [Level.NOISE]
    assert [each.level for each in changes(old, reworded)] != [Level.NOISE]


# What comes first

ITEM = '<article><h2><a href="/{0}">{0}</a></h2><p class="teaser">{1}</p></article>'
MAYOR = (
    "New mayor elected by a few votes",
    "Ruth Adler won the vote by a narrow margin and takes office on 1 May, in the town hall.",
)
BRIDGE = (
    "Bridge over the mill stream closed",
    "The bridge over the mill stream is closed while engineers look at each of its six piers.",
)
MARKET = (
    "Market moves to the quay",
    "Stalls stand along the quay from Saturday on, because the square is paved for the summer fair.",
)

LIBRARY = (
    "Library opens on Sundays",
    "From next month readers borrow books on Sundays too, thanks to volunteers of two schools.",
)


def news(*items: tuple[str, str]) -> str:
    return f"<main><h1>News of the town</h1>{''.join(ITEM.format(*item) for item in items)}</main>"


def test_a_new_article_comes_before_what_it_pushed_out() -> None:
    found = changes(page(news(LIBRARY, MAYOR, BRIDGE)), page(news(MARKET, LIBRARY, MAYOR)))

    assert [found[0].new_text, found[1].old_text] == [" ".join(MARKET), " ".join(BRIDGE)]


# What a site asks for, and where it leads to

RULES = (
    "<p>A permit is needed by everybody who parks in the old town for more than an hour, and costs $40 a year.</p>"
)


@pytest.mark.parametrize(
    "box",
    [
        "<p>Download our app and take the permit with you, wherever you go!</p>",
        "<div><h3>Never miss a thing</h3><p>Sign up to our mailing list and hear about new rules first.</p></div>",
        "<p>Waren Sie zufrieden? Bewerten Sie uns in nur einer Minute!</p>",
        "<p>アンケートにご協力ください。</p>",
    ],
)
def test_a_box_that_asks_for_something_is_noise(box: str) -> None:
    page_with = f"<main><h1>Permits</h1>{{}}{RULES}<p>Ask at the desk.</p></main>"

    assert levels(page_with.format(""), page_with.format(box)) == {Level.NOISE}
    assert levels(page_with.format(box), page_with.format("")) == {Level.NOISE}


@pytest.mark.parametrize(("price", "asks"), [("", True), (" It costs $25.", False)])
def test_what_names_a_price_does_not_only_ask(price: str, asks: bool) -> None:
    added = PassageChange(ADDED, None, passages(page(f"<p>Sign up for our walk through the old town.{price}"))[0])

    assert is_request(describe(added, None)) == asks


def test_links_above_the_title_are_a_menu_whatever_their_element_is_called() -> None:
    body = f"<div class=x>{{}}</div><h1>Permits</h1>{RULES}"
    links = '<a href="/">Town</a> <a href="/a">{}</a> <a href="/b">Contact</a>'

    assert levels(*(body.format(links.format(name)) for name in ("Sitemap", "Find your way"))) == {Level.NOISE}


def test_a_line_above_the_title_that_is_no_link_is_read() -> None:
    body = f"<div class=x>{{}}</div><h1>Permits</h1>{RULES}"
    lines = ("The desk is open on all days of the week.", "The desk is closed on all days of the week.")

    assert levels(*(body.format(line) for line in lines)) == {Level.IMPORTANT}


def test_a_time_stamp_of_a_machine_states_no_opening_hours() -> None:
    found = read("Date: 2025-12-08T12:05:30+01:00").facts

    assert {kind for kind, _ in found} == {FactKind.DATE}


def test_how_a_person_is_addressed_is_no_part_of_the_name() -> None:
    old, new = ("Ask the chair, pan Karel Novak, today.", "Ask the chair, paní Ivana Mala, today.")
    found = changes(page(f"<main>{RULES}<p>{old}</main>"), page(f"<main>{RULES}<p>{new}</main>"))

    assert found[0].facts == {FactKind.PERSON: (("karel novak",), ("ivana mala",))}
