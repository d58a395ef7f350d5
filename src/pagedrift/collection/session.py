"""The Spark session: starting one, and explaining its failures."""

from __future__ import annotations

import os
import re
import sys
import threading
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from pagedrift.collection.java import ensure_java
from pagedrift.errors import UnavailableError
from pagedrift.extras import need

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    Show = Callable[[str, int, int], None]  # what is done, how much of it, out of how much

LOG: Final = "the log of Spark (by default pagedrift-spark-USER.log in the folder for temporary files)"
TICK: Final = 0.3  # seconds between two looks at the progress
# What executors must know to read the same places; never a secret: those belong to the machines.
_PASSED_ON: Final = (
    "AWS_ENDPOINT_URL",
    "AWS_ENDPOINT_URL_S3",
    "AWS_REGION",
    "AWS_DEFAULT_REGION",
    "PAGEDRIFT_ALLOW_PRIVATE",
    "PAGEDRIFT_KERNELS",
)
_SETTINGS: Final = {
    "spark.sql.session.timeZone": "UTC",
    "spark.ui.showConsoleProgress": "false",
    # A machine without the package fails each task it is given: it gets no more, and the others do the work.
    "spark.excludeOnFailure.enabled": "true",
}
_ALONE: Final = {
    "spark.ui.enabled": "false",
    "spark.driver.host": "127.0.0.1",
    "spark.driver.bindAddress": "127.0.0.1",
}


class SparkError(UnavailableError):
    """Spark could not do the work."""


def is_submitted() -> bool:
    """Return whether spark-submit started this program: then it has chosen the master, the machines, the Python."""
    return "PYSPARK_GATEWAY_PORT" in os.environ


@contextmanager
def session(name: str, *, master: str | None, settings: Iterable[str] = ()) -> Iterator[Any]:
    """Give a session of Spark: the one that is there, or else one that ends with the work."""
    sql = need("spark", "pyspark.sql")
    running = sql.SparkSession.getActiveSession()
    if running is not None:
        yield running
        return
    builder = sql.SparkSession.builder.appName(name)
    for key, value in _chosen(master, settings).items():
        builder = builder.config(key, value)
    try:
        started = builder.getOrCreate()
    except Exception as error:
        raise SparkError(f"Spark does not start ({_first_line(error)}); check --master {master or ''}") from None
    try:
        yield started
    finally:
        started.stop()


def _chosen(master: str | None, settings: Iterable[str]) -> dict[str, str]:
    """Collect the settings: ours, those of the way Spark was started, and last those of the user."""
    chosen = dict(_SETTINGS)
    chosen |= {f"spark.executorEnv.{name}": os.environ[name] for name in _PASSED_ON if name in os.environ}
    if not is_submitted():
        ensure_java()
        chosen["spark.master"] = master or "local[*]"
        os.environ.setdefault("PYSPARK_PYTHON", sys.executable)
        if "SPARK_HOME" not in os.environ:  # else its own configuration counts
            os.environ.setdefault("SPARK_CONF_DIR", str(Path(__file__).with_name("spark_conf")))
        if chosen["spark.master"].startswith("local"):
            chosen |= _ALONE
    for text in settings:
        key, character, value = text.partition("=")
        if not character:
            raise SparkError(
                f"{text[:80]!r} is not a valid Spark setting; write one such as spark.executor.memory=4g"
            )
        chosen[key.strip()] = value.strip()
    return chosen


@contextmanager
def explained() -> Iterator[None]:
    """Say in one line what made Spark give up."""
    from py4j.protocol import Py4JError
    from pyspark.errors import PySparkException

    try:
        yield
    except (Py4JError, PySparkException) as error:
        raise SparkError(explanation(str(error))) from None


def explanation(trouble: str) -> str:
    """Find in what Spark says what a person can do about it.

    >>> explanation("... ModuleNotFoundError: No module named 'pagedrift' ...")
    "a worker has no package pagedrift; install it there: pip install 'pagedrift[spark]'"
    """
    if missing := re.search(r"No module named '([\w.]+)'", trouble):
        extra = "s3" if missing[1].startswith("boto") else "spark"
        return f"a worker has no package {missing[1]}; install it there: pip install 'pagedrift[{extra}]'"
    if absent := re.search(r'Cannot run program "([^"]+)"', trouble):
        return f"a worker has no {absent[1]}; install Python there, or name it in PYSPARK_PYTHON"
    if re.search(r"PYTHON_VERSION_MISMATCH", trouble):
        return "the workers run another version of Python; name the same one for all in PYSPARK_PYTHON"
    ours = re.findall(r"pagedrift\.[\w.]*Error: (.+)", trouble)
    if ours:
        return f"on a worker: {str(ours[-1]).strip()}"
    found = re.findall(r"^(?:Caused by: |: )?[\w.]+(?:Exception|Error): (.+)$", trouble, re.MULTILINE)
    return f"Spark gave up: {(found[-1] if found else _first_line(trouble)).strip()}; see {LOG} for details"


def _first_line(error: object) -> str:
    return next((line.strip() for line in str(error).splitlines() if line.strip()), type(error).__name__)


@contextmanager
def watched(running: Any, what: str, show: Show | None) -> Iterator[None]:
    """Report, while Spark works, how many tasks of the stage under way are done."""
    if show is None:
        yield
        return
    over = threading.Event()

    def look() -> None:
        tracker = running.sparkContext.statusTracker()
        while not over.wait(TICK):
            stages = [tracker.getStageInfo(stage) for stage in tracker.getActiveStageIds()]
            known = [stage for stage in stages if stage is not None]
            if known:
                show(what, sum(s.numCompletedTasks for s in known), sum(s.numTasks for s in known))

    thread = threading.Thread(target=look, daemon=True)
    thread.start()
    try:
        yield
    finally:
        over.set()
        thread.join(timeout=10)
