"""What a notebook shows of our values: a small table, in which no page can do anything."""

import json
from datetime import UTC, datetime

import pytest

from pagedrift import PageVersion, Redesign, check, diff
from tests.report.test_webpage import HOSTILE

URL = "https://city.example/"
OLD, NEW = (PageVersion(URL, f"<title>Fees</title><p>A permit costs {fee}".encode()) for fee in ("$40", "$45"))
APRIL = datetime(2026, 4, 5, tzinfo=UTC)
EVENT = Redesign(document=30, published_at=APRIL, detector="evidence", certainty=0.97, needed=3)


@pytest.mark.parametrize(
    ("value", "shown"),
    [
        (OLD, "<th>title</th><td>Fees</td>"),
        (diff(OLD, NEW), "A permit costs $40 → A permit costs $45"),
        (check(OLD, NEW), "what changed    1 edit"),
        (EVENT, "<th>certainty</th><td>97%</td>"),
    ],
    ids=["page", "script", "verdict", "redesign"],
)
def test_a_notebook_shows_the_value(value: object, shown: str) -> None:
    assert shown in value._repr_html_()  # type: ignore[attr-defined]


@pytest.mark.parametrize(
    ("value", "name", "found"),
    [
        (OLD, "title", "Fees"),
        (diff(OLD, NEW), "actions", 1),
        (check(OLD, NEW), "changed", True),
        (EVENT, "published_at", "2026-04-05T00:00:00+00:00"),
    ],
    ids=["page", "script", "verdict", "redesign"],
)
def test_a_program_takes_the_value_as_data_that_json_holds(value: object, name: str, found: object) -> None:
    data = value.to_dict()  # type: ignore[attr-defined]

    assert json.loads(json.dumps(data)).keys() == data.keys()
    assert (len(data[name]) if isinstance(data[name], list) else data[name]) == found
    assert data["format"] == 1


def test_nothing_of_a_page_runs_in_a_notebook() -> None:
    hostile = PageVersion(
        f"https://city.example/?{HOSTILE}", f"<title>{HOSTILE}</title><p title='x'>{HOSTILE}".encode()
    )
    drawn = [hostile._repr_html_(), diff(OLD, hostile)._repr_html_(), check(OLD, hostile)._repr_html_()]

    assert not any("<script" in each or "<img" in each for each in drawn)
