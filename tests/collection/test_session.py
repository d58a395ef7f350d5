"""Spark is started as it should be, and its troubles are told in one line."""

import time
from pathlib import Path
from typing import Any

import pytest

from pagedrift.collection import session
from pagedrift.collection.session import SparkError, explanation


@pytest.mark.parametrize(
    ("trouble", "told"),
    [
        ("...\nModuleNotFoundError: No module named 'pagedrift'", "no package pagedrift; install it there"),
        ("ModuleNotFoundError: No module named 'boto3'", "pagedrift[s3]"),
        ('java.io.IOException: Cannot run program "/bin/py": error=2', "no /bin/py; install Python"),
        ("[PYTHON_VERSION_MISMATCH] Python in worker has different version", "name the same one for all"),
        ("x\npagedrift.collection.stores.PlaceError: /a cannot be written; make room\n y", "make room"),
        ("py4j: o1.\n: org.apache.spark.SparkException: Job aborted\nmore", "Spark gave up: Job aborted; see"),
        ("", "Spark gave up"),
    ],
)  # fmt: skip
def test_what_spark_says_ends_with_the_next_step(trouble: str, told: str) -> None:
    assert told in explanation(trouble)
    assert "\n" not in explanation(trouble)


def test_machines_are_told_where_to_read_but_no_secret(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("AWS_ENDPOINT_URL", "AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY", "AWS_SESSION_TOKEN"):
        monkeypatch.setenv(name, "value")

    chosen = session._chosen("spark://host:7077", ["spark.executor.memory = 4g"])

    assert chosen["spark.executorEnv.AWS_ENDPOINT_URL"] == "value"
    assert not [name for name in chosen if "SECRET" in name or "TOKEN" in name or "ACCESS" in name]
    assert chosen["spark.executor.memory"] == "4g"
    assert chosen["spark.excludeOnFailure.enabled"] == "true"
    assert "spark.driver.host" not in chosen


def test_spark_submit_chooses_the_master_and_the_python(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PYSPARK_GATEWAY_PORT", "1")
    monkeypatch.delenv("PYSPARK_PYTHON", raising=False)

    assert "spark.master" not in session._chosen(None, [])
    assert "PYSPARK_PYTHON" not in session.os.environ


def test_a_setting_without_a_value_is_refused() -> None:
    with pytest.raises(SparkError, match="write one such as"):
        session._chosen(None, ["spark.executor.memory"])


@pytest.mark.slow
def test_progress_is_told_while_tasks_are_done(spark: Any, tmp_path: Path) -> None:
    told: list[tuple[str, int, int]] = []
    seen = tmp_path / "seen"

    def tell(*progress: Any) -> None:
        told.append(progress)
        seen.touch()

    def work(_: int) -> None:
        while not seen.exists():
            time.sleep(0.05)

    with session.watched(spark, "waiting", tell):
        spark.sparkContext.parallelize(range(4), 4).foreach(work)

    assert told
    assert {what for what, _, _ in told} == {"waiting"}
    assert all(0 <= done <= total == 4 for _, done, total in told)
