"""Two crawls compared by Spark give the answers that one machine gives."""

from pathlib import Path

import pytest

from pagedrift.collection.exports import arrow_table
from pagedrift.crawls import summary
from pagedrift.crawls.comparison import compare
from pagedrift.crawls.spark import CompareJob
from tests.collection.sample_collection import rows
from tests.crawls.crawl_pages import crawls

pytestmark = [pytest.mark.slow, pytest.mark.usefixtures("spark")]


def test_the_answers_are_those_of_one_machine(tmp_path: Path) -> None:
    old, new = crawls(tmp_path)
    for name, path in (("old", old), ("new", new)):
        (tmp_path / f"{name}.paths").write_text(path)

    arguments = [
        str(tmp_path / "old.paths"),
        "--against",
        str(tmp_path / "new.paths"),
        "--to",
        str(tmp_path / "out"),
    ]
    outcome = CompareJob().run(arguments)

    with compare(old, new) as found:
        expected = arrow_table(summary.COLUMNS, map(summary.table_row, found)).to_pylist()
        counts = dict(found.counts)
    assert rows(tmp_path / "out" / "comparison") == expected
    assert outcome.figures == counts


def test_an_archive_that_is_missing_is_counted(tmp_path: Path) -> None:
    old, new = crawls(tmp_path)
    (tmp_path / "old.paths").write_text(old)
    (tmp_path / "new.paths").write_text(f"{new}\n{tmp_path}/missing.warc.gz\n")

    arguments = [
        str(tmp_path / "old.paths"),
        "--against",
        str(tmp_path / "new.paths"),
        "--to",
        str(tmp_path / "out"),
    ]
    outcome = CompareJob().run(arguments)

    assert outcome.tally.damaged == 1
    assert "missing.warc.gz" in outcome.tally.problems[0]
