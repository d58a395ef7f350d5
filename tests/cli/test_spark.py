"""The commands run jobs on this machine and on a cluster, and tell in one line what stops them."""

import json
import os
import shutil
import signal
import socket
import subprocess
import sys
import threading
import time
import venv
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from pagedrift.cli import spark as command
from tests.collection.sample_collection import JAVA, QUICK, collection, rows
from tests.server import Site

PROGRAM = Path(sys.executable).with_name("pagedrift")
pytestmark = [pytest.mark.slow]
pyspark = pytest.importorskip(
    "pyspark", reason="there is no pyspark; install it with: pip install 'pagedrift[spark]'"
)
HOME = Path(pyspark.__file__).parent
SETTINGS = [part for setting in QUICK for part in ("--conf", setting)]


def run(
    *arguments: object, program: object = PROGRAM, **environment: str | None
) -> subprocess.CompletedProcess[str]:
    """Run a command with another environment; None takes a name out of it."""
    changed = {**os.environ, **environment}
    return subprocess.run(
        [str(program), *map(str, arguments)],
        capture_output=True,
        text=True,
        check=False,
        env={name: value for name, value in changed.items() if value is not None},
    )


def figures(ran: subprocess.CompletedProcess[str]) -> dict[str, Any]:
    assert ran.returncode == 0, ran.stderr
    return json.loads(ran.stdout)


@pytest.fixture(scope="module")
def manifest(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return collection(tmp_path_factory.mktemp("collection"))


def test_a_machine_without_java_runs_jobs_by_the_packaged_one(manifest: Path, tmp_path: Path) -> None:
    for name in (
        "sh",
        "bash",
        "dirname",
        "env",
        "ps",
        "nice",
        "hostname",
        "uname",
        "realpath",
        "readlink",
        "sed",
        "grep",
    ):
        if found := shutil.which(name):
            (tmp_path / name).symlink_to(found)

    ran = run("spark", "fingerprint", manifest, "--to", tmp_path / "answers", "--master", "local[2]", *SETTINGS,
              "--together", 1, PATH=str(tmp_path), JAVA_HOME=None)  # fmt: skip

    assert ran.returncode == 0, ran.stderr
    assert ran.stdout.startswith("3 archives, 0 unreadable, 61 pages, 0 problems, 3 parts, 0 reused")


def test_spark_submit_runs_jobs_too(manifest: Path, tmp_path: Path) -> None:
    ran = run(
        "--master", "local[2]", *SETTINGS, command.__file__, "fingerprint", manifest, "--to", tmp_path, "--json",
        program=HOME / "bin" / "spark-submit", PYSPARK_PYTHON=sys.executable,
    )  # fmt: skip

    told = figures(ran)
    assert (told["job"], told["pages"], told["tables"]) == ("fingerprint", 61, {"pages": f"{tmp_path}/pages"})
    assert len(rows(tmp_path / "pages")) == 61


@pytest.mark.parametrize("name", command.JOBS)
def test_every_job_has_help_with_an_example(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as left:
        command.job_named(name).run(["--help"])

    told = capsys.readouterr().out
    assert left.value.code == 0
    assert f"Example: pagedrift spark {name} " in told
    assert all(option in told for option in ("MANIFEST", "--to", "--base", "--master", "--where", "--json"))


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("cluster", "/nowhere/manifest", "--to", "answers"), "check its name"),
        (("fingerprint", "examples/permits.warc.gz", "--to", "answers"), "name a text file with its address"),
        (("classify", "examples", "--to", "answers", "--index", "/nowhere"), "check its name"),
        (("redesigned", "examples", "--to", "answers", "--history", "1"), "history"),
        (("fingerprint", "examples", "--to", "answers", "--conf", "nonsense"), "is not a valid Spark setting"),
        (("fingerprint", "examples"), "required: --to"),
        (("fingerprint", "examples", "--to", "answers", "--together", "0"), "from 1 on"),
    ],
)
def test_trouble_is_told_in_one_line(arguments: tuple[str, ...], message: str, tmp_path: Path) -> None:
    given = [str(tmp_path) if each == "answers" else each for each in arguments]
    ran = run("spark", *given)

    assert ran.returncode == 2
    assert "Traceback" not in ran.stderr
    assert message in ran.stderr.strip().splitlines()[-1]


def free_port() -> int:
    with socket.socket() as found:
        found.bind(("127.0.0.1", 0))
        return int(found.getsockname()[1])


class Cluster:
    """A master and workers of Spark on this machine, each in a process group of its own."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.url = f"spark://127.0.0.1:{free_port()}"
        self.processes: list[subprocess.Popen[bytes]] = []
        port = self.url.rpartition(":")[2]
        self._start("master.Master", "--host", "127.0.0.1", "--port", port, "--webui-port", "0")

    def work(self, name: str, *, path: str) -> subprocess.Popen[bytes]:
        """Start a worker whose programs are found along this path."""
        options = ("--host", "127.0.0.1", "--webui-port", "0", "--cores", "1", "--memory", "1g")
        return self._start("worker.Worker", *options, "--work-dir", str(self.folder / name), self.url, path=path)

    def _start(self, kind: str, *arguments: str, path: str = "") -> subprocess.Popen[bytes]:
        log = (self.folder / f"{kind}-{len(self.processes)}.log").open("wb")
        started = subprocess.Popen(
            [HOME / "bin" / "spark-class", f"org.apache.spark.deploy.{kind}", *arguments],
            stdout=log,
            stderr=subprocess.STDOUT,
            start_new_session=True,
            env={**os.environ, "SPARK_DAEMON_JAVA_OPTS": JAVA, "PATH": path or os.environ["PATH"]},
        )
        log.close()
        self.processes.append(started)
        return started

    def kill(self, process: subprocess.Popen[bytes]) -> None:
        """End a machine, with everything on it, at once."""
        os.killpg(process.pid, signal.SIGKILL)
        process.wait()
        self.processes.remove(process)

    def run(self, *arguments: object, **environment: str) -> subprocess.CompletedProcess[str]:
        """Run a job there."""
        own = ("--conf", "spark.executor.memory=512m", "--conf", "spark.driver.host=127.0.0.1")
        settings = (
            *SETTINGS,
            *own,
            "--conf",
            "spark.driver.bindAddress=127.0.0.1",
            "--conf",
            "spark.ui.enabled=false",
        )
        return run("spark", *arguments, "--master", self.url, "--json", "--together", 1, *settings, **environment)


@pytest.fixture(scope="module")
def cluster(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Cluster]:
    from pagedrift.collection.java import ensure_java

    ensure_java()
    started = Cluster(tmp_path_factory.mktemp("cluster"))
    yield started
    for process in list(started.processes):
        started.kill(process)


OWN_PATH = f"{Path(sys.executable).parent}:{os.environ['PATH']}"


def wait_for(what: Callable[[], bool], *, seconds: float = 600) -> None:
    end = time.monotonic() + seconds
    while not what():
        assert time.monotonic() < end, "it did not come to that"
        time.sleep(0.05)


def test_a_worker_that_dies_in_the_middle_costs_nothing(
    cluster: Cluster, manifest: Path, tmp_path: Path, site: Site
) -> None:
    """Each archive is held back until both workers are reading one; then one of them is gone."""
    first, second = (cluster.work(name, path=OWN_PATH) for name in ("first", "second"))
    go_on = threading.Event()
    names = [f"/{number}.warc.gz" for number in range(6)]
    for number, name in enumerate(names):
        site.pages[name] = Held(manifest.parent / f"{'abc'[number % 3]}.warc.gz", go_on)
    listed = tmp_path / "listed"
    listed.write_text("".join(f"{site.url}{name}\n" for name in names))
    ran: list[subprocess.CompletedProcess[str]] = []
    job = threading.Thread(
        target=lambda: ran.append(
            cluster.run("cluster", listed, "--to", tmp_path / "answers", PAGEDRIFT_ALLOW_PRIVATE="127.0.0.1")
        )
    )
    job.start()
    try:
        wait_for(lambda: len(set(site.paths)) >= 2 or not job.is_alive())
        cluster.kill(first)
    finally:
        go_on.set()
    job.join()

    told = figures(ran[0])
    assert (told["archives"], told["pages"], told["problems"]) == (6, 122, 0)
    alone = run("which-template", "cluster", *[manifest.parent / f"{'abc'[n % 3]}.warc.gz" for n in range(6)],
                "--to", tmp_path / "alone.json")  # fmt: skip
    assert alone.returncode == 0
    expected = [(row["url"], row["template"]) for row in json.loads((tmp_path / "alone.json").read_text())]
    assert [(row["url"], row["template"]) for row in rows(tmp_path / "answers" / "clusters")] == expected
    assert second.poll() is None


class Held:
    """An archive that a server gives, in parts, once it may go on."""

    def __init__(self, path: Path, go_on: threading.Event) -> None:
        self.data = path.read_bytes()
        self.go_on = go_on

    def __call__(self, request: Any) -> tuple[int, dict[str, str], bytes]:
        start, _, stop = request.headers["Range"].removeprefix("bytes=").partition("-")
        part = self.data[int(start) : int(stop) + 1]
        if int(stop) - int(start) > 1:  # not only to ask for its length
            self.go_on.wait(600)
        head = {"Content-Range": f"bytes {start}-{int(start) + len(part) - 1}/{len(self.data)}"}
        return (206, head, part) if part else (416, {}, b"")


def test_a_worker_without_the_package_leaves_the_work_to_the_others(
    cluster: Cluster, manifest: Path, tmp_path: Path
) -> None:
    venv.create(tmp_path / "bare", with_pip=False, symlinks=True)
    cluster.work("bare", path=f"{tmp_path}/bare/bin:{os.environ['PATH']}")

    ran = cluster.run("fingerprint", manifest, "--to", tmp_path / "answers", PYSPARK_PYTHON="python")

    assert (figures(ran)["pages"], figures(ran)["parts"]) == (61, 3)


def test_where_no_worker_has_the_package_that_is_told(manifest: Path, tmp_path: Path) -> None:
    venv.create(tmp_path / "bare", with_pip=False, symlinks=True)

    ran = run("spark", "fingerprint", manifest, "--to", tmp_path / "answers", "--master", "local[1]", *SETTINGS,
              PYSPARK_PYTHON=f"{tmp_path}/bare/bin/python")  # fmt: skip

    assert ran.returncode == 2
    assert ran.stderr.strip().endswith("install it there: pip install 'pagedrift[spark]'")
