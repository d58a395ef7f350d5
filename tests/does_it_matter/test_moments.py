"""Values that pages write by themselves: the moment of a request, stamps of machines, lists in turn."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest

from pagedrift import PageVersion, past_of
from pagedrift.does_it_matter.changes import ChangeReason, Level, changes
from pagedrift.does_it_matter.changes.facts import FactKind
from pagedrift.does_it_matter.changes.moments import is_moment

RULES = "<p>A permit is needed by all who park here for more than an hour, at any time of the day.</p>"
NOON = datetime(2026, 11, 8, 12, 40, tzinfo=UTC)
WEEK = timedelta(days=7)


def page(html: str, when: datetime | None = None) -> PageVersion:
    return PageVersion("https://city.example/", html.encode(), captured_at=when)


@pytest.mark.parametrize(
    ("kind", "old", "new"),
    [
        (FactKind.DATE, "2026-11-08", "2026-11-15"),
        (FactKind.DATE, "8.11.26", "15.11.26"),
        (FactKind.DATE, "11/07/2026", "11/14/2026"),
        (FactKind.DATE, "8 november 2026", "15 november 2026"),
        (FactKind.DATE, "8 november", "15 november"),
        (FactKind.TIME, "13:41", "13:39"),
        (FactKind.TIME, "5:12 pm", "5:09 pm"),
    ],
)
def test_the_date_or_time_of_both_captures_is_the_moment(kind: FactKind, old: str, new: str) -> None:
    when = NOON if ":" not in old or old == "13:41" else NOON.replace(hour=15, minute=10)

    assert is_moment({kind: ((old,), (new,))}, when, when + WEEK)


@pytest.mark.parametrize(
    ("kind", "old", "new"),
    [
        (FactKind.DATE, "2026-11-08", "2026-11-22"),
        (FactKind.DATE, "8 november 2025", "15 november 2025"),
        (FactKind.TIME, "18:00", "18:30"),
        (FactKind.TIME, "13:41", "14:39"),
        (FactKind.MONEY, "$8", "$15"),
        (FactKind.NUMBER, "8", "15"),
    ],
)
def test_other_values_are_not(kind: FactKind, old: str, new: str) -> None:
    assert not is_moment({kind: ((old,), (new,))}, NOON, NOON + WEEK)
    assert not is_moment({FactKind.DATE: (("2026-11-08",), ("2026-11-15",))}, None, NOON)


def test_the_date_of_the_day_at_the_bottom_of_a_page_is_noise() -> None:
    framed = f"<main>{RULES * 3}</main><footer><p>Town hall ({{}})</p></footer>"
    old = page(framed.format("2026-11-08"), NOON)
    new = page(framed.format("2026-11-15"), NOON + WEEK)
    [found] = changes(old, new)

    assert found.level is Level.NOISE
    assert found.reason is ChangeReason.MOMENT


def test_what_stands_next_to_a_checksum_outside_of_the_main_part_is_noise() -> None:
    commit = (
        f"<main>{RULES * 14}</main><div><h3>About this page</h3><p>commit {{}}</p>"
        "<p>Author: {} &lt;{}@forge.example&gt;</p><p>Date: {}</p></div>"
    )
    old = page(commit.format("a2961a8259ccc23386628750ee44a0a4f2e30b96", "Ann Lee", "ann", "2026-11-01T11:49:18Z"))
    new = page(commit.format("73dbc1814a41b5a54e3881639c002b015b543173", "Bo Roe", "bo", "2026-11-09T10:57:17Z"))

    assert {each.level for each in changes(old, new)} == {Level.NOISE}


def test_entries_that_come_and_go_again_and_again_become_noise() -> None:
    entries = ["Bicycle for sale, 60 €", "Kittens to give away", "Studio to let, 380 €", "Chess club on Thursday"]
    visits = [
        page(
            f"<main><h1>Handbook</h1>{RULES * 3}<h2>Notices</h2><ul><li>{entries[visit % 4]}</li>"
            f"<li>{entries[(visit * 3 + 1) % 4]}</li></ul></main>"
        )
        for visit in range(13)
    ]
    found = changes(visits[11], visits[12], past=past_of(*visits[:12]))

    assert found
    assert {each.level for each in found} == {Level.NOISE}


def test_a_price_that_flips_back_in_a_quiet_place_is_not_silenced() -> None:
    rules = "<main><h1>Permits</h1><p>A permit is needed by all who park here, and costs {} for a year.</p></main>"
    cheap, dear = page(rules.format("$40")), page(rules.format("$45"))
    past = past_of(cheap, cheap, cheap, dear, dear, dear)
    [found] = changes(dear, cheap, past=past)

    assert found.level is Level.IMPORTANT


def test_a_list_in_another_order_is_noise() -> None:
    listed = f"<main>{RULES * 3}<p>{{}}</p></main>"
    old = page(listed.format("Oakum Books, Letterform Guild, Studio Mira, Kite Press"))
    new = page(listed.format("Kite Press, Studio Mira, Oakum Books, Letterform Guild"))

    assert {each.level for each in changes(old, new)} <= {Level.NOISE}


def test_a_passage_that_was_only_split_did_not_change() -> None:
    old = page(f"{RULES}<p>first</p><div><a href=/n>next week</a> <a href=/p>last week</a> start</div><p>one</p>")
    new = page(
        f"{RULES}<p>begin</p><p><a href=/n>next week</a> | <a href=/p>last week</a></p><p>start</p><p>another</p>"
    )

    assert not any("week" in each.new_text for each in changes(old, new))


def test_a_word_of_a_menu_that_also_heads_a_table_is_not_taken_for_it() -> None:
    framed = f"<nav><a href=/t>{{}}</a></nav><main>{RULES * 3}<table><tr><th>Team</th><th>Points</th></tr></table>"
    found = changes(page(framed.format("Team")), page(framed.format("Squad")))

    assert [(each.old_text, each.new_text, str(each.zone)) for each in found] == [("Team", "Squad", "navigation")]
