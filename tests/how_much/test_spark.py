"""Changes in a collection are those of the series of its pages."""

from pathlib import Path
from typing import Any

import pytest

from pagedrift import read
from pagedrift.how_much.series import series
from pagedrift.how_much.spark import ChangesJob
from pagedrift.what_changed import diff
from tests.builders import DAYS, PAGE, URL, pack, record, revisit
from tests.collection.sample_collection import collection, rows

pytestmark = [pytest.mark.slow, pytest.mark.usefixtures("spark")]


def moments(found: list[dict]) -> list[tuple[Any, ...]]:
    return sorted(
        (row["url"], row["since"], row["captured_at"], row["amount"], dict(row["words"])) for row in found
    )


def test_changes_are_those_of_the_series(tmp_path: Path) -> None:
    manifest = collection(tmp_path / "collection")

    outcome = ChangesJob().run([str(manifest), "--to", str(tmp_path / "answers")])

    steps = list(series(read(manifest.parent)))
    found = rows(tmp_path / "answers" / "changes")
    assert moments(found) == sorted(
        (step.url, step.since, step.captured_at, step.value, step.counts) for step in steps
    )
    assert [row["changed"] for row in sorted(found, key=lambda row: row["captured_at"])] == [
        False,
        True,
        False,
        True,
    ]
    assert outcome.figures == {"pairs": 4, "changed": 2}


def test_the_steps_of_a_change_are_counted(tmp_path: Path) -> None:
    records = [record(packed=True), record(body=PAGE + b"<p>New<a href=/x>Apply</a>", date=DAYS[3], packed=True)]
    (tmp_path / "a.warc.gz").write_bytes(b"".join(records))

    ChangesJob().run([str(tmp_path), "--to", str(tmp_path / "answers")])

    (row,) = rows(tmp_path / "answers" / "changes")
    old, new = read(tmp_path / "a.warc.gz")
    assert sum(count for _, count in row["steps"]) == sum(count for _, count in row["kinds"]) == len(diff(old, new))
    assert dict(row["steps"])["added"] >= 1


def test_a_revisit_is_a_capture_that_did_not_change(tmp_path: Path) -> None:
    records = [
        record(packed=True),
        revisit(refers_to_uri=URL, refers_to_date=DAYS[0], date=DAYS[5], packed=True),
        record(body=PAGE + b" and more", date=DAYS[9], packed=True),
        record(body=b"<p>Not found", status="404 Not Found", date=DAYS[10], packed=True),
    ]
    (tmp_path / "a.warc.gz").write_bytes(b"".join(records))

    ChangesJob().run([str(tmp_path), "--to", str(tmp_path / "answers")])

    found = sorted(rows(tmp_path / "answers" / "changes"), key=lambda row: row["captured_at"])
    assert [(row["changed"], row["amount"] > 0) for row in found] == [(False, False), (True, True)]


def test_pages_that_cannot_be_read_again_are_counted(tmp_path: Path) -> None:
    (tmp_path / "a.warc.gz").write_bytes(pack(record() + record(body=PAGE + b" more", date=DAYS[4])))

    outcome = ChangesJob().run([str(tmp_path), "--to", str(tmp_path / "answers")])

    (row,) = rows(tmp_path / "answers" / "changes")
    assert (row["changed"], row["amount"], outcome.tally.damaged) == (True, None, 1)
    assert "warcio recompress" in outcome.tally.problems[0]


def test_answers_about_what_is_no_longer_there_are_gone(tmp_path: Path) -> None:
    path, arguments = tmp_path / "a.warc.gz", [str(tmp_path), "--to", str(tmp_path / "answers")]
    path.write_bytes(record(packed=True) + record(body=PAGE + b" more", date=DAYS[4], packed=True))
    assert ChangesJob().run(arguments).figures["pairs"] == 1

    path.write_bytes(record(packed=True))

    assert ChangesJob().run(arguments).figures["pairs"] == 0
    assert rows(tmp_path / "answers" / "changes") == []
