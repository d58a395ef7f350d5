"""What people install: the sdist, the wheel that is built of it, and both without a compiler."""

from __future__ import annotations

import os
import re
import shutil
import signal
import site
import subprocess
import sys
import tarfile
import venv
import zipfile
from pathlib import Path
from typing import NamedTuple
from urllib.request import urlopen

import pytest

pytestmark = pytest.mark.slow
ROOT = Path(__file__).parent.parent
BUILD = "from setuptools import build_meta; import sys; getattr(build_meta, sys.argv[1])('dist')"
KERNELS = sorted(path.stem for path in (ROOT / "src/pagedrift/_kernels").glob("*_cy.pyx"))
NEEDED = (
    "pagedrift/py.typed",
    "pagedrift/app/demo/templates/first/front.html",
    "pagedrift/app/store/migrations/script.py.mako",
    "pagedrift/app/store/migrations/versions/0001_the_first_tables.py",
    "pagedrift/app/web/static/app.css",
    "pagedrift/app/web/templates/base.html",
    "pagedrift/capture/extract.js",
    "pagedrift/does_it_matter/models/source.json",
)


class Built(NamedTuple):
    """An sdist, and what was unpacked of it."""

    sdist: Path
    folder: Path


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Built:
    """An sdist, of a copy without anything that was built before."""
    copy = tmp_path_factory.mktemp("checkout") / "pagedrift"
    shutil.copytree(
        ROOT / "src", copy / "src", ignore=shutil.ignore_patterns("*.so", "*.c", "*.egg-info", "__pycache__")
    )
    for path in ROOT.iterdir():
        if path.is_file():
            shutil.copy(path, copy)
    build("build_sdist", copy, os.environ)
    (sdist,) = (copy / "dist").glob("*.tar.gz")
    with tarfile.open(sdist) as packed:
        packed.extractall(copy.parent, filter="data")
    return Built(sdist, copy.parent / sdist.name.removesuffix(".tar.gz"))


@pytest.fixture(scope="module")
def wheel(built: Built) -> Path:
    """The wheel, built of the sdist, without optimisation: what is in it matters here, not its speed."""
    build("build_wheel", built.folder, {**os.environ, "CFLAGS": "-O0"})
    (found,) = (built.folder / "dist").glob("*.whl")
    return found


def build(what: str, folder: Path, environment: object) -> None:
    done = subprocess.run(
        [sys.executable, "-c", BUILD, what],
        cwd=folder,
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr


def environment_with(wheel: Path, folder: Path) -> Path:
    """Make an environment with this wheel and the other packages of the tests; no network is needed."""
    venv.create(folder, symlinks=True)
    (packages,) = folder.glob("lib/python*/site-packages")
    (packages / "others.pth").write_text("\n".join(site.getsitepackages()))
    pip = [
        sys.executable,
        "-m",
        "pip",
        "--python",
        str(folder / "bin" / "python"),
        "install",
        "--no-deps",
        "--no-index",
    ]
    subprocess.run([*pip, "--quiet", str(wheel)], check=True)
    return folder / "bin"


def run(*command: str | Path, path: Path) -> subprocess.CompletedProcess[str]:
    """Run a command where there is no compiler."""
    environment = {"PATH": str(path), "HOME": str(path.parent)}
    return subprocess.run(
        command, env=environment, cwd=path.parent, capture_output=True, text=True, check=False, timeout=300
    )


def test_the_sdist_has_the_kernels_as_they_are_written_and_nothing_generated(built: Built) -> None:
    with tarfile.open(built.sdist) as packed:
        names = packed.getnames()

    assert [name for name in names if name.endswith((".c", ".so", ".pyc"))] == []
    assert [stem for stem in KERNELS if not any(name.endswith(f"/{stem}.pyx") for name in names)] == []
    assert not any("/tests/" in name for name in names)


def test_the_wheel_has_all_that_runs_and_nothing_else(wheel: Path) -> None:
    names = zipfile.ZipFile(wheel).namelist()

    assert [name for name in NEEDED if name not in names] == []
    assert [name for name in names if name.endswith((".c", ".pyc")) or "tests/" in name] == []
    assert {name.partition("/")[0].partition("-")[0] for name in names} == {"pagedrift"}
    assert [
        stem for stem in KERNELS if not any(re.match(rf"pagedrift/_kernels/{stem}\..*\.so$", n) for n in names)
    ] == []
    tracked = {
        f"pagedrift/{path.relative_to(ROOT / 'src/pagedrift')}"
        for path in (ROOT / "src/pagedrift").rglob("*")
        if path.is_file() and path.suffix not in (".so", ".c", ".pyc")
    }
    assert tracked - set(names) == set()


def test_the_installed_wheel_answers_with_compiled_kernels_and_serves(wheel: Path, tmp_path: Path) -> None:
    path = environment_with(wheel, tmp_path / "environment")

    native = run(path / "python", "-c", "import pagedrift._kernels as k; print(k.NATIVE, k.__file__)", path=path)
    assert native.stdout.startswith(f"True {tmp_path}"), native
    permits = ROOT / "examples" / "permits.warc.gz"
    checked = run(path / "pagedrift", "check", f"{permits}@2026-11-08", f"{permits}@2026-11-15", path=path)
    assert "important" in checked.stdout, checked
    assert run(path / "pagedrift", "redesigned", ROOT / "examples" / "news.warc.gz", path=path).returncode == 0
    assert "Pagedrift" in first_page(path)


def first_page(path: Path) -> str:
    """Start the installed application and give the page it opens with."""
    command = [path / "pagedrift", "serve", "--demo", "--port", "0", "--data", path.parent / "data"]
    with subprocess.Popen(command, stderr=subprocess.PIPE, text=True, env={"PATH": str(path)}) as application:
        assert application.stderr is not None
        address = application.stderr.readline().rpartition(" ")[2].strip()
        try:
            with urlopen(f"{address}/health") as ready, urlopen(address) as page:
                assert ready.status == 200
                return str(page.read(), "utf-8")
        finally:
            application.send_signal(signal.SIGTERM)
            application.communicate()


def test_without_a_compiler_the_sdist_installs_with_python_kernels_and_a_warning(
    built: Built, tmp_path: Path
) -> None:
    copy = tmp_path / "unpacked"
    shutil.copytree(built.folder, copy, ignore=shutil.ignore_patterns("build", "dist"))
    build("build_wheel", copy, {"PATH": str(tmp_path), "HOME": str(tmp_path), "CC": "no-compiler-here"})
    (slow,) = (copy / "dist").glob("*.whl")

    path = environment_with(slow, tmp_path / "environment")
    words = run(
        path / "python", "-c", "import pagedrift; print(pagedrift.PageVersion('', b'<p>A <b>b').words)", path=path
    )

    assert not any(name.endswith(".so") for name in zipfile.ZipFile(slow).namelist())
    assert words.stdout.strip() == "('A', 'b')", words
    assert "gcc" in words.stderr
