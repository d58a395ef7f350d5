"""Values of parts of pages, and conditions on them."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pagedrift.app.model.change import ChangeAnalysis, JudgedEdit
from pagedrift.app.model.conditions import ValueRange, is_met, parse_condition, says
from pagedrift.app.model.values import MAX_TEXT_CHARS, ValueChange, amount, read_value
from pagedrift.errors import InputError


@pytest.mark.parametrize(
    ("text", "number", "unit"),
    [
        ("$1,299.00", 1299.0, "$"),
        ("1.299,00 €", 1299.0, "€"),
        ("1 299,50 EUR", 1299.5, "EUR"),
        ("CHF 1’299.–", 1299.0, "CHF"),
        ("2 for £9", 9.0, "£"),
        ("4.5 kg", 4.5, "kg"),
        ("up 12 % today", 12.0, "%"),
        ("−3 °C", -3.0, "°C"),
        ("10,000 visitors", 10000.0, "visitors"),
        ("1.234.567 km", 1234567.0, "km"),
        ("model X100 only", None, ""),
        ("nothing", None, ""),
    ],
)
def test_numbers_are_read_as_people_write_them(text: str, number: float | None, unit: str) -> None:
    found = read_value(text)
    assert (found.number, found.unit) == (number, unit)


@given(st.floats(0.01, 9e6).map(lambda number: round(number, 2)))
def test_a_price_is_read_back_in_english_and_in_german(number: float) -> None:
    english = f"{number:,.2f}"
    german = english.translate(str.maketrans(",.", ".,"))
    assert amount(english) == amount(german) == pytest.approx(number)


@given(st.text(max_size=300))
def test_any_text_is_read_without_trouble(text: str) -> None:
    found = read_value(text)
    assert len(found.text) <= MAX_TEXT_CHARS


@pytest.mark.parametrize(
    ("text", "day"),
    [
        ("until 2027-03-12", "2027-03-12"),
        ("12th March 2027", "2027-03-12"),
        ("Mar. 12, 2027", "2027-03-12"),
        ("am 12.3.2027", "2027-03-12"),
        ("31.2.2027", ""),
        ("soon", ""),
    ],
)
def test_dates_are_read(text: str, day: str) -> None:
    assert read_value(text).day == day


@pytest.mark.parametrize(
    ("text", "in_stock"),
    [
        ("In stock", True),
        ("Currently not available", False),
        ("Out of stock – add to cart", False),
        ("Auf Lager", True),
        ("nicht lieferbar", False),
        ("A lamp", None),
    ],
)
def test_whether_something_is_in_stock_is_read(text: str, in_stock: bool | None) -> None:
    assert read_value(text).in_stock is in_stock


def _met(
    line: str, old: str, new: str, before: ValueRange | None = None, edits: tuple[JudgedEdit, ...] = ()
) -> bool:
    condition = parse_condition(line)
    held, holds = (((condition.text,) if condition.words and says(condition, text) else ()) for text in (old, new))
    change = ValueChange(kind="number", old=read_value(old), new=read_value(new), held=held, holds=holds)
    return is_met(condition, change, ChangeAnalysis(edits=edits), before or ValueRange())


@pytest.mark.parametrize(
    ("line", "old", "new", "met"),
    [
        ("below 20", "21 €", "19 €", True),
        ("below 20", "19 €", "18 €", False),  # it was so before
        ("below 20", "21 €", "20 €", False),
        ("above 20", "20 €", "20.01 €", True),
        ("below 20", "coming soon", "19 €", True),
        ("below 20", "21 €", "sold out", False),
        ("changes by 5", "20 €", "24 €", False),
        ("changes by 5", "20 €", "15 €", True),
        ("changes by 10%", "20 €", "18 €", True),
        ("changes by 10%", "20 €", "19 €", False),
        ("changes by 0%", "20 €", "20 €", False),
        ("new low", "20 €", "19 €", True),
        ("new high", "20 €", "19 €", False),
        ("contains sold out", "In stock", "Sold  out", True),
        ("contains sold out", "sold out", "Sold out!", False),
        ("lacks waiting list", "join the waiting list", "buy", True),
        ("in stock", "Sold out", "In stock", True),
        ("in stock", "A lamp", "In stock", True),
        ("out of stock", "In stock", "Sold out", True),
        ("added", "", "", False),
    ],
)
def test_a_condition_is_met_when_it_holds_now_and_did_not_before(line: str, old: str, new: str, met: bool) -> None:
    assert _met(line, old, new) is met


def test_a_new_low_is_lower_than_all_before_and_additions_are_no_noise() -> None:
    assert not _met("new low", "20 €", "19 €", ValueRange(18.0, 30.0))
    assert _met("new low", "20 €", "17 €", ValueRange(18.0, 30.0))
    assert _met("new high", "20 €", "31 €", ValueRange(18.0, 30.0))
    assert _met("added", "", "", edits=(JudgedEdit(action="added", level="important"),))
    assert not _met("added", "", "", edits=(JudgedEdit(action="added", level="noise"), JudgedEdit(action="edited")))


@pytest.mark.parametrize("line", ["", "cheaper", "below", "below x", "below 20%", "contains", "below ,,", "new"])
def test_what_is_not_a_condition_is_refused_with_all_that_are(line: str) -> None:
    with pytest.raises(InputError, match=r"write one"):
        parse_condition(line)
