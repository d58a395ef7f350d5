"""A part is there wholly or not at all, and knows what it is the answer to."""

from datetime import UTC, datetime
from pathlib import Path

import pytest

from pagedrift.collection.parts import Column, finished, place_of, write_part
from pagedrift.collection.tally import MAX_KEPT_PROBLEMS, Tally
from tests.collection.sample_collection import rows

COLUMNS = (
    Column("url", "string", "address"),
    Column("captured_at", "timestamp", "time"),
    Column("counts", "map<string,int>", "counts"),
)
ROW = ("https://city.example/", datetime(2026, 11, 15, tzinfo=UTC), [("added", 2)])


def test_a_finished_part_gives_its_rows_and_its_tally(tmp_path: Path) -> None:
    tally = Tally(pages=7)
    tally.report("one problem")

    write_part(place_of(str(tmp_path), 3), "work", COLUMNS, [ROW] * 25_000, tally)

    assert finished(str(tmp_path), 3, "work") == tally
    assert tally.rows == 25_000
    found = rows(tmp_path)
    assert len(found) == 25_000
    assert tuple(found[0].values()) == ROW


def test_a_part_of_other_work_is_not_finished(tmp_path: Path) -> None:
    write_part(place_of(str(tmp_path), 0), "work", COLUMNS, [], Tally())

    assert finished(str(tmp_path), 0, "other work") is None
    assert finished(str(tmp_path), 1, "work") is None


def test_a_torn_part_is_not_finished(tmp_path: Path) -> None:
    write_part(place_of(str(tmp_path), 0), "work", COLUMNS, [ROW], Tally())
    path = Path(place_of(str(tmp_path), 0))
    path.write_bytes(path.read_bytes()[:-9])

    assert finished(str(tmp_path), 0, "work") is None


def test_a_part_that_fails_leaves_nothing_behind(tmp_path: Path) -> None:
    def failing():
        yield ROW
        raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        write_part(place_of(str(tmp_path), 0), "work", COLUMNS, failing(), Tally())
    assert list(tmp_path.rglob("*.parquet")) == []


def test_of_very_many_problems_some_are_kept_and_all_are_counted() -> None:
    tally = Tally()
    for number in range(100):
        tally.report(f"problem {number}")

    assert (tally.damaged, len(tally.problems)) == (100, MAX_KEPT_PROBLEMS)
