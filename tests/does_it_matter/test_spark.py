"""Changes in a collection are judged as those of the series of its pages."""

from pathlib import Path

import pytest

from pagedrift import changes, past_of, read
from pagedrift.does_it_matter.spark import JudgedJob
from tests.builders import DAYS, record
from tests.collection.sample_collection import rows

pytestmark = [pytest.mark.slow, pytest.mark.usefixtures("spark")]

RULES = "<main><p>A permit is needed by all who park here for more than an hour, and costs {}.</p></main>"


def test_each_capture_is_judged_after_those_before_it(tmp_path: Path) -> None:
    bodies = [
        f"{RULES.format(fee)}<footer>{count} visitors</footer>"
        for fee, count in (("$40", 7), ("$40", 9), ("$45", 12))
    ]
    records = [record(body=body.encode(), date=DAYS[day], packed=True) for day, body in enumerate(bodies)]
    (tmp_path / "a.warc.gz").write_bytes(b"".join(records))

    outcome = JudgedJob().run([str(tmp_path), "--to", str(tmp_path / "answers")])

    found = sorted(rows(tmp_path / "answers" / "judged"), key=lambda row: row["captured_at"])
    versions = list(read(tmp_path / "a.warc.gz"))
    last = changes(versions[1], versions[2], past=past_of(*versions[:2]))
    assert [(row["important"], row["minor"], row["noise"]) for row in found] == [(0, 0, 1), (1, 0, 1)]
    assert [str(each.level) for each in last] == ["important", "noise"]
    assert outcome.figures == {"pairs": 2, "important": 1}
