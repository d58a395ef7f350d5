"""The figures of the experiment do not get worse."""

import json
import math
import statistics
import subprocess
import sys
from pathlib import Path

import pytest
from experiments.gottron2009.folds import fit, sights
from experiments.gottron2009.series import Score, Series
from experiments.gottron2009.table2 import TABLE_2

from pagedrift.redesigned.events import Redesign
from pagedrift.testing import made_stream

ROOT = Path(__file__).parents[2]
FLOOR = json.loads((ROOT / "experiments/gottron2009/floor.json").read_text())
OUTER = FLOOR.pop("folds")


def run(module: str, *arguments: str) -> str:
    command = [sys.executable, "-m", f"experiments.gottron2009.{module}", *arguments]
    return subprocess.run(command, check=True, capture_output=True, text=True, cwd=ROOT).stdout


@pytest.mark.slow
def test_no_detector_is_worse_than_it_was(data: Path) -> None:
    answer = json.loads(run("evaluate", "--data", str(data / "streams")).splitlines()[-1])

    for name, floor in FLOOR.items():
        assert answer[name]["tp"] >= floor["tp"], answer[name]
        assert answer[name]["fp"] <= floor["fp"], answer[name]
        assert answer[name]["delay"] <= floor.get("delay", math.inf)
    assert all(row["real"] >= row["asked"] for row in answer["evidence"]["calibration"])


@pytest.mark.slow
def test_sites_that_nothing_was_fitted_on_are_not_judged_worse_than_they_were(data: Path) -> None:
    answer = json.loads(run("folds", "--data", str(data)).splitlines()[-1])

    assert answer["found"] >= OUTER["found"], answer
    assert answer["false"] <= OUTER["false"], answer
    assert max(answer["delays"]) <= OUTER["slowest"]
    assert statistics.median(answer["delays"]) <= OUTER["median"]
    stated = {row["from"]: row["real"] for row in answer["stated"]}
    assert 0.7 <= stated[0.7] <= 0.9 <= stated[0.9], answer["stated"]


def test_a_folder_without_series_is_said_to_be_one(tmp_path: Path) -> None:
    with pytest.raises(subprocess.CalledProcessError) as refused:
        run("evaluate", "--data", str(tmp_path))

    assert refused.value.returncode == 2
    assert "name the folder that holds the series" in refused.value.stderr


def event(document: int, needed: int = 3) -> Redesign:
    return Redesign(document=document, published_at=None, detector="x", certainty=None, needed=needed)


def test_an_event_within_three_documents_is_a_hit_and_a_borderline_one_counts_neither_way() -> None:
    score = Score()
    score.add(Series("x", (), [50, 100], [70]), [event(47), event(51), event(71), event(90)])

    assert (score.hits, score.false, score.missed, score.borderline) == (1, 1, 1, 1)
    assert score.delays == [0]
    assert score.wrong == ["x: 90", "x: 100 missed"]


def test_the_rows_of_the_paper_add_up_to_its_documents() -> None:
    # One row of the printed table is off by three: STATISTICS with a history of 10.
    assert sorted({sum(row) for row in TABLE_2.values()}) == [4491, 4494]


def test_constants_are_fitted_to_what_was_seen() -> None:
    seen = []
    for seed in range(12):
        outliers = [0] * 30 + [3 + seed] + [0] * 10
        seen += sights(Series(f"a{seed}", made_stream(outliers), []))
        seen += sights(Series(f"b{seed}", made_stream([0] * 30 + [1 + seed] * 12), [30]))
    fitted = fit(seen)

    assert fitted.home > 0 > fitted.prior
