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
from pagedrift.redesigned.selectors import SelectorHealth, parse_selectors
from tests.app.monitor.interstitial_pages import FEES

if TYPE_CHECKING:
    from pagedrift.app.model.change import ChangeAnalysis

SEEN = datetime(2026, 11, 15, 9, 30, tzinfo=UTC)


def answers(new: str = FEES.replace("$40", "$45"), **fields: Any) -> ChangeAnalysis:
    old, new_page = (PageVersion("https://city.example/fees", html.encode()) for html in (FEES, new))
    return replace(analyse(old, new_page, WatchOptions()), **fields)


ASKED = [
    ({}, {"matters": True, "probability": 0.83}, "matters with 0.83: price $40 → $45; you asked for changes that"),
    ({}, {"matters": False, "probability": 0.1}, "not told: matters only with 0.10: price $40 → $45"),
    ({"notify_on": "any"}, {}, "changed: price $40 → $45; you asked for any change"),
    ({"notify_on": "nothing"}, {}, "not told: you asked not to be told of changes"),
    ({"notify_on": "amount", "min_change": 0.05}, {"amount": 0.02}, "not told: 0.02 is below your 0.05"),
    (
        {"notify_on": "amount", "min_change": 0.05},
        {"amount": 0.05},
        "0.05 of the page changed; you asked for 0.05",
    ),
    (
        {"notify_on": "any"},
        {"changed": False, "hidden": 3},
        "not told: nothing changed: your selectors and rules hide 3",
    ),
    ({"notify_on": "any"}, {"visible": False}, "not told: only what a reader does not see changed"),
    (
        {"notify_on": "nothing"},
        {"redesigned": True, "headline": "redesigned: 83 %"},
        "redesigned: 83 %; you asked to be",
    ),
    (
        {"notify_on": "nothing", "redesigns": False},
        {"redesigned": True},
        "not told: you asked not to be told of changes",
    ),
]


@pytest.mark.parametrize(("options", "fields", "reason"), ASKED)
def test_a_change_is_told_as_the_user_asked(options: Any, fields: Any, reason: str) -> None:
    decision = decide(WatchOptions(**options), answers(**fields))

    assert decision.notify is not reason.startswith("not told")
    assert decision.sentence.startswith(reason)


def test_a_page_that_flipped_back_is_not_told() -> None:
    decision = decide(WatchOptions(notify_on="any"), answers(redesigned=True), seen_on=SEEN)

    assert not decision.notify
    assert decision.sentence == "not told: the page flipped back to what it was on 2026-11-15 09:30"


def test_a_change_of_many_pages_is_told_once() -> None:
    decision = decide(WatchOptions(notify_on="any"), answers(), elsewhere=11)

    assert decision.notify
    assert decision.sentence.startswith("told once for 12 pages; changed: ")


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
        "the selector price (.price) matched on 100 % of the visits, now on 0 %; closest is p.product-price (“$45”)"
    )
