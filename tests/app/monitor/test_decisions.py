"""Alerts are sent or withheld, always with a reason in plain words."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

import pytest

from pagedrift import PageVersion
from pagedrift.app.model.options import WatchOptions
from pagedrift.app.monitor.analysis import analyse
from pagedrift.app.monitor.decisions import (
    decide,
    decide_recovery,
    decide_selector,
    decide_trouble,
)
from pagedrift.selectors.expressions import parse_selectors
from pagedrift.selectors.health import SelectorHealth
from tests.interstitials.interstitial_pages import FEES

if TYPE_CHECKING:
    from pagedrift.app.model.change import ChangeAnalysis

SEEN = datetime(2026, 11, 15, 9, 30, tzinfo=UTC)


def answers(new: str = FEES.replace("$40", "$45"), **fields: Any) -> ChangeAnalysis:
    old, new_page = (PageVersion("https://city.example/fees", html.encode()) for html in (FEES, new))
    return replace(analyse(old, new_page, WatchOptions()), **fields)


ASKED = [
    ({}, {"probability": 0.83}, "Important, 83 % sure: Price $40 → $45"),
    (
        {},
        {"level": "noise", "probability": 0.1},
        "Ignored because it is probably noise, 10 % likely to be content",
    ),
    ({}, {"level": "minor"}, "Ignored because it is minor and you want alerts about important changes"),
    ({"notify_on": "content"}, {"level": "minor", "probability": 0.7}, "The content changed, 70 % sure: "),
    ({"notify_on": "content"}, {"level": "noise"}, "Ignored because it is probably noise"),
    ({"notify_on": "anything"}, {}, "The page changed: Price $40 → $45"),
    ({"notify_on": "nothing"}, {}, "Ignored because alerts about changes are turned off"),
    (
        {"notify_on": "amount", "min_change": 0.05},
        {"amount": 0.02},
        "Ignored because only 2 % of the page changed; the minimum is 5 %",
    ),
    (
        {"notify_on": "amount", "min_change": 0.05},
        {"amount": 0.05},
        "5 % of the page changed",
    ),
    (
        {"notify_on": "anything"},
        {"changed": False, "hidden": 3},
        "Ignored because your selectors and rules hide 3 edits",
    ),
    ({"notify_on": "anything"}, {"visible": False}, "Ignored because only invisible content changed"),
    (
        {"notify_on": "nothing"},
        {"redesigned": True, "headline": "redesigned: 83 %"},
        "Redesigned: 83 %",
    ),
    (
        {"notify_on": "nothing", "redesigns": False},
        {"redesigned": True},
        "Ignored because alerts about changes are turned off",
    ),
]


@pytest.mark.parametrize(("options", "fields", "reason"), ASKED)
def test_a_change_is_told_as_the_user_asked(options: Any, fields: Any, reason: str) -> None:
    decision = decide(WatchOptions(**options), answers(**fields))

    assert decision.notify is not reason.startswith("Ignored because ")
    assert decision.sentence.startswith(reason)


@pytest.mark.parametrize("notify_on", ["important", "content", "nothing"])
def test_a_page_that_flipped_back_is_not_told(notify_on: Any) -> None:
    reworded = answers(FEES.replace("Whoever builds without a permit", "Anyone who builds without asking anybody"))
    decision = decide(WatchOptions(notify_on=notify_on), reworded, seen_on=SEEN)

    assert not decision.notify
    assert decision.sentence == "Ignored because the page went back to its version of 2026-11-15 09:30"


def test_a_price_that_is_back_is_told() -> None:
    decision = decide(WatchOptions(), answers(), seen_on=SEEN)

    assert decision.notify
    assert decision.sentence.endswith("sure: Price $40 → $45")


def test_who_wants_alerts_about_anything_gets_them_though_a_page_flipped_back() -> None:
    assert decide(WatchOptions(notify_on="anything"), answers(), seen_on=SEEN).notify


def test_a_change_of_many_pages_is_told_once() -> None:
    decision = decide(WatchOptions(notify_on="anything"), answers(), elsewhere=11)

    assert decision.notify
    assert decision.sentence.startswith("One alert for 12 pages; the page changed: ")


def test_trouble_is_told_once_and_its_end_too() -> None:
    options = WatchOptions(alert_after_failures=3)

    assert [decide_trouble(options, failures, "status 503").notify for failures in range(1, 6)] == [
        False,
        False,
        True,
        False,
        False,
    ]
    assert decide_recovery(options, 5).notify
    assert not decide_recovery(options, 2).notify
    assert not any(
        decide_trouble(WatchOptions(alert_after_failures=0), failures, "status 503").notify for failures in range(9)
    )
    assert not decide_recovery(WatchOptions(alert_after_failures=0), 5).notify


def test_a_selector_that_finds_nothing_is_told_with_what_is_closest() -> None:
    health = SelectorHealth(parse_selectors("price .price"))
    pages = [b"<p class=price>$40"] * 10 + [b"<p class=product-price>$45"] * 3
    (stopped,) = [each for body in pages for each in health.take(PageVersion("https://city.example/", body))]

    assert decide_selector(stopped).sentence == (
        "The selector price (.price) matched in 100 % of the checks before, now in 0 %; "
        "closest match: .product-price (“$45”)"
    )


SHOP = (
    "<main><h1>Lantern</h1><p>{} for the garden and for long evenings at the lake.</p><p class=state>{}</p></main>"
)


def flipped(old: tuple[str, str], new: tuple[str, str], **options: Any) -> bool:
    """Say whether there is an alert about a page that is as it was a few versions ago."""
    pages = [PageVersion("https://shop.example/", SHOP.format(*each).encode()) for each in (old, new)]
    wanted = WatchOptions(**options)
    return decide(wanted, analyse(*pages, wanted), seen_on=SEEN).notify


STOCK = ("A lantern", "In stock"), ("A lantern", "Sold out")
REWORDED = ("A fine lantern of brass", "In stock"), ("Light that lasts all night", "In stock")


@pytest.mark.parametrize(
    "options",
    [
        {},
        {"notify_on": "content"},
        {"notify_on": "anything"},
        {"notify_on": "amount"},
        {"include": [".state"], "value": "stock"},
        {"conditions": ["out of stock"]},
    ],
)
def test_a_stock_state_that_is_back_is_news_under_every_option(options: dict[str, Any]) -> None:
    assert flipped(*STOCK, **options)


@pytest.mark.parametrize(
    ("options", "expected"),
    [
        ({"notify_on": "anything"}, True),
        ({"notify_on": "amount"}, True),
        ({"include": ["main"], "value": "text"}, True),
        ({"notify_on": "content"}, False),
        ({}, False),
    ],
)
def test_words_that_take_turns_are_ignored_only_where_alerts_are_left_to_the_judge(
    options: dict[str, Any], expected: bool
) -> None:
    assert flipped(*REWORDED, **options) is expected


def test_a_file_that_is_back_and_cannot_be_looked_into_is_not_known_to_be_noise() -> None:
    old, new = (
        PageVersion("https://a.example/x.png", body, content_type="image/png")
        for body in (b"\x89PNG1", b"\x89PNG2")
    )
    assert decide(WatchOptions(), analyse(old, new, WatchOptions()), seen_on=SEEN).notify


def test_facts_among_edits_that_are_not_kept_may_be_news() -> None:
    many = answers(edits=(), more_edits={"important": 3})
    assert decide(WatchOptions(), many, seen_on=SEEN).notify
